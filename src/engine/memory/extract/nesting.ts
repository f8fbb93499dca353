import { Parser, type ParserOptions } from 'htmlparser2';

/** Of elements in each other. Browsers flatten deeper ones, and reading them could overflow the stack. */
const MOST_DEPTH = 1000;

/**
 * Whether elements are nested too deeply to be read. Asked first, because the parser takes ever longer for each level, and
 * stops here at the first that is too deep.
 */
export function isNestedTooDeeply(markup: string, options: ParserOptions = {}): boolean {
  let depth = 0;
  const parser = new Parser(
    {
      onopentagname: () => {
        depth += 1;
        if (depth > MOST_DEPTH) parser.pause();
      },
      onclosetag: () => {
        depth -= 1;
      },
    },
    options,
  );
  parser.write(markup);
  return depth > MOST_DEPTH;
}
