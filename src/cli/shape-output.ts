import { SvcError } from '../engine/errors/index.js';
import { isRecord } from '../engine/support/text.js';
import { wordsBeforeDashes } from './fast-start.js';

/** Turns a JSON document into the text to print. @throws SvcError USAGE */
export type OutputShape = (document: unknown) => string;

/** Whether a command line asks for a part of the JSON document, or for another form of it. */
export function wantsShape(argv: readonly string[]): boolean {
  return wordsBeforeDashes(argv).some((word) => /^--(?:fields|jq|template)(?:=|$)/u.test(word));
}

/** `jq: error: WHY at <top-level>, line 1, column 9:`, and the expression; or `jq: error (at /dev/stdin:0): WHY`. */
const JQ_ERROR =
  /^jq: error(?: \(at [^)]*\))?: (.*?)(?: at <top-level>(, line \d+, column \d+):)?$/mu;

/** Prepares what the flags ask for; undefined where they ask for nothing. */
export async function createShape(
  flags: Readonly<Record<string, unknown>>,
): Promise<OutputShape | undefined> {
  const [fields, jq, template] = ['fields', 'jq', 'template'].map((name) => {
    const value = flags[name];
    return typeof value === 'string' ? value : undefined;
  });
  const select = fields === undefined ? (document: unknown) => document : fieldSelector(fields);
  if (jq !== undefined) {
    const { loadJq } = await import('jq-wasm/inline');
    const program = await loadJq();
    return (document) => {
      const text = JSON.stringify(select(document));
      const { stdout, stderr, exitCode } = program.raw(text, jq, ['-r', '-c']);
      if (exitCode === 0) return stdout;
      const [, why, at = ''] = JQ_ERROR.exec(stderr) ?? [];
      throw new SvcError('USAGE', `--jq: ${why ?? stderr}${at}`, {
        hint: 'see https://jqlang.org/manual; --json prints the whole document',
      });
    };
  }
  if (template !== undefined) {
    const { default: mustache } = await import('mustache');
    return (document) => {
      try {
        return mustache.render(template, select(document), {}, { escape: String });
      } catch (error) {
        throw new SvcError('USAGE', '--template is not a valid Mustache template', {
          cause: error,
          hint: "for example: --template '{{#results}}{{citation}} {{/results}}'",
        });
      }
    };
  }
  if (fields === undefined) return undefined;
  return (document) => JSON.stringify(select(document), null, 2);
}

interface FieldTree {
  [name: string]: FieldTree;
}

/** Keeps the named fields, `results.citation` in each item of a list. */
function fieldSelector(list: string): (document: unknown) => unknown {
  const fields: FieldTree = Object.create(null);
  for (const path of list.split(',')) {
    let at = fields;
    for (const name of path.trim().split('.')) at = at[name] ??= Object.create(null);
  }
  return (document) => {
    const known = isRecord(document) ? document : {};
    // Deeper fields may be optional in a record, so that their absence proves no mistake.
    const unknown = Object.keys(fields).find((name) => !Object.hasOwn(known, name));
    if (unknown !== undefined) {
      throw new SvcError('USAGE', `--fields: there is no field "${unknown}"`, {
        hint: `must be one or more of: ${Object.keys(known).join(', ')}; "list.name" for a field of list items`,
      });
    }
    return selectFields(known, fields);
  };
}

function selectFields(value: unknown, fields: FieldTree): unknown {
  const below = Object.entries(fields);
  if (below.length === 0) return value;
  if (Array.isArray(value)) return value.map((item) => selectFields(item, fields));
  const record = isRecord(value) ? value : {};
  return Object.fromEntries(
    below.map(([name, tree]) => [
      name,
      selectFields(Object.hasOwn(record, name) ? record[name] : null, tree),
    ]),
  );
}
