import type { Server } from '../../../postgres/index.js';
import type { DayRange } from '../../../support/day.js';
import type { DocumentKey, Source } from '../../types.js';
import type {
  CandidateFilter,
  DatedQuestion,
  IndexTerm,
  LexicalCandidate,
  MediaSample,
  VectorCandidate,
} from '../candidates.js';
import type {
  DescribedDocument,
  DocumentContent,
  LinkingDocument,
  MediaCounts,
  StoredDocument,
  SyncMark,
} from '../documents.js';
import type {
  EmbeddingEntry,
  IdPage,
  MissingEmbedding,
  MissingMedia,
  MissingMediaCount,
  RefusedContent,
  RefusedMedia,
  StoredEmbedding,
  TidyOptions,
  VectorExtension,
  VectorSpaceStatistics,
} from '../embedding-records.js';
import type { IndexIdentity } from '../identity.js';
import type { Language } from '../languages.js';
import type {
  BatchJob,
  ChangeSet,
  FrontMatterFault,
  IndexStatistics,
  MemoryIndex,
} from '../memory-index.js';
import {
  countDated,
  datedCandidates,
  lexicalCandidates,
  literalCandidates,
  type Searched,
} from './candidates.js';
import { keepsChunk, keptBy } from './document-filter.js';
import { type MemoryFacts, readFacts } from './facts.js';
import { KeywordReader } from './keyword-reader.js';
import {
  bytesOf,
  countDocuments,
  countMedia,
  describeDocuments,
  documentContent,
  linkingDocuments,
  readSyncMark,
  storedDocuments,
  writeSyncMark,
} from './read-documents.js';
import type { Place } from './stored-chunks.js';
import { WordReader } from './tokenize.js';
import type { MissingQuestion } from './vectors/missing-embeddings.js';
import { someTexts, termsBetween } from './vocabulary.js';

/** A memory in PostgreSQL, as one of its hosts uses it; see postgres/memory-tables.ts. */
export class PostgresIndex implements MemoryIndex {
  private readonly server: Server;
  private readonly agent: string;
  private readonly originName: string;
  private facts: MemoryFacts;
  private wordReader: WordReader | undefined;
  private keywordReader: KeywordReader | undefined;
  /** Set for a view: the index that it is a view of. */
  private readonly whole: PostgresIndex | undefined;

  constructor(
    server: Server,
    agent: string,
    originName: string,
    facts: MemoryFacts,
    whole?: PostgresIndex,
  ) {
    this.server = server;
    this.agent = agent;
    this.originName = originName;
    this.facts = facts;
    this.whole = whole;
  }

  async view(): Promise<MemoryIndex> {
    return new PostgresIndex(
      this.server,
      this.agent,
      this.originName,
      await this.current(),
      this.whole ?? this,
    );
  }

  async identity(): Promise<IndexIdentity> {
    const { identity, tokenizer } = this.facts;
    return identity ?? { ...NOTHING_INDEXED, tokenizer };
  }

  async hasDocuments(source: Source): Promise<boolean> {
    return (await this.current()).sources.includes(source);
  }

  async documents(): Promise<readonly StoredDocument[]> {
    return storedDocuments(this.server, await this.here());
  }

  async describe(keys: readonly DocumentKey[]): Promise<readonly DescribedDocument[]> {
    return describeDocuments(
      this.server,
      { memory: this.facts.id, origin: this.facts.origin },
      keys,
    );
  }

  async links(): Promise<readonly LinkingDocument[]> {
    return linkingDocuments(this.server, await this.here());
  }

  async content(key: DocumentKey): Promise<DocumentContent | undefined> {
    return documentContent(this.server, await this.here(), key);
  }

  async mediaCounts(): Promise<MediaCounts> {
    return countMedia(this.server, this.facts.id);
  }

  async statistics(): Promise<IndexStatistics> {
    const here = await this.here();
    return {
      ...(await countDocuments(this.server, here.memory)),
      bytes: await bytesOf(this.server, here.memory),
      syncedMs: (await readSyncMark(this.server, here)).syncedMs,
    };
  }

  async apply(changes: ChangeSet): Promise<void> {
    const { writeChanges } = await import('./write-changes.js');
    const { compactIfWorthIt } = await import('./compact.js');
    const target = { ...(await this.place()), ...this.tokenizing() };
    await writeChanges(this.server, target, changes);
    await compactIfWorthIt(this.server, target);
  }

  /** Erases chunks of any host, with what their words and vectors left; see erase.ts. */
  async eraseChunks(ids: readonly number[]): Promise<void> {
    const { eraseChunks } = await import('./erase.js');
    await eraseChunks(this.server, { memory: this.facts.id, ...this.tokenizing() }, ids);
  }

  /** Removes everything that a host has indexed into the memory. */
  async removeOrigin(name: string): Promise<void> {
    const { removeOrigin } = await import('./erase.js');
    await removeOrigin(this.server, { memory: this.facts.id, ...this.tokenizing() }, name);
  }

  async syncMark(): Promise<SyncMark> {
    return readSyncMark(this.server, await this.here());
  }

  async markSynced(mark: SyncMark): Promise<void> {
    await writeSyncMark(this.server, await this.place(), mark);
  }

  async lexicalCandidates(
    match: string,
    limit: number,
    filter?: CandidateFilter,
  ): Promise<readonly LexicalCandidate[]> {
    return lexicalCandidates(await this.searched(), match, limit, filter);
  }

  async literalCandidates(
    text: string,
    limit: number,
    filter?: CandidateFilter,
  ): Promise<readonly LexicalCandidate[]> {
    return literalCandidates(await this.searched(), text, limit, filter);
  }

  async countDated(days: DayRange): Promise<number> {
    return countDated({ sql: this.server, facts: this.facts }, days);
  }

  async datedCandidates(question: DatedQuestion): Promise<readonly LexicalCandidate[]> {
    return datedCandidates(await this.searched(), question);
  }

  async countMatches(match: string, filter?: CandidateFilter): Promise<number> {
    const searched = await this.searched();
    const ids = await searched.reader.matching(match);
    return ids.filter(keepsChunk(await keptBy(searched, filter))).length;
  }

  async termStatistics(
    matches: readonly string[],
  ): Promise<{ readonly chunks: number; readonly frequencies: readonly number[] }> {
    if (matches.length === 0) return { chunks: (await this.current()).chunks, frequencies: [] };
    const { facts, reader } = await this.searched();
    return { chunks: facts.chunks, frequencies: await reader.frequencies(matches) };
  }

  async languages(): Promise<readonly Language[]> {
    const { languages } = await this.current();
    return languages.length === 0 ? [] : (await import('../languages.js')).languagesOf(languages);
  }

  async termsBetween(first: string, end: string): Promise<readonly IndexTerm[]> {
    return termsBetween(this.server, this.facts.id, first, end);
  }

  async someTexts(match: string, limit: number): Promise<readonly string[]> {
    return someTexts(await this.searched(), match, limit);
  }

  async lexicalScores(
    match: string,
    chunkIds: readonly number[],
  ): Promise<ReadonlyMap<number, number>> {
    const { reader } = await this.searched();
    const wanted = new Set(chunkIds);
    const { ids, scores } = await reader.scores(match, (chunk) => wanted.has(chunk));
    return new Map(Array.from(ids, (id, at) => [id, scores[at] ?? 0]));
  }

  async vectorIdentities(): Promise<readonly string[]> {
    return (await vectors()).vectorIdentities(this.server, this.facts.id);
  }

  async vectorSpaces(): Promise<readonly VectorSpaceStatistics[]> {
    return (await vectors()).spaceStatistics(this.server, this.facts.id);
  }

  async missingEmbeddings(
    identity: string,
    after: number,
    limit: number,
  ): Promise<readonly MissingEmbedding[]> {
    const { missingEmbeddings } = await vectors();
    return missingEmbeddings(this.server, await this.missing(identity), { after, limit });
  }

  async storedEmbeddings(identity: string, page: IdPage): Promise<readonly StoredEmbedding[]> {
    return (await vectors()).storedEmbeddings(this.server, this.facts.id, identity, page);
  }

  async missingMedia(
    identity: string,
    after: number,
    limit: number,
  ): Promise<readonly MissingMedia[]> {
    const { missingMedia } = await vectors();
    return missingMedia(this.server, await this.missing(identity), { after, limit });
  }

  async countMissingMedia(identity: string): Promise<MissingMediaCount> {
    return (await vectors()).countMissingMedia(this.server, await this.missing(identity));
  }

  async countMissingEmbeddings(identity: string, atMost?: number): Promise<number> {
    const question = await this.missing(identity);
    return (await vectors()).countMissingEmbeddings(this.server, question, atMost);
  }

  async putEmbeddings(identity: string, entries: readonly EmbeddingEntry[]): Promise<void> {
    await (await vectors()).putEmbeddings(this.server, this.facts.id, identity, entries);
  }

  async refuseEmbeddings(identity: string, refused: readonly RefusedContent[]): Promise<void> {
    await (await vectors()).refuseEmbeddings(this.server, this.facts.id, identity, refused);
  }

  async frontMatterFaults(): Promise<readonly FrontMatterFault[]> {
    const { memory, origin } = await this.place();
    return this.server.query<FrontMatterFault>(
      `SELECT path, facts::json ->> 'fault' AS why FROM svc.documents
       WHERE memory = $1 AND origin = $2 AND facts LIKE '%"fault":%'
         AND facts::json ->> 'fault' IS NOT NULL ORDER BY path`,
      [memory, origin],
    );
  }

  async refusedMedia(): Promise<readonly RefusedMedia[]> {
    return (await vectors()).refusedMedia(this.server, this.facts.id);
  }

  async tidyEmbeddings(options: TidyOptions): Promise<void> {
    await (await vectors()).tidyEmbeddings(this.server, this.facts.id, options);
  }

  async vectorCandidates(
    identity: string,
    query: Float32Array,
    limit: number,
    filter?: CandidateFilter,
  ): Promise<readonly VectorCandidate[]> {
    const { vectorCandidates } = await vectors();
    const searched = await this.searched();
    const kept = await keptBy(searched, filter);
    return vectorCandidates(searched, { identity, vector: query, limit, kept });
  }

  async similarities(
    identity: string,
    query: Float32Array,
    chunkIds: readonly number[],
  ): Promise<ReadonlyMap<number, number>> {
    const { similarities } = await vectors();
    return similarities({ sql: this.server, facts: this.facts }, identity, query, chunkIds);
  }

  async sampleSimilarities(
    identity: string,
    query: Float32Array,
    count: number,
  ): Promise<readonly number[]> {
    const { sampleSimilarities } = await vectors();
    return sampleSimilarities({ sql: this.server, facts: this.facts }, identity, query, count);
  }

  async sampleMedia(identity: string, query: Float32Array, count: number): Promise<MediaSample> {
    const { sampleMedia } = await vectors();
    return sampleMedia({ sql: this.server, facts: this.facts }, identity, query, count);
  }

  async vectorExtension(): Promise<VectorExtension> {
    return (await vectors()).vectorExtension(this.server);
  }

  async batchJobs(identity: string): Promise<readonly BatchJob[]> {
    return this.server.query<BatchJob>(
      `SELECT id, identity, json, created_ms AS "createdMs" FROM svc.batch_jobs
       WHERE memory = $1 AND origin = $2 AND identity = $3 ORDER BY created_ms, id`,
      [this.facts.id, this.originName, identity],
    );
  }

  async saveBatchJob({ id, identity, json, createdMs }: BatchJob): Promise<void> {
    await this.server.run(
      `INSERT INTO svc.batch_jobs (id, memory, origin, identity, json, created_ms) VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (id) DO UPDATE SET identity = excluded.identity, json = excluded.json,
         created_ms = excluded.created_ms`,
      [id, this.facts.id, this.originName, identity, json, createdMs],
    );
  }

  async removeBatchJob(id: string): Promise<void> {
    await this.server.run('DELETE FROM svc.batch_jobs WHERE id = $1', [id]);
  }

  private tokenizing(): Pick<MemoryFacts, 'tokenizer'> & { readonly words: WordReader } {
    if (this.whole !== undefined) return this.whole.tokenizing();
    this.wordReader ??= new WordReader(this.facts.tokenizer);
    return { tokenizer: this.facts.tokenizer, words: this.wordReader };
  }

  private async here(): Promise<Place> {
    const { id, origin } = await this.current();
    return { memory: id, origin };
  }

  /** The same, to be written. */
  private async place(): Promise<Place> {
    const here = await this.here();
    if (here.origin === 0) throw new Error(`the memory has no origin ${this.originName}`);
    return here;
  }

  /** Connections are the server's. */
  close(): void {
    this.wordReader?.close();
    this.wordReader = undefined;
    this.keywordReader = undefined;
  }

  private async current(): Promise<MemoryFacts> {
    if (this.whole !== undefined) return this.facts;
    this.facts = (await readFacts(this.server, this.agent, this.originName)) ?? this.facts;
    return this.facts;
  }

  private async searched(): Promise<Searched> {
    const facts = await this.current();
    return { sql: this.server, facts, reader: (this.whole ?? this).readerOf(facts) };
  }

  /** A new state gets a new reader: searches of the last one may still use theirs. */
  private readerOf(facts: MemoryFacts): KeywordReader {
    if (this.keywordReader?.fits(facts) !== true) {
      this.keywordReader = new KeywordReader(this.server, this.tokenizing().words, facts);
    }
    return this.keywordReader;
  }

  private async missing(identity: string): Promise<MissingQuestion> {
    const { id, origin } = this.facts;
    return { memory: id, origin, name: this.originName, identity };
  }
}

const NOTHING_INDEXED = {
  ...{ schemaVersion: 0, chunkerVersion: 0, chunkTokens: 0, chunkOverlap: 0 },
  conversationsIn: '',
};

/** Lazy: most keyword-only memories have no vectors. */
function vectors() {
  return import('./vectors/index.js');
}
