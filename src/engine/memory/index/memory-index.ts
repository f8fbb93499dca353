import { setImmediate as othersTurn } from 'node:timers/promises';
import type { Connection } from '../../sqlite/database.js';
import type { DayRange } from '../../support/day.js';
import type { DocumentKey, Source } from '../types.js';
import type { DatedQuestion } from './dated-candidates.js';
import type { Change, DocumentWriter } from './document-writer.js';
import { type IndexIdentity, isUnchanged } from './identity.js';
import { bytesOnDisk } from './index-file.js';
import type { Language } from './languages.js';
import {
  type CandidateFilter,
  countMatches,
  type LexicalCandidate,
  lexicalCandidates,
  lexicalScores,
  literalCandidates,
  matchingDocuments,
} from './lexical-candidates.js';
import {
  countDocuments,
  countMedia,
  type DescribedDocument,
  type DocumentCounts,
  describeDocuments,
  type MediaCounts,
  type StoredDocument,
  storedDocuments,
} from './read-documents.js';
import { AUTOMERGE, setAutomerge } from './schema.js';
import type { Scrubber } from './scrubber.js';
import {
  notedLanguages,
  noteLanguages,
  noteMedia,
  readMeta,
  readSyncedMs,
  readSyncMark,
  type SyncMark,
  writeMeta,
  writeSyncMark,
} from './sync-mark.js';
import { copyEmbeddings } from './vectors/copy-embeddings.js';
import type {
  EmbeddingEntry,
  IdPage,
  RefusedContent,
  RefusedMedia,
  StoredEmbedding,
  VectorSpaceStatistics,
} from './vectors/embeddings.js';
import type { VectorExtension, VectorSettings } from './vectors/extension.js';
import type {
  MissingEmbedding,
  MissingMedia,
  MissingMediaCount,
} from './vectors/missing-embeddings.js';
import type { TidyOptions } from './vectors/tidy-embeddings.js';
import type { MediaSample, VectorCandidate } from './vectors/vector-candidates.js';
import type { IndexTerm } from './vocabulary.js';

/** Changes that are applied together: all of them or none. */
export interface ChangeSet {
  /** When the files were read, in milliseconds since the epoch. */
  readonly atMs: number;
  /** Vectors will follow, so contents are hashed now, which is cheaper than later. */
  readonly vectorsFollow: boolean;
  /** Consumed one by one, so that a change set is never in memory as a whole. */
  readonly changes: Iterable<Change>;
}

/** A batch job at a provider that has not been collected yet. */
export interface BatchJob {
  readonly id: string;
  readonly identity: string;
  /** What its owner needs to resume it. */
  readonly json: string;
  /** Milliseconds since the epoch. */
  readonly createdMs: number;
}

/** Size and content of an index. */
export interface IndexStatistics extends DocumentCounts {
  /** Bytes on disk, including side files. */
  readonly bytes: number;
  /** When the last sync ended, in milliseconds since the epoch; undefined before the first. */
  readonly syncedMs: number | undefined;
}

/**
 * The index of one agent's memory: a SQLite database, see schema.ts. SQLite blocks the process for as long
 * as a statement runs, so methods that read many chunks yield to the event loop first.
 *
 * Vectors are kept by embedding identity, an opaque string that is equal only for vectors that can be
 * compared with each other.
 */
export class MemoryIndex {
  private readonly database: Connection;
  private readonly storedIdentity: IndexIdentity;
  private readonly file: string;
  private readonly vectorSettings: VectorSettings;
  private writer: DocumentWriter | undefined;
  private extension: VectorExtension | undefined;

  constructor(
    database: Connection,
    identity: IndexIdentity,
    file: string,
    vectorSettings: VectorSettings,
  ) {
    this.database = database;
    this.storedIdentity = identity;
    this.file = file;
    this.vectorSettings = vectorSettings;
  }

  async identity(): Promise<IndexIdentity> {
    return this.storedIdentity;
  }

  /** Whether anything of a source is indexed. */
  async hasDocuments(source: Source): Promise<boolean> {
    const select = 'SELECT 1 FROM documents WHERE source = ? LIMIT 1';
    return this.database.prepare(select).get(source) !== undefined;
  }

  async documents(): Promise<readonly StoredDocument[]> {
    return storedDocuments(this.database);
  }

  /** The documents of some keys that exist, in any order. */
  async describe(keys: readonly DocumentKey[]): Promise<readonly DescribedDocument[]> {
    return describeDocuments(this.database, keys);
  }

  async mediaCounts(): Promise<MediaCounts> {
    return countMedia(this.database);
  }

  async statistics(): Promise<IndexStatistics> {
    return {
      ...countDocuments(this.database),
      bytes: bytesOnDisk(this.file),
      syncedMs: readSyncedMs(this.database),
    };
  }

  /** Applies a change set in one transaction. */
  async apply({ atMs, vectorsFollow, changes }: ChangeSet): Promise<void> {
    // A process that only searches never loads the writer.
    const { createDocumentWriter } = await import('./document-writer.js');
    const { followChunks } = await import('./document-writer.js');
    this.writer ??= createDocumentWriter(this.database, this.storedIdentity.tokenizer);
    const { writer } = this;
    this.database.transaction(() => {
      const chunks = followChunks(this.database, vectorsFollow);
      let more = 0;
      for (const change of changes) more += writer.write(change, atMs, chunks);
      chunks.finish();
      // Stored, because counting at search time would scan the whole table.
      const before = Number(readMeta(this.database, 'chunks') ?? 0);
      writeMeta(this.database, 'chunks', String(before + more));
      noteMedia(this.database);
      noteLanguages(this.database);
      this.database.exec('DELETE FROM tree');
    })();
  }

  /** How the last finished sync left the index. */
  async syncMark(): Promise<SyncMark> {
    return readSyncMark(this.database);
  }

  /** Records that the index mirrors the files. */
  async markSynced(mark: SyncMark): Promise<void> {
    this.database.transaction(() => writeSyncMark(this.database, mark))();
  }

  /**
   * The best chunks for a full-text expression, best first; ties by path and line.
   *
   * @param match an expression made by matchExpression, never raw user input
   */
  async lexicalCandidates(
    match: string,
    limit: number,
    filter?: CandidateFilter,
  ): Promise<readonly LexicalCandidate[]> {
    await othersTurn();
    return lexicalCandidates(this.database, match, limit, filter);
  }

  /** Chunks that contain a text verbatim (ASCII case ignored), for queries without words. */
  async literalCandidates(
    text: string,
    limit: number,
    filter?: CandidateFilter,
  ): Promise<readonly LexicalCandidate[]> {
    await othersTurn();
    return literalCandidates(this.database, text, limit, filter);
  }

  /** How many chunks are dated to one of these days. */
  async countDated(days: DayRange): Promise<number> {
    return (await import('./dated-candidates.js')).countDated(this.database, days);
  }

  /** The chunks of some days, with words of the query first. */
  async datedCandidates(question: DatedQuestion): Promise<readonly LexicalCandidate[]> {
    await othersTurn();
    return (await import('./dated-candidates.js')).datedCandidates(this.database, question);
  }

  /** How many chunks a full-text expression matches. */
  async countMatches(match: string, filter?: CandidateFilter): Promise<number> {
    await othersTurn();
    return countMatches(this.database, match, filter);
  }

  /** The number of chunks, and how many of them each expression matches. */
  async termStatistics(
    matches: readonly string[],
  ): Promise<{ readonly chunks: number; readonly frequencies: readonly number[] }> {
    const chunks = Number(readMeta(this.database, 'chunks') ?? 0);
    const frequencies: number[] = [];
    for (const match of matches) frequencies.push(await this.countMatches(match));
    return { chunks, frequencies };
  }

  /** The languages, other than English, that words of some files are stemmed in. */
  async languages(): Promise<readonly Language[]> {
    const codes = notedLanguages(this.database);
    return codes.length === 0 ? [] : (await import('./languages.js')).languagesOf(codes);
  }

  /** The indexed words from `first` up to, but not including, `end`. */
  async termsBetween(first: string, end: string): Promise<readonly IndexTerm[]> {
    await othersTurn();
    return (await import('./vocabulary.js')).termsBetween(this.database, first, end);
  }

  /** The texts of some chunks that match a full-text expression, without ranking them. */
  async someTexts(match: string, limit: number): Promise<readonly string[]> {
    await othersTurn();
    return (await import('./vocabulary.js')).someTexts(this.database, match, limit);
  }

  /** BM25 of given chunks under an expression; chunks that do not match are absent. */
  async lexicalScores(
    match: string,
    chunkIds: readonly number[],
  ): Promise<ReadonlyMap<number, number>> {
    return lexicalScores(this.database, match, chunkIds);
  }

  /** The identities whose vectors are in use, not only cached. */
  async vectorIdentities(): Promise<readonly string[]> {
    const { allSpaces } = await vectors();
    return allSpaces(this.database).flatMap(({ identity, inUse }) => (inUse ? [identity] : []));
  }

  async vectorSpaces(): Promise<readonly VectorSpaceStatistics[]> {
    return (await vectors()).spaceStatistics(this.database);
  }

  /**
   * Up to `limit` text chunks with ids above `after` that have no vector, by id. Of chunks with equal
   * content only the first is returned; an empty answer means that none are left.
   */
  async missingEmbeddings(
    identity: string,
    after: number,
    limit: number,
  ): Promise<readonly MissingEmbedding[]> {
    return (await vectors()).missingEmbeddings(this.database, identity, after, limit);
  }

  /** A page of the vectors that notes use, by id. */
  async storedEmbeddings(identity: string, page: IdPage): Promise<readonly StoredEmbedding[]> {
    return (await vectors()).storedEmbeddings(this.database, identity, page);
  }

  /** Like {@link missingEmbeddings}, for the chunks of media. */
  async missingMedia(
    identity: string,
    after: number,
    limit: number,
  ): Promise<readonly MissingMedia[]> {
    return (await vectors()).missingMedia(this.database, identity, after, limit);
  }

  /** How many of the chunks without a vector are media, and the size of those files. */
  async countMissingMedia(identity: string): Promise<MissingMediaCount> {
    return (await vectors()).countMissingMedia(this.database, identity);
  }

  /** How many chunks have no vector under an identity. */
  async countMissingEmbeddings(identity: string): Promise<number> {
    return (await vectors()).countMissingEmbeddings(this.database, identity);
  }

  /**
   * Stores vectors, normalised to length 1, in one transaction. Content that already has a vector keeps it.
   *
   * @throws SvcError PROVIDER_ANSWER_INVALID when the lengths under this identity differ
   */
  async putEmbeddings(identity: string, entries: readonly EmbeddingEntry[]): Promise<void> {
    (await vectors()).putEmbeddings(this.database, identity, entries);
  }

  /** Records content that the provider refuses, so that it no longer counts as missing. */
  async refuseEmbeddings(identity: string, refused: readonly RefusedContent[]): Promise<void> {
    (await vectors()).refuseEmbeddings(this.database, identity, refused);
  }

  /** The media documents that a provider refused, by path. */
  async refusedMedia(): Promise<readonly RefusedMedia[]> {
    return (await vectors()).refusedMedia(this.database);
  }

  /** Deletes vectors that nothing uses, except for a cache of the most recently used ones. */
  async tidyEmbeddings(options: TidyOptions): Promise<void> {
    (await vectors()).tidyEmbeddings(this.database, options);
  }

  /**
   * The chunks nearest to a query vector, best first; ties by path and line.
   *
   * @throws SvcError PROVIDER_ANSWER_INVALID when the query has another length than the vectors
   */
  async vectorCandidates(
    identity: string,
    query: Float32Array,
    limit: number,
    filter?: CandidateFilter,
  ): Promise<readonly VectorCandidate[]> {
    const documents = matchingDocuments(this.database, filter);
    const { loadVectorExtension, vectorCandidates } = await vectors();
    const hasExtension = (): boolean => {
      this.extension ??= loadVectorExtension(this.database, this.vectorSettings);
      return this.extension.loaded;
    };
    const asked = { identity, vector: query, limit, documents, hasExtension };
    return vectorCandidates(this.database, asked);
  }

  /** Cosines between given chunks and a query; chunks without a vector are absent. */
  async similarities(
    identity: string,
    query: Float32Array,
    chunkIds: readonly number[],
  ): Promise<ReadonlyMap<number, number>> {
    return (await vectors()).similarities(this.database, identity, query, chunkIds);
  }

  /** Cosines between the query and up to `count` texts sampled evenly from the index. */
  async sampleSimilarities(
    identity: string,
    query: Float32Array,
    count: number,
  ): Promise<readonly number[]> {
    return (await vectors()).sampleSimilarities(this.database, identity, query, count);
  }

  /** Like {@link sampleSimilarities} for media, with the chunk ids of all media. */
  async sampleMedia(identity: string, query: Float32Array, count: number): Promise<MediaSample> {
    return (await vectors()).sampleMedia(this.database, identity, query, count);
  }

  /** Tries to load the vector extension. */
  async vectorExtension(): Promise<VectorExtension> {
    const { loadVectorExtension } = await vectors();
    this.extension ??= loadVectorExtension(this.database, this.vectorSettings);
    return this.extension;
  }

  /** The batch jobs of an identity, oldest first. */
  async batchJobs(identity: string): Promise<readonly BatchJob[]> {
    return this.database
      .prepare<[string], BatchJob>(
        `SELECT id, identity, json, created_ms AS createdMs FROM batch_jobs
         WHERE identity = ? ORDER BY created_ms, id`,
      )
      .all(identity);
  }

  /** Adds a job, or replaces the one with the same id. */
  async saveBatchJob({ id, identity, json, createdMs }: BatchJob): Promise<void> {
    this.database
      .prepare('INSERT OR REPLACE INTO batch_jobs VALUES (?, ?, ?, ?)')
      .run(id, identity, json, createdMs);
  }

  async removeBatchJob(id: string): Promise<void> {
    this.database.prepare('DELETE FROM batch_jobs WHERE id = ?').run(id);
  }

  /** Whether the file is still the index that was opened: another process may have replaced it. */
  isCurrent(): boolean {
    return isUnchanged(this.database, this.storedIdentity);
  }

  /** For rebuilds: copies the vectors of another index file; see copy-embeddings.ts. */
  copyEmbeddings(fromFile: string, rename?: (identity: string) => string): void {
    copyEmbeddings(this.database, fromFile, rename);
  }

  /** Erases deleted bytes from the file. */
  async scrubber(): Promise<Scrubber> {
    return (await import('./scrubber.js')).createScrubber(this.database);
  }

  /** Finishes a build so that other connections can open the file, and closes this one. */
  seal(): void {
    setAutomerge(this.database, AUTOMERGE.normal);
    this.database.pragma('locking_mode = NORMAL');
    this.database.pragma('journal_mode = WAL');
    this.database.close();
  }

  close(): void {
    this.database.close();
  }
}

/** Lazy: most keyword-only indexes have no vectors. */
function vectors() {
  return import('./vectors/index.js');
}
