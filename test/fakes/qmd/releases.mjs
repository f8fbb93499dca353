/**
 * What the releases of the tool can do, and how they answer. Taken from real runs (see recorded/),
 * except for the two oldest releases, which are known only from what others have written about them.
 */

/** Options that take a value; every other option is a switch, even an unknown one. */
const VALUES = ['index', 'context', 'n', 'min-score', 'collection', 'name', 'mask', 'l', 'from'];

const OLD_HELP = [
  'Usage:',
  '  qmd collection add [path] --name <name> --mask <pattern>  - Create/index collection',
  '  qmd collection list           - List all collections with details',
  '  qmd collection remove <name>  - Remove a collection by name',
  '  qmd collection rename <old> <new>  - Rename a collection',
  '  qmd status                    - Show index status and collections',
  '  qmd update [--pull]           - Re-index all collections (--pull: git pull first)',
  '  qmd embed [-f]                - Create vector embeddings (900 tokens/chunk, 15% overlap)',
  '  qmd query <query>             - Search with query expansion + reranking (recommended)',
  '  qmd search <query>            - Full-text keyword search (BM25, no LLM)',
  '  qmd vsearch <query>           - Vector similarity search (no reranking)',
  '  qmd mcp                       - Start MCP server (stdio transport)',
  '  qmd mcp --http [--port N]     - Start MCP server (HTTP transport, default port 8181)',
  '  qmd mcp --http --daemon       - Start MCP server as background daemon',
  '  qmd mcp stop                  - Stop background MCP daemon',
  '',
  '  --json                     - JSON output with snippets (default: 20 results)',
  '  -c, --collection <name>    - Filter results to a specific collection',
  '  --json/--csv/--md/--xml/--files - Output format (same as search)',
];

const NEW_HELP = [
  'Usage:',
  '  qmd query <query>             - Hybrid search with auto expansion + reranking (recommended)',
  "  qmd query 'lex:..\\nvec:...'   - Structured query document (you provide lex/vec/hyde lines)",
  '  qmd search <query>            - Full-text BM25 keywords (no LLM)',
  '  qmd vsearch <query>           - Vector similarity only',
  '  qmd mcp                       - Start the MCP server (stdio transport for AI agents)',
  '  qmd collection add/list/remove/rename/show   - Manage indexed folders',
  '  qmd status                    - View index + collection health',
  '  qmd update [--pull]           - Re-index collections (optionally git pull first)',
  '  qmd embed [-f]                - Generate/refresh vector embeddings',
  '',
  '  -n <num>                   - Max results (default 5, or 20 for --files/--json)',
  '  --explain                  - Include retrieval score traces (query --json/CLI)',
  '  --files | --json | --csv | --md | --xml  - Output format',
  '  -c, --collection <name>    - Filter by one or more collections',
  '  --json/--csv/--md/--xml/--files - Same formats as search',
];

const NEWEST_HELP = [
  ...NEW_HELP.filter((line) => !line.includes('--json')).map((line) =>
    line.replace('embed [-f]               ', 'embed [-f] [-c <name>]   '),
  ),
  '  -n <num>                   - Max results (default 5, or 20 for --format files|json)',
  '  --explain                  - Include retrieval score traces (query, CLI/--format json)',
  '  --format <kind>            - Output format: cli (default) | json | csv | md | xml | files',
  '  --format <kind>            - Same formats as search',
];

const V0_9 = {
  /** As `--version` prints it. */
  version: '0.9.0',
  help: OLD_HELP,
  values: VALUES,
  /** Whether it fails at an unknown option. */
  strict: false,
  /** The option that sets which files belong to a collection. */
  maskOption: 'mask',
  collections: true,
  /** The command that `collection list` suggests when there is no collection. */
  addCommand: 'qmd add .',
  /** Whether all of several `-c` count, or only the last. */
  manyFilters: false,
  /** Whether it prints a sentence even with `--json` when nothing is found, or nothing above `--min-score`. */
  sentences: { nothing: true, belowMinimum: true },
  /** The syntax of a question: words, or also phrases and exclusions, or also dashes and dots. */
  syntax: 'words',
  /** The weights of a hit in the path, the title and the text. */
  weights: [10, 1, 1],
  paths: 'lower case',
  /** Prints progress sequences, even if stderr is no terminal. */
  progress: true,
  /** The update of a collection without files: stops before it removes documents, and reports it. */
  stopsAtEmpty: true,
  reportsEmpty: true,
  /** A folder that does not exist: fails at once, counts as empty, or is refused. */
  missingFolder: 'fails',
  /** Whether an update deletes contents that only inactive documents have, with those documents. */
  dropsInactive: true,
  show: false,
  verbHint: 'Available: list, add, remove, rename',
  doctorHint: '',
  lineField: false,
  mcp: 'three tools',
  mcpUnknownTool: 'result',
};

const V1_0 = {
  ...V0_9,
  version: '1.0.7',
  addCommand: 'qmd collection add .',
  manyFilters: true,
  sentences: { nothing: false, belowMinimum: true },
  missingFolder: 'is empty',
};

const V1_1 = {
  ...V1_0,
  version: '1.1.6',
  help: NEW_HELP,
  sentences: { nothing: false, belowMinimum: false },
  syntax: 'phrases',
  progress: false,
  stopsAtEmpty: false,
  show: true,
  verbHint: "Run 'qmd collection help' for usage",
  mcp: 'query of parts',
};

const V2_0 = { ...V1_1, version: '2.0.1', reportsEmpty: false };

const V2_8 = {
  ...V2_0,
  version: '2.8.3 (facd35e)',
  help: NEWEST_HELP,
  values: [...VALUES, 'glob', 'format', 'intent', 'timeout'],
  acceptsGlob: true,
  syntax: 'dashes and dots',
  weights: [1.5, 4, 1],
  paths: 'as they are',
  missingFolder: 'is refused',
  dropsInactive: false,
  doctorHint: "If qmd still behaves unexpectedly, run 'qmd doctor' for diagnostics.\n",
  lineField: true,
  mcp: 'query or parts',
  mcpUnknownTool: 'error',
};

/** Before `--mask` there was `--glob`; it refuses unknown options. */
const V0_6 = {
  ...V0_9,
  version: '0.6.0',
  help: OLD_HELP.map((line) => line.replace('--mask', '--glob')),
  values: VALUES.map((option) => (option === 'mask' ? 'glob' : option)),
  strict: true,
  maskOption: 'glob',
};

/** Older than collections: it indexes its working folder. */
const V0_1 = {
  ...V0_9,
  version: '0.1.0',
  help: ['Usage:', '  qmd add .           - Index the folder', '  qmd search <query>  - Search'],
  collections: false,
};

export const RELEASES = {
  '0.1.0': V0_1,
  '0.6.0': V0_6,
  '0.9.0': V0_9,
  '1.0.7': V1_0,
  '1.1.6': V1_1,
  '2.0.1': V2_0,
  '2.8.3': V2_8,
};
