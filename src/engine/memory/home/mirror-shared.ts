import { isDeepStrictEqual } from 'node:util';
import type { Server } from '../../postgres/index.js';
import { closing } from '../../support/async.js';
import { groupBy } from '../../support/lists.js';
import { sectionsOf, titlesOn } from '../chunking/chunk-document.js';
import { type ForgetList, Forgotten, wordsOf } from '../forgotten/index.js';
import { currentIdentity, type OpenedIndex } from '../index/index.js';
import {
  chunksByDocument,
  type OtherDocument,
  otherDocuments,
  type PostgresIndex,
  preparePostgresIndex,
  type StoredChunk,
} from '../index/postgres/index.js';
import { fillIndex, NOTHING_READ, type SyncRun, summaryOf } from '../sync/fill-index.js';
import { type Rebuild, rebuildNeeded, rebuildOf, type SyncSummary } from '../sync/index.js';
import type { SharedPlace } from './index-home.js';
import type { SharedForgetList } from './shared-forget-list.js';
import { linesOfChunks, turnsOfChunks } from './shared-text.js';

/** A shared memory, as a host mirrors its files into it. */
export interface SharedMirror {
  readonly server: Server;
  readonly place: SharedPlace;
  readonly forgetList: SharedForgetList;
  readonly open: () => Promise<OpenedIndex<PostgresIndex>>;
  /** Lines that this process has forgotten, in plain text. */
  readonly traces: readonly string[];
}

/** Makes the documents of this host mirror its files, and deletes what was forgotten from those of all hosts. */
export async function mirrorShared(run: SyncRun, shared: SharedMirror): Promise<SyncSummary> {
  const { server, place, forgetList } = shared;
  const { lockWaitMs } = run.options;
  const identity = currentIdentity(run.target.settings);
  // Before anything else is read: whoever changes it makes this host compare its files with its documents.
  let before = await forgetList.read();
  const opened = await shared.open();
  const rebuild = rebuildFor(run, opened);
  if (rebuild !== undefined) run.onEvent({ type: 'rebuild.started', ...rebuild });
  let force = rebuild?.reason === 'forced' || rebuild?.reason === 'damaged';
  let known = opened.state === 'ready' ? opened.index.facts() : undefined;
  for (;;) {
    const uncleaned = before === undefined ? [] : await forgetList.uncleaned();
    const prepare = { force, lockWaitMs, forgetNext: before?.next ?? 1, known };
    known = undefined;
    using index = closing(await preparePostgresIndex(server, place, identity, prepare));
    // First: once this host has read its files, its searches see nothing to do, also if this is killed then.
    const isErased =
      before === undefined ||
      uncleaned.length === 0 ||
      (await eraseFromOthers(shared, index, before, run.options.signal));
    if (!isErased) return summaryOf(run, NOTHING_READ, rebuild);
    const result = await fillIndex(run, index);
    if (result.stopped) return summaryOf(run, result, rebuild);
    // Another host may have forgotten something that this one has just read.
    const after = await forgetList.read();
    force = !isDeepStrictEqual(after, before);
    before = after;
    if (force) continue;
    const isClean = await clean(shared, index, uncleaned, run.options);
    return summaryOf(run, { ...result, stopped: !isClean }, rebuild);
  }
}

function rebuildFor(
  { target, options }: SyncRun,
  opened: OpenedIndex<PostgresIndex>,
): Rebuild | undefined {
  if (opened.state !== 'ready') return rebuildOf(opened, options);
  opened.index.close();
  return rebuildNeeded(opened.identity, target.settings, options);
}

/**
 * Removes what deleted chunks left: their words, and all vectors that nothing uses.
 *
 * @returns false when the signal interrupted it
 */
async function clean(
  { forgetList }: SharedMirror,
  index: PostgresIndex,
  uncleaned: readonly string[],
  { clock, signal }: Pick<SyncRun['options'], 'clock' | 'signal'>,
): Promise<boolean> {
  if (uncleaned.length === 0) return true;
  if (!(await index.compact(signal))) return false;
  const keepIdentities = await index.vectorIdentities();
  await index.tidyEmbeddings({ keepIdentities, cacheEntries: 0, atMs: clock.now() });
  await forgetList.markCleaned(uncleaned);
  return true;
}

/** Documents whose chunks are in memory at once. */
const BATCH = 50;

/**
 * Deletes the chunks of all other hosts that contain forgotten text, with their vectors. What else was in them comes
 * back with the next sync of their host, which reads such documents again.
 *
 * Lines in plain text are compared too, as far as they are known: conversations are stored without the line ends by
 * which the list recognizes lines.
 *
 * @returns false when the signal interrupted it
 */
async function eraseFromOthers(
  { server, place, traces }: SharedMirror,
  index: PostgresIndex,
  { salt, entries }: ForgetList,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const forgotten = new Forgotten(salt, entries);
  const gone: number[] = [];
  const byOrigin = groupBy(await otherDocuments(server, place), ({ origin }) => origin);
  for (const [origin, documents] of byOrigin) {
    for (let start = 0; start < documents.length; start += BATCH) {
      if (signal?.aborted === true) return false;
      const batch = documents.slice(start, start + BATCH);
      const found = await chunksByDocument(server, { agent: place.agent, origin }, batch);
      for (const [at, document] of batch.entries()) {
        const chunks = forgottenChunks(document, found[at] ?? [], forgotten, traces);
        for (const { chunkId } of chunks) gone.push(chunkId);
      }
    }
  }
  await index.eraseChunks(gone);
  return true;
}

function forgottenChunks(
  { path, kind, hash }: OtherDocument,
  chunks: readonly StoredChunk[],
  forgotten: Forgotten,
  traces: readonly string[],
): readonly StoredChunk[] {
  // The hash may have a mark of what was left out.
  if (forgotten.hidesDocument(hash.split('.')[0] ?? '')) return chunks;
  if (kind === 'media') return [];
  if (kind === 'transcript') {
    return chunks.filter((chunk) =>
      turnsOfChunks([chunk]).some(({ text }) => {
        const words = wordsOf(text);
        return (
          traces.some((trace) => words.includes(trace)) || forgotten.removeFrom(words) !== words
        );
      }),
    );
  }
  const lines = linesOfChunks(chunks);
  const gone = forgotten.linesIn(lines);
  if (gone.size === 0) return [];
  const titles = titlesOn(sectionsOf(path, lines), (line) => gone.has(line));
  return chunks.filter(({ startLine, endLine, headingPath }) => {
    if (headingPath.some((title) => titles.has(title))) return true;
    for (let line = startLine; line <= endLine; line++) if (gone.has(line - 1)) return true;
    return false;
  });
}
