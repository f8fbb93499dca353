import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLiveMemory, type LiveMemory } from '../../../src/engine/mcp/live-memory.js';
import { type OpenedMemory, openMemory } from '../../../src/engine/memory/open-memory.js';
import { contextOf } from '../../support/context.js';
import { failureOf } from '../../support/failure.js';
import { tempFolder } from '../../support/temp-folder.js';
import { waitFor } from '../../support/wait.js';

const test = suite('the memory behind a server');

interface Behind {
  readonly memory: LiveMemory;
  readonly opened: OpenedMemory[];
  readonly warnings: string[];
  readonly end: () => Promise<void>;
}

type SyncSettings = OpenedMemory['agent']['memorySearch']['sync'];

function liveMemory(
  workspace: string,
  settings: Partial<SyncSettings> = {},
  home = tempFolder().path,
): Behind {
  const clock = { now: Date.now };
  const context = contextOf(home);
  const opened: OpenedMemory[] = [];
  const warnings: string[] = [];
  const memory = createLiveMemory({
    clock,
    log: { info: () => undefined, warn: (text) => warnings.push(text) },
    open: async () => {
      const one = await openMemory(context, { kind: 'workspace', dir: workspace });
      opened.push(one);
      const { agent } = one;
      const sync = { ...agent.memorySearch.sync, ...settings };
      return { ...one, agent: { ...agent, memorySearch: { ...agent.memorySearch, sync } } };
    },
  });
  const end = async (): Promise<void> => {
    await memory.close();
    for (const { backend } of opened) await backend.close();
  };
  return { memory, opened, warnings, end };
}

test('is opened once for any number of concurrent callers', async () => {
  const folder = tempFolder();
  folder.write('a.md', 'A zebra sleeps.');
  const { memory, opened, end } = liveMemory(folder.path);
  memory.warmUp();
  const [one, two] = await Promise.all([memory.opened(), memory.opened()]);
  assert.is(one, two);
  assert.is(opened.length, 1);
  await end();
});

test('a repeated failure to update the index is reported once', async () => {
  const folder = tempFolder();
  folder.write('a.md', 'A zebra sleeps.');
  const dir = folder.at('gone');
  const { memory, warnings, end } = liveMemory(dir);
  const { backend } = await memory.opened();
  let tries = 0;
  const sync = backend.sync.bind(backend);
  Object.assign(backend, {
    sync: (...given: Parameters<typeof sync>) => {
      tries += 1;
      return sync(...given);
    },
  });
  await waitFor('two more tries', () => tries > 2);
  await end();
  assert.is(warnings.filter((warning) => /^cannot update the index/u.test(warning)).length, 1);
});

test('announces only files that a sync added or removed', async () => {
  const folder = tempFolder();
  folder.write('a.md', 'A zebra sleeps.');
  const { memory, end } = liveMemory(folder.path);
  const { backend } = await memory.opened();
  await backend.sync({});
  let told = 0;
  const stop = memory.onListChange(() => {
    told += 1;
  });
  const work = { onEvent: memory.emitSync };
  folder.write('a.md', 'A zebra sleeps at noon.');
  await backend.sync(work);
  assert.is(told, 0);
  folder.write('b.md', 'A giraffe eats.');
  await backend.sync(work);
  assert.is(told, 1);
  stop();
  folder.write('c.md', 'A lion hunts.');
  await backend.sync(work);
  assert.is(told, 1);
  await end();
});

test('that watches no files indexes them when it starts, unless onSessionStart is off', async () => {
  for (const onSessionStart of [true, false]) {
    const [folder, home] = [tempFolder(), tempFolder().path];
    folder.write('a.md', 'A zebra sleeps.');
    const earlier = liveMemory(folder.path, {}, home);
    await (await earlier.memory.opened()).backend.sync({});
    await earlier.end();
    folder.write('b.md', 'A giraffe eats.');
    const settings = { watch: false, intervalMinutes: 10, onSessionStart };
    const { memory, end } = liveMemory(folder.path, settings, home);
    let synced = false;
    memory.onSync(({ type }) => (synced ||= type === 'sync.finished'));
    const { backend } = await memory.opened();
    const search = backend.search.bind(backend);
    let isWarm = false;
    Object.assign(backend, {
      search: async (...given: Parameters<typeof search>) => {
        const response = await search(...given);
        isWarm = true;
        return response;
      },
    });
    memory.warmUp();
    await waitFor('the search that loads code', () => isWarm);
    if (onSessionStart) await waitFor('the first sync', () => synced);
    await end();
    assert.is(synced, onSessionStart);
  }
});

test('opens nothing once closed', async () => {
  const { memory, opened, end } = liveMemory(tempFolder().path);
  await end();
  assert.is((await failureOf(memory.opened())).code, 'INTERRUPTED');
  assert.is(opened.length, 0);
});

test.run();
