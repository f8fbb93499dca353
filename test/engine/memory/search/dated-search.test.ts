import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SearchRequest, SearchResponse } from '../../../../src/engine/memory/search/types.js';
import { isoDay } from '../../../../src/engine/support/day.js';
import { backendOn, pathsOf, targetOf, warningCodes } from '../../../support/memory.js';
import { folderOf, tempFolder } from '../../../support/temp-folder.js';
import { message, transcriptPlace, transcriptTarget } from '../../../support/transcripts.js';

const test = suite('searching by date');

/** A Wednesday, at noon wherever the test runs. */
const NOW = new Date(2026, 9, 7, 12).getTime();

const TODAY = Date.UTC(2026, 9, 7) / 86_400_000;
const DONE = ['sanded the table', 'called the bank', 'planted bulbs', 'read about bees'];
const SEEN = ['a heron', 'two deer', 'an old tram', 'the sea', 'a film about ice'];
const EATEN = ['soup', 'fried rice', 'pancakes', 'lentils', 'a salad with pears', 'bread', 'plums'];

/** A note per day of two months, no two the same. */
const DIARY = Object.fromEntries(
  Array.from({ length: 60 }, (_, back) => {
    const day = isoDay(TODAY - back);
    const [done, seen, eaten] = [DONE[back % 4], SEEN[back % 5], EATEN[back % 7]];
    return [`memory/${day}.md`, `# ${day}\n\nWe ${done}.\n\nSaw ${seen}.\n\nAte ${eaten}.\n`];
  }),
);

const notes = folderOf({
  ...DIARY,
  'memory/2026-09-30-anna.md': 'Anna: the invoice of the roofer is still open.\n',
  'memory/2026-08-20-anna.md': 'Anna: the invoice of the plumber is paid. The invoice was wrong.\n',
  'memory/2025-03-12.md': 'The heating broke.\n',
  'memory/work.md': 'How we work. What happened before: see the archive. Yesterday is over.\n',
  'MEMORY.md': 'Dentist on October 1. Choir on Tuesday, every week.\n',
  'memory/journal.md': `# Journal\n\n## 2024-05-02\n\nA long walk.\n\n## 2024-05-09\n\nRain all day.\n`,
});
const backend = backendOn(targetOf(notes.path, { layout: 'agent' }), { now: () => NOW });

function ask(query: string, request: Partial<SearchRequest> = {}): Promise<SearchResponse> {
  return backend.search({ query, ...request });
}

test('of a note with a heading for each day, the line of the day is shown', async () => {
  const { results } = await ask('what did I do on May 2, 2024');
  const [first] = results;
  assert.is(first?.path, 'memory/journal.md');
  assert.equal(first?.headingPath, ['Journal', '2024-05-02']);
  assert.is(first?.snippet.split('\n')[first.bestLine ?? 0], 'A long walk.');
  const [dated] = (await ask('what did I do on 2025-03-12')).results;
  assert.equal([dated?.path, dated?.bestLine], ['memory/2025-03-12.md', undefined]);
});

test('words such as "since" find no other notes', async () => {
  const { path } = folderOf({
    'since.md': 'The rent was cheap since forever, and within reach.\n',
    'memory/2026-10-06.md': 'Called the bank.\n',
  });
  const own = backendOn(targetOf(path, { layout: 'folder' }), { now: () => NOW });
  for (const query of [
    'what did I do since yesterday',
    'what happened within the last three days',
  ]) {
    assert.equal(pathsOf(await own.search({ query })), ['memory/2026-10-06.md'], query);
  }
});

test('a question about a day finds its note first, without a shared word', async () => {
  for (const [question, day] of [
    ['what did I do on October 1', '2026-10-01'],
    ['what happened on Oct 4?', '2026-10-04'],
    ['10/4', '2026-10-04'],
    ['4.10.2026', '2026-10-04'],
    ['2026-10-04', '2026-10-04'],
    ['what did I work on yesterday', '2026-10-06'],
    ['last Tuesday', '2026-10-06'],
    ['what did we decide three days ago', '2026-10-04'],
  ] as const) {
    const response = await ask(question);
    assert.is(pathsOf(response)[0], `memory/${day}.md`, question);
    assert.is(response.dates?.from, day);
    assert.is(response.dates?.to, day);
    assert.ok((response.results[0]?.score ?? 0) > 0.6, 'the date matched completely');
    assert.equal(warningCodes(response), []);
  }
});

test('a question about a period finds only notes of it, if there are enough', async () => {
  for (const question of ['this month', 'what happened in October', 'last week']) {
    const { dates, results } = await ask(question);
    assert.is(results.length, 6);
    for (const { path } of results) {
      const day = path.slice('memory/'.length, 'memory/YYYY-MM-DD'.length);
      assert.ok(dates !== null && day >= dates.from && day <= dates.to, `${question}: ${path}`);
    }
  }
});

test('words rank within the period, and a better match on another day is still found', async () => {
  const paths = pathsOf(await ask('what did Anna say about the invoice last week'));
  assert.is(paths[0], 'memory/2026-09-30-anna.md');
  assert.ok(paths.includes('memory/2026-08-20-anna.md'));
});

test('without a year, the last one with notes is meant', async () => {
  const march = await ask('what happened in March');
  assert.is(pathsOf(march)[0], 'memory/2025-03-12.md');
  assert.equal(march.dates, { text: 'March', from: '2025-03-01', to: '2025-03-31', passages: 1 });
});

test('a date without notes changes nothing, and the answer says so', async () => {
  const response = await ask('dentist in January 2020');
  assert.is(response.dates?.passages, 0);
  assert.is(pathsOf(response)[0], 'MEMORY.md');
  assert.is((await ask('dentist')).dates, null);
});

test('the words of a date are not corrected', async () => {
  const folder = folderOf({
    'memory/2026-03-02.md': 'Met Ines.\n',
    'memory/games.md': 'The match was a draw. She marched on. The happening.\n',
  });
  const march = backendOn(targetOf(folder.path, { layout: 'agent' }), { now: () => NOW });
  for (const query of ['what happened in March', 'Ines in March', 'ines march 2']) {
    const response = await march.search({ query });
    assert.equal(response.corrections ?? [], [], query);
    assert.is(pathsOf(response)[0], 'memory/2026-03-02.md', query);
  }
});

test('a journal in one file is dated by its headings', async () => {
  assert.is(pathsOf(await ask('what happened on 2024-05-09'))[0], 'memory/journal.md');
  assert.is(pathsOf(await ask('May 2, 2024'))[0], 'memory/journal.md');
});

test('filters, required phrases and excluded words hold for notes of the days too', async () => {
  const october = await ask('October 1', { pathGlob: 'MEMORY.md' });
  assert.equal(pathsOf(october), ['MEMORY.md']);
  const phrase = await ask('"planted bulbs" this month');
  assert.ok(phrase.results.length > 0);
  assert.ok(phrase.results.every(({ snippet }) => snippet.includes('planted bulbs')));
  const without = await ask('this month -bulbs', { maxResults: 20 });
  assert.ok(without.results.length > 0);
  assert.ok(without.results.every(({ snippet }) => !snippet.includes('bulbs')));
});

test('a conversation is dated by its turns', async () => {
  const transcripts = tempFolder();
  transcripts.write(
    'chat.jsonl',
    [
      message('user', 'Which oil does the mower need?', '2026-10-02T10:00:00.000Z'),
      message('assistant', 'Any four-stroke oil.', '2026-10-02T10:01:00.000Z'),
    ].join(''),
  );
  const target = transcriptTarget(notes.path, [transcriptPlace(transcripts.path)]);
  const response = await backendOn(target, { now: () => NOW }).search({
    query: 'what did we talk about last Friday',
    sources: ['sessions'],
  });
  assert.is(response.dates?.from, '2026-10-02');
  assert.match(response.results[0]?.snippet ?? '', /four-stroke/);
});

test('a conversation counts for the days that it speaks of, from the day of the message', async () => {
  const transcripts = tempFolder();
  transcripts.write(
    'move.jsonl',
    [
      message('user', 'Yesterday we moved the database to Frankfurt.', '2026-07-15T10:00:00.000Z'),
      message('assistant', 'Then the old host can go.', '2026-07-15T10:01:00.000Z'),
    ].join(''),
  );
  transcripts.write(
    'review.jsonl',
    message(
      'user',
      'Two weeks ago we chose the tariff, in March the host.',
      '2026-07-24T10:00:00.000Z',
    ),
  );
  transcripts.write(
    'other.jsonl',
    message(
      'user',
      'The database is slow, and the tariff and host are dear.',
      '2026-07-16T10:00:00.000Z',
    ),
  );
  const folder = folderOf({ 'MEMORY.md': 'The database has backups.\n' });
  const target = transcriptTarget(folder.path, [transcriptPlace(transcripts.path)]);
  const spoken = backendOn(target, { now: () => NOW });
  for (const [query, found, passages] of [
    // No note is from that day: the conversation of the next one is found without a shared word, too.
    ['what did we do on 14 July', /Frankfurt/, 1],
    ['when on 2026-07-14 was the database moved', /Frankfurt/, 1],
    ['what happened to the tariff on July 8', /Two weeks ago/, 0],
    ['which host did we choose in March 2026', /in March the host/, 0],
  ] as const) {
    const { dates, results } = await spoken.search({ query });
    assert.match(results[0]?.snippet ?? '', found, query);
    assert.is(dates?.passages, passages, query);
  }
});

test.run();
