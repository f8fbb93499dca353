import { ERROR_CODES, WARNING_CODES } from '../../src/engine/errors/index.js';
import { TYPICAL_HINTS } from './error-hints.js';
import { fence, GENERATED, table } from './markdown.js';

const TEXT = `error: there is no workspace at /home/ada/notes
 hint: create it (mkdir -p /home/ada/notes), choose another with "svc config init", or search any folder with "svc search --workspace DIR"`;

const JSON_TEXT = `{
  "error": {
    "code": "WORKSPACE_MISSING",
    "message": "there is no workspace at /home/ada/notes",
    "hint": "create it (mkdir -p /home/ada/notes), choose another with \\"svc config init\\", or search any folder with \\"svc search --workspace DIR\\""
  }
}`;

/** Exit codes and their meaning, in Markdown. */
export const EXIT_CODES: readonly (readonly [code: string, meaning: string])[] = [
  ['0', 'Success, also when nothing was found.'],
  ['1', 'The operation failed, or a check found a problem.'],
  ['2', 'The command line or the configuration is invalid.'],
  ['124', 'The time limit of `--timeout` has passed.'],
  ['130', 'Interrupted with Ctrl-C.'],
];

const INTRODUCTION = `${GENERATED}

# Exit codes, errors and warnings

${table(['exit code', 'meaning'], EXIT_CODES)}

The exit code is the same with and without \`--json\`. Scripts should match on the exit code or on the
error code, which stay the same from version to version. Messages and hints are for people and may change.

An error is printed on stderr: what failed, then where (\`at:\`) if it has a place, then what to do
(\`hint:\`).

${fence('text', TEXT)}

With \`--json\` it is a JSON document on stdout instead; see [json.md](json.md#errors).

${fence('json', JSON_TEXT)}
`;

/** docs/errors.md, from the registry. */
export function errorsPage(): string {
  const hints: Readonly<Record<string, string>> = TYPICAL_HINTS;
  const errors = Object.entries(ERROR_CODES).map(([code, { exit, summary }]) => {
    return [`\`${code}\``, String(exit), summary, hints[code] ?? ''];
  });
  errors.sort(([a = ''], [b = '']) => (a < b ? -1 : 1));
  const warnings = Object.entries(WARNING_CODES).map(([code, summary]) => [`\`${code}\``, summary]);
  return [
    INTRODUCTION,
    '## Error codes\n',
    table(['code', 'exit', 'meaning', 'what usually helps'], errors),
    '\n## Warning codes\n',
    'A warning does not change the exit code. It is a line on stderr, or an entry of `warnings` in the',
    'JSON document: `{code, message, hint?}`.\n',
    table(['code', 'meaning'], warnings),
    '',
  ].join('\n');
}
