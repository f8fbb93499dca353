/** Both kinds of indexes keep the links of notes, and show what they have of a document. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { IndexedDocument } from '../../../../src/engine/memory/index/documents.js';
import type { MemoryIndex } from '../../../../src/engine/memory/index/memory-index.js';
import type { NoteLink } from '../../../../src/engine/memory/types.js';
import { sharedKinds, sqliteKind } from '../../../support/indexes.js';

const KEY = { source: 'memory', path: 'memory/a.md' } as const;
const LINK: NoteLink = { kind: 'wiki', line: 3, target: 'House', heading: 'Door' };
/** NUL, and text that looks like NUL in JSON: PostgreSQL stores NUL only as such text. */
const ODD: NoteLink = { kind: 'markdown', line: 4, target: 'x\u0000"y\\u0000\\.md' };

function note(links: readonly NoteLink[] | undefined, text = 'one'): IndexedDocument {
  const chunks = [
    { startLine: 1, endLine: 2, headingPath: ['A', 'B'], text },
    { startLine: 4, endLine: 6, headingPath: [], text: 'two', lineNumbers: [4, 6] },
  ];
  const fingerprint = { size: 1, mtimeMs: 5, ctimeMs: 1 };
  return { ...KEY, kind: 'markdown', fingerprint, hash: text, chunks, facts: { day: 3 }, links };
}

async function put(index: MemoryIndex, document: IndexedDocument): Promise<void> {
  const changes = [{ type: 'put', document }] as const;
  await index.apply({ atMs: 7, vectorsFollow: true, changes });
}

for (const kind of [sqliteKind, ...(await sharedKinds())]) {
  const test = suite(`links and contents of documents in ${kind.name}`);

  test.after(() => kind.stop());

  test('links are replaced with their document, and removed with it', async () => {
    const index = await kind.newIndex();
    assert.equal(await index.links(), []);
    await put(index, note([LINK]));
    assert.equal(await index.links(), [{ ...KEY, links: [LINK] }]);
    await put(index, note([ODD], 'changed'));
    assert.equal(await index.links(), [{ ...KEY, links: [ODD] }]);
    await put(index, note(undefined));
    assert.equal(await index.links(), []);
    await put(index, note([LINK]));
    const changes = [{ type: 'remove', key: KEY }] as const;
    await index.apply({ atMs: 8, vectorsFollow: true, changes });
    assert.equal(await index.links(), []);
    index.close();
  });

  test('a document has the lines that dreaming wrote into it', async () => {
    const index = await kind.newIndex();
    const promoted = [{ line: 4, from: { path: 'memory/b.md', startLine: 2, endLine: 3 } }];
    const facts = { tags: ['"promoted":', ODD.target], promoted };
    await put(index, { ...note(undefined), facts });
    assert.equal(await index.promotedLines(KEY), promoted);
    await put(index, { ...note(undefined, 'changed'), facts: { tags: facts.tags } });
    assert.equal(await index.promotedLines(KEY), []);
    assert.equal(await index.promotedLines({ ...KEY, path: 'memory/none.md' }), []);
    index.close();
  });

  test('a document is shown as it is stored, with the state of its vectors', async () => {
    const index = await kind.newIndex();
    assert.is(await index.content(KEY), undefined);
    await put(index, note([LINK]));
    const stored = await index.content(KEY);
    assert.equal(stored?.facts, { day: 3 });
    assert.equal(stored?.chunks, [
      { startLine: 1, endLine: 2, headingPath: ['A', 'B'], text: 'one', vector: 'none' },
      {
        ...{ startLine: 4, endLine: 6, headingPath: [], text: 'two', vector: 'none' },
        lineNumbers: [4, 6],
      },
    ]);
    const missing = await index.missingEmbeddings('identity', 0, 9);
    const [first] = missing;
    assert.is(missing.length, 2);
    if (first === undefined) throw new Error('nothing to embed');
    const vectors = [new Float32Array([1, 0])];
    await index.putEmbeddings('identity', [{ ...first, vectors }]);
    const states = (await index.content(KEY))?.chunks.map(({ vector }) => vector);
    assert.equal(states, ['stored', 'none']);
    index.close();
  });

  test.run();
}
