import { ERROR_CODES, WARNING_CODES } from '../../src/engine/errors/index.js';
import { fence, GENERATED, table } from './markdown.js';

const TEXT = `error: there is no workspace at /home/ada/notes
 mend: make the folder, name another with --workspace DIR, or run "svc config init"`;

const JSON_TEXT = `{
  "error": {
    "code": "WORKSPACE_MISSING",
    "message": "there is no workspace at /home/ada/notes",
    "hint": "make the folder, name another with --workspace DIR, or run \\"svc config init\\""
  }
}`;

const INTRODUCTION = `${GENERATED}

# Exit codes, errors and warnings

| exit code | meaning |
| --- | --- |
| 0 | Done. A search without results is done, too. |
| 1 | The operation failed, or a check found a fault. |
| 2 | The command line or the configuration is wrong. |
| 130 | Stopped by Ctrl-C. |

The exit code is the same with and without \`--json\`. Scripts should match on the exit code or on the
error code: both are part of the interface and stay. Messages and hints are written for people and
change.

An error is printed on stderr: what failed, then where (\`at:\`) if it has a place, then what to do
(\`mend:\`).

${fence('text', TEXT)}

With \`--json\` it is the document on stdout instead; see [json.md](json.md#errors).

${fence('json', JSON_TEXT)}
`;

/** docs/errors.md, from the registry. */
export function errorsPage(): string {
  const errors = Object.entries(ERROR_CODES).map(([code, { exit, summary }]) => {
    return [`\`${code}\``, String(exit), summary];
  });
  const warnings = Object.entries(WARNING_CODES).map(([code, summary]) => [`\`${code}\``, summary]);
  return [
    INTRODUCTION,
    '## Error codes\n',
    table(['code', 'exit', 'meaning'], errors),
    '\n## Warning codes\n',
    'A warning does not change the exit code. It is a line on stderr, or an entry of `warnings` in the',
    'JSON document: `{code, message, hint?}`.\n',
    table(['code', 'meaning'], warnings),
    '',
  ].join('\n');
}
