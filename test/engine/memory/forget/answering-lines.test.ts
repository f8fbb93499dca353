import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answeringLines } from '../../../../src/engine/memory/forget/plan-forget.js';
import { backendOn, targetOf } from '../../../support/memory.js';
import { tempFolder } from '../../../support/temp-folder.js';

const test = suite('lines that are meant by words');

const NOTE = `# 2026-11-18

- The nightly backup runs at 02:30.
- The vault key is kept
  with Jo.

The vault is in the cellar.
`;

async function linesFor(query: string, note = NOTE) {
  const folder = tempFolder();
  folder.write('a.md', note);
  const backend = backendOn(targetOf(folder.path));
  const { results } = await backend.search({ query });
  await backend.close();
  return results.flatMap(answeringLines);
}

test('the item that holds all words, and nothing beside it', async () => {
  assert.equal(await linesFor('vault key'), [{ startLine: 4, endLine: 5 }]);
});

test('everything that holds the one word', async () => {
  assert.equal(await linesFor('vault'), [
    { startLine: 4, endLine: 5 },
    { startLine: 7, endLine: 7 },
  ]);
});

test('the whole passage when only its heading was found', async () => {
  assert.equal(await linesFor('zebras', '# Zebras\n\nStripes.\n'), [{ startLine: 1, endLine: 3 }]);
});

test.run();
