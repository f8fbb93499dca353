import type { Connection } from '../../sqlite/database.js';
import type { DocumentKey } from '../types.js';
import { bytesOnDisk } from './bytes-on-disk.js';
import { matchingDocuments } from './document-filter.js';
import type { DocumentWriter } from './document-writer.js';
import type { IndexIdentity } from './identity.js';
import {
  countMatches,
  lexicalCandidates,
  lexicalScores,
  literalCandidates,
} from './lexical-candidates.js';
import type {
  DescribedDocument,
  MediaCounts,
  MediaSample,
  MissingMedia,
  MissingMediaCount,
  RefusedContent,
  RefusedMedia,
} from './media-index.js';
import type {
  BatchJob,
  CandidateFilter,
  ChangeSet,
  EmbeddingEntry,
  IdPage,
  IndexStatistics,
  LexicalCandidate,
  MemoryIndex,
  MissingEmbedding,
  StoredDocument,
  StoredEmbedding,
  SyncMark,
  TidyOptions,
  VectorCandidate,
  VectorSpaceStatistics,
} from './memory-index.js';
import {
  countDocuments,
  countMedia,
  describeDocuments,
  storedDocuments,
} from './read-documents.js';
import { isUnchanged } from './read-identity.js';
import { AUTOMERGE, setAutomerge } from './schema.js';
import type { Scrubber } from './scrubber.js';
import {
  noteMedia,
  readMeta,
  readSyncedMs,
  readSyncMark,
  writeMeta,
  writeSyncMark,
} from './sync-mark.js';
import { copyEmbeddings } from './vectors/copy-embeddings.js';
import type { VectorExtension } from './vectors/extension.js';
import type { VectorSettings } from './vectors/vector-settings.js';
import type { VectorStore } from './vectors/vector-store.js';

/** An index in a SQLite database file; see schema.ts for its tables. */
export class SqliteIndex implements MemoryIndex {
  private readonly database: Connection;
  private readonly storedIdentity: IndexIdentity;
  private readonly file: string;
  private readonly vectorSettings: VectorSettings;
  private writer: DocumentWriter | undefined;
  private vectorStore: VectorStore | undefined;

  /** @param file where the database lies, for its size on disk */
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

  async documents(): Promise<readonly StoredDocument[]> {
    return storedDocuments(this.database);
  }

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

  async apply({ atMs, vectorsFollow, changes }: ChangeSet): Promise<void> {
    // Whoever only searches never loads what writes.
    const { createDocumentWriter } = await import('./document-writer.js');
    const { followChunks } = await import('./vectors/chunk-changes.js');
    this.writer ??= createDocumentWriter(this.database, this.storedIdentity.tokenizer);
    const { writer } = this;
    this.database.transaction(() => {
      const chunks = followChunks(this.database, vectorsFollow);
      let more = 0;
      for (const change of changes) more += writer.write(change, atMs, chunks);
      chunks.finish();
      // Kept here instead of counted by every search: counting goes over the whole table.
      const before = Number(readMeta(this.database, 'chunks') ?? 0);
      writeMeta(this.database, 'chunks', String(before + more));
      noteMedia(this.database);
      this.database.exec('DELETE FROM tree');
    })();
  }

  async syncMark(): Promise<SyncMark> {
    return readSyncMark(this.database);
  }

  async markSynced(mark: SyncMark): Promise<void> {
    this.database.transaction(() => writeSyncMark(this.database, mark))();
  }

  async lexicalCandidates(
    match: string,
    limit: number,
    filter?: CandidateFilter,
  ): Promise<readonly LexicalCandidate[]> {
    return lexicalCandidates(this.database, match, limit, filter);
  }

  async literalCandidates(
    text: string,
    limit: number,
    filter?: CandidateFilter,
  ): Promise<readonly LexicalCandidate[]> {
    return literalCandidates(this.database, text, limit, filter);
  }

  async countMatches(match: string, filter?: CandidateFilter): Promise<number> {
    return countMatches(this.database, match, filter);
  }

  async termStatistics(
    matches: readonly string[],
  ): Promise<{ readonly chunks: number; readonly frequencies: readonly number[] }> {
    const chunks = Number(readMeta(this.database, 'chunks') ?? 0);
    return { chunks, frequencies: matches.map((match) => countMatches(this.database, match)) };
  }

  async lexicalScores(
    match: string,
    chunkIds: readonly number[],
  ): Promise<ReadonlyMap<number, number>> {
    return lexicalScores(this.database, match, chunkIds);
  }

  async vectorIdentities(): Promise<readonly string[]> {
    return (await this.vectors()).identities();
  }

  async vectorSpaces(): Promise<readonly VectorSpaceStatistics[]> {
    return (await this.vectors()).spaces();
  }

  async missingEmbeddings(
    identity: string,
    after: number,
    limit: number,
  ): Promise<readonly MissingEmbedding[]> {
    return (await this.vectors()).missing(identity, after, limit);
  }

  async storedEmbeddings(identity: string, page: IdPage): Promise<readonly StoredEmbedding[]> {
    return (await this.vectors()).stored(identity, page);
  }

  async missingMedia(
    identity: string,
    after: number,
    limit: number,
  ): Promise<readonly MissingMedia[]> {
    return (await this.vectors()).missingMedia(identity, after, limit);
  }

  async countMissingMedia(identity: string): Promise<MissingMediaCount> {
    return (await this.vectors()).countMissingMedia(identity);
  }

  async countMissingEmbeddings(identity: string): Promise<number> {
    return (await this.vectors()).countMissing(identity);
  }

  async putEmbeddings(identity: string, entries: readonly EmbeddingEntry[]): Promise<void> {
    (await this.vectors()).put(identity, entries);
  }

  async refuseEmbeddings(identity: string, refused: readonly RefusedContent[]): Promise<void> {
    (await this.vectors()).refuse(identity, refused);
  }

  async refusedMedia(): Promise<readonly RefusedMedia[]> {
    return (await this.vectors()).refusedMedia();
  }

  async tidyEmbeddings(options: TidyOptions): Promise<void> {
    (await this.vectors()).tidy(options);
  }

  async vectorCandidates(
    identity: string,
    query: Float32Array,
    limit: number,
    filter?: CandidateFilter,
  ): Promise<readonly VectorCandidate[]> {
    const documents = matchingDocuments(this.database, filter);
    return (await this.vectors()).candidates(identity, query, limit, documents);
  }

  async similarities(
    identity: string,
    query: Float32Array,
    chunkIds: readonly number[],
  ): Promise<ReadonlyMap<number, number>> {
    return (await this.vectors()).similarities(identity, query, chunkIds);
  }

  async sampleSimilarities(
    identity: string,
    query: Float32Array,
    count: number,
  ): Promise<readonly number[]> {
    return (await this.vectors()).sample(identity, query, count);
  }

  async sampleMedia(identity: string, query: Float32Array, count: number): Promise<MediaSample> {
    return (await this.vectors()).sampleMedia(identity, query, count);
  }

  async vectorExtension(): Promise<VectorExtension> {
    return (await this.vectors()).extension();
  }

  async batchJobs(identity: string): Promise<readonly BatchJob[]> {
    return (await this.vectors()).batchJobs(identity);
  }

  async saveBatchJob(job: BatchJob): Promise<void> {
    (await this.vectors()).saveBatchJob(job);
  }

  async removeBatchJob(id: string): Promise<void> {
    (await this.vectors()).removeBatchJob(id);
  }

  /** Whether the file still holds the index that this was opened on: another process may replace it. */
  isCurrent(): boolean {
    return isUnchanged(this.database, this.storedIdentity);
  }

  /** For rebuilds: takes over what another index file has; see copy-embeddings.ts. */
  copyEmbeddings(fromFile: string): void {
    copyEmbeddings(this.database, fromFile);
  }

  /** What takes deleted bytes out of the file; loaded only by what writes. */
  async scrubber(): Promise<Scrubber> {
    return (await import('./scrubber.js')).createScrubber(this.database);
  }

  /** Ends a build: other connections may open the file afterwards. Closes this one. */
  seal(): void {
    setAutomerge(this.database, AUTOMERGE.normal);
    this.database.pragma('locking_mode = NORMAL');
    this.database.pragma('journal_mode = WAL');
    this.database.close();
  }

  close(): void {
    this.database.close();
  }

  /** Loaded when vectors are asked for: most of what is searched by words alone has none. */
  private async vectors(): Promise<VectorStore> {
    const { VectorStore } = await import('./vectors/vector-store.js');
    this.vectorStore ??= new VectorStore(this.database, this.vectorSettings);
    return this.vectorStore;
  }
}
