import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { MemoryBackend } from '../../../../src/engine/memory/backends/memory-backend.js';
import { backendOn, pathsOf, targetOf } from '../../../support/memory.js';
import { folderOf } from '../../../support/temp-folder.js';

const test = suite('daily notes');

const NOW = Date.UTC(2026, 10, 21);
const DAY = 86_400_000;

/** `memory/2026-11-20.md` for 1. */
function noteOf(daysAgo: number): string {
  return `memory/${dayOf(daysAgo)}.md`;
}

function dayOf(daysAgo: number): string {
  return new Date(NOW - daysAgo * DAY).toISOString().slice(0, 10);
}

type Search = NonNullable<NonNullable<Parameters<typeof backendOn>[1]>['search']>;

async function withNotes(
  notes: Readonly<Record<string, string>>,
  search: Search,
  use: (backend: MemoryBackend) => Promise<void>,
): Promise<void> {
  const folder = folderOf(notes);
  const backend = backendOn(targetOf(folder.path), { search, now: () => NOW });
  try {
    await use(backend);
  } finally {
    await backend.close();
  }
}

const DECAY = { halfLifeDays: 30 };

test('an old note is found with decay if it is the only answer', async () => {
  const notes = {
    [noteOf(1000)]: '# Trip\n\nThe ferry to Norderney leaves at noon.\n',
    [noteOf(2)]: '# Lunch\n\nSoup again.\n',
    'MEMORY.md': '# Facts\n\nThe car is blue.\n',
  };
  await withNotes(notes, DECAY, async (backend) => {
    const response = await backend.search({ query: 'when does the ferry leave' });
    assert.equal(pathsOf(response), [noteOf(1000)]);
    const strict = await backend.search({ query: 'when does the ferry leave', minScore: 0.3 });
    assert.equal(pathsOf(strict), [noteOf(1000)]);
    assert.ok((strict.results[0]?.score ?? 1) < 0.3);
  });
});

test('of equal notes the newer ranks first, with and without decay', async () => {
  const text = (words: string): string => `# Note\n\nThe backup of ${words} runs at two.\n`;
  const notes = {
    [noteOf(900)]: text('rome'),
    [noteOf(800)]: text('oslo'),
    [noteOf(3)]: text('bern'),
  };
  const expected = [noteOf(3), noteOf(800), noteOf(900)];
  for (const search of [DECAY, {}]) {
    await withNotes(notes, search, async (backend) => {
      assert.equal(pathsOf(await backend.search({ query: 'backup' })), expected);
    });
  }
});

test('the newest of many equal notes is among the results', async () => {
  const notes = Object.fromEntries(
    Array.from({ length: 60 }, (_, at) => [noteOf(at), `# Log\n\nPump ${at + 100} is checked.\n`]),
  );
  await withNotes(notes, {}, async (backend) => {
    const found = pathsOf(await backend.search({ query: 'pump' }));
    assert.equal(found, [0, 1, 2, 3, 4, 5].map(noteOf));
  });
});

test('a passage that scores too low gives way to another, however new it is', async () => {
  const fresh = Array.from({ length: 20 }, (_, at) => [
    noteOf(at),
    `# Day\n\nThe weather was fine, and nothing to report about the boat number ${at}.\n`,
  ]);
  const notes = {
    ...Object.fromEntries(fresh),
    [noteOf(700)]: '# Boat\n\nThe anchor of the boat weighs twelve kilos.\n',
  };
  await withNotes(notes, DECAY, async (backend) => {
    const response = await backend.search({
      query: 'anchor weighs kilos boat',
      maxResults: 3,
      minScore: 0.4,
    });
    assert.equal(pathsOf(response), [noteOf(700)]);
    assert.is(response.belowMinScore, 2);
  });
});

const STAND_UP = 'Stand-up at 9:15 with Lena and Ben: no blockers.';
const OTHERS = {
  'MEMORY.md': '# Facts\n\nThe stand-up moved from 9:30 to 9:15.\n',
  'memory/meetings.md': '# Rules\n\nKeep the stand-up below ten minutes.\n',
};

function daily(textOf: (daysAgo: number) => string): Readonly<Record<string, string>> {
  const days = Array.from({ length: 60 }, (_, at) => [
    noteOf(at),
    `# ${dayOf(at)}\n\n${textOf(at)}\n`,
  ]);
  return { ...OTHERS, ...Object.fromEntries(days) };
}

test('a line that every note repeats is one result, with the newest note, and makes room for others', async () => {
  for (const search of [{}, DECAY, { mmrLambda: 0.7 }]) {
    await withNotes(
      daily(() => STAND_UP),
      search,
      async (backend) => {
        const { results } = await backend.search({ query: 'stand-up' });
        assert.equal(results.map(({ path }) => path).sort(), [
          'MEMORY.md',
          noteOf(0),
          'memory/meetings.md',
        ]);
        const [repeated] = results.filter(({ path }) => path === noteOf(0));
        assert.is(repeated?.similarCount, 59);
        assert.is(repeated?.similar?.length, 10);
        assert.equal(repeated?.similar?.[0], {
          path: noteOf(1),
          startLine: 1,
          endLine: 3,
          citation: `${noteOf(1)}#L1-L3`,
        });
      },
    );
  }
});

test('with diversity, one line is shown once, whatever else the notes contain', async () => {
  const notes = daily((at) => `- ${STAND_UP}\n- Ordered ${at + 100} boxes.`);
  await withNotes(notes, { mmrLambda: 0.7 }, async (backend) => {
    const { results } = await backend.search({ query: 'stand-up' });
    assert.is(results.length, 3);
    assert.is(results.filter(({ snippet }) => snippet.includes(STAND_UP)).length, 1);
  });
  await withNotes(notes, {}, async (backend) => {
    const { results } = await backend.search({ query: 'boxes' });
    assert.is(results.length, 6);
    assert.ok(results.every(({ similarCount }) => similarCount === undefined));
  });
});

test('forgetting a repeated line takes all of its notes', async () => {
  const notes = daily(() => STAND_UP);
  await withNotes(notes, {}, async (backend) => {
    const { passages } = await (await backend.forgetting()).plan({
      target: 'stand-up blockers',
      maxResults: 4,
    });
    assert.is(passages.length, 4);
  });
});

test.run();
