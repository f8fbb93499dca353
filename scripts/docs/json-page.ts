import { groupBy } from '../../src/engine/support/lists.js';
import type { JsonDocument } from './json-document.js';
import { COMMAND_DOCUMENTS, ERROR_DOCUMENT } from './json-documents.js';
import { fieldRows } from './json-schema-rows.js';
import { fence, GENERATED, sectionLink, table } from './markdown.js';

const INTRODUCTION = `${GENERATED}

# JSON documents

With \`--json\`, or with \`SVC_JSON=1\` in the environment, a command prints one JSON document to stdout and nothing else. Keys are
camelCase, times are ISO 8601 in UTC, and lines are counted from 1. Fields without a ✓ under "always" can be missing. Later
versions may add fields, but never change the meaning of one.
`;

/** Documents without a table: short, or the configuration itself. */
const CONFIG_DOCUMENTS = `## svc config

| command | document |
| --- | --- |
| \`svc config validate\` | \`{valid, file, faults, warnings}\`: \`file\` is \`null\` without a configuration file. Faults and warnings are \`{severity, code, path, location: {file, line, column}, message, expected?, suggestion?, related?}\`. |
| \`svc config show\` | \`{file, config, values?, warnings}\`: \`values\` only with \`--origin\`, a list of \`{path, value, origins}\`. |
| \`svc config get\` | \`{path, value, origin, file, fallback?, warnings}\`: \`origin\` is \`file\`, \`default\` or \`unset\`. |
| \`svc config set\`, \`svc config unset\` | \`{file, path, before?, after?, changed, warnings}\` |
| \`svc config path\` | \`{file, origin, searched, warnings}\`: \`searched\` is a list of \`{file, origin, found}\`. |
| \`svc config trust\` | \`{file, trusted, changed, risky, warnings}\`: \`risky\` is a list of \`{path, value}\`, secrets masked. |
| \`svc config trust list\` | \`{configs, warnings}\`: a list of \`{file, trustedAt, changed}\`; a file that is \`changed\` has to be trusted again. |
| \`svc config trust revoke\` | \`{file, revoked, warnings}\` |
| \`svc config init\` | \`{file, schemaFile, warnings}\`. With a flag that sets up more, \`{file, schemaFile, secretsFile, workspace, provider, diagnosis, index, search, warnings}\`: paths of files that were not written are \`null\`; so are \`provider\` and \`diagnosis\` for keyword search only, and \`index\` and \`search\` with \`--no-index\`. \`diagnosis\` is as in \`svc provider test\`, \`index\` one of the \`agents\` of \`svc memory index\`, \`search\` as in \`svc memory search\`. |
| \`svc config schema\` | the JSON Schema itself |
`;

/** docs/json.md, from the schemas that tests check real output with. */
export function jsonPage(): string {
  const documents = [...COMMAND_DOCUMENTS, ERROR_DOCUMENT];
  return [INTRODUCTION, contents(), ...documents.map(section), CONFIG_DOCUMENTS].join('\n');
}

/** The sections, a row for each topic of commands. */
function contents(): string {
  const places = COMMAND_DOCUMENTS.map(({ title }) => {
    const [topic = 'svc', text = ''] = /^(svc \S+|svc) ([^-].*)$/u.exec(title)?.slice(1) ?? [];
    return { topic, link: sectionLink(title, text) };
  });
  places.push({ topic: 'svc config', link: sectionLink('svc config', 'others') });
  const topics = groupBy(places, ({ topic }) => topic);
  const rows = [...topics].map(([topic, some]) => {
    return [`\`${topic}\``, some.map(({ link }) => link).join(', ')];
  });
  rows.push(['any, when it fails', sectionLink(ERROR_DOCUMENT.title, 'error')]);
  return `${table(['command', 'document'], rows)}\n`;
}

function section(document: JsonDocument): string {
  document.schema.parse(document.example);
  const rows = fieldRows(document.schema).map(({ path, type, always, meaning }) => {
    if (meaning === undefined) {
      throw new Error(`${document.title}: ${path} has no description in its schema`);
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
