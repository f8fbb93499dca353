import { appendFileSync, existsSync, mkdirSync, readFileSync, utimesSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { resolveConfig } from '../../../../src/engine/config/index.js';
import { dreamWorkspace } from '../../../../src/engine/dreaming/dream-workspace.js';
import { promotedEntries } from '../../../../src/engine/dreaming/promotion/memory-file.js';
import { appendRecall } from '../../../../src/engine/dreaming/recall-log/recall-log.js';
import { recallOf } from '../../../../src/engine/dreaming/recall-log/recalled-claims.js';
import { openDreams } from '../../../../src/engine/dreaming/store/dream-database.js';
import { Conversations } from '../../../../src/engine/dreaming/sweep/conversations.js';
import { runSweep } from '../../../../src/engine/dreaming/sweep/run-sweep.js';
import {
  emptyForgetList,
  forgetPlaces,
  hashesOf,
  readForgotten,
  writeForgetList,
} from '../../../../src/engine/memory/forgotten/index.js';
import type { TranscriptPlace } from '../../../../src/engine/memory/sources/transcripts/transcript-reader.js';
import { NEVER } from '../../../../src/engine/support/async.js';
import { dayFormatter } from '../../../../src/engine/support/day.js';
import { backendOn } from '../../../support/memory.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { message, transcriptPlace, transcriptTarget } from '../../../support/transcripts.js';

const DAY = 86_400_000;
const NIGHT = Date.UTC(2026, 10, 20, 3);
const FACT = 'The nightly backup of the storage server runs at 02:30.';
const { dreaming } = resolveConfig({}).plugins.entries['memory-core'].config;

const said = (text: string, daysAgo: number, role = 'user'): string =>
  message(role, text, new Date(NIGHT - daysAgo * DAY).toISOString());
const head = (sessionKey: string): string =>
  `${JSON.stringify({ type: 'session', id: 's1', sessionKey })}\n`;

/** A workspace without notes, and conversations by the name of their file. */
function aWorld(conversations: Readonly<Record<string, string>>) {
  const home = tempFolder();
  mkdirSync(home.at('notes/memory'), { recursive: true });
  const write = (name: string, text: string): void => {
    home.write(`sessions/${name}`, text);
    utimesSync(home.at(`sessions/${name}`), NIGHT / 1000, NIGHT / 1000);
  };
  for (const [name, text] of Object.entries(conversations)) write(name, text);
  const workspace = dreamWorkspace(home.at('notes'), { stateDir: home.at('state') });
  const forget = forgetPlaces({ stateDir: home.at('state') }, 'main');
  const places: readonly TranscriptPlace[] = [transcriptPlace(home.at('sessions'))];
  const sweep = (nowMs = NIGHT, transcripts = places) =>
    runSweep({
      workspace,
      settings: dreaming,
      agentSources: { transcripts, forget: [forget], exclude: { patterns: [] } },
      timeZone: 'UTC',
      clock: { now: () => nowMs },
      trigger: 'manual',
      signal: NEVER,
    });
  const known = () => {
    const dreams = openDreams(workspace);
    const entries = dreams?.entries.since(0) ?? [];
    dreams?.close();
    return entries;
  };
  const texts = (): string[] => known().map(({ text }) => text);
  const countsOf = ({ sweep: { phases } }: Awaited<ReturnType<typeof sweep>>) =>
    phases.light?.state === 'done' ? phases.light.counts : {};
  return { home, write, places, workspace, forget, sweep, known, texts, countsOf };
}

test('between two conversations, other work goes on and a stop is noticed', async () => {
  const talk = said(FACT, 1);
  const { places, forget } = aWorld({ 'a.jsonl': talk, 'b.jsonl': talk, 'c.jsonl': talk });
  const forgotten = await readForgotten(forget);
  const conversations = new Conversations({ places, forgotten, onSkip: () => undefined });
  const days = { from: '2026-11-18', to: '2026-11-20', dayOf: dayFormatter('UTC') };
  assert.is((await conversations.messages(days, NEVER)).length, 3);
  const stop = new AbortController();
  const reading = conversations.messages(days, stop.signal);
  setImmediate(() => stop.abort(new Error('stopped')));
  assert.is(await reading.catch(String), 'Error: stopped');
});

test('what was said in the last days is a signal of its day, once, whatever file it stands in', async () => {
  const talk =
    said('Ok.', 1) +
    said(`Please remember: ${'x'.repeat(300)}`, 1) +
    said('When does the backup run?', 1) +
    said(FACT, 1, 'assistant') +
    said('The printer on floor two takes A3 paper.', 9);
  const world = aWorld({ 'a.jsonl': talk, 'a.jsonl.reset.2026-11-19T10-00-00Z': talk });
  const first = world.countsOf(await world.sweep());
  assert.equal([first['messages'], first['noted']], [8, 1]);
  const [entry, ...others] = world.known();
  assert.equal(others, []);
  assert.is(entry?.text, FACT);
  assert.equal(
    [entry?.dailyCount, entry?.totalScore, entry?.lastSignalMs, entry?.days],
    [1, 0.58, NIGHT - DAY, ['2026-11-19']],
  );
  assert.equal(
    [entry?.source, entry?.path, entry?.startLine, entry?.endLine],
    ['sessions', 'sessions/main/a.jsonl', 4, 4],
  );
  const again = await world.sweep();
  assert.is(world.countsOf(again)['noted'], 0);
  await world.sweep(NIGHT + DAY);
  assert.is(world.known()[0]?.dailyCount, 1);
});

test('nothing is read if session memory is off', async () => {
  const world = aWorld({ 'a.jsonl': said(FACT, 1) });
  assert.is(world.countsOf(await world.sweep(NIGHT, []))['messages'], 0);
  assert.equal(world.known(), []);
});

test('diaries, scheduled runs, injected memory and secrets never feed a sweep', async () => {
  const key = `sk-${'a1B2'.repeat(8)}`;
  const world = aWorld({
    'diary.jsonl': head('agent:main:dreaming-narrative-deep-1') + said(FACT, 1),
    'cron.jsonl': head('agent:main:cron:nightly') + said(FACT, 1),
    'a.jsonl':
      head('agent:main:main') +
      said(`<relevant-memories>${FACT}</relevant-memories>\nThe door code is on the label.`, 1) +
      said(`Our gateway uses the key ${key} for mail.`, 1),
  });
  await world.sweep();
  const texts = world.texts();
  assert.not(texts.some((text) => text.includes('backup') || text.includes(key)));
  assert.ok(texts.includes('The door code is on the label.'));
});

test('forgotten text is not read again', async () => {
  const world = aWorld({ 'a.jsonl': said(FACT, 1) + said('Mira owns the billing service.', 1) });
  const list = emptyForgetList();
  const entry = {
    id: 'f1',
    at: new Date(NIGHT).toISOString(),
    passages: [],
    documents: [],
    lines: [hashesOf(list.salt, FACT)],
    files: [],
  };
  writeForgetList(world.forget.listFile, { ...list, next: 2, entries: [entry] });
  await world.sweep();
  assert.equal(world.texts(), ['Mira owns the billing service.']);
});

test('a sweep looks at 240 messages, a long conversation gives 80 of them, the last ones', async () => {
  const long = (name: string, count: number): string =>
    Array.from({ length: count }, (_, n) => said(`The ${name} lamp ${n} is green now.`, 1)).join(
      '',
    );
  const one = aWorld({ 'a.jsonl': long('old', 100) });
  assert.is(one.countsOf(await one.sweep())['messages'], 80);
  assert.ok(one.texts().includes('The old lamp 99 is green now.'));
  assert.not(one.texts().includes('The old lamp 19 is green now.'));
  const many = aWorld(
    Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`${n}.jsonl`, long(`c${n}`, 20)])),
  );
  assert.is(many.countsOf(await many.sweep())['messages'], 240);
  assert.is(many.known().length, 240);
  // A second sweep of the night looks at the same ones.
  assert.is(many.countsOf(await many.sweep())['noted'], 0);
});

const QUESTIONS = [
  'when is the nightly backup',
  'backup of the storage server',
  'nightly backup hour',
  'storage server backup',
  'does the backup run nightly',
];

test('what searches recall from a conversation is promoted, with the line that says it', async () => {
  const world = aWorld({
    'a.jsonl':
      head('agent:main:main') +
      said('and what about the printer', 1) +
      said(`- ${FACT}\n- Mira owns the billing service.`, 1, 'assistant') +
      said('Thanks.', 1),
  });
  const backend = backendOn(transcriptTarget(world.home.at('notes'), world.places));
  for (const [n, query] of QUESTIONS.entries()) {
    const recall = recallOf(
      await backend.search({ query, minScore: 0 }),
      NIGHT - (n + 1) * DAY * 0.9,
    );
    assert.equal(
      recall?.claims.map(({ text, source }) => [text, source]),
      [[FACT, 'sessions']],
      query,
    );
    if (recall !== undefined) {
      const claims = recall.claims.map((claim) => ({ ...claim, score: 0.9 }));
      appendRecall(world.workspace.files.recallLog, { ...recall, claims });
    }
  }
  await backend.close();
  const { decisions } = await world.sweep();
  assert.equal(
    decisions.map(({ decision, entry }) => [decision, entry.text]),
    [['promote', FACT]],
  );
  const memory = readFileSync(world.home.at('notes/MEMORY.md'), 'utf8');
  assert.match(memory, / from=sessions\/main\/a\.jsonl#L3 /);
  assert.is(promotedEntries(memory)[0]?.path, 'sessions/main/a.jsonl');
});

test('text that is no longer in a conversation is skipped', async () => {
  const world = aWorld({ 'a.jsonl': said('Something else altogether.', 9) });
  for (const [n, queryHash] of ['a', 'b', 'c', 'd', 'e'].entries()) {
    const place = { path: 'sessions/main/a.jsonl', startLine: 1, endLine: 1 };
    appendRecall(world.workspace.files.recallLog, {
      atMs: NIGHT - n * DAY,
      queryHash,
      claims: [{ text: FACT, source: 'sessions', ...place, score: 0.9 }],
    });
  }
  const { decisions } = await world.sweep();
  assert.equal(
    decisions.map(({ decision }) => decision),
    ['skip'],
  );
  assert.not(existsSync(world.home.at('notes/MEMORY.md')));
});

test('a part of a long message, as a search shows it, is found in the message', async () => {
  const sentence = (n: number): string =>
    `Fact ${n} of the harbour office is written down in book ${n}.`;
  const long = Array.from({ length: 30 }, (_, n) => sentence(n)).join(' ');
  const world = aWorld({ 'a.jsonl': said(long, 9) });
  const text = `${sentence(11)} ${sentence(12)}`;
  for (const [n, queryHash] of ['a', 'b', 'c', 'd', 'e'].entries()) {
    const place = { path: 'sessions/main/a.jsonl', startLine: 1, endLine: 1 };
    appendRecall(world.workspace.files.recallLog, {
      atMs: NIGHT - n * DAY,
      queryHash,
      claims: [{ text, source: 'sessions', ...place, score: 0.9 }],
    });
  }
  const { decisions } = await world.sweep();
  assert.equal(
    decisions.map(({ decision }) => decision),
    ['promote'],
  );
});

test('a conversation that goes on is read on the next night', async () => {
  const world = aWorld({ 'a.jsonl': said(FACT, 1) });
  await world.sweep();
  appendFileSync(world.home.at('sessions/a.jsonl'), said('Mira owns the billing service.', -0.5));
  utimesSync(world.home.at('sessions/a.jsonl'), NIGHT / 1000 + 43_200, NIGHT / 1000 + 43_200);
  await world.sweep(NIGHT + DAY);
  assert.equal(world.texts().sort(), ['Mira owns the billing service.', FACT]);
});

test.run();
