import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readRecallState, recallStateFile } from '../../../src/engine/active-memory/state-file.js';
import { recallStore } from '../../../src/engine/active-memory/transcripts.js';
import { NOTHING_FORGOTTEN } from '../../../src/engine/memory/forgotten/index.js';
import { recallWorld, withModel } from './support.js';

const test = suite('forgetting what was recalled');

const QUESTION = 'when does the nightly backup run?';
const ANSWER = 'The backup runs nightly at 03:15 on atlas.';

async function forget(stateDir: string): Promise<number | undefined> {
  return (await recallStore(stateDir)?.follow(NOTHING_FORGOTTEN))?.changed;
}

/** The files of active memory that contain a text. */
function filesWith(stateDir: string, text: string): readonly string[] {
  return readdirSync(join(stateDir, 'plugins'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes(text));
}

test('a cached answer is neither returned nor kept in a file', async () => {
  const { recall, context, folder } = recallWorld();
  const { stateDir } = context.state;
  assert.is(await forget(stateDir), undefined);
  await recall(QUESTION);
  folder.write('home/plugins/active-memory/.state-4711.svc.tmp', 'at 03:15');
  assert.is(filesWith(stateDir, '03:15').length, 2);
  folder.write('ws/MEMORY.md', 'Nothing to see.\n');
  assert.is(await forget(stateDir), 1);
  assert.equal(filesWith(stateDir, '03:15'), []);
  const again = await recall(QUESTION);
  assert.equal([again.cached, again.status], [false, 'empty']);
});

test('breakers stay, and a broken file is replaced', async () => {
  const { context, folder } = recallWorld();
  const { stateDir } = context.state;
  const breakers = [{ key: 'main:search', timeouts: 3, openUntilMs: 9, atMs: 8 }];
  folder.write('home/plugins/active-memory/state.json', JSON.stringify({ recalls: [], breakers }));
  assert.is(await forget(stateDir), 0);
  assert.equal(readRecallState(stateDir), { recalls: [], breakers, emptied: 1 });
  folder.write('home/plugins/active-memory/state.json', '{"recalls": ["at 03:15');
  await forget(stateDir);
  assert.equal(filesWith(stateDir, '03:15'), []);
  assert.ok(existsSync(recallStateFile(stateDir)));
});

test('stored transcripts are deleted, and no other file', async () => {
  const config = { persistTranscripts: true, transcriptDir: 'here' };
  await withModel(config, { reply: () => ANSWER }, async ({ recall, folder, context }) => {
    const { stateDir } = context.state;
    await recall(QUESTION);
    const mine = folder.write(
      'home/plugins/active-memory/transcripts/agents/main/mine.jsonl',
      'mine',
    );
    assert.is(filesWith(stateDir, '03:15').length, 2);
    assert.is(await forget(stateDir), 2);
    assert.equal(filesWith(stateDir, '03:15'), []);
    assert.ok(existsSync(mine));
  });
});

test('a recall that was running meanwhile stores nothing', async () => {
  const config = { persistTranscripts: true };
  let stateDir = '';
  const reply = (): string => {
    void forget(stateDir);
    return ANSWER;
  };
  await withModel(config, { reply }, async ({ recall, context }) => {
    stateDir = context.state.stateDir;
    await recall('please write a haiku concerning volcanoes');
    assert.is((await recall(QUESTION)).recalled?.summary, ANSWER);
    assert.equal(filesWith(stateDir, '03:15'), []);
    assert.not((await recall(QUESTION)).cached);
  });
});

test.run();
