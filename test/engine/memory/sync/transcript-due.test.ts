import { appendFileSync, utimesSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  emptyForgetList,
  hashesOf,
  writeForgetList,
} from '../../../../src/engine/memory/forgotten/index.js';
import type { SyncEvent } from '../../../../src/engine/memory/sync/index.js';
import { indexFilesWith } from '../../../support/index-content.js';
import { backendOn } from '../../../support/memory.js';
import { opencodeStore } from '../../../support/opencode.js';
import { tempFolder } from '../../../support/temp-folder.js';
import {
  GROWTH,
  message,
  transcriptPlace,
  transcriptTarget,
} from '../../../support/transcripts.js';

const test = suite('when a growing transcript is indexed again');

const LONG_AGO = message('user', 'the beginning of it all');

/** A memory whose transcript was indexed, and how many files a sync of the watcher reads after a growth. */
function growing(growth: Partial<typeof GROWTH> = {}) {
  const sessions = tempFolder();
  const base = transcriptTarget(tempFolder().path, [transcriptPlace(sessions.path)]);
  const transcripts = {
    places: [transcriptPlace(sessions.path)],
    growth: { ...GROWTH, ...growth },
  };
  const target = { ...base, sources: { ...base.sources, transcripts } };
  const backend = backendOn(target);
  sessions.write('talk.jsonl', LONG_AGO);
  return {
    backend,
    sessions,
    target,
    grow: async (text: string, defersSmallGrowth = true): Promise<boolean> => {
      await backend.sync({});
      const file = sessions.at('talk.jsonl');
      appendFileSync(file, text);
      // Old enough that its next change would show in its times.
      utimesSync(file, 1_600_000_000, 1_600_000_000);
      return (await backend.sync({ defersSmallGrowth })).changed === 1;
    },
  };
}

test('not before one of the thresholds is reached', async () => {
  const few = message('user', 'one more').repeat(49);
  assert.is(await growing().grow(few), false);
  assert.is(await growing().grow(few + message('user', 'the fiftieth')), true);
  assert.is(
    await growing({ deltaMessages: 1000 }).grow(message('user', 'x'.repeat(99_000))),
    false,
  );
  assert.is(
    await growing({ deltaMessages: 1000 }).grow(message('user', 'x'.repeat(100_000))),
    true,
  );
});

test('a conversation in a database grows by its parts', async () => {
  const { folder, database, session, say } = opencodeStore();
  const [workspace, place] = [tempFolder().path, transcriptPlace(folder.path, 'opencode')];
  const backend = backendOn(transcriptTarget(workspace, [place]));
  const text = { type: 'text', text: 'one more' };
  session('ses_1', '/p');
  say('ses_1', 'user', text);
  await backend.sync({});
  say('ses_1', 'assistant', ...Array.from({ length: 49 }, () => text));
  assert.is((await backend.sync({ defersSmallGrowth: true })).changed, 0);
  say('ses_1', 'user', text);
  assert.is((await backend.sync({ defersSmallGrowth: true })).changed, 1);
  await backend.close();
  database.close();
});

test('at any change with a threshold of 0, and on request', async () => {
  assert.is(await growing({ deltaBytes: 0 }).grow(message('user', 'x')), true);
  assert.is(await growing({ deltaMessages: 0 }).grow(message('user', 'x')), true);
  assert.is(await growing().grow(message('user', 'x'), false), true);
});

test('at once after a compaction, unless that is switched off', async () => {
  const compaction = '{"type":"compaction","summary":"all of it"}\n';
  assert.is(await growing().grow(compaction), true);
  assert.is(await growing({ postCompactionForce: false }).grow(compaction), false);
});

test('new and rewritten transcripts do not wait', async () => {
  const { backend, sessions, grow } = growing();
  await grow(message('user', 'more'));
  sessions.write('new.jsonl', message('user', 'another'));
  assert.is((await backend.sync({ defersSmallGrowth: true })).added, 1);
  for (const text of ['short', 'trohs']) {
    sessions.write('talk.jsonl', message('user', text));
    assert.is((await backend.sync({ defersSmallGrowth: true })).changed, 1);
  }
});

test('a transcript does not wait if the forget list has changed since it was indexed', async () => {
  const { backend, sessions, target } = growing();
  const secret = 'the key is under the third flower pot';
  sessions.write('talk.jsonl', LONG_AGO + message('user', secret));
  await backend.sync({});
  appendFileSync(sessions.at('talk.jsonl'), message('user', 'more'));
  const list = emptyForgetList();
  const entry = {
    id: 'f1',
    at: '2026-02-03T04:05:06.000Z',
    passages: [],
    documents: [],
    files: [],
  };
  const entries = [{ ...entry, lines: [hashesOf(list.salt, secret)] }];
  // Without forgetting here: it came from another machine.
  writeForgetList(target.forget.listFile, { ...list, entries });
  await backend.sync({ defersSmallGrowth: true });
  assert.equal(indexFilesWith(target, 'flower pot'), []);
});

test('the rest of a long transcript does not wait if reading it was interrupted', async () => {
  const { backend, sessions } = growing();
  const stop = new AbortController();
  const line = message('user', 'x'.repeat(8000));
  // The first batch is of four parts of 1 MiB.
  const [ofBatch, rest] = [4 * Math.ceil((1024 * 1024) / line.length), 5];
  sessions.write('talk.jsonl', line.repeat(ofBatch + rest));
  const onEvent = ({ type }: SyncEvent): void => {
    if (type === 'batch.committed') stop.abort();
  };
  assert.is((await backend.sync({ signal: stop.signal, onEvent })).outcome, 'stopped');
  assert.is((await backend.sync({ defersSmallGrowth: true })).changed, 1);
});

test('pending transcripts are reported as stale, and a search indexes them', async () => {
  const { backend, grow } = growing();
  assert.is(await grow(message('user', 'a word on the heliotrope')), false);
  assert.is((await backend.status()).staleness?.changed, 1);
  const { results } = await backend.search({ query: 'heliotrope' });
  assert.is(results[0]?.citation, 'sessions/main/talk.jsonl#L1-L2');
});

test.run();
