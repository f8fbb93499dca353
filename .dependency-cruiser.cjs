/** The arrows of docs/architecture.md, enforced: what is not allowed here fails `npm test`. */
const engine = '^src/engine/';

/** Inside the engine: a room may import the rooms listed for it (and itself). */
const rooms = {
  errors: [],
  activity: ['errors'],
  listener: ['errors', 'config'],
  sqlite: ['errors'],
  postgres: ['errors', 'config', 'secrets'],
  child: ['errors'],
  install: ['errors', 'sqlite', 'child'],
  providers: ['errors', 'sqlite', 'install'],
  'flow-model': ['errors'],
  config: ['errors', 'sqlite', 'providers', 'flow-model'],
  secrets: ['errors', 'config', 'child'],
  embeddings: ['errors', 'config', 'secrets', 'providers'],
  rerank: ['errors', 'sqlite', 'config', 'providers', 'embeddings', 'chat'],
  memory: [
    'errors',
    'sqlite',
    'postgres',
    'config',
    'providers',
    'embeddings',
    'rerank',
    'child',
    'install',
  ],
  scope: ['errors', 'config'],
  chat: ['errors', 'config', 'providers', 'embeddings'],
  imports: ['errors', 'sqlite', 'config', 'secrets'],
  integrate: ['errors', 'sqlite', 'config', 'active-memory'],
  flows: ['errors', 'sqlite', 'postgres', 'config', 'flow-model'],
  eval: ['errors', 'config', 'memory'],
  'active-memory': [
    'errors',
    'postgres',
    'sqlite',
    'config',
    'secrets',
    'embeddings',
    'memory',
    'scope',
    'chat',
  ],
  dreaming: ['errors', 'postgres', 'sqlite', 'config', 'secrets', 'embeddings', 'memory', 'chat'],
  notes: ['errors', 'sqlite', 'config', 'secrets', 'memory', 'dreaming', 'chat'],
  webhooks: ['errors', 'sqlite', 'listener', 'config', 'secrets', 'flow-model', 'flows'],
  schedules: ['errors', 'config', 'flow-model', 'flows'],
  'task-runner': ['errors', 'postgres', 'config', 'secrets', 'flows', 'child'],
  serve: [
    'activity',
    'errors',
    'postgres',
    'sqlite',
    'listener',
    'config',
    'secrets',
    'embeddings',
    'child',
    'memory',
    'chat',
    'flows',
    'dreaming',
    'webhooks',
    'schedules',
    'task-runner',
  ],
  'set-up': ['errors', 'sqlite', 'config', 'secrets', 'embeddings', 'memory'],
  overview: [
    'errors',
    'activity',
    'postgres',
    'sqlite',
    'config',
    'secrets',
    'embeddings',
    'memory',
    'flow-model',
    'flows',
    'dreaming',
    'webhooks',
    'serve',
    'storage',
    'integrate',
    'install',
  ],
  storage: [
    'errors',
    'postgres',
    'sqlite',
    'config',
    'secrets',
    'memory',
    'flow-model',
    'flows',
    'dreaming',
    'serve',
  ],
  mcp: [
    'errors',
    'sqlite',
    'listener',
    'config',
    'secrets',
    'embeddings',
    'memory',
    'scope',
    'active-memory',
    'notes',
  ],
};
// It looks at everything, and nobody needs it.
rooms.doctor = Object.keys(rooms);

// Everybody may use what is not of svc's own (files, processes, text and time), and mask what is printed.
for (const allowed of Object.values(rooms)) allowed.push('support', 'masking');
rooms.masking = ['support'];
rooms.support = ['errors'];

const roomRules = Object.entries(rooms).map(([room, allowed]) => ({
  name: `engine-${room}`,
  comment: `src/engine/${room} may import: ${allowed.join(', ') || 'nothing'}`,
  severity: 'error',
  from: { path: `${engine}${room}/` },
  to: {
    path: `${engine}[^/]+/`,
    pathNot: `${engine}(${[room, ...allowed].join('|')})/`,
  },
}));

/** Inside memory: a room may import what is before it in this list (and itself), by types too. */
const memory = `${engine}memory/`;
const memoryOrder = [
  '(types|output-schemas|skip-words)[.]ts$',
  'sources/',
  'extract/',
  'chunking/',
  'forgotten/',
  'index/(?!index)[^/]+[.]ts$',
  'index/sqlite/',
  'index/postgres/',
  'index/index[.]ts$',
  'embedding/',
  'search/',
  'sync/',
  'home/',
  'keeper/',
  'get/',
  'forget/',
  'inspect/',
  'transfer/',
  'backends/[^/]+[.]ts$',
  'backends/ext/tool/',
  'backends/ext/[^/]+[.]ts$',
  'lookups/',
  'open-memory[.]ts$',
  'sessions/',
  'watch/',
  '(diagnose-memory|embedding-status|output|index)[.]ts$',
];

const memoryRules = memoryOrder.slice(0, -1).map((room, at) => ({
  name: `memory-${room.replace(/[^a-z-].*/u, '') || 'words'}`,
  comment: `src/engine/memory/${room} may import only what is before it in memoryOrder`,
  severity: 'error',
  from: { path: `${memory}${room}` },
  to: { path: `${memory}(${memoryOrder.slice(at + 1).join('|')})` },
}));

/**
 * A room is entered through its `index.ts`. Besides it, these may be imported: parts that are loaded only when they
 * are needed, so that a start does not load them, and schemas of JSON documents, which only tests and docs load.
 */
const doors = {
  config: ['authoring', 'cron', 'masked-text', 'trial-settings', 'trust/config-trust'],
  masking: [],
  secrets: ['check-secrets', 'output-schemas'],
  rerank: [],
  install: ['install-packages', 'newest-version'],
  errors: ['output-schema'],
  doctor: ['output-schemas'],
  overview: ['about', 'bug-report', 'output-schemas', 'package-version', 'upgrade'],
  storage: ['output-schemas', 'storage-status'],
  imports: ['output-schemas'],
  integrate: ['output-schemas'],
  schedules: ['output-schemas'],
  notes: ['output-schemas', 'capture/index'],
  // Its rooms have doors of their own.
  memory: ['diagnose-memory', 'embedding-status', 'output-schemas', 'skip-words', '[a-z]+/.+'],
  'memory/backends': ['ext/open-ext', 'output-schemas'],
  'memory/chunking': ['chunk-turns'],
  'memory/embedding': ['embed-missing'],
  'memory/extract': ['extract-process', 'install-pdf-library', 'pdf-library'],
  'memory/forget': ['forgetting', 'output-schemas'],
  'memory/forgotten': [],
  'memory/get': ['output-schemas'],
  'memory/home': ['build-file', 'shared-home'],
  'memory/index': ['postgres/index'],
  'memory/inspect': ['inspect-document', 'link-map', 'output-schemas', 'recent', 'why-indexed'],
  'memory/keeper': [],
  'memory/lookups': ['output-schemas', 'query-history', 'search-log'],
  'memory/search': ['filters', 'output-schemas', 'path-glob', 'query-line'],
  'memory/sessions': ['output-schemas'],
  'memory/sources': [
    'archive/archive-store',
    'archive/session-archive',
    'transcripts/jsonl-lines',
    'transcripts/read-conversation',
  ],
  'memory/sync': ['fill-index', 'index-lock', 'watch-record'],
  'memory/transfer': ['output-schemas', 'transfer'],
  'memory/watch': ['memory-watcher'],
};

const doorRules = Object.entries(doors).map(([room, besides]) => ({
  name: `door-${room}`,
  comment: `src/engine/${room} is entered through ${['index', ...besides].join(', ')}`,
  severity: 'error',
  from: { path: '^src/', pathNot: `${engine}${room}/` },
  to: {
    path: `${engine}${room}/`,
    pathNot: `${engine}${room}/(${['index', ...besides].join('|')})[.]ts$`,
  },
}));

module.exports = {
  forbidden: [
    {
      name: 'no-circles',
      comment: 'two files that need each other are one file, or hide a third',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'engine-knows-no-terminal',
      comment: 'the engine serves a CLI, a server and agents alike',
      severity: 'error',
      from: { path: engine },
      to: { path: '(^src/(cli|commands|ui)/|node_modules/(@oclif|ink|react)/)' },
    },
    {
      name: 'ui-sees-types-only',
      comment: 'views are pure: they get data and give intents',
      severity: 'error',
      from: { path: '^src/ui/' },
      to: {
        path: '^src/(engine|cli|commands)/',
        // Words read the same in messages of the engine and in views; code in notes is what the engine takes as code.
        pathNot: `${engine}(support/(format|code-fences)|memory/skip-words)[.]ts$`,
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'commands-stay-apart',
      comment: 'a command imports no other command',
      severity: 'error',
      from: { path: '^src/commands/' },
      to: { path: '^src/commands/' },
    },
    {
      name: 'only-postgres-speaks-to-servers',
      comment: 'connections, their limits and their errors are in one place',
      severity: 'error',
      from: { path: '^src/', pathNot: `${engine}postgres/` },
      to: { path: 'node_modules/(pg|pg-connection-string)/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'memory-has-no-circles',
      comment: 'not even of types',
      severity: 'error',
      from: { path: memory },
      to: { circular: true },
    },
    ...roomRules,
    ...memoryRules,
    ...doorRules,
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.js'],
      conditionNames: ['import', 'node'],
    },
  },
};
