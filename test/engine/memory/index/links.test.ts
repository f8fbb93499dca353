/** Both kinds of indexes keep the links of notes, and show what they have of a document. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { IndexedDocument } from '../../../../src/engine/memory/index/documents.js';
import type { MemoryIndex } from '../../../../src/engine/memory/index/memory-index.js';
import type { NoteLink } from '../../../../src/engine/memory/types.js';
import { sharedKinds, sqliteKind } from '../../../support/indexes.js';
import { apply, documentOf } from '../../../support/vector-index.js';

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

  test('changes of one document in a set are made one after the other', async () => {
    const index = await kind.newIndex();
    const talk = (size: number, ...texts: readonly string[]): IndexedDocument => ({
      ...documentOf('sessions/a.jsonl', texts),
      ...{ source: 'sessions', kind: 'transcript', hash: `${size}` },
      fingerprint: { size, mtimeMs: size, ctimeMs: size },
    });
    const key = { source: 'sessions', path: 'sessions/a.jsonl' } as const;
    const extend = (replacesLast: number, ...given: Parameters<typeof talk>) =>
      ({ type: 'extend', document: talk(...given), replacesLast }) as const;
    const stored = async () => {
      const [document] = await index.documents();
      const texts = (await index.content(key))?.chunks.map(({ text }) => text);
      return [texts, document?.hash, document?.fingerprint.size];
    };
    await apply(index, { type: 'put', document: talk(1, 'a', 'b', 'c') }, extend(1, 2, 'd', 'e'));
    assert.equal(await stored(), [['a', 'b', 'd', 'e'], '2', 2]);
    await apply(index, extend(1, 3, 'f'), extend(0, 4, 'g'), extend(1, 5, 'h', 'i'));
    assert.equal(await stored(), [['a', 'b', 'd', 'f', 'h', 'i'], '5', 5]);
    // More than the change before has added.
    const fingerprint = { size: 8, mtimeMs: 8, ctimeMs: 8 };
    const touch = { type: 'touch', key, fingerprint } as const;
    await apply(index, extend(1, 6, 'j'), extend(3, 7, 'k'), touch);
    assert.equal(await stored(), [['a', 'b', 'd', 'k'], '7', 8]);
    assert.equal(
      (await index.termStatistics(['"d"', '"f"', '"h"', '"k"'])).frequencies,
      [1, 0, 0, 1],
    );
    await apply(index, extend(0, 9, 'l'), { type: 'remove', key });
    assert.equal(await stored(), [undefined, undefined, undefined]);
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
