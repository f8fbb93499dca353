import { statSync } from 'node:fs';
import type { TreeSnapshot } from '../sync/tree-snapshot.js';
import type { SkippedFile } from '../types.js';
import type { Connection } from './database.js';
import { matchingDocuments } from './document-filter.js';
import { countBySource, storedDocuments } from './document-rows.js';
import type { DocumentWriter } from './document-writer.js';
import type { IndexIdentity } from './identity.js';
import {
  countMatches,
  lexicalCandidates,
  lexicalScores,
  literalCandidates,
} from './lexical-candidates.js';
import type {
  BatchJob,
  CandidateFilter,
  ChangeSet,
  EmbeddingEntry,
  IndexStatistics,
  LexicalCandidate,
  MemoryIndex,
  MissingEmbedding,
  StoredDocument,
  SyncMark,
  TidyOptions,
  VectorCandidate,
  VectorSpaceStatistics,
} from './memory-index.js';
import { isUnchanged } from './read-identity.js';
import { AUTOMERGE, setAutomerge } from './schema.js';
import { copyEmbeddings } from './vectors/copy-embeddings.js';
import type { VectorExtension } from './vectors/extension.js';
import type { VectorSettings } from './vectors/vector-settings.js';
import type { VectorStore } from './vectors/vector-store.js';

type SkipRow = Pick<SkippedFile, 'path' | 'reason'> & { readonly detail: string | null };

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

  async statistics(): Promise<IndexStatistics> {
    const bySource = countBySource(this.database);
    return {
      documents: bySource.reduce((sum, row) => sum + row.documents, 0),
      chunks: bySource.reduce((sum, row) => sum + row.chunks, 0),
      bySource,
      bytes: ['', '-wal', '-shm'].reduce((sum, suffix) => sum + sizeOf(this.file + suffix), 0),
      syncedMs: this.syncedMs(),
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
      this.writeMeta('chunks', String(Number(this.readMeta('chunks') ?? 0) + more));
      this.database.exec('DELETE FROM tree');
    })();
  }

  async syncMark(): Promise<SyncMark> {
    return {
      syncedMs: this.syncedMs(),
      tree: this.database.prepare<[], TreeSnapshot>('SELECT paths, fingerprints FROM tree').get(),
      skipped: this.database
        .prepare<[], SkipRow>('SELECT path, reason, detail FROM skipped ORDER BY rowid')
        .all()
        .map(({ detail, ...skip }) => (detail === null ? skip : { ...skip, detail })),
    };
  }

  async markSynced({ syncedMs, tree, skipped }: SyncMark): Promise<void> {
    this.database.transaction(() => {
      this.writeMeta('synced_ms', String(syncedMs ?? ''));
      this.database.exec('DELETE FROM tree; DELETE FROM skipped');
      const insert = this.database.prepare('INSERT INTO skipped VALUES (?, ?, ?)');
      for (const { path, reason, detail } of skipped) insert.run(path, reason, detail ?? null);
      if (tree === undefined) return;
      this.database.prepare('INSERT INTO tree VALUES (?, ?)').run(tree.paths, tree.fingerprints);
    })();
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
    const chunks = Number(this.readMeta('chunks') ?? 0);
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

  async countMissingEmbeddings(identity: string): Promise<number> {
    return (await this.vectors()).countMissing(identity);
  }

  async putEmbeddings(identity: string, entries: readonly EmbeddingEntry[]): Promise<void> {
    (await this.vectors()).put(identity, entries);
  }

  async refuseEmbeddings(identity: string, hashes: readonly Buffer[]): Promise<void> {
    (await this.vectors()).refuse(identity, hashes);
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

  /**
   * Whether the file still holds the index that this was opened on. Another process may have
   * replaced its content with one of other settings, or of another version.
   */
  isCurrent(): boolean {
    return isUnchanged(this.database, this.storedIdentity);
  }

  /**
   * For rebuilds: copies the vectors and the batch jobs of another index file into this one, which
   * has none yet. A file without them, or that cannot be read, gives none.
   */
  copyEmbeddings(fromFile: string): void {
    copyEmbeddings(this.database, fromFile);
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

  private syncedMs(): number | undefined {
    const written = this.readMeta('synced_ms') ?? '';
    return written === '' ? undefined : Number(written);
  }

  private writeMeta(key: string, value: string): void {
    this.database.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)').run(key, value);
  }

  private readMeta(key: string): string | undefined {
    return this.database
      .prepare<[string], string>('SELECT value FROM meta WHERE key = ?')
      .pluck()
      .get(key);
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
