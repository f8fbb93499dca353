/** The arrows of docs/architecture.md, enforced: what is not allowed here fails `npm test`. */
const engine = '^src/engine/';

/** Inside the engine: a room may import the rooms listed for it (and itself). */
const rooms = {
  errors: [],
  sqlite: ['errors'],
  config: ['errors', 'secrets'],
  secrets: ['errors', 'config'],
  embeddings: ['errors', 'config', 'secrets'],
  child: ['errors', 'config'],
  memory: ['errors', 'sqlite', 'config', 'secrets', 'embeddings', 'child'],
  scope: ['errors', 'config'],
  chat: ['errors', 'config', 'secrets', 'embeddings'],
  integrate: ['errors', 'config'],
  flows: ['errors', 'sqlite', 'config', 'secrets'],
  eval: ['errors', 'config', 'memory'],
  'active-memory': ['errors', 'config', 'secrets', 'embeddings', 'memory', 'scope', 'chat'],
  dreaming: ['errors', 'sqlite', 'config', 'secrets', 'embeddings', 'memory', 'chat'],
  webhooks: ['errors', 'config', 'secrets', 'flows'],
  'task-runner': ['errors', 'config', 'secrets', 'flows', 'child'],
  serve: [
    'errors',
    'config',
    'secrets',
    'embeddings',
    'child',
    'memory',
    'chat',
    'flows',
    'dreaming',
    'webhooks',
    'task-runner',
  ],
  'set-up': ['errors', 'config', 'secrets', 'embeddings', 'memory'],
  overview: [
    'errors',
    'sqlite',
    'config',
    'secrets',
    'embeddings',
    'memory',
    'flows',
    'dreaming',
    'webhooks',
    'serve',
  ],
  mcp: ['errors', 'config', 'secrets', 'embeddings', 'memory', 'scope', 'active-memory'],
};
// It looks at everything, and nobody needs it.
rooms.doctor = Object.keys(rooms);

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

module.exports = {
  forbidden: [
    {
      name: 'no-circles',
      comment: 'two files that need each other are one file, or hide a third',
      severity: 'error',
      from: {},
      to: { circular: true, dependencyTypesNot: ['type-only'] },
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
      to: { path: '^src/(engine|cli|commands)/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'commands-stay-apart',
      comment: 'a command imports no other command',
      severity: 'error',
      from: { path: '^src/commands/' },
      to: { path: '^src/commands/' },
    },
    ...roomRules,
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: 'specify',
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.js'],
      conditionNames: ['import', 'node'],
    },
  },
};
