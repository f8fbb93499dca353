import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { writesAnything } from '../../../src/engine/imports/index.js';
import { failureOf } from '../../support/failure.js';
import { importHome, outcomesOf, settingsOf } from './support.js';

const test = suite('importing from OpenClaw');

const FILE = '.openclaw/openclaw.json';
const SECRET = 'sk-planted-secret-that-is-never-copied';

/** The keys of release 9, as JSON5. */
const NEW = `{
  // The keys of release 9
  memory: {
    citations: 'on',
    search: {
      provider: 'openai',
      model: 'text-embedding-3-small',
      remote: { apiKey: '\${OPENAI_API_KEY}', headers: { 'X-Team': '${SECRET}' } },
      extraPaths: ['~/notes', { path: '/srv/wiki', pattern: 'team/*.md' }, 'more'],
      query: { maxResults: 8, minScore: 0.4 },
      rememberAcrossConversations: true,
      store: { path: '/home/ada/.openclaw/memory/main.sqlite', vector: { enabled: true } },
    },
  },
  agents: {
    defaults: { workspace: '~/.openclaw/workspace', userTimezone: 'Europe/Vienna', model: 'x' },
    entries: {
      main: { default: true, model: { primary: 'a/b' } },
      work: { workspace: '~/work', memory: { search: { query: { maxResults: 3 } } } },
    },
  },
  plugins: {
    entries: {
      'memory-core': { config: { dreaming: { enabled: true, frequency: '0 4 * * *' } } },
      'active-memory': {
        enabled: true,
        config: { agents: ['main'], mode: 'off', queryMode: 'recent', toolsAllow: ['memory_get'] },
      },
      webhooks: {
        enabled: true,
        config: {
          routes: {
            n8n: { path: '/plugins/webhooks/n8n', sessionKey: 'agent:main:n8n', secret: '${SECRET}' },
            ci: {
              sessionKey: 'agent:main:ci',
              secret: { source: 'env', provider: 'default', id: 'CI_SECRET' },
            },
          },
        },
      },
      telegram: { enabled: true },
    },
  },
  channels: { telegram: { token: '${SECRET}' } },
}`;

test('an agent without a workspace keeps the folder that it has in OpenClaw', async () => {
  const workspaces = async (agents: object, ...folders: readonly string[]) => {
    const home = importHome({ [FILE]: { agents } });
    for (const folder of folders) home.write(`${folder}/MEMORY.md`, '');
    const { list } = Object(settingsOf(await home.prepare('openclaw'))).agents;
    return list.map(({ workspace }: { readonly workspace?: string }) => {
      return workspace?.replace(home.path, '~');
    });
  };
  const list = [{ id: 'main', default: true }, { id: 'work' }];
  assert.equal(await workspaces({ list }, '.openclaw/workspace-work'), [
    undefined,
    '~/.openclaw/workspace-work',
  ]);
  const entries = { main: { default: true }, work: {}, home: { workspace: '~/home' } };
  const defaults = { workspace: '~/agents' };
  assert.equal(await workspaces({ defaults, entries }, 'agents/main', 'agents/work', 'home'), [
    '~/agents/main',
    '~/agents/work',
    '~/home',
  ]);
  const sole = { defaults, entries: { main: {} } };
  assert.equal(await workspaces(sole, 'agents', 'agents/main'), [undefined]);
});

test('an agent whose folder is not there yet shares a workspace, which is reported', async () => {
  const reported = async (list: readonly object[]) => {
    const home = importHome({ [FILE]: { agents: { list } }, '.openclaw/workspace-work/a.md': '' });
    const { items } = await home.prepare('openclaw');
    return items.filter(({ outcome }) => outcome === 'left').map(({ from, why }) => [from, why]);
  };
  const first = { id: 'first' };
  assert.equal(await reported([first, { id: 'main', default: true }, { id: 'work' }]), [
    [
      'agents.list[0].workspace',
      'OpenClaw has not created its folder; in svc, it uses agents.defaults.workspace',
    ],
  ]);
  assert.equal(await reported([first, { id: 'work' }]), [], 'the first is the default');
});

test('settings go into the configuration of the current folder if it has one', async () => {
  const home = importHome({ [FILE]: NEW, 'svc.json': '{}' });
  assert.is((await home.prepare('openclaw')).file, home.at('svc.json'));
});

test('a relative workspace stays the folder next to the configuration of OpenClaw', async () => {
  const agents = {
    defaults: { workspace: 'workspace' },
    entries: { main: {}, work: { workspace: './work' }, wrong: { workspace: '' } },
  };
  const home = importHome({ [FILE]: { agents } });
  const plan = await home.prepare('openclaw');
  const { defaults, list } = Object(settingsOf(plan)).agents;
  assert.is(defaults.workspace, home.at('.openclaw/workspace'));
  assert.is(list[1].workspace, home.at('.openclaw/work'));
  assert.is(outcomesOf(plan)['agents.entries.wrong.workspace'], 'left');
});

test('imports the keys of release 9', async () => {
  const home = importHome({ [FILE]: NEW });
  const plan = await home.prepare('openclaw');
  assert.equal(settingsOf(plan), {
    agents: {
      defaults: {
        workspace: '~/.openclaw/workspace',
        userTimezone: 'Europe/Vienna',
        memorySearch: {
          extraPaths: ['~/notes', '/srv/wiki', home.at('.openclaw/workspace/more')],
          provider: 'openai',
          model: 'text-embedding-3-small',
          remote: { apiKey: 'env:OPENAI_API_KEY' },
          query: { maxResults: 8, minScore: 0.4 },
          store: { vector: { enabled: true } },
        },
      },
      list: [
        { id: 'main', default: true },
        { id: 'work', workspace: '~/work', memorySearch: { query: { maxResults: 3 } } },
      ],
    },
    memory: { citations: 'on' },
    plugins: {
      entries: {
        'memory-core': { config: { dreaming: { enabled: true, frequency: '0 4 * * *' } } },
        'active-memory': {
          enabled: true,
          config: { agents: ['main'], enabled: false, queryMode: 'recent' },
        },
        webhooks: {
          enabled: true,
          config: {
            routes: {
              n8n: {
                path: '/plugins/webhooks/n8n',
                sessionKey: 'agent:main:n8n',
                secret: 'env:SVC_WEBHOOK_N8N_SECRET',
              },
              ci: {
                sessionKey: 'agent:main:ci',
                secret: { source: 'env', provider: 'default', id: 'CI_SECRET' },
              },
            },
          },
        },
      },
    },
  });
  const outcomes = outcomesOf(plan);
  assert.is(outcomes['memory.search.extraPaths[1]'], 'translated');
  for (const left of [
    'memory.search.remote.headers.X-Team',
    'memory.search.rememberAcrossConversations',
    'memory.search.store.path',
    'plugins.entries.active-memory.config.toolsAllow',
    'plugins.entries.telegram',
    'agents.defaults.model',
    'agents.entries.main: model',
    'channels',
  ]) {
    assert.is(outcomes[left], 'left', left);
  }
  assert.ok(plan.items.every(({ outcome, why }) => outcome !== 'left' || why !== null));
});

test('where OpenClaw searches conversations, svc searches those of OpenClaw', async () => {
  const sources = ['memory', 'sessions'];
  const importing = async (config: object, own: object = {}) => {
    const home = importHome({ [FILE]: config, 'svc.json': own });
    const { agents, sessions } = Object(settingsOf(await home.prepare('openclaw')));
    return [agents.defaults.memorySearch.experimental, sessions?.readers];
  };
  const on = { sessionMemory: true };
  const release9 = { memory: { search: { sources } } };
  assert.equal(await importing(release9), [on, ['svc', 'openclaw']]);
  const codex = { sessions: { readers: ['codex'] } };
  assert.equal(await importing(release9, codex), [on, ['codex', 'svc', 'openclaw']]);
  const off = { experimental: { sessionMemory: false } };
  assert.equal(await importing({ memory: { search: { sources, ...off } } }), [
    off.experimental,
    ['svc', 'openclaw'],
  ]);
  const apart = { memory: { search: { sources, rememberAcrossConversations: false } } };
  assert.equal(await importing(apart), [undefined, undefined]);
  const earlier = { agents: { defaults: { memorySearch: { sources, experimental: on } } } };
  const files = { id: 'svc', path: '~/.openclaw/agents/{agentId}/sessions' };
  assert.equal(await importing(earlier), [on, ['svc', files]]);
});

test('any endpoint with the API of OpenAI is the provider openai with its address', async () => {
  const remote = { baseUrl: 'https://embed.example/v1' };
  const search = { provider: 'openai-compatible', model: 'bge-m3', remote };
  const home = importHome({ [FILE]: { memory: { search } } });
  const { memorySearch } = Object(settingsOf(await home.prepare('openclaw'))).agents.defaults;
  assert.equal(memorySearch, { ...search, provider: 'openai' });
});

test('the folder of OpenClaw is where it keeps it', async () => {
  const home = importHome({ 'claw/openclaw.json': { memory: { citations: 'off' } } });
  const plan = await home.prepare('openclaw', undefined, { OPENCLAW_STATE_DIR: home.at('claw') });
  assert.equal(settingsOf(plan), { memory: { citations: 'off' } });
});

test('keys of single agents are taken as references, too', async () => {
  const work = `{ memory: { search: { remote: { apiKey: '\${WORK_KEY}' } } } }`;
  const home = importHome({ [FILE]: `{ agents: { entries: { main: {}, work: ${work} } } }` });
  const { list } = Object(settingsOf(await home.prepare('openclaw'))).agents;
  assert.equal(list[1].memorySearch, { remote: { apiKey: 'env:WORK_KEY' } });
});

test('a mode of active memory that svc does not have is reported, and changes nothing', async () => {
  const config = { mode: 'always', queryMode: 'recent' };
  const home = importHome({ [FILE]: { plugins: { entries: { 'active-memory': { config } } } } });
  const plan = await home.prepare('openclaw');
  assert.is(outcomesOf(plan)['plugins.entries.active-memory.config.mode'], 'left');
  assert.equal(Object(settingsOf(plan)).plugins, {
    entries: { 'active-memory': { config: { queryMode: 'recent' } } },
  });
});

test('imports the keys before release 9', async () => {
  const home = importHome({
    [FILE]: {
      agents: {
        defaults: {
          workspace: '/srv/memory',
          memorySearch: { chunking: { tokens: 300 }, qmd: { extraCollections: [{ path: '/x' }] } },
        },
        list: [{ id: 'main' }, { id: 'work', memorySearch: { enabled: false } }],
      },
      memory: {
        backend: 'qmd',
        qmd: {
          searchMode: 'query',
          paths: [{ path: '/srv/docs', name: 'docs' }],
          sessions: { exportDir: '/home/ada/.openclaw/x' },
          mcporter: { enabled: false },
        },
      },
    },
  });
  const plan = await home.prepare('openclaw', FILE);
  assert.equal(settingsOf(plan), {
    agents: {
      defaults: {
        workspace: '/srv/memory',
        memorySearch: { chunking: { tokens: 300 }, ext: { extraCollections: [{ path: '/x' }] } },
      },
      list: [{ id: 'main' }, { id: 'work', memorySearch: { enabled: false } }],
    },
    memory: {
      backend: 'ext',
      ext: { searchMode: 'query', paths: [{ path: '/srv/docs', name: 'docs' }] },
    },
  });
  assert.is(outcomesOf(plan)['memory.qmd.mcporter.enabled'], 'left');
});

test('imports endpoints of memory search with their adapter, without chat formats', async () => {
  const models = [{ id: 'qwen3-embedding:0.6b' }];
  const imported = async (id: string, api: string, key = 'provider'): Promise<unknown> => {
    const home = importHome({
      [FILE]: {
        agents: { defaults: { memorySearch: { [key]: id } } },
        models: { providers: { [id]: { api, baseUrl: 'http://gpu:11435', models } } },
      },
    });
    const plan = await home.prepare('openclaw');
    const isMentioned = `models.providers.${id}.api` in outcomesOf(plan);
    assert.is(isMentioned, api === 'ollama', 'formats of chats are not reported either');
    return settingsOf(plan);
  };
  const settings = (id: string, entry: object, key = 'provider') => ({
    agents: { defaults: { memorySearch: { [key]: id } } },
    models: { providers: { [id]: { ...entry, baseUrl: 'http://gpu:11435' } } },
  });
  assert.equal(await imported('gpu-box', 'ollama'), settings('gpu-box', { api: 'ollama' }));
  assert.equal(await imported('openai', 'openai-responses'), settings('openai', {}));
  assert.equal(
    await imported('gpu-box', 'ollama', 'fallback'),
    settings('gpu-box', { api: 'ollama' }, 'fallback'),
  );
});

test('what belongs to a provider that svc cannot use is left with it', async () => {
  const remote = { batch: { enabled: true } };
  const home = importHome({
    [FILE]: {
      agents: {
        defaults: {
          memorySearch: { model: 'bge', provider: 'gpu-box', remote, chunking: { tokens: 300 } },
        },
        list: [
          { id: 'main', memorySearch: { model: 'text-embedding-3-large', provider: 'openai' } },
        ],
      },
      models: {
        providers: { 'gpu-box': { api: 'openai-completions', baseUrl: 'http://gpu:8080/v1' } },
      },
    },
  });
  const outcomes = outcomesOf(await home.prepare('openclaw'));
  const defaults = 'agents.defaults.memorySearch';
  assert.equal(
    [`${defaults}.provider`, `${defaults}.model`, `${defaults}.chunking.tokens`].map(
      (key) => outcomes[key],
    ),
    ['left', 'left', 'taken'],
  );
  assert.is(outcomes['agents.list[0].memorySearch.model'], 'taken');
});

test('never copies a secret, and shows none', async () => {
  const home = importHome({ [FILE]: NEW });
  const plan = await home.prepare('openclaw');
  assert.not.ok(JSON.stringify(plan).includes(SECRET));
  const route = plan.items.find(({ from }) => from.endsWith('routes.n8n'));
  assert.match(route?.why ?? '', /SVC_WEBHOOK_N8N_SECRET/);
});

test('providers of secrets are taken one by one, without those that contain a secret', async () => {
  const exec = { source: 'exec', command: '/usr/bin/vault' };
  const file = { source: 'file', path: '/srv/secrets.json', mode: 'json' };
  const secrets = {
    providers: {
      vault: { ...exec, env: { TOKEN: SECRET } },
      plain: exec,
      file,
      odd: { source: 'x' },
    },
    defaults: { exec: 'plain', other: 'x' },
  };
  const home = importHome({ [FILE]: { secrets, $include: './more.json' } });
  const plan = await home.prepare('openclaw');
  assert.equal(Object(settingsOf(plan)).secrets, {
    providers: { plain: exec, file },
    defaults: { exec: 'plain' },
  });
  assert.not.ok(JSON.stringify(plan).includes(SECRET));
  const left = plan.items.filter(({ outcome }) => outcome === 'left');
  assert.equal(
    left.map(({ from }) => from),
    ['secrets.providers.vault', 'secrets.providers.odd', 'secrets.defaults.other', '$include'],
  );
  assert.is(left[0]?.why, 'it contains a secret in plain text and is not copied');
});

test('the command for a key that is not copied is one for the shell, whatever its path contains', async () => {
  const memorySearch = { remote: { baseUrl: 'https://models.test/v1', apiKey: SECRET } };
  const home = importHome({ [FILE]: { agents: { list: [{ id: 'main', memorySearch }] } } });
  const { items } = await home.prepare('openclaw');
  const key = items.find(({ to }) => to?.endsWith('apiKey'));
  assert.match(key?.why ?? '', "set 'agents.list[0].memorySearch.remote.apiKey' env:NAME");
});

test('settings of svc.json stay, and conflicts are reported', async () => {
  const text =
    '{\n  // mine\n  "agents": { "defaults": { "memorySearch": { "provider": "voyage", "query": { "maxResults": 8 }, "extraPaths": ["/own"] } } },\n  "memory": { "citations": "off" }\n}\n';
  const home = importHome({ [FILE]: NEW, '.svc/svc.json': text });
  const plan = await home.prepare('openclaw');
  assert.match(plan.text, /\/\/ mine/);
  assert.match(plan.text, /"provider": "voyage"/);
  assert.match(plan.text, /"citations": "off"/);
  assert.match(plan.text, /"\/own",\s+"~\/notes"/);
  const outcomes = outcomesOf(plan);
  assert.is(outcomes['memory.search.provider'], 'conflict');
  assert.is(outcomes['memory.citations'], 'conflict');
  assert.is(outcomes['memory.search.query.maxResults'], 'present');
});

test('the model and key of a provider are not taken for the other one of svc.json', async () => {
  const openClaw = `{
    agents: {
      defaults: {
        memorySearch: {
          model: 'text-embedding-3-small',
          remote: { apiKey: '\${OPENAI_API_KEY}' },
          provider: 'openai',
        },
      },
      list: [
        { id: 'main', memorySearch: { model: 'text-embedding-3-large' } },
        { id: 'work', memorySearch: { model: 'voyage-4', provider: 'voyage' } },
      ],
    },
  }`;
  const ofAgent = 'agents.list[0].memorySearch.model';
  const others = [
    'agents.defaults.memorySearch.model',
    'agents.defaults.memorySearch.remote.apiKey',
  ];
  for (const [provider, outcome] of [
    ['gemini', 'left'],
    ['none', 'left'],
    ['openai', 'taken'],
    [undefined, 'taken'],
  ] as const) {
    const mine = { agents: { defaults: { memorySearch: { provider } } } };
    const home = importHome({ [FILE]: openClaw, '.svc/svc.json': mine });
    const outcomes = outcomesOf(await home.prepare('openclaw'));
    for (const from of [...others, ofAgent])
      assert.is(outcomes[from], outcome, `${provider} ${from}`);
    assert.is(outcomes['agents.list[1].memorySearch.model'], 'taken');
  }
});

test('importing again changes nothing, and the file of OpenClaw stays as it is', async () => {
  const home = importHome({ [FILE]: NEW });
  const plan = await home.prepare('openclaw');
  assert.not.ok(existsSync(plan.file));
  await home.apply(plan);
  assert.is(readFileSync(plan.file, 'utf8'), plan.text);
  const again = await home.prepare('openclaw');
  assert.equal([again.text, again.diff], [plan.text, []]);
  assert.equal([writesAnything(plan), writesAnything(again)], [true, false]);
  assert.is(readFileSync(home.at(FILE), 'utf8'), NEW);
});

test('a configuration that changed in the meantime is not overwritten', async () => {
  const home = importHome({ [FILE]: NEW });
  const plan = await home.prepare('openclaw');
  home.write('.svc/svc.json', '{"memory":{}}');
  const failure = await failureOf(home.apply(plan));
  assert.is(failure.code, 'CONFIG_WRITE_FAILED');
  assert.is(readFileSync(home.at('.svc/svc.json'), 'utf8'), '{"memory":{}}');
});

test('the default workspace of OpenClaw is used if it is there', async () => {
  const home = importHome({ [FILE]: '{}', '.openclaw/workspace/MEMORY.md': '# Memory\n' });
  const plan = await home.prepare('openclaw');
  assert.equal(settingsOf(plan), {
    agents: { defaults: { workspace: home.at('.openclaw/workspace') } },
  });
});

test('hostile and damaged files are refused with a reason', async () => {
  const bad: readonly (readonly [string, string])[] = [
    ['{', 'IMPORT_SOURCE_INVALID'],
    ['[]', 'IMPORT_SOURCE_INVALID'],
    [`${'['.repeat(200_000)}`, 'IMPORT_SOURCE_INVALID'],
    ['x'.repeat(5 * 1024 * 1024), 'IMPORT_SOURCE_INVALID'],
  ];
  for (const [text, code] of bad) {
    const home = importHome({ [FILE]: text });
    assert.is((await failureOf(home.prepare('openclaw'))).code, code, text.slice(0, 20));
  }
  const none = await failureOf(importHome().prepare('openclaw'));
  assert.is(none.code, 'IMPORT_SOURCE_MISSING');
  const looped = importHome();
  symlinkSync('loop', looped.at('loop'));
  const refused = await failureOf(looped.prepare('openclaw', looped.at('loop')));
  assert.is(refused.code, 'IMPORT_FAILED');
  const odd = importHome({
    [FILE]:
      '{ memory: 7, agents: { list: [null, 3, {}], defaults: [] }, plugins: { entries: { webhooks: { config: { routes: { a: null, "__proto__": { x: 1 } } } } } }, "__proto__": { polluted: true } }',
  });
  const plan = await odd.prepare('openclaw');
  assert.equal(settingsOf(plan), {});
  assert.equal(
    [0, 1, 2].map((at) => outcomesOf(plan)[`agents.list[${at}]`]),
    ['left', 'left', 'left'],
  );
  assert.is(Object.hasOwn(Object.prototype, 'polluted'), false);
});

test.run();
