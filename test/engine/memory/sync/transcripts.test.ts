import {
  appendFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import * as zlib from 'node:zlib';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { contentOf } from '../../../support/index-content.js';
import { backendOn } from '../../../support/memory.js';
import { tempFolder } from '../../../support/temp-folder.js';
import {
  message,
  TALK,
  transcriptContent,
  transcriptPlace,
  transcriptTarget,
} from '../../../support/transcripts.js';

const test = suite('transcripts in an index');

/** An index of one folder of transcripts, small chunks so that a few turns make several. */
function memoryOf(tokens = 48) {
  const sessions = tempFolder();
  const target = transcriptTarget(tempFolder().path, [transcriptPlace(sessions.path)], {
    tokens,
    overlap: 12,
  });
  return { sessions, target, backend: backendOn(target) };
}

/** What an index made of the same file in one go holds. */
async function freshContent(bytes: Uint8Array | string, tokens = 48): Promise<unknown> {
  const { sessions, target, backend } = memoryOf(tokens);
  sessions.write('talk.jsonl', bytes);
  await backend.sync({});
  await backend.close();
  return transcriptContent(target.indexFile);
}

test('a transcript cut off somewhere, and completed, gives the index that it gives as a whole', async () => {
  const bytes = Buffer.from(TALK);
  const whole = await freshContent(bytes);
  const { sessions, target, backend } = memoryOf();
  const file = sessions.at('talk.jsonl');
  for (let cut = 0; cut <= bytes.length; cut += 31) {
    writeFileSync(file, bytes.subarray(0, cut));
    await backend.sync({});
    assert.equal(transcriptContent(target.indexFile), await freshContent(bytes.subarray(0, cut)));
    appendFileSync(file, bytes.subarray(cut));
    await backend.sync({});
    assert.equal(transcriptContent(target.indexFile), whole, `cut at ${cut}`);
  }
  await backend.close();
});

test('a transcript is closed once it is indexed', async () => {
  const { sessions, backend } = memoryOf();
  const open = (): number => readdirSync('/dev/fd').length;
  await backend.sync({});
  const before = open();
  for (let number = 0; number < 20; number++) sessions.write(`talk-${number}.jsonl`, TALK);
  await backend.sync({});
  assert.ok(open() < before + 20, `${open() - before} more files are open`);
  await backend.close();
});

test('a transcript written in pieces of any size is indexed as if written at once', async () => {
  const turn = fc.record({
    role: fc.constantFrom('user', 'assistant', 'toolResult', 'system'),
    text: fc.oneof(
      fc.lorem({ maxCount: 30 }),
      fc.string({ unit: 'grapheme', maxLength: 40 }),
      fc.lorem({ maxCount: 400, mode: 'words' }),
      fc.constantFrom('NO_REPLY', 'HEARTBEAT_OK', '[cron:daily] go', 'System: [now] up', ''),
    ),
  });
  const line = fc.oneof(
    { weight: 6, arbitrary: turn.map(({ role, text }) => message(role, text)) },
    { weight: 1, arbitrary: fc.string().map((text) => `${text}\n`) },
    { weight: 1, arbitrary: fc.json().map((text) => `${text}\r\n`) },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { minLength: 1, maxLength: 25 }),
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 }),
      async (lines, shares) => {
        const bytes = Buffer.from(lines.join(''));
        const cuts = [...shares.map((share) => Math.floor(share * bytes.length)), bytes.length];
        const { sessions, target, backend } = memoryOf();
        let written = 0;
        sessions.write('talk.jsonl', '');
        for (const cut of cuts.sort((a, b) => a - b)) {
          appendFileSync(sessions.at('talk.jsonl'), bytes.subarray(written, cut));
          written = cut;
          await backend.sync({});
        }
        await backend.close();
        assert.equal(transcriptContent(target.indexFile), await freshContent(bytes));
      },
    ),
    { numRuns: 40 },
  );
});

/** `zstdCompressSync` of Node.js 22.15 and newer. */
const {
  zstdCompressSync: compress,
}: typeof zlib & { zstdCompressSync?: (text: string) => Buffer } = zlib;

test('a conversation that Codex compresses stays in memory; Node.js 20 reports it', async () => {
  const sessions = tempFolder();
  const target = transcriptTarget(tempFolder().path, [transcriptPlace(sessions.path, 'codex')]);
  const backend = backendOn(target);
  const said = (role: string, type: string, text: string): string =>
    `${JSON.stringify({
      timestamp: '2026-02-03T04:05:06.000Z',
      type: 'response_item',
      payload: { type: 'message', role, content: [{ type, text }] },
    })}\n`;
  const talk =
    said('user', 'input_text', 'when does the backup run') +
    said('assistant', 'output_text', 'it runs at 02:30');
  const plain = sessions.write('2026/02/03/rollout-2026-02-03T04-05-06-x.jsonl', talk);
  await backend.sync({});
  const subAgent = { type: 'session_meta', payload: { source: { subagent: 'review' } } };
  rmSync(plain);
  sessions.write('2026/02/03/rollout-2026-02-03T04-05-06-x.jsonl.zst', packed(talk));
  sessions.write(
    '2026/02/03/rollout-2026-02-03T04-05-07-y.jsonl.zst',
    packed(`${JSON.stringify(subAgent)}\n${talk}`),
  );
  sessions.write('2026/02/03/rollout-2026-02-03T04-05-08-z.jsonl.zst', 'not compressed');
  const { skipped } = await backend.sync({});
  const found = await backend.search({ query: 'backup' });
  const listed = (await backend.list()).map((document) => document.path);
  await backend.close();
  const path = (id: string): string =>
    `sessions/codex/2026/02/03/rollout-2026-02-03T04-05-0${id}.jsonl`;
  if (compress === undefined) {
    assert.equal(
      skipped.map((skip) => skip.path),
      [path('6-x'), path('7-y'), path('8-z')],
    );
    return;
  }
  assert.equal(listed, [path('6-x')]);
  assert.equal(
    skipped.map((skip) => skip.path),
    [path('8-z')],
  );
  assert.equal(
    found.results.map(({ citation }) => citation),
    [`${path('6-x')}#L1-L2`],
  );
});

function packed(text: string): Buffer | string {
  return compress?.(text) ?? '';
}

test('only appended text is read', async () => {
  const { sessions, backend } = memoryOf();
  const talk = Array.from({ length: 2000 }, (_, n) => message('user', `remark number ${n}`)).join(
    '',
  );
  sessions.write('talk.jsonl', talk);
  assert.equal((await backend.sync({})).bytes, talk.length);
  const more = message('assistant', 'a word about the lighthouse');
  appendFileSync(sessions.at('talk.jsonl'), more);
  const summary = await backend.sync({});
  assert.equal(summary.changed, 1);
  assert.ok(summary.bytes < more.length + 1500, `${summary.bytes} bytes`);
  const { results } = await backend.search({ query: 'lighthouse' });
  assert.is(results[0]?.endLine, 2001);
});

test('an overwritten transcript is read from its beginning', async () => {
  const { sessions, target, backend } = memoryOf();
  sessions.write('talk.jsonl', TALK);
  await backend.sync({});
  const shorter = message('user', 'another conversation altogether');
  const longer = shorter + message('assistant', 'indeed '.repeat(500));
  const sameLength = TALK.replace('nightly', 'monthly');
  for (const content of [longer, shorter, TALK, sameLength]) {
    sessions.write('talk.jsonl', content);
    await backend.sync({});
    const { chunks } = transcriptContent(target.indexFile) as { chunks: unknown };
    const fresh = (await freshContent(content)) as { chunks: unknown };
    assert.equal(chunks, fresh.chunks);
  }
  truncateSync(sessions.at('talk.jsonl'), 0);
  await backend.sync({});
  assert.equal((transcriptContent(target.indexFile) as { chunks: unknown[] }).chunks, []);
});

test('a run stopped in the middle of a large transcript is continued by the next', async () => {
  const { sessions, target, backend } = memoryOf(400);
  const talk = Array.from({ length: 30_000 }, (_, n) =>
    message(n % 2 === 0 ? 'user' : 'assistant', `remark ${n} on ${'something '.repeat(15)}`),
  ).join('');
  sessions.write('a.jsonl', 'x');
  await backend.sync({});
  sessions.write('talk.jsonl', talk);
  const stop = new AbortController();
  let commits = 0;
  const summary = await backend.sync({
    signal: stop.signal,
    onEvent: (event) => {
      if (event.type === 'batch.committed' && ++commits === 1) stop.abort();
    },
  });
  assert.is(summary.outcome, 'stopped');
  const half = await backend.search({ query: 'remark 10' });
  assert.ok(half.results.length > 0);
  await backend.sync({});
  await backend.close();
  const fresh = memoryOf(400);
  fresh.sessions.write('a.jsonl', 'x');
  fresh.sessions.write('talk.jsonl', talk);
  await fresh.backend.sync({});
  assert.equal(transcriptContent(target.indexFile), transcriptContent(fresh.target.indexFile));
  assert.equal(
    (await contentOf(target.indexFile, ['remark 17', 'something'])).found,
    (await contentOf(fresh.target.indexFile, ['remark 17', 'something'])).found,
  );
});

test('broken lines are skipped and counted, and the lines around them keep their numbers', async () => {
  const { sessions, backend } = memoryOf();
  const broken = ['{"type":"mess', '\0\0\0\0', '[1,2]', 'null', '{"a":1}}'].map(
    (line) => `${line}\n`,
  );
  sessions.write('talk.jsonl', `${broken.join('')}${message('user', 'the lighthouse keeper')}`);
  await backend.sync({});
  const { index } = await backend.status();
  const [row] = index.state === 'ready' ? index.statistics.bySource : [];
  assert.equal(row, { source: 'sessions', documents: 1, chunks: 1, brokenLines: 5 });
  const { results } = await backend.search({ query: 'lighthouse' });
  assert.is(results[0]?.citation, 'sessions/main/talk.jsonl#L6');
});

test('half a surrogate pair is replaced with the replacement character', async () => {
  const { sessions, backend } = memoryOf();
  sessions.write('talk.jsonl', message('user', 'the lighthouse \ud83d keeper'));
  await backend.sync({});
  const { results } = await backend.search({ query: 'lighthouse' });
  assert.match(results[0]?.snippet ?? '', 'the lighthouse \ufffd keeper');
});

test('an oversized line is skipped without affecting others', async () => {
  const { sessions, backend } = memoryOf();
  const huge = message('user', 'x'.repeat(17 * 1024 * 1024));
  sessions.write('talk.jsonl', `${huge}${message('user', 'the lighthouse keeper')}`);
  await backend.sync({});
  const { results } = await backend.search({ query: 'lighthouse' });
  assert.is(results[0]?.citation, 'sessions/main/talk.jsonl#L2');
});

test('deleted, renamed and archived transcripts are followed', async () => {
  const { sessions, backend } = memoryOf();
  sessions.write('a.jsonl', message('user', 'the lighthouse'));
  sessions.write('b.jsonl', message('user', 'the harbour'));
  await backend.sync({});
  renameSync(sessions.at('a.jsonl'), sessions.at('a.jsonl.reset.2026-02-03T04-05-06Z'));
  rmSync(sessions.at('b.jsonl'));
  const { renamed, removed } = await backend.sync({});
  assert.equal({ renamed, removed }, { renamed: 1, removed: 1 });
  const { results } = await backend.search({ query: 'lighthouse harbour' });
  assert.equal(
    results.map((result) => result.path),
    ['sessions/main/a.jsonl.reset.2026-02-03T04-05-06Z'],
  );
});

test('an unchanged transcript is neither indexed again nor modified', async () => {
  const { sessions, backend } = memoryOf();
  sessions.write('talk.jsonl', TALK);
  await backend.sync({});
  const again = await backend.sync({});
  assert.equal([again.outcome, again.chunks], ['unchanged', 0]);
  assert.is(readFileSync(sessions.at('talk.jsonl'), 'utf8'), TALK);
});

test('a conversation of ten thousand lines cites each of its turns', async () => {
  const { sessions, backend } = memoryOf(400);
  const lines = Array.from({ length: 10_000 }, (_, n) =>
    n % 3 === 2
      ? message('toolResult', `noise ${n}`)
      : message(n % 3 === 0 ? 'user' : 'assistant', `turn${n} about the harbour`),
  );
  sessions.write('talk.jsonl', lines.join(''));
  await backend.sync({});
  assert.is((await backend.search({ query: 'sessions main jsonl' })).matches, 0);
  for (const n of [0, 1, 4999, 9997, 9999]) {
    const { results } = await backend.search({ query: `turn${n}` });
    const hit = results[0];
    assert.ok(hit !== undefined && hit.startLine <= n + 1 && hit.endLine >= n + 1, `turn${n}`);
    const shown = [...hit.snippet.matchAll(/turn(\d+) /g)].map(([, number]) => Number(number));
    assert.is(hit.snippetLine, (shown[0] ?? Number.NaN) + 1);
    assert.ok(shown.includes(n));
    // Noise between two turns is nothing that was left out.
    assert.not(hit.snippet.includes('…'));
  }
});

test.run();
