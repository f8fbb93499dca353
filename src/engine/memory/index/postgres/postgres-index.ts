import type { Server } from '../../../postgres/index.js';
import type { CandidateFilter } from '../candidates.js';
import type { Tokenizer } from '../identity.js';
import type { BatchJob, FrontMatterFault, MemoryIndex } from '../memory-index.js';
import {
  countDated,
  datedCandidates,
  lexicalCandidates,
  literalCandidates,
  type SearchedMemory,
  someTexts,
  termsBetween,
} from './candidates.js';
import { originRemoved, type Target } from './change-memory.js';
import { applyFilter, type KeptChunks } from './document-filter.js';
import { type MemoryFacts, readFacts, type SharedMemory } from './facts.js';
import { KeywordReader } from './keyword-reader.js';
import {
  countDocuments,
  countMedia,
  documentContent,
  estimateBytes,
  linkingDocuments,
  promotedLines,
  readSyncMark,
  storedDocuments,
  writeSyncMark,
} from './read-documents.js';
import { WordReader } from './tokenize.js';
import type { MissingQuestion } from './vectors/missing-embeddings.js';

/** A memory in PostgreSQL, as one of its hosts uses it; see postgres/memory-tables.ts. */
export interface PostgresIndex extends MemoryIndex {
  /** Erases chunks of any host, with what their words and vectors left; see erase.ts. */
  eraseChunks(ids: readonly number[]): Promise<void>;

  /** Removes everything that a host has indexed into the memory. */
  removeOrigin(name: string): Promise<void>;
}

/** What an index and its views have in common. */
class Readers {
  private readonly server: Server;
  private wordReader: WordReader | undefined;
  private keywordReader: KeywordReader | undefined;

  constructor(server: Server) {
    this.server = server;
  }

  words(tokenizer: Tokenizer): WordReader {
    this.wordReader ??= new WordReader(tokenizer);
    return this.wordReader;
  }

  /** A new state gets a new reader: searches of the last one may still use theirs. */
  keywords(facts: MemoryFacts): KeywordReader {
    if (this.keywordReader?.fits(facts) !== true) {
      this.keywordReader = new KeywordReader(this.server, this.words(facts.tokenizer), facts);
    }
    return this.keywordReader;
  }

  close(): void {
    this.wordReader?.close();
    this.wordReader = undefined;
    this.keywordReader = undefined;
  }
}

interface PostgresIndexOptions extends SharedMemory {
  /** As they were just read. */
  readonly facts: MemoryFacts;
  /** How long writing waits for other hosts; as long as a statement may take when left out. */
  readonly lockWaitMs?: number | undefined;
  /** For a view, whose facts are those of one search: the readers of its index. */
  readonly readersOfIndex?: Readers;
}

export function createPostgresIndex(
  server: Server,
  { agent, origin: originName, lockWaitMs, readersOfIndex, ...options }: PostgresIndexOptions,
): PostgresIndex {
  const isView = readersOfIndex !== undefined;
  const readers = readersOfIndex ?? new Readers(server);
  let { facts } = options;
  const current = async (): Promise<MemoryFacts> => {
    if (!isView) facts = (await readFacts(server, agent, originName)) ?? facts;
    return facts;
  };
  /** @throws SvcError STORAGE_BUSY if this host was removed */
  const writable = async (): Promise<MemoryFacts> => {
    const now = await current();
    if (now.origin === 0) throw originRemoved();
    return now;
  };
  const targetOf = ({ memory, origin, tokenizer }: MemoryFacts): Target => {
    return { memory, origin, tokenizer, words: readers.words(tokenizer), lockWaitMs };
  };
  const searchedMemory = async (): Promise<SearchedMemory> => {
    const now = await current();
    return { sql: server, facts: now, reader: readers.keywords(now) };
  };
  // A search asks several questions with one filter. Each search has a filter of its own.
  const filterResults = new WeakMap<CandidateFilter, Promise<KeptChunks | undefined>>();
  const filtered = async (filter: CandidateFilter = {}): Promise<KeptChunks | undefined> => {
    const known = filterResults.get(filter) ?? applyFilter(server, await current(), filter);
    filterResults.set(filter, known);
    return known;
  };
  const missing = (identity: string): MissingQuestion => {
    return { memory: facts.memory, origin: facts.origin, name: originName, identity };
  };
  return {
    view: async () =>
      createPostgresIndex(server, {
        agent,
        origin: originName,
        facts: await current(),
        readersOfIndex: readers,
      }),
    identity: async () => facts.identity ?? { ...NOTHING_INDEXED, tokenizer: facts.tokenizer },
    hasDocuments: async (source) => (await current()).sources.includes(source),
    documents: async (paths) => storedDocuments(server, await current(), paths),
    promotedLines: async (key) => promotedLines(server, facts, key),
    links: async () => linkingDocuments(server, await current()),
    content: async (key) => documentContent(server, await current(), key),
    mediaCounts: async () => countMedia(server, facts.memory),
    statistics: async () => {
      const own = await current();
      return {
        ...(await countDocuments(server, own.memory)),
        bytes: await estimateBytes(server, own.memory),
        syncedMs: (await readSyncMark(server, own)).syncedMs,
      };
    },
    apply: async (changes) => {
      const { writeChanges } = await import('./write-changes.js');
      const { compactIfWorthIt } = await import('./erase.js');
      const target = targetOf(await writable());
      await writeChanges(server, target, changes);
      await compactIfWorthIt(server, target);
    },
    eraseChunks: async (ids) => {
      const { eraseChunks } = await import('./erase.js');
      await eraseChunks(server, targetOf(facts), ids);
    },
    removeOrigin: async (name) => {
      const { removeOrigin } = await import('./erase.js');
      await removeOrigin(server, targetOf(facts), name);
    },
    syncMark: async () => readSyncMark(server, await current()),
    markSynced: async (mark) => writeSyncMark(server, await writable(), mark),
    lexicalCandidates: async (match, limit, filter) =>
      lexicalCandidates(await searchedMemory(), match, limit, await filtered(filter)),
    literalCandidates: async (text, limit, filter) =>
      literalCandidates(await searchedMemory(), text, limit, await filtered(filter)),
    countDated: async (days) => countDated({ sql: server, facts }, days),
    datedCandidates: async (question) =>
      datedCandidates(await searchedMemory(), question, await filtered(question.filter)),
    countMatches: async (match, filter) => {
      const { reader } = await searchedMemory();
      const kept = await filtered(filter);
      return (await reader.matching(match)).filter((id) => kept?.ids.has(id) ?? true).length;
    },
    termStatistics: async (matches) => {
      if (matches.length === 0) return { chunks: (await current()).chunks, frequencies: [] };
      const { facts, reader } = await searchedMemory();
      return { chunks: facts.chunks, frequencies: await reader.frequencies(matches) };
    },
    languages: async () => {
      const { languages } = await current();
      return languages.length === 0 ? [] : (await import('../languages.js')).languagesOf(languages);
    },
    termsBetween: async (first, end) => termsBetween(server, facts.memory, first, end),
    someTexts: async (match, limit) => someTexts(await searchedMemory(), match, limit),
    lexicalScores: async (match, chunkIds) => {
      const { reader } = await searchedMemory();
      const { ids, scores } = await reader.scores(match, new Set(chunkIds));
      return new Map(Array.from(ids, (id, at) => [id, scores[at] ?? 0]));
    },
    vectorIdentities: async () => (await vectors()).vectorIdentities(server, facts.memory),
    vectorSpaces: async () => (await vectors()).spaceStatistics(server, facts.memory),
    missingEmbeddings: async (identity, after, limit) =>
      (await vectors()).missingEmbeddings(server, missing(identity), { after, limit }),
    storedEmbeddings: async (...args) =>
      (await vectors()).storedEmbeddings(server, facts.memory, ...args),
    claims: {
      release: async (identity) => (await vectors()).releaseClaims(server, missing(identity)),
      others: async (identity) => (await vectors()).hostsEmbedding(server, missing(identity)),
    },
    missingMedia: async (identity, after, limit) =>
      (await vectors()).missingMedia(server, missing(identity), { after, limit }),
    countMissingMedia: async (identity) =>
      (await vectors()).countMissingMedia(server, missing(identity)),
    countMissingEmbeddings: async (identity, atMost) =>
      (await vectors()).countMissingEmbeddings(server, missing(identity), atMost),
    putEmbeddings: async (...entries) =>
      (await vectors()).putEmbeddings(server, facts.memory, ...entries),
    refuseEmbeddings: async (...refused) =>
      (await vectors()).refuseEmbeddings(server, facts.memory, ...refused),
    frontMatterFaults: async () => {
      const { memory, origin } = await current();
      return server.query<FrontMatterFault>(
        `SELECT path, facts::json ->> 'fault' AS why FROM svc.documents
         WHERE memory = $1 AND origin = $2 AND facts LIKE '%"fault":%'
           AND facts::json ->> 'fault' IS NOT NULL ORDER BY path`,
        [memory, origin],
      );
    },
    refusedMedia: async () => (await vectors()).refusedMedia(server, await current()),
    tidyEmbeddings: async (options) =>
      (await vectors()).tidyEmbeddings(server, facts.memory, options),
    vectorCandidates: async (identity, vector, limit, filter) => {
      const { vectorCandidates } = await vectors();
      const kept = await filtered(filter);
      return vectorCandidates(await searchedMemory(), identity, vector, { limit, kept });
    },
    similarities: async (...args) =>
      (await vectors()).similarities({ sql: server, facts }, ...args),
    sampleSimilarities: async (...args) =>
      (await vectors()).sampleSimilarities({ sql: server, facts }, ...args),
    vectorExtension: async () => (await vectors()).vectorExtension(server),
    batchJobs: async (identity) =>
      server.query<BatchJob>(
        `SELECT id, identity, json, created_ms AS "createdMs" FROM svc.batch_jobs
         WHERE memory = $1 AND origin = $2 AND identity = coalesce($3, identity) ORDER BY created_ms, id`,
        [facts.memory, originName, identity],
      ),
    saveBatchJob: async ({ id, identity, json, createdMs }) => {
      await server.run(
        `INSERT INTO svc.batch_jobs (id, memory, origin, identity, json, created_ms) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (id) DO UPDATE SET identity = excluded.identity, json = excluded.json,
           created_ms = excluded.created_ms`,
        [id, facts.memory, originName, identity, json, createdMs],
      );
    },
    removeBatchJob: async (id) => {
      await server.run('DELETE FROM svc.batch_jobs WHERE id = $1', [id]);
    },
    // Connections are the server's, and the readers of a view those of its index.
    close: () => {
      if (!isView) readers.close();
    },
  };
}

const NOTHING_INDEXED = {
  schemaVersion: 0,
  chunkerVersion: 0,
  chunkTokens: 0,
  chunkOverlap: 0,
  conversationsIn: '',
  workspace: '',
};

/** Lazy: most keyword-only memories have no vectors. */
function vectors() {
  return import('./vectors/index.js');
}
