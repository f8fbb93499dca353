import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createSearchActions } from '../../src/cli/search-screen.js';
import { SvcError } from '../../src/engine/errors/index.js';
import { createSecretMask } from '../../src/engine/masking/index.js';
import { type MemoryContext, openMemory } from '../../src/engine/memory/index.js';
import { NEVER } from '../../src/engine/support/async.js';
import { resolveStatePaths } from '../../src/engine/support/context.js';
import { folderOf, type TempFolder } from '../support/temp-folder.js';

const test = suite('what the search screen does');

const KEYWORDS_ONLY = { signal: NEVER, keywordsOnly: true };

function homeOf(config: object): TempFolder {
  return folderOf({
    'svc.json': JSON.stringify({
      agents: {
        list: [
          { id: 'main', workspace: '~/main' },
          { id: 'other', workspace: '~/other' },
        ],
      },
      ...config,
    }),
    'main/memory/2026-03-01.md': '# March\n\nThe roof was repaired. #house\n',
    'main/memory/roof.md': 'The roof of the barn.\n',
    'other/MEMORY.md': '# Barn\n\nThe roof is red, says the\nroofer.\n',
  });
}

async function actionsIn(
  home: TempFolder,
  restricted: Parameters<typeof createSearchActions>[2] = {},
  onLookup?: MemoryContext['onLookup'],
) {
  const env = { SVC_HOME: home.path, HOME: home.path };
  const context = {
    env,
    cwd: home.path,
    homeDir: home.path,
    state: resolveStatePaths(env, home.path),
    clock: { now: Date.now },
    onLookup,
  };
  const memory = await openMemory(context, { kind: 'agent' });
  const command = {
    context,
    configFile: undefined,
    showLocation: () => undefined,
    mask: createSecretMask(),
    view: { hintFor: (hint: string) => hint.replace('index"', 'index --config a.json"') },
  };
  const screen = await createSearchActions(memory, command, restricted);
  return { ...screen, memory };
}

async function pathsFor(screen: Awaited<ReturnType<typeof actionsIn>>, line: string) {
  const { response, chips, memory } = await screen.actions.search(line, KEYWORDS_ONLY);
  return { paths: response?.results.map(({ path }) => path).toSorted(), chips, memory };
}

test('filters in the query restrict the search, and another agent can be named', async () => {
  const home = homeOf({});
  const screen = await actionsIn(home);
  assert.equal(await pathsFor(screen, 'roof'), {
    paths: ['memory/2026-03-01.md', 'memory/roof.md'],
    chips: [],
    memory: 'main',
  });
  assert.equal((await pathsFor(screen, 'roof #house')).paths, ['memory/2026-03-01.md']);
  assert.equal((await pathsFor(screen, '@2026-03 roof')).paths, ['memory/2026-03-01.md']);
  assert.equal((await pathsFor(screen, 'agent:nobody roof')).memory, 'main');
  assert.equal((await pathsFor(screen, '#house ')).paths, undefined);
  const other = await pathsFor(screen, 'agent:other roofer');
  assert.equal(other, { paths: ['MEMORY.md'], chips: ['agent:other'], memory: 'other' });
  const { response } = await screen.actions.search('agent:other roofer', KEYWORDS_ONLY);
  const [result] = response?.results ?? [];
  assert.ok(result);
  assert.equal(await screen.placeOf({ id: '', text: '', result }), {
    file: home.at('other/MEMORY.md'),
    line: 4,
    column: 1,
  });
  await screen.close();
  await screen.memory.backend.close();
});

test('an agent whose memory cannot be opened is tried again, and does not block quitting', async () => {
  const home = homeOf({});
  const valid = readFileSync(home.at('svc.json'), 'utf8');
  const screen = await actionsIn(home);
  home.write('svc.json', '{');
  await screen.actions.search('agent:other roofer', KEYWORDS_ONLY).then(
    () => assert.unreachable(),
    (error) => assert.match(error.code, /^CONFIG_/),
  );
  home.write('svc.json', valid);
  assert.is((await pathsFor(screen, 'agent:other roofer')).memory, 'other');
  home.write('svc.json', '{');
  await screen.actions.search('agent:third roofer', KEYWORDS_ONLY).catch(() => undefined);
  await screen.close();
  await screen.memory.backend.close();
});

test('flags restrict every search; typed filters replace them, and tags add up', async () => {
  const flags = { sources: ['memory' as const], pathGlob: 'roof.md', filters: { tags: ['x'] } };
  const screen = await actionsIn(homeOf({}), flags);
  const { paths, chips } = await pathsFor(screen, 'roof path:2026* #house');
  assert.equal(chips, ['in:memory', 'path:roof.md', '#x', 'path:2026*', '#house']);
  assert.equal(paths, []);
  const free = await actionsIn(homeOf({}), { filters: { on: '2020-01-01' } });
  assert.equal((await pathsFor(free, 'roof')).paths, []);
  assert.equal((await pathsFor(free, 'roof @2026-03-01')).paths, ['memory/2026-03-01.md']);
});

test('queries are kept, unless ui.history is false or the configuration is broken', async () => {
  const on = await actionsIn(homeOf({}));
  on.actions.remember('one');
  on.actions.remember('two');
  assert.equal(on.actions.history(), ['two', 'one']);
  const off = await actionsIn(homeOf({ ui: { history: false } }));
  off.actions.remember('one');
  assert.equal(off.actions.history(), []);
});

test('a truncated preview ends with an ellipsis', async () => {
  const home = homeOf({});
  home.write('main/memory/long.md', `The lantern. ${'long '.repeat(50_000)}\n`);
  const screen = await actionsIn(home);
  const item = (await screen.actions.search('lantern', KEYWORDS_ONLY)).response?.results[0];
  assert.ok(item);
  const { text } = await screen.actions.preview({ id: '1', text: '', result: item }, NEVER);
  assert.is(text.at(-1), '…');
});

test('a passage that is only previewed is not logged as opened', async () => {
  const logged: string[] = [];
  const home = homeOf({ memory: { searchLog: true } });
  const screen = await actionsIn(home, {}, async ({ type }) => void logged.push(type));
  const { response } = await screen.actions.search('barn', { signal: NEVER, keywordsOnly: false });
  const [result] = response?.results ?? [];
  assert.ok(result);
  const item = { id: '', text: '', result };
  assert.is((await screen.actions.preview(item, NEVER)).text, 'The roof of the barn.');
  await screen.placeOf(item);
  await screen.close();
  await screen.memory.backend.close();
  assert.equal(logged, ['search', 'get']);
});

test('commands in hints have the flags that chose the memory', async () => {
  const screen = await actionsIn(homeOf({}));
  const error = new SvcError('INDEX_LOCKED', 'locked', { hint: 'run "svc memory index"' });
  assert.is(screen.actions.explain(error).hint, 'run "svc memory index --config a.json"');
  await screen.close();
  await screen.memory.backend.close();
});

test('preparing updates the index', async () => {
  const screen = await actionsIn(homeOf({}));
  const events: string[] = [];
  await screen.actions.prepare(NEVER, ({ type }) => events.push(type));
  assert.ok(events.includes('scan.finished'));
  assert.is(events.at(-1), 'sync.finished');
});

test.run();
