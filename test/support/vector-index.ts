import { seededRandom } from '../../src/engine/eval/random.js';
import type { Change, IndexedDocument } from '../../src/engine/memory/index/documents.js';
import {
  currentIdentity,
  type IndexIdentity,
  type Tokenizer,
} from '../../src/engine/memory/index/identity.js';
import type { MemoryIndex } from '../../src/engine/memory/index/memory-index.js';
import {
  createIndex,
  openIndex,
  type SqliteIndex,
} from '../../src/engine/memory/index/sqlite/sqlite-index.js';
import type { VectorSettings } from '../../src/engine/memory/index/sqlite/vectors/extension.js';
import { tempFolder } from './temp-folder.js';

/** The identity of an index with the default settings, except for the tokenizer. */
export function testIdentity(tokenizer: Tokenizer = 'unicode61'): IndexIdentity {
  return currentIdentity({ chunking: { tokens: 400, overlap: 80 }, tokenizer });
}

/** Creates an empty index in a new folder and returns its file. */
export function emptyIndexFile(tokenizer?: Tokenizer): string {
  const file = tempFolder().at('index.sqlite');
  createIndex(file, testIdentity(tokenizer)).seal();
  return file;
}

/** Opens an index that has to be usable. */
export function openReadyIndex(
  file: string,
  access: 'read' | 'write' = 'write',
  vectors?: VectorSettings,
): SqliteIndex {
  const opened = openIndex(file, access, vectors);
  if (opened.state !== 'ready') throw new Error(opened.state);
  return opened.index;
}

/** A document whose chunks, a line each, have these texts. */
export function documentOf(path: string, texts: readonly string[]): IndexedDocument {
  const chunks = texts.map((text, at) => {
    return { startLine: at + 1, endLine: at + 1, headingPath: ['Title', 'Part'], text };
  });
  const fingerprint = { size: 1, mtimeMs: 1, ctimeMs: 1 };
  return { source: 'memory', kind: 'markdown', path, fingerprint, hash: path, chunks };
}

/** A change that stores a document with these texts. */
export function putChange(path: string, ...texts: readonly string[]): Change {
  return { type: 'put', document: documentOf(path, texts) };
}

/** A change that removes a document. */
export function removeChange(path: string): Change {
  return { type: 'remove', key: { source: 'memory', path } };
}

/** Applies changes, at time 1. */
export async function apply(index: MemoryIndex, ...changes: readonly Change[]): Promise<void> {
  await index.apply({ atMs: 1, vectorsFollow: false, changes });
}

/** Embeds every chunk without a vector; returns the number of contents. */
export async function embedMissing(
  index: MemoryIndex,
  identity: string,
  vectorOf: (text: string) => Float32Array,
): Promise<number> {
  let after = 0;
  let embedded = 0;
  for (;;) {
    const missing = await index.missingEmbeddings(identity, after, 100);
    const last = missing.at(-1);
    if (last === undefined) return embedded;
    after = last.chunkId;
    embedded += missing.length;
    const entries = missing.map(({ hash, text }) => ({ hash, vectors: [vectorOf(text)] }));
    await index.putEmbeddings(identity, entries);
  }
}

/** A deterministic vector of a text, unlike that of any other. */
export function textVector(text: string, dimensions = 24): Float32Array {
  let seed = 7;
  for (const character of text) seed = Math.imul(seed, 31) + (character.codePointAt(0) ?? 0);
  const random = seededRandom(seed);
  return Float32Array.from({ length: dimensions }, () => random() - 0.5);
}
