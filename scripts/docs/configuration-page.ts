import { type ReferenceKey, referenceByRoot } from '../../src/engine/config/authoring.js';
import { ADAPTER_KINDS } from '../../src/engine/providers/registry.js';
import { GENERATED, table } from './markdown.js';

const ROOT_TITLES: Readonly<Record<string, string>> = {
  $schema: 'For editors',
  agents: 'Agents and memory search',
  models: 'Model endpoints',
  memory: 'Backend and citations',
  sessions: 'Session transcripts',
  plugins: 'Plugins',
  gateway: 'Gateway',
  flows: 'Task flows',
  schedules: 'Schedules',
  secrets: 'Secret providers',
  logging: 'Logging',
  ui: 'Screens',
};

const INTRODUCTION = `${GENERATED}

# Configuration

svc works without a configuration file. To change its defaults, write \`svc.json\`: JSON with comments (\`//\` and \`/* */\`) and
trailing commas. \`svc config init\` creates it for you. This page lists every key.

## Which file is used

svc uses the first file that exists and never merges two. \`svc config path\` prints its path.

1. the file named by \`--config\`
2. the file named by the environment variable \`SVC_CONFIG\`
3. the nearest \`svc.json\`, from the current folder upward
4. your own: \`svc.json\` in \`~/.svc\`, or in \`SVC_HOME\`, or in \`$XDG_CONFIG_HOME/svc\`

A file that you name must exist. A file that exists but cannot be read is an error, and so is one larger than 4 MiB. In the nearest
\`svc.json\`, risky keys are ignored until you run \`svc config trust\`: see [trust](trust.md).

## Syntax

- Unknown keys, duplicate keys and wrong types are errors. \`svc config validate\` shows all of them with line and column (in UTF-16
  code units, as in editors) and exits with 2.
- Relative paths are relative to the folder of the file, and \`~\` is your home folder. Exception: \`extraPaths\` and the paths of
  collections are relative to the workspace.
- Keys of durations end with their unit: \`…Ms\`, \`…Seconds\`, \`…Minutes\`, \`…Days\`.
- \`svc config set\` and \`unset\` keep comments and formatting. They refuse what would add a fault, but can fix a
  file fault by fault, and remove unknown keys. Write paths like \`agents.list[0].id\`, and keys that contain dots like
  \`models.providers["my.host"].api\`.
- An agent in \`agents.list\` overrides \`agents.defaults.memorySearch\` field by field. Lists replace each other, except
  \`exclude\`, \`extraPaths\` and \`ext.extraCollections\`, which are joined.

## Secrets

A key that contains a secret (\`apiKey\`, \`secret\`, entries of \`verify.secrets\`, values of \`headers\`) accepts any of these forms:

| form | meaning |
|---|---|
| \`"text"\` | the secret itself, in plain text |
| \`"env:NAME"\`, \`"\${NAME}"\`, \`"secretref-env:NAME"\` | the environment variable \`NAME\`: capitals, digits and \`_\` |
| \`{"source": "env", "provider": "default", "id": "NAME"}\` | the same, through a provider in [\`secrets.providers\`](#secret-providers) |
| \`{"source": "file", "provider": "…", "id": "/a/b"}\` | a JSON pointer into the provider's file, or \`value\` for the whole file |
| \`{"source": "exec", "provider": "…", "id": "…"}\` | the value that the provider's program returns for that id |

\`provider\` is optional; the default is in \`secrets.defaults\`. References are read when they are needed, not when the file is
checked. Plain-text secrets are masked wherever configuration is shown. Values of \`env\` are masked too, but are always plain
text.

## Provider names

\`provider\`, \`fallback\` and \`models.providers.<id>.api\` accept an adapter's id or its kind:

| kind | adapter |
|---|---|
${[...ADAPTER_KINDS].map(([kind, adapter]) => `| \`${kind}\` | \`${adapter}\` |`).join('\n')}

\`local\` and \`lmstudio\` have no kind. \`provider\` can also be the id of a \`models.providers\` entry, whose \`api\` selects the adapter
and whose address and key are used.

## Rules across keys

| rule | severity |
|---|---|
| \`provider\` and \`fallback\` name an adapter or an entry of \`models.providers\` | error |
| \`fallback\` is not the provider itself | error |
| \`query.hybrid.vectorWeight\` and \`textWeight\` are not both 0 | error |
| \`chunking.overlap\` is smaller than \`chunking.tokens\` | error |
| with \`multimodal.enabled\`, a chosen provider and fallback can embed media | error |
| \`outputDimensionality\` is a size that the model has (where the model is known) | error |
| \`outputDimensionality\` with an adapter that ignores it | warning |
| agent ids are unique, and at most one agent is the default | error |
| every agent in \`active-memory.config.agents\` exists | warning |
| route paths are unique, ignoring leading and trailing slashes | error |
| a route has \`secret\` or \`verify\`, not both | error |
| every rule of a route's \`map\` has valid pointers and makes a valid action | error |
| no rule of a route's \`map\` comes after one that matches everything it would match | warning |
| \`dreaming.frequency\` is valid and occurs at some time | error |
| a plain-text \`apiKey\`, \`secret\` or entry of \`secrets\` has at least 24 characters; keys of self-hosted adapters are placeholders and exempt | warning |
| a relative path stays inside the folder of the file | warning |

For each agent, the rules apply to its effective configuration, with overrides.
`;

/** docs/configuration.md, from the schema. */
export function configurationPage(): string {
  const roots = [...referenceByRoot()].map(
    ([root, keys]) => `## ${ROOT_TITLES[root] ?? root}\n\n${keyTable(keys)}\n`,
  );
  return [INTRODUCTION, ...roots].join('\n');
}

function keyTable(keys: readonly ReferenceKey[]): string {
  const rows = keys.map(({ path, type, description, default: fallback }) => {
    return [`\`${path}\``, type, fallback ?? '', description];
  });
  return table(['key', 'type', 'default', 'meaning'], rows);
}
