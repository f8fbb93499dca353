import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SvcError } from '../errors/index.js';
import { type EngineContext, typedPath } from '../support/context.js';
import { CONFIG_DEFAULTS, MEMORY_SEARCH_DEFAULTS } from './defaults.js';
import { createJsonSchema } from './schema-documents.js';
import { withConfigLock, writeFileAtomically } from './write-config.js';

export interface InitConfigOptions {
  /** Relative to the current folder; undefined means the user's own. */
  readonly configFile?: string | undefined;
  /** Replace an existing file. */
  readonly force: boolean;
  readonly signal: AbortSignal;
}

/** Absolute paths. */
export interface InitializedConfig {
  readonly file: string;
  readonly schemaFile: string;
}

/**
 * Writes a commented configuration to start from, with its JSON Schema next to it.
 *
 * @throws SvcError CONFIG_EXISTS, CONFIG_WRITE_FAILED, STATE_UNWRITABLE; the signal's reason
 */
export async function initConfig(
  context: EngineContext,
  { configFile, force, signal }: InitConfigOptions,
): Promise<InitializedConfig> {
  const requestedFile = configFile ?? context.state.userConfigFile;
  const file = typedPath(requestedFile, context);
  return withConfigLock(context, signal, () => {
    if (!force && lstatSync(file, { throwIfNoEntry: false }) !== undefined) throw exists(file);
    const schemaFile = writeSchemaFile(file);
    writeFileAtomically(file, configTemplate());
    return { file, schemaFile };
  });
}

function exists(file: string): SvcError {
  return new SvcError('CONFIG_EXISTS', `${file} already exists`, {
    hint: 'change it with "svc config set", or replace it with --force',
    location: { file, line: 1, column: 1 },
  });
}

const SCHEMA_FILE_NAME = 'svc.schema.json';

/** Writes the JSON Schema next to a new configuration. @returns where @throws SvcError CONFIG_WRITE_FAILED */
export function writeSchemaFile(configFile: string): string {
  const file = join(dirname(configFile), SCHEMA_FILE_NAME);
  writeFileAtomically(file, `${JSON.stringify(createJsonSchema(), null, 2)}\n`);
  return file;
}

/**
 * A new `svc.json` with the most common settings at their defaults, commented out: nobody chose them, so an import can
 * set others. Valid, and equivalent to no configuration.
 */
export function configTemplate(): string {
  const { query, sync } = MEMORY_SEARCH_DEFAULTS;
  return `// Configuration of svc. Comments and trailing commas are allowed; everything is optional.
// svc config validate     checks this file
// svc config show         shows effective values, including defaults
// svc config set KEY VAL  changes one key and keeps comments
{
  // For completion and checks in editors. "svc config schema" prints it.
  "$schema": "./${SCHEMA_FILE_NAME}",

  "agents": {
    "defaults": {
      // The folder with MEMORY.md and memory/. Relative paths start at this file.
      // "workspace": "~/.svc/workspace",

      "memorySearch": {
        // More Markdown folders and files, absolute or relative to the workspace.
        // "extraPaths": ["~/notes"],

        // The embedding provider: an adapter, or an entry of models.providers below.
        // "provider": "${MEMORY_SEARCH_DEFAULTS.provider}",
        // "model": "voyage-4-large",

        "query": {
          // "maxResults": ${query.maxResults},
          // Results below this score (0 to 1) are omitted.
          // "minScore": ${query.minScore},
        },

        "sync": {
          // Index changed files before each search.
          // "onSearch": ${sync.onSearch},
        },
      },
    },

    // One entry for each agent; memorySearch here overrides the defaults field by field.
    // "list": [{ "id": "main", "default": true }, { "id": "research", "workspace": "~/research" }],
  },

  "models": {
    "providers": {
      // A custom endpoint, to name in memorySearch.provider. Keep keys out of this file:
      // "my-endpoint": {
      //   "api": "openai",
      //   "baseUrl": "http://localhost:8000/v1",
      //   "apiKey": "env:MY_ENDPOINT_API_KEY",
      // },
    },
  },

  "memory": {
    // Whether snippets end with "Source: <path#line>": auto, on or off.
    // "citations": "${CONFIG_DEFAULTS.memory.citations}",
  },
}
`;
}
