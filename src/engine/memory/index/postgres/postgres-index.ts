import type { Server } from '../../../postgres/index.js';
import type { Tokenizer } from '../identity.js';
import type { BatchJob, FrontMatterFault, MemoryIndex } from '../memory-index.js';
import {
  countDated,
  datedCandidates,
  lexicalCandidates,
  literalCandidates,
  type Searched,
  someTexts,
  termsBetween,
} from './candidates.js';
import { originRemoved } from './change-memory.js';
import { keepsChunk, keptBy } from './document-filter.js';
import { type MemoryFacts, readFacts } from './facts.js';
import { KeywordReader } from './keyword-reader.js';
import {
  countDocuments,
  countMedia,
  describeDocuments,
  documentContent,
  estimateBytes,
  linkingDocuments,
  readSyncMark,
  storedDocuments,
  writeSyncMark,
} from './read-documents.js';
import type { Place } from './stored-chunks.js';
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

interface Use {
  /** How long writing waits for other hosts; as long as a statement may take when left out. */
  readonly lockWaitMs?: number | undefined;
  /** Those of the index that this is a view of: its facts are those of one search. */
  readonly shared?: Readers;
}

export function createPostgresIndex(
  server: Server,
  agent: string,
  originName: string,
  known: MemoryFacts,
  { lockWaitMs, shared }: Use = {},
): PostgresIndex {
  const isView = shared !== undefined;
  const readers = shared ?? new Readers(server);
  let facts = known;
  const current = async (): Promise<MemoryFacts> => {
    if (!isView) facts = (await readFacts(server, agent, originName)) ?? facts;
    return facts;
  };
  const here = async (): Promise<Place> => {
    const { id, origin } = await current();
    return { memory: id, origin };
  };
  /** The same, to be written. */
  const place = async (): Promise<Place> => {
    const own = await here();
    if (own.origin === 0) throw originRemoved();
    return own;
  };
  const searched = async (): Promise<Searched> => {
    const now = await current();
    return { sql: server, facts: now, reader: readers.keywords(now) };
  };
  const tokenizing = () => {
    return { tokenizer: facts.tokenizer, words: readers.words(facts.tokenizer), lockWaitMs };
  };
  const missing = (identity: string): MissingQuestion => {
    return { memory: facts.id, origin: facts.origin, name: originName, identity };
  };
  return {
    view: async () =>
      createPostgresIndex(server, agent, originName, await current(), { shared: readers }),
    identity: async () => facts.identity ?? { ...NOTHING_INDEXED, tokenizer: facts.tokenizer },
    hasDocuments: async (source) => (await current()).sources.includes(source),
    documents: async () => storedDocuments(server, await here()),
    describe: async (keys) =>
      describeDocuments(server, { memory: facts.id, origin: facts.origin }, keys),
    links: async () => linkingDocuments(server, await here()),
    content: async (key) => documentContent(server, await here(), key),
    mediaCounts: async () => countMedia(server, facts.id),
    statistics: async () => {
      const own = await here();
      return {
        ...(await countDocuments(server, own.memory)),
        bytes: await estimateBytes(server, own.memory),
        syncedMs: (await readSyncMark(server, own)).syncedMs,
      };
    },
    apply: async (changes) => {
      const { writeChanges } = await import('./write-changes.js');
      const { compactIfWorthIt } = await import('./erase.js');
      const target = { ...(await place()), ...tokenizing() };
      await writeChanges(server, target, changes);
      await compactIfWorthIt(server, target);
    },
    eraseChunks: async (ids) => {
      const { eraseChunks } = await import('./erase.js');
      await eraseChunks(server, { memory: facts.id, ...tokenizing() }, ids);
    },
    removeOrigin: async (name) => {
      const { removeOrigin } = await import('./erase.js');
      await removeOrigin(server, { memory: facts.id, ...tokenizing() }, name);
    },
    syncMark: async () => readSyncMark(server, await here()),
    markSynced: async (mark) => writeSyncMark(server, await place(), mark),
    lexicalCandidates: async (match, limit, filter) =>
      lexicalCandidates(await searched(), match, limit, filter),
    literalCandidates: async (...asked) => literalCandidates(await searched(), ...asked),
    countDated: async (days) => countDated({ sql: server, facts }, days),
    datedCandidates: async (question) => datedCandidates(await searched(), question),
    countMatches: async (match, filter) => {
      const now = await searched();
      const ids = await now.reader.matching(match);
      return ids.filter(keepsChunk(await keptBy(now, filter))).length;
    },
    termStatistics: async (matches) => {
      if (matches.length === 0) return { chunks: (await current()).chunks, frequencies: [] };
      const { facts, reader } = await searched();
      return { chunks: facts.chunks, frequencies: await reader.frequencies(matches) };
    },
    languages: async () => {
      const { languages } = await current();
      return languages.length === 0 ? [] : (await import('../languages.js')).languagesOf(languages);
    },
    termsBetween: async (first, end) => termsBetween(server, facts.id, first, end),
    someTexts: async (match, limit) => someTexts(await searched(), match, limit),
    lexicalScores: async (match, chunkIds) => {
      const { reader } = await searched();
      const wanted = new Set(chunkIds);
      const { ids, scores } = await reader.scores(match, (chunk) => wanted.has(chunk));
      return new Map(Array.from(ids, (id, at) => [id, scores[at] ?? 0]));
    },
    vectorIdentities: async () => (await vectors()).vectorIdentities(server, facts.id),
    vectorSpaces: async () => (await vectors()).spaceStatistics(server, facts.id),
    missingEmbeddings: async (identity, after, limit) =>
      (await vectors()).missingEmbeddings(server, missing(identity), { after, limit }),
    storedEmbeddings: async (...asked) =>
      (await vectors()).storedEmbeddings(server, facts.id, ...asked),
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
      (await vectors()).putEmbeddings(server, facts.id, ...entries),
    refuseEmbeddings: async (...refused) =>
      (await vectors()).refuseEmbeddings(server, facts.id, ...refused),
    frontMatterFaults: async () => {
      const { memory, origin } = await here();
      return server.query<FrontMatterFault>(
        `SELECT path, facts::json ->> 'fault' AS why FROM svc.documents
         WHERE memory = $1 AND origin = $2 AND facts LIKE '%"fault":%'
           AND facts::json ->> 'fault' IS NOT NULL ORDER BY path`,
        [memory, origin],
      );
    },
    refusedMedia: async () => (await vectors()).refusedMedia(server, facts.id),
    tidyEmbeddings: async (options) => (await vectors()).tidyEmbeddings(server, facts.id, options),
    vectorCandidates: async (identity, vector, limit, filter) => {
      const { vectorCandidates } = await vectors();
      const now = await searched();
      const kept = await keptBy(now, filter);
      return vectorCandidates(now, identity, vector, limit, kept);
    },
    similarities: async (...asked) =>
      (await vectors()).similarities({ sql: server, facts }, ...asked),
    sampleSimilarities: async (...asked) =>
      (await vectors()).sampleSimilarities({ sql: server, facts }, ...asked),
    sampleMedia: async (...asked) =>
      (await vectors()).sampleMedia({ sql: server, facts }, ...asked),
    vectorExtension: async () => (await vectors()).vectorExtension(server),
    batchJobs: async (identity) =>
      server.query<BatchJob>(
        `SELECT id, identity, json, created_ms AS "createdMs" FROM svc.batch_jobs
         WHERE memory = $1 AND origin = $2 AND identity = $3 ORDER BY created_ms, id`,
        [facts.id, originName, identity],
      ),
    saveBatchJob: async ({ id, identity, json, createdMs }) => {
      await server.run(
        `INSERT INTO svc.batch_jobs (id, memory, origin, identity, json, created_ms) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (id) DO UPDATE SET identity = excluded.identity, json = excluded.json,
           created_ms = excluded.created_ms`,
        [id, facts.id, originName, identity, json, createdMs],
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
  ...{ schemaVersion: 0, chunkerVersion: 0, chunkTokens: 0, chunkOverlap: 0 },
  ...{ conversationsIn: '', workspace: '' },
};

/** Lazy: most keyword-only memories have no vectors. */
function vectors() {
  return import('./vectors/index.js');
}
