import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readShared } from '../../../../src/engine/memory/get/get-shared.js';
import type { Chunk, DocumentKind } from '../../../../src/engine/memory/types.js';

const test = suite("reading another host's document");

/** The part of a document with this text that another host can read. */
async function read(kind: DocumentKind, source: 'memory' | 'sessions', text: string) {
  const endLine = text.split('\n').length;
  const chunks: readonly Chunk[] = [{ startLine: 1, endLine, headingPath: [], text }];
  const fingerprint = { size: 1, mtimeMs: 1, ctimeMs: 1 };
  const facts = { fingerprint, hash: '', indexedMs: 1 };
  const document = { origin: 'there', source, path: 'a.md', kind, ...facts };
  return readShared({ chunksOf: async () => chunks }, { document }, { target: 'a.md' });
}

test('a long line is cut, and ends with an ellipsis', async () => {
  const { text, endLine, truncated } = await read('markdown', 'memory', 'x'.repeat(300_000));
  assert.equal([text.length, text.at(-1), endLine, truncated], [200_000, '…', 1, true]);
});

test('long lines are returned as far as they fit', async () => {
  const line = 'x'.repeat(90_000);
  const part = await read('markdown', 'memory', [line, line, line].join('\n'));
  assert.equal([part.text.length, part.endLine, part.truncated], [180_001, 2, true]);
});

test('turns are returned as far as they fit', async () => {
  const turn = `**User:** ${'x'.repeat(90_000)}`;
  const part = await read('transcript', 'sessions', [turn, turn, turn].join('\n'));
  assert.equal([part.turns?.length, part.endLine, part.truncated], [2, 2, true]);
});

test('a short document is returned as a whole', async () => {
  const part = await read('markdown', 'memory', 'one\ntwo');
  assert.equal([part.text, part.endLine, part.truncated], ['one\ntwo', 2, false]);
});

test.run();
