import { MEMORY_DEFAULTS, MEMORY_SEARCH_DEFAULTS } from './defaults.js';

/** Name of the JSON Schema that lies beside a new configuration, for its `$schema`. */
export const SCHEMA_FILE_NAME = 'svc.schema.json';

/**
 * The text of a new `svc.json`: what most people change, commented out at its default. Valid as it
 * is, and means the same as no configuration.
 */
export function configTemplate(): string {
  const { query, sync } = MEMORY_SEARCH_DEFAULTS;
  return `// Configuration of svc. Comments and trailing commas are allowed; everything is optional.
// svc config validate     checks this file
// svc config show         shows what holds, defaults included
// svc config set KEY VAL  changes one key and keeps the comments
{
  // Editors complete and check this file by it. svc config schema prints it anew.
  "$schema": "./${SCHEMA_FILE_NAME}",

  "agents": {
    "defaults": {
      // The folder with MEMORY.md and memory/. Relative paths start at this file.
      // "workspace": "~/.svc/workspace",

      "memorySearch": {
        // Further folders and files of Markdown, absolute or relative to the workspace.
        "extraPaths": [],

        // Where embeddings come from: an adapter, or an entry of models.providers below.
        // "provider": "${MEMORY_SEARCH_DEFAULTS.provider}",
        // "model": "text-embedding-3-small",

        "query": {
          "maxResults": ${query.maxResults},
          // Results below this score (0 to 1) are left out.
          "minScore": ${query.minScore},
        },

        "sync": {
          // Take in changed files before a search is answered.
          "onSearch": ${sync.onSearch},
        },
      },
    },

    // One entry for each agent; memorySearch here overrides the defaults field by field.
    // "list": [{ "id": "main", "default": true }, { "id": "research", "workspace": "~/research" }],
  },

  "models": {
    "providers": {
      // An endpoint of your own. Name it in memorySearch.provider. Keys are best kept outside:
      // "my-endpoint": {
      //   "api": "openai",
      //   "baseUrl": "https://embeddings.example.com/v1",
      //   "apiKey": "env:MY_ENDPOINT_API_KEY",
      // },
    },
  },

  "memory": {
    // Whether snippets end with "Source: <path#line>": auto, on or off.
    "citations": "${MEMORY_DEFAULTS.citations}",
  },
}
`;
}
