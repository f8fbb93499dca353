import { Parser, type ParserOptions } from 'htmlparser2';

/** Of elements in each other. Browsers flatten deeper ones, and reading them could overflow the stack. */
const MOST_DEPTH = 1000;

/** The parser forgets these only at an end tag of their own, and takes ever longer for each that it has not forgotten. */
const REMEMBERED: ReadonlySet<string> = new Set(
  'annotation-xml desc foreignobject math mi mn mo ms mtext svg title'.split(' '),
);
const MOST_REMEMBERED = 10_000;

/**
 * Whether elements are nested too deeply to be read. Checked first, because the parser takes ever longer for each level, and
 * stops here at the first that is too deep.
 */
export function isNestedTooDeeply(markup: string, options: ParserOptions = {}): boolean {
  let depth = 0;
  let remembered = 0;
  const isTooDeep = (): boolean => depth > MOST_DEPTH || remembered > MOST_REMEMBERED;
  const parser = new Parser(
    {
      onopentagname: () => {
        depth += 1;
        if (isTooDeep()) parser.pause();
      },
      onclosetag: (name, isImplied) => {
        depth -= 1;
        if (isImplied && REMEMBERED.has(name)) remembered += 1;
      },
    },
    options,
  );
  parser.write(markup);
  return isTooDeep();
}
