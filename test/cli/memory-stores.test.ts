import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLeanConfig } from '../../src/cli/fast-start.js';
import { MemoryCommand } from '../../src/cli/memory-command.js';
import { completeForgetting, followInAllStores } from '../../src/cli/memory-stores.js';
import { workspaceOfMemory } from '../../src/engine/dreaming/dream-targets.js';
import { isFollowed } from '../../src/engine/memory/forgotten/index.js';
import { type OpenedMemory, openMemory } from '../../src/engine/memory/index.js';
import { archiveOf, findSessions } from '../../src/engine/memory/sessions/index.js';
import { contextOf } from '../support/context.js';
import { failureOf } from '../support/failure.js';
import { ROOT } from '../support/run-svc.js';
import { tempFolder } from '../support/temp-folder.js';
import { message } from '../support/transcripts.js';

const test = suite('forgetting in all stores');

const SECRET = 'the door code is heliotrope 4711, tell no one';
const TALK = 'agents/main/sessions/talk.jsonl';

/** A memory with an archived conversation whose transcript is gone. */
async function archivedWorld() {
  const home = tempFolder();
  home.write('workspace/MEMORY.md', '# Memory\n\nThe nightly backup runs at 02:30.\n');
  home.write(TALK, message('user', SECRET) + message('assistant', 'Noted, the rest as well.'));
  const memorySearch = {
    provider: 'none',
    sources: ['memory', 'sessions'],
    experimental: { sessionMemory: true },
    sync: { sessions: { retention: 'keep' } },
  };
  home.write('svc.json', JSON.stringify({ agents: { defaults: { memorySearch } } }));
  const context = contextOf(home.path);
  const memory = await openMemory(context, { kind: 'agent' });
  await memory.backend.sync({});
  rmSync(home.at(TALK));
  const forgetting = await memory.backend.forgetting();
  const archive = archiveOf(memory, context);
  const titles = async () => (await findSessions(memory, context)).map(({ title }) => title);
  const hide = async () => {
    const target = 'sessions/main/talk.jsonl#L1';
    await forgetting.hide(await forgetting.plan({ target }), { fromFile: false });
  };
  return { memory, context, forgetting, archive, titles, hide };
}

test('text that a killed process only added to the list is hidden everywhere, and erased by the next process', async () => {
  const { memory, context, archive, titles, hide } = await archivedWorld();
  assert.equal(await titles(), [SECRET]);
  await hide();
  assert.equal(await titles(), []);
  assert.is(archive.sessions()[0]?.title, SECRET);
  assert.not.ok(isFollowed(memory.forget));
  assert.equal(await completeForgetting(memory, context, {}), []);
  assert.is(archive.sessions()[0]?.title, 'Noted, the rest as well.');
  assert.ok(isFollowed(memory.forget));
  await memory.backend.close();
});

test('a command shows progress while it does what a killed process left to forget', async () => {
  const { memory, context, hide } = await archivedWorld();
  await hide();
  const shown: string[] = [];
  class Probe extends MemoryCommand {
    protected override context = () => context;
    protected override syncProgress(words: string) {
      shown.push(words);
      const onEvent = ({ type }: { readonly type: string }) => shown.push(type);
      return { onEvent, clear: () => shown.push('clear') };
    }
    async run(): Promise<object> {
      return {};
    }
    complete = (one: OpenedMemory) => this.completeForgetting(one);
  }
  await new Probe([], createLeanConfig({}, ROOT)).complete(memory);
  assert.equal([shown[0], shown.at(-1)], ['forgetting', 'clear']);
  assert.ok(shown.includes('scan.finished'));
  await memory.backend.close();
});

test('a failing store does not stop the others from forgetting, and is tried again', async () => {
  const { memory, context, forgetting, archive, hide } = await archivedWorld();
  await hide();
  const { file } = archive.settings;
  writeFileSync(file, 'not an archive');
  const { code } = await failureOf(followInAllStores(forgetting, memory, context, {}));
  assert.is(code, 'ARCHIVE_UNUSABLE');
  assert.not.ok(await memory.home.isScrubPending());
  const [warning] = await completeForgetting(memory, context, {});
  assert.is(warning?.code, 'FORGET_UNFINISHED');
  assert.match(warning?.message ?? '', 'archive');
  rmSync(file);
  assert.equal(await completeForgetting(memory, context, {}), []);
  assert.ok(isFollowed(memory.forget));
  await memory.backend.close();
});

test('any failure of a store is a warning, so that the index is updated', async () => {
  const { memory, context, archive, hide } = await archivedWorld();
  await hide();
  const workspace = workspaceOfMemory(memory, context.state);
  mkdirSync(workspace.files.lock, { recursive: true });
  writeFileSync(workspace.files.recallLog, '');
  const [warning] = await completeForgetting(memory, context, {});
  assert.is(warning?.code, 'FORGET_UNFINISHED');
  assert.is(archive.sessions()[0]?.title, 'Noted, the rest as well.', 'others forget');
  rmSync(workspace.files.lock, { recursive: true });
  assert.equal(await completeForgetting(memory, context, {}), []);
  await memory.backend.close();
});

test('the leftover copy of a killed dry run is removed', async () => {
  const { memory, context, forgetting, hide } = await archivedWorld();
  await hide();
  const copy = join(context.state.cacheDir, 'dreaming/preview');
  mkdirSync(join(copy, 'notes'), { recursive: true });
  await followInAllStores(forgetting, memory, context, {});
  assert.not.ok(existsSync(copy));
  await memory.backend.close();
});

test.run();
