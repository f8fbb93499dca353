import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { recallOf } from '../../../../src/engine/dreaming/recall-log/recalled-claims.js';
import type { SearchResponse } from '../../../../src/engine/memory/search/types.js';

function answer(query: string, snippet: string, snippetLine = 3): SearchResponse {
  return {
    query,
    mode: 'lexical',
    backend: 'builtin',
    provider: null,
    model: null,
    results: [
      {
        path: 'memory/2026-11-01.md',
        source: 'memory',
        kind: 'markdown',
        startLine: 3,
        endLine: 40,
        score: 0.8,
        snippet,
        snippetLine,
        headingPath: [],
        highlights: [],
      },
    ],
    corrections: [],
    matches: 1,
    dates: null,
    belowMinScore: 0,
    searchMs: 1,
    warnings: [],
  };
}

const claimsOf = (response: SearchResponse) =>
  recallOf(response, 0)?.claims.map(({ text, startLine, endLine }) => [text, startLine, endLine]);

test('a claim keeps its own lines before a gap, and those of the whole passage behind one', () => {
  const backup = 'The nightly backup of the storage server runs at 02:30.';
  assert.equal(claimsOf(answer('when does the nightly backup run', backup)), [[backup, 3, 3]]);
  const gapped = `The gate was painted green last week.\n…\n${backup}`;
  assert.equal(claimsOf(answer('when does the nightly backup run', gapped)), [[backup, 3, 40]]);
});

test('a Japanese claim with long vowels answers a question', () => {
  const printer = 'プリンターは二階のエレベーターの横にあります。';
  assert.equal(claimsOf(answer('プリンター 二階 エレベーター', printer)), [[printer, 3, 3]]);
});

test('a statement that the snippet cut off is no claim, the whole ones beside it are', () => {
  const other = 'Somebody walked along the harbour and looked at the boats for a long while there.';
  const whole =
    'The nightly backup of the storage server runs at 02:30, as long as the disks are awake.';
  const cut = `…${other} ${other} ${other} ${whole} ${whole} ${whole} ${other} ${other} ${other}…`;
  const found = claimsOf(answer('when does the nightly backup run', cut)) ?? [];
  assert.ok(found.length > 0);
  for (const [text] of found) assert.not.match(String(text), '…');
  assert.is(recallOf(answer('nightly backup', '…the nightly backup of the…'), 0), undefined);
});

test.run();
