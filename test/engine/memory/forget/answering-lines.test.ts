import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answeringLines } from '../../../../src/engine/memory/forget/plan-forget.js';
import type { SearchResult } from '../../../../src/engine/memory/search/types.js';
import { textLines } from '../../../../src/engine/memory/sources/text-lines.js';
import { backendOn, targetOf } from '../../../support/memory.js';
import { tempFolder } from '../../../support/temp-folder.js';

const test = suite('lines that words select');

const NOTE = `# 2026-11-18

- The nightly backup runs at 02:30.
- The vault key is kept
  with Jo.

The vault is in the cellar.
`;

const READING = { tokenizer: 'unicode61', languages: [] } as const;

async function linesFor(query: string, note = NOTE, more: Partial<SearchResult> = {}) {
  const folder = tempFolder();
  folder.write('a.md', note);
  const backend = backendOn(targetOf(folder.path));
  const { results } = await backend.search({ query });
  await backend.close();
  const lines = textLines(note);
  return results.flatMap((result) => answeringLines({ ...result, ...more }, lines, READING));
}

test('only the item with all words', async () => {
  assert.equal(await linesFor('vault key'), [{ startLine: 4, endLine: 5 }]);
});

test('every line with a single word', async () => {
  assert.equal(await linesFor('vault'), [
    { startLine: 4, endLine: 5 },
    { startLine: 7, endLine: 7 },
  ]);
});

test('the whole passage if semantic search found it without any of the words', async () => {
  assert.equal(await linesFor('vault', NOTE, { highlights: [] }), [{ startLine: 1, endLine: 7 }]);
});

/** Paragraphs of one line each, so long that a snippet leaves most of them out. */
const paragraphs = (count: number, from: number): string =>
  Array.from(
    { length: count },
    (_, n) =>
      `Rose number ${n + from} is in the garden by the wall: it needs water, light, patience and a cut in every spring.`,
  ).join('\n\n');
const SHED = 'The garden shed keycode is 4711 and nobody else may know it.';

test('lines that a snippet leaves out are counted', async () => {
  const note = `# Roses\n\n${paragraphs(11, 0)}\n\n${SHED}\n\n${paragraphs(9, 11)}\n`;
  assert.equal(await linesFor('garden keycode', note), [{ startLine: 25, endLine: 25 }]);
});

test('lines with another form of a word than the snippet has', async () => {
  const note = `${SHED.replace('keycode is', 'keycodes are')}\n\n${paragraphs(8, 0)}\n\nA keycode.\n`;
  assert.equal(await linesFor('keycodes', note), [
    { startLine: 1, endLine: 1 },
    { startLine: 19, endLine: 19 },
  ]);
});

test('lines that a snippet leaves out are included, also with other forms of the words', async () => {
  const found = await linesFor('keycodes', `${paragraphs(8, 0)}\n\n${SHED}\n\nA keycode.\n`);
  assert.equal(found, [
    { startLine: 17, endLine: 17 },
    { startLine: 19, endLine: 19 },
  ]);
});

test('a symbol selects the item that contains it', async () => {
  assert.equal(await linesFor('🔑', '- 🔑 with Jo\n- lamp\n'), [{ startLine: 1, endLine: 1 }]);
});

test('the whole passage when only its heading was found', async () => {
  assert.equal(await linesFor('zebras', '# Zebras\n\nStripes.\n'), [{ startLine: 1, endLine: 3 }]);
});

test.run();
