import { readdirSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { completeWords } from '../../src/cli/complete-words.js';
import { readManifest, readPackage } from '../../src/cli/manifest.js';
import { knownWords } from '../../src/cli/without-command.js';
import { dreamWorkspace } from '../../src/engine/dreaming/dream-workspace.js';
import { openDreamDatabase } from '../../src/engine/dreaming/store/dream-database.js';
import { newSweep, sweepRecords } from '../../src/engine/dreaming/store/sweep-records.js';
import { writeRecords } from '../../src/engine/dreaming/store/write-records.js';
import { createToken } from '../../src/engine/mcp/tokens/token-store.js';
import { contextOf } from '../support/context.js';
import { newDelivery, recordDeliveries } from '../support/deliveries.js';
import { newFlow, newTask, testFlows } from '../support/flows.js';
import { ROOT } from '../support/run-svc.js';
import { folderOf, type TempFolder, tempFolder } from '../support/temp-folder.js';

const test = suite('completion of words');

/** What the words could be completed with; the last word is being typed. */
async function valuesFor(home: TempFolder, ...words: string[]): Promise<readonly string[]> {
  return valuesWith({}, home, ...words);
}

async function valuesWith(
  env: Readonly<Record<string, string>>,
  home: TempFolder,
  ...words: string[]
): Promise<readonly string[]> {
  const lines = await suggested(env, home, ...words);
  return lines.map((line) => line.split('\t')[0] ?? '');
}

/** Values and their descriptions, with a tab in between. */
async function suggested(
  env: Readonly<Record<string, string>>,
  home: TempFolder,
  ...words: string[]
): Promise<readonly string[]> {
  const lines: string[] = [];
  const { log } = console;
  console.log = (line: string) => void lines.push(line);
  try {
    await completeWords(words, { root: ROOT, context: contextOf(home.path, { env }) });
  } finally {
    console.log = log;
  }
  return lines.slice(0, -1);
}

test('creates no database', async () => {
  const home = tempFolder();
  assert.equal(await valuesFor(home, 'flow', 'show', ''), []);
  assert.equal(readdirSync(home.path), []);
});

test('suggested files and notes are those that the command reads', async () => {
  const home = folderOf({
    'session.jsonl': '',
    'questions.jsonl': '',
    'workspace/memory/notes.md': '',
  });
  for (const line of [
    ['memory', 'capture', 'ses'],
    ['memory', 'import', 'ses'],
  ]) {
    assert.equal(await valuesFor(home, ...line), ['session.jsonl'], line.join(' '));
  }
  assert.equal(await valuesFor(home, 'memory', 'eval', 'q'), ['questions.jsonl']);
  for (const line of [['forget'], ['add', 'x', '--file']]) {
    const found = await valuesFor(home, 'memory', ...line, 'memory/');
    assert.equal(found, ['memory/notes.md'], line.join(' '));
  }
});

test('suggested keys of the configuration can be used as they are', async () => {
  const home = tempFolder();
  assert.equal(await valuesFor(home, 'config', 'set', 'models.'), []);
  assert.equal(await valuesFor(home, 'config', 'get', 'flows.retention'), ['flows.retentionDays']);
  const provider = 'agents.defaults.memorySearch.provider';
  assert.equal(await valuesFor(home, 'config', 'set', provider, 'o'), ['ollama', 'openai']);
  assert.equal(await valuesFor(home, 'config', 'set', provider, 'a'), ['auto']);
  const fallback = 'agents.list[0].memorySearch.fallback';
  assert.equal(await valuesFor(home, 'config', 'set', fallback, 'n'), ['none']);
});

test('reads the configuration named on the command line', async () => {
  const listing = (id: string) => JSON.stringify({ agents: { list: [{ id, default: true }] } });
  const home = folderOf({ 'svc.json': listing('ada'), 'other.json': listing('bob') });
  const agents = (...words: string[]) =>
    valuesFor(home, 'memory', 'search', ...words, '--agent', '');
  assert.equal(await agents(), ['ada']);
  assert.equal(await agents('--config', home.at('other.json')), ['bob']);
  // The argument of "svc integrate" is another kind of agent than its flag.
  assert.equal(await valuesFor(home, 'integrate', '--agent', ''), ['ada']);
  assert.ok((await valuesFor(home, 'integrate', '')).includes('claude-code'));
  assert.equal(await agents(`--config=${home.at('other.json')}`), ['bob']);
});

test('words after --flag=value, and variables of flags, count like words after a flag', async () => {
  const home = folderOf({
    'svc.json': JSON.stringify({
      agents: {
        list: [
          { id: 'ada', default: true, workspace: 'a' },
          { id: 'bob', workspace: 'b' },
        ],
      },
    }),
    'a/memory/house.md': '# House',
    'b/memory/boat.md': '# Boat',
    'c/car.md': '# Car',
  });
  const get = ['memory', 'get'];
  assert.equal(await valuesFor(home, ...get, '--agent=bob', 'memory/'), ['memory/boat.md']);
  assert.equal(await valuesFor(home, ...get, '--workspace=c', ''), ['car.md']);
  assert.ok((await valuesFor(home, 'integrate', '--agent=bob', '')).includes('claude-code'));
  const variable = { SVC_AGENT: 'bob' };
  assert.equal(await valuesWith(variable, home, ...get, 'memory/'), ['memory/boat.md']);
  const typed = [...get, '--agent=ada', 'memory/'];
  assert.equal(await valuesWith(variable, home, ...typed), ['memory/house.md']);
  const folder = { SVC_WORKSPACE: 'c' };
  assert.equal(await valuesWith(folder, home, ...get, ''), ['car.md']);
  assert.equal(await valuesWith(folder, home, ...typed), ['memory/house.md']);
});

test('sweeps and writes that can be undone are suggested', async () => {
  const home = folderOf({ 'workspace/MEMORY.md': '' });
  const { files } = dreamWorkspace(home.at('workspace'), { stateDir: home.path });
  const database = openDreamDatabase(files.database);
  const writes = writeRecords(database);
  const write = { atMs: 0, origin: 'command', created: false, replaced: '', frames: [] } as const;
  for (const state of ['applied', 'undone', 'left', 'planned'] as const) {
    writes.setState(writes.plan({ ...write, path: 'MEMORY.md', inserted: state }), state);
  }
  const sweeps = sweepRecords(database);
  const startedMs = Date.parse('2026-11-20T03:00:00Z');
  sweeps.put(newSweep(sweeps, { day: '2026-11-20', trigger: 'manual', startedMs }));
  database.close();
  assert.equal(await valuesFor(home, 'memory', 'undo', ''), ['w3', 'w1']);
  assert.equal(await valuesFor(home, 'memory', 'undo', '--workspace', home.at('other'), ''), []);
  const folder = ['--workspace', 'workspace', ''];
  assert.equal(await valuesFor(home, 'memory', 'undo', ...folder), ['w3', 'w1']);
  assert.equal(await valuesFor(home, 'dream', 'undo', ''), ['20261120T030000']);
  assert.equal(await valuesFor(home, 'dream', 'show', '2026'), ['20261120T030000']);
});

test('presets and actions of webhooks are suggested, and only what can be cancelled', async () => {
  const home = tempFolder();
  assert.ok((await valuesFor(home, 'webhook', 'trigger', 'git')).includes('github.push'));
  assert.equal(await valuesFor(home, 'webhook', 'call', 'ci', 'cr'), ['create_flow']);
  const { flows } = await testFlows({}, home.path);
  const [active, ended] = [await newFlow(flows), await newFlow(flows)];
  await flows.operator.cancelFlow(ended);
  await flows.close();
  assert.equal(await valuesFor(home, 'flow', 'cancel', ''), [active]);
  assert.equal((await valuesFor(home, 'flow', 'show', '')).toSorted(), [active, ended].toSorted());
});

test('tokens, deliveries and tasks are suggested with what they are', async () => {
  const home = tempFolder();
  const properties = { name: 'laptop', scopes: ['search'], agent: null } as const;
  const open = { channel: null, chatType: null, sessionKey: null, lifetimeMs: undefined } as const;
  const store = { stateDir: home.path, nowMs: Date.now(), signal: new AbortController().signal };
  await createToken({ ...properties, ...open }, store);
  const [delivery] = await recordDeliveries(home.path, [newDelivery()]);
  const { flows } = await testFlows({}, home.path);
  const taskId = await newTask(flows, await newFlow(flows));
  await flows.close();
  assert.equal(await suggested({}, home, 'mcp', 'token', 'revoke', ''), ['laptop\ttoken']);
  const replay = ['webhook', 'replay', ''];
  assert.equal(await suggested({}, home, ...replay), [`${delivery}\tci: 200 push`]);
  assert.equal(await suggested({}, home, 'task', 'show', ''), [`${taskId}\tqueued a task`]);
});

test('commands and topics are described as in the list of svc --help', async () => {
  const { topics } = knownWords(readPackage(ROOT), readManifest(ROOT));
  const home = tempFolder();
  for (const name of ['dream', 'mcp', 'status', 'webhook']) {
    assert.equal(await suggested({}, home, name), [`${name}\t${topics.get(name)}`]);
  }
});

test('commands are suggested after help, and services for logs', async () => {
  const home = tempFolder();
  assert.equal(await valuesFor(home, 'hel'), ['help']);
  assert.equal(await valuesFor(home, 'help', 'mem'), ['memory']);
  assert.equal(await valuesFor(home, 'help', 'memory', 'und'), ['undo']);
  assert.ok((await valuesFor(home, 'logs', '--service', '')).includes('webhooks'));
});

test.run();
