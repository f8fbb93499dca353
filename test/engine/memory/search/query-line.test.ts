import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readQueryLine } from '../../../../src/engine/memory/search/query-line.js';
import { codePoint } from '../../../support/code-point.js';

const test = suite('filters in the line of a query');

const read = (line: string) =>
  readQueryLine(line, {
    nowMs: Date.parse('2026-03-18T12:00:00Z'),
    timeZone: 'UTC',
    isAgent: async (name) => name === 'main',
  });

test('filters are taken out of the query, wherever they are', async () => {
  const line =
    'in:sessions backup #work/web path:journal/* when @7d kind:image agent:main "a b" -not';
  assert.equal(await read(line), {
    query: 'backup when "a b" -not',
    agent: 'main',
    restrictions: {
      sources: ['sessions'],
      pathGlob: 'journal/*',
      filters: { since: '7d', tags: ['#work/web'], kinds: ['image'] },
    },
    chips: ['in:sessions', '#work/web', 'path:journal/*', '@7d', 'kind:image', 'agent:main'],
  });
});

test('a tag is in any script', async () => {
  const { query, restrictions } = await read('backup #हिन्दी');
  assert.equal([query, restrictions.filters?.tags], ['backup', ['#हिन्दी']]);
});

test('a day or a period is a condition, a duration begins in the past', async () => {
  for (const date of ['yesterday', '2026-03', '2026-03-17', 'March']) {
    const { restrictions, chips } = await read(`backup @${date}`);
    assert.equal([restrictions.filters?.on, chips], [date, [`@${date}`]]);
  }
  assert.equal((await read('@"last week" x')).restrictions.filters?.on, 'last week');
  assert.equal((await read('@“last week” x')).restrictions.filters?.on, 'last week');
});

test('anything else is text', async () => {
  const lines = [
    'agent:nobody',
    'in:the',
    'kind:elephant',
    '@ada',
    '@',
    '#12',
    '#',
    'C#',
    'path:',
    '"in:sessions"',
    'https://x.y/#z',
    'a@7d.de',
  ];
  for (const line of lines) {
    const { query, chips, restrictions } = await read(line);
    assert.equal([query, chips], [line, []]);
    assert.equal(Object.values(restrictions).filter(Boolean), [], line);
  }
});

test('trailing blanks are kept', async () => {
  assert.is((await read('back up ')).query, 'back up ');
  assert.is((await read('#tag ')).query, '');
});

test('no input is an error, and no word is lost', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: codePoint, maxLength: 60 }), async (line) => {
      const { query, chips } = await read(line);
      const letters = (text: string) => [...text.replaceAll(/\s/gu, '')].toSorted().join('');
      assert.is(letters(query + chips.join('')), letters(line));
    }),
  );
});

test.run();
