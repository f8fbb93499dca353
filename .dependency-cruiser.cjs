const { existsSync } = require('node:fs');
const { join } = require('node:path');

/** The arrows of docs/architecture.md, enforced: what is not allowed here fails `npm test`. */
const engine = '^src/engine/';

/** What every room may use: errors, what is not of svc's own (files, processes, text, time), and masks for output. */
const GROUND = ['errors', 'support', 'masking'];

/**
 * Inside the engine, from the ground up: a room may import itself, the ground, and the rooms listed for it, which are
 * all before it.
 */
const rooms = {
  activity: [],
  child: [],
  'memory-files': [],
  'flow-model': [],
  sqlite: [],
  install: ['child', 'sqlite'],
  providers: ['sqlite', 'install'],
  config: ['flow-model', 'sqlite', 'providers'],
  imports: ['memory-files', 'sqlite', 'providers', 'config'],
  listener: ['config'],
  scope: ['config'],
  secrets: ['child', 'config'],
  embeddings: ['providers', 'config', 'secrets'],
  postgres: ['config', 'secrets'],
  chat: ['providers', 'config', 'embeddings'],
  flows: ['flow-model', 'sqlite', 'config', 'postgres'],
  rerank: ['sqlite', 'providers', 'config', 'embeddings', 'chat'],
  schedules: ['flow-model', 'config', 'flows'],
  'task-runner': ['child', 'flow-model', 'config', 'secrets', 'flows'],
  webhooks: ['flow-model', 'sqlite', 'config', 'listener', 'secrets', 'flows'],
  memory: ['child', 'sqlite', 'install', 'providers', 'config', 'embeddings', 'postgres', 'rerank'],
  'active-memory': ['sqlite', 'config', 'scope', 'embeddings', 'chat', 'memory'],
  dreaming: ['memory-files', 'sqlite', 'config', 'embeddings', 'postgres', 'chat', 'memory'],
  eval: ['config', 'memory'],
  'set-up': ['sqlite', 'providers', 'config', 'embeddings', 'memory'],
  integrate: ['sqlite', 'config', 'active-memory'],
  notes: ['memory-files', 'sqlite', 'config', 'chat', 'memory', 'dreaming'],
  serve: [
    'activity',
    'child',
    'flow-model',
    'sqlite',
    'config',
    'listener',
    'secrets',
    'postgres',
    'flows',
    'schedules',
    'task-runner',
    'webhooks',
    'memory',
    'dreaming',
  ],
  storage: ['flow-model', 'sqlite', 'config', 'postgres', 'flows', 'memory', 'dreaming'],
  mcp: ['sqlite', 'config', 'listener', 'scope', 'secrets', 'memory', 'notes'],
  overview: [
    'activity',
    'child',
    'memory-files',
    'flow-model',
    'sqlite',
    'install',
    'providers',
    'config',
    'secrets',
    'embeddings',
    'postgres',
    'flows',
    'webhooks',
    'memory',
    'dreaming',
    'integrate',
    'serve',
    'storage',
  ],
};
// It looks at everything, and nobody needs it.
rooms.doctor = Object.keys(rooms);

for (const [at, [room, allowed]] of Object.entries(rooms).entries()) {
  const below = Object.keys(rooms).slice(0, at);
  const above = allowed.filter((name) => !below.includes(name));
  if (above.length > 0)
    throw new Error(`${room} is listed before what it uses: ${above.join(', ')}`);
}

const mayImport = [
  ['errors', []],
  ['support', ['errors']],
  ['masking', ['support']],
  ...Object.entries(rooms).map(([room, allowed]) => [room, [...GROUND, ...allowed]]),
];

const roomRules = mayImport.map(([room, allowed]) => ({
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
 * A room is entered through its `index.ts`, if it has one. Besides it, these may be imported: parts that are loaded only
 * when they are needed, so that a start does not load them, and schemas of JSON documents, which only tests and docs
 * load. Rooms that are not listed have no door: each of their files is something of its own.
 */
const doors = {
  activity: [],
  install: ['install-packages', 'installed-packages', 'npm', 'output-schemas'],
  config: ['authoring', 'masked-text', 'trial-settings', 'trust/config-trust'],
  imports: ['output-schemas'],
  secrets: ['check-secrets', 'output-schemas'],
  embeddings: [
    'describe-provider',
    'diagnosis/check-names',
    'diagnosis/diagnose',
    'diagnosis/provider-checks',
    'identity',
    'list-providers',
    'open-provider',
    'output-schemas',
    'provider-world',
  ],
  postgres: [],
  chat: ['open-chat-model'],
  flows: ['flow-metrics', 'output-schemas', 'store/sqlite/open-database'],
  rerank: [],
  schedules: ['output-schemas'],
  'task-runner': ['delivery/open-delivery', 'runner-settings', 'task-runner'],
  webhooks: [
    'call-route',
    'deliveries/delivery-file',
    'deliveries/delivery-record',
    'deliveries/delivery-reader',
    'deliveries/replay-delivery',
    'map/try-mapping',
    'live-webhooks',
    'open-webhooks',
    'openapi-document',
    'output-schemas',
    'rotate-secret',
    'signed-request',
    'trigger-preset',
    'verify/verifier',
  ],
  // Its rooms have doors of their own.
  memory: ['diagnose-memory', 'embedding-status', 'output-schemas', 'skip-words', '[a-z]+/.+'],
  'memory/backends': [
    'builtin',
    'ext/open-ext',
    'logged-backend',
    'memory-backend',
    'output-schemas',
  ],
  'memory/embedding': ['embed-missing', 'passages', 'query-embedder'],
  'memory/extract': ['install-pdf-library', 'pdf-library'],
  'memory/forget': ['output-schemas'],
  'memory/forgotten': [],
  'memory/get': ['output-schemas'],
  'memory/home': ['build-file', 'shared-forget-list', 'shared-home'],
  'memory/index': ['postgres/index'],
  'memory/keeper': ['index-keeper', 'sync-index'],
  'memory/lookups': ['query-history', 'search-log'],
  'memory/search': ['filters', 'output-schemas', 'path-glob', 'query-line'],
  'memory/sessions': ['output-schemas'],
  'memory/sources': [
    'archive/archive-store',
    'archive/session-archive',
    'transcripts/read-conversation',
  ],
  'memory/sync': ['fill-index', 'index-lock', 'watch-record'],
  'memory/transfer': ['output-schemas'],
  'memory/watch': ['memory-watcher', 'watch-events'],
  'active-memory': ['transcripts'],
  dreaming: [
    'claims/claim-words',
    'dream-store',
    'dream-targets',
    'dream-workspace',
    'narrator',
    'output-schemas',
    'recall-log/recall-log',
    'recall-log/recalled-claims',
    'recall-log/shared-recalls',
    'schedule/dream-schedule',
    'store/dream-database',
    'store/write-records',
  ],
  eval: ['output-schemas', 'trials'],
  'set-up': ['shell-completion'],
  integrate: ['output-schemas'],
  notes: ['output-schemas', 'capture/index'],
  serve: [
    'instance-lock',
    'log/log',
    'log/log-record',
    'log/read-log',
    'output-schemas',
    'serve-process',
    'services/health-service',
    'services/webhooks-service',
    'state-file',
    'systemd-unit',
    'watched-webhooks',
    'webhook-routes',
  ],
  storage: ['output-schemas', 'storage-status'],
  mcp: [
    'http/http-settings',
    'http/listen-http',
    'http/token',
    'output-schemas',
    'tokens/token-store',
  ],
  overview: ['about', 'bug-report', 'disk-space', 'output-schemas', 'upgrade'],
  doctor: ['output-schemas'],
  errors: ['output-schema'],
  masking: [],
};

for (const [room, besides] of Object.entries(doors)) {
  const gone = besides.find(
    (name) => !name.includes('+') && !existsSync(join(__dirname, 'src/engine', room, `${name}.ts`)),
  );
  if (gone !== undefined) throw new Error(`src/engine/${room} has no ${gone}.ts`);
}

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
      comment: 'two files that need each other, even by types, are one file, or hide a third',
      severity: 'error',
      from: {},
      to: { circular: true },
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
        // Words and names read the same in messages of the engine and in views; code in notes is what the engine takes as code.
        pathNot: `${engine}(support/(async|format|code-fences|safe-line)|memory/skip-words|embeddings/diagnosis/check-names)[.]ts$`,
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
