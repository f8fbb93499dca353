import { appendFileSync, statSync, writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  Forgotten,
  hashesOf,
  NOTHING_FORGOTTEN,
} from '../../../../src/engine/memory/forgotten/index.js';
import type { StoredDocument } from '../../../../src/engine/memory/index/documents.js';
import { loadTranscript } from '../../../../src/engine/memory/sync/load-transcript.js';
import type { Chunk } from '../../../../src/engine/memory/types.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { message, TALK, transcriptPlace } from '../../../support/transcripts.js';

const CHUNKING = { tokens: 48, overlap: 12 };

const test = suite('reading a transcript in parts');

const HERON = 'The heron nests behind the old waterworks.';
const LONG = message('user', 'The stork stands on the roof. '.repeat(300)).repeat(300);

/** What the index would hold of a file after it was read, going on from what it held before. */
function load(path: string, before?: Loaded): Loaded {
  const loaded: { chunks?: readonly Chunk[]; stored?: StoredDocument } = { ...before };
  for (const part of loadTranscript(fileAt(path), before?.stored, {
    chunking: CHUNKING,
    forgotten: NOTHING_FORGOTTEN,
  })) {
    if (part.state === 'skipped') throw new Error(part.skip.reason);
    if (part.state !== 'changed') continue;
    const { change } = part;
    const { chunks, ...document } = change.document;
    const kept = change.type === 'put' ? [] : (loaded.chunks ?? []);
    const last = change.type === 'put' ? 0 : change.replacesLast;
    loaded.chunks = [...kept.slice(0, kept.length - last), ...chunks];
    loaded.stored = { ...document, indexedMs: 0 };
  }
  if (loaded.chunks === undefined || loaded.stored === undefined)
    throw new Error('nothing was read');
  return { chunks: loaded.chunks, stored: loaded.stored };
}

function fileAt(path: string) {
  const { size, mtimeMs, ctimeMs } = statSync(path);
  const key = { source: 'sessions', kind: 'transcript', path: 'talk' } as const;
  const place = transcriptPlace('/nowhere');
  return { ...key, absolutePath: path, size, mtimeMs, ctimeMs, place };
}

interface Loaded {
  readonly chunks: readonly Chunk[];
  readonly stored: StoredDocument;
}

test('a transcript cut off at any byte is read to its last whole line, and later goes on from there', () => {
  const folder = tempFolder();
  const bytes = Buffer.from(TALK);
  const { chunks, stored } = load(folder.write('whole', bytes));
  const text = chunks.map(({ text }) => text).join('\n');
  for (let cut = 0; cut <= bytes.length; cut++) {
    const path = folder.write('talk', bytes.subarray(0, cut));
    const half = load(path);
    const complete = bytes.subarray(0, cut).toString('latin1').split('\n').length - 1;
    const last = half.chunks.at(-1)?.endLine ?? 0;
    assert.ok(
      last <= complete + 1 && half.chunks.every((chunk) => text.includes(chunk.text.slice(0, 9))),
    );
    appendFileSync(path, bytes.subarray(cut));
    const rest = load(path, half);
    assert.equal(
      [rest.chunks, rest.stored.resume, rest.stored.hash],
      [chunks, stored.resume, stored.hash],
    );
  }
});

test('a transcript of less than a megabyte that grows is read from its beginning if any byte before was changed', () => {
  const lines = LONG.split('\n').slice(0, 100);
  const path = tempFolder().write('talk', `${lines.join('\n')}\n`);
  const before = load(path);
  const changed = lines.map((line, at) => (at === 50 ? line.replace('stork', 'heron') : line));
  writeFileSync(path, `${changed.join('\n')}\n${message('user', 'More.')}`);
  const { chunks } = load(path, before);
  assert.equal(chunks, load(path).chunks);
  assert.match(chunks.map(({ text }) => text).join(), 'heron');
});

test('a transcript whose resume point is damaged is read from its beginning', () => {
  const path = tempFolder().write('talk', TALK);
  const whole = load(path);
  appendFileSync(path, TALK);
  const { chunks } = load(path);
  const reading = { isExcluded: false, hasBegun: 'yes', brokenLines: 0 };
  const point = { ...JSON.parse(whole.stored.resume ?? '{}'), reading };
  for (const resume of ['{', '[]', '{"offset":-1}', JSON.stringify(point)]) {
    assert.equal(load(path, { ...whole, stored: { ...whole.stored, resume } }).chunks, chunks);
  }
});

/** Reads a transcript that was indexed before a line was forgotten. */
function afterForgetting(path: string, { stored }: Loaded) {
  // As the index marks all files when the forget list changes.
  const marked = { ...stored, fingerprint: { ...stored.fingerprint, ctimeMs: -1 } };
  const forgotten = new Forgotten('', [{ documents: [], lines: [hashesOf('', HERON)] }]);
  return loadTranscript(fileAt(path), marked, { chunking: CHUNKING, forgotten });
}

test('a long transcript is checked for forgotten text in parts, so that other work continues', () => {
  const path = tempFolder().write('talk', LONG);
  assert.equal(
    Array.from(afterForgetting(path, load(path)), ({ state }) => state),
    ['checked', 'checked', 'checked', 'unchanged'],
  );
});

test('what was left out is read again later, even if reading was interrupted, or by an older svc', () => {
  const path = tempFolder().write('talk', message('user', HERON) + LONG);
  const lines = [hashesOf('', HERON)];
  const forgotten = new Forgotten('', [{ documents: [], lines }]);
  const [half] = loadTranscript(fileAt(path), undefined, { chunking: CHUNKING, forgotten });
  if (half?.state !== 'changed') throw new Error('nothing was read');
  const { chunks, ...document } = half.change.document;
  const { hasLeftOut, ...older } = JSON.parse(document.resume ?? '{}');
  assert.is(hasLeftOut, true);
  for (const resume of [document.resume, JSON.stringify(older)]) {
    const fingerprint = { ...document.fingerprint, ctimeMs: -1 };
    const stored = { ...document, fingerprint, resume, indexedMs: 0 };
    assert.is(load(path, { chunks, stored }).chunks[0]?.text, `User: ${HERON}`);
  }
});

test('a transcript that is rewritten while it is checked is read from its beginning', () => {
  const path = tempFolder().write('talk', LONG);
  const before = load(path);
  appendFileSync(path, message('user', 'One more.'));
  const parts = afterForgetting(path, before);
  assert.is(parts.next().value?.state, 'checked');
  writeFileSync(path, LONG.replaceAll('stork', 'crane') + message('user', 'No more.'));
  const types = Array.from(parts, (part) => (part.state === 'changed' ? part.change.type : ''));
  assert.is(
    types.find((type) => type !== ''),
    'put',
  );
});

test('a transcript that is rewritten while it is indexed is read from its beginning next time', () => {
  const path = tempFolder().write('talk', LONG);
  const stored: StoredDocument[] = [];
  const options = { chunking: CHUNKING, forgotten: NOTHING_FORGOTTEN };
  for (const part of loadTranscript(fileAt(path), undefined, options)) {
    if (part.state !== 'changed') throw new Error(part.state);
    const { chunks, ...document } = part.change.document;
    stored.push({ ...document, indexedMs: 0 });
    if (stored.length === 1)
      writeFileSync(path, LONG.replaceAll('stork', 'crane') + message('user', 'No more.'));
  }
  assert.is(stored.length, 3);
  // An interrupted run leaves one of them.
  const { chunks } = load(path);
  for (const before of stored)
    assert.equal(load(path, { chunks: [], stored: before }).chunks, chunks);
});

test.run();
