import { type ReferenceKey, referenceByRoot } from '../../src/engine/config/authoring.js';
import { ADAPTER_ALIASES } from '../../src/engine/config/index.js';
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
  secrets: 'Secret providers',
  logging: 'Logging',
};

const INTRODUCTION = `${GENERATED}

# Configuration

svc works without a configuration file. What it should do differently is written in \`svc.json\`:
JSON, in which comments (\`//\` and \`/* */\`) and trailing commas are allowed. \`svc config init\`
asks what it should say and writes it. The page lists the whole tree.

## Which file is used

The first of these that is there; no two files are mixed. \`svc config path\` tells which one it is.

1. the file named by \`--config\`
2. the file named by the environment variable \`SVC_CONFIG\`
3. the nearest \`svc.json\`, from the current folder upward
4. your own: \`svc.json\` in \`~/.svc\`, or in \`SVC_HOME\`, or in \`$XDG_CONFIG_HOME/svc\`

A named file has to exist. A file that is there but cannot be read is an error and is not passed
over. Files above 4 MiB are refused.

## Rules of writing

- Unknown keys, repeated keys and wrong types are faults. \`svc config validate\` shows all of them
  with line and column (counted in UTF-16 code units, as editors do) and exits with 2.
- Relative paths are relative to the folder of the file, and \`~\` is your home folder.
  \`extraPaths\` and the paths of collections are the exception: they are relative to the workspace.
- Times carry their unit in the name of their key: \`…Ms\`, \`…Seconds\`, \`…Minutes\`, \`…Days\`.
- \`svc config set\` and \`unset\` keep comments and formatting. Paths are written like
  \`agents.list[0].id\`; a key with dots in it like \`models.providers["my.host"].api\`.
- An agent in \`agents.list\` overrides \`agents.defaults.memorySearch\` field by field. Lists replace
  one another, except \`extraPaths\` and \`ext.extraCollections\`, which are joined.

## Secrets

A key that holds a secret (\`apiKey\`, \`secret\`, values of \`headers\`) takes any of these forms:

| form | meaning |
|---|---|
| \`"text"\` | the secret itself, in plain text |
| \`"env:NAME"\`, \`"\${NAME}"\`, \`"secretref-env:NAME"\` | the environment variable \`NAME\`: capitals, digits and \`_\` |
| \`{"source": "env", "provider": "default", "id": "NAME"}\` | the same, through a provider of [\`secrets.providers\`](#secret-providers) |
| \`{"source": "file", "provider": "…", "id": "/a/b"}\` | a JSON pointer into the provider's file, or \`value\` for the whole file |
| \`{"source": "exec", "provider": "…", "id": "…"}\` | what the provider's program answers for that id |

\`provider\` may be left out; \`secrets.defaults\` says which one is meant. References are read when
they are needed, not when the file is checked. Plain-text secrets are masked wherever configuration
is shown. Values of \`env\` are masked too, but are always plain text.

## Provider names

\`provider\`, \`fallback\` and \`models.providers.<id>.api\` take an adapter by its id or by its kind:

| kind | adapter |
|---|---|
${Object.entries(ADAPTER_ALIASES)
  .map(([kind, adapter]) => `| \`${kind}\` | \`${adapter}\` |`)
  .join('\n')}

\`local\` and \`lmstudio\` have no other name. \`provider\` may also be the id of a \`models.providers\`
entry: its \`api\` chooses the adapter, and its address and key are used.

## Rules across keys

| rule | severity |
|---|---|
| \`provider\` and \`fallback\` lead to an adapter, through \`models.providers\` or by themselves | fault |
| \`fallback\` is not the provider itself | fault |
| \`query.hybrid.vectorWeight\` and \`textWeight\` are not both 0 | fault |
| \`chunking.overlap\` is smaller than \`chunking.tokens\` | fault |
| with \`multimodal.enabled\`, a chosen provider and fallback can embed media | fault |
| \`outputDimensionality\` is a size that the model has (where the model is known) | fault |
| \`outputDimensionality\` with an adapter that ignores it | warning |
| every agent has an id of its own, and at most one is the default | fault |
| no two routes are served at one path; slashes at its ends do not count | fault |
| \`dreaming.frequency\` can be read and comes round at some time | fault |
| a plain-text \`apiKey\` or \`secret\` has at least 24 characters; keys of self-hosted adapters are placeholders and exempt | warning |
| a relative path stays in the folder of the file | warning |

For an agent the rules look at what holds after its overrides were applied.
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
