import type { JsonDocument } from './json-document.js';
import { COMMAND_DOCUMENTS, ERROR_DOCUMENT } from './json-documents.js';
import { fieldRows } from './json-schema-rows.js';
import { fence, GENERATED, table } from './markdown.js';

const INTRODUCTION = `${GENERATED}

# JSON documents

With \`--json\`, or with \`SVC_JSON=1\` in the environment, a command prints one JSON document on stdout
and nothing else. Keys are in camel case, times are ISO 8601 in UTC, lines are counted from 1.
A field that is not marked under "always" may be left out. Fields may be added in later versions;
none changes its meaning.
`;

/** These have no table: their shape is that of a few lines, or of the configuration itself. */
const CONFIG_DOCUMENTS = `## svc config

| command | document |
| --- | --- |
| \`svc config validate\` | \`{valid, file, faults, warnings}\`: \`file\` is \`null\` without a configuration file. Faults and warnings are \`{severity, code, path, location: {file, line, column}, message, expected?, suggestion?, related?}\`. |
| \`svc config show\` | \`{file, config, values?, warnings}\`: \`values\` only with \`--origin\`, a list of \`{path, value, origins}\`. |
| \`svc config get\` | \`{path, value, origin, file, fallback?, warnings}\`: \`origin\` is \`file\`, \`default\` or \`unset\`. |
| \`svc config set\`, \`svc config unset\` | \`{file, path, before?, after?, changed, warnings}\` |
| \`svc config path\` | \`{file, origin, searched, warnings}\`: \`searched\` is a list of \`{file, origin, found}\`. |
| \`svc config init\` | \`{file, schemaFile, warnings}\`. With a flag that sets up more, \`{file, schemaFile, secretsFile, workspace, provider, diagnosis, index, search, warnings}\`: paths of files that were not written are \`null\`, \`provider\` and \`diagnosis\` are for words alone, \`index\` and \`search\` with \`--no-index\`. \`diagnosis\` is as in \`svc provider test\`, \`index\` one of the \`agents\` of \`svc memory index\`, \`search\` as in \`svc memory search\`. |
| \`svc config schema\` | the JSON Schema itself |
`;

/** docs/json.md, from the schemas that the tests hold the real output against. */
export function jsonPage(): string {
  const documents = [...COMMAND_DOCUMENTS, ERROR_DOCUMENT].map(section);
  return [INTRODUCTION, ...documents, CONFIG_DOCUMENTS].join('\n');
}

function section(document: JsonDocument): string {
  document.schema.parse(document.example);
  const fields = fieldRows(document.schema);
  const unknown = Object.keys(document.meanings).filter(
    (path) => !fields.some((field) => field.path === path),
  );
  if (unknown.length > 0) {
    throw new Error(`${document.title} has no field ${unknown.join(', ')} (json-documents.ts)`);
  }
  const rows = fields.map(({ path, type, always }) => {
    const meaning = document.meanings[path];
    if (meaning === undefined) {
      throw new Error(`${document.title}: ${path} has no meaning yet (json-documents.ts)`);
    }
    return [`\`${path}\``, type, always ? '✓' : '', meaning];
  });
  return [
    `## ${document.title}\n`,
    `${document.introduction}\n`,
    table(['field', 'type', 'always', 'meaning'], rows),
    `\n${fence('json', JSON.stringify(document.example, null, 2))}\n`,
  ].join('\n');
}
