import type { Server } from '../../../postgres/index.js';
import type { CandidateFilter } from '../candidates.js';
import type { Tokenizer } from '../identity.js';
import type { BatchJob, MemoryIndex } from '../memory-index.js';
import { lazyVectors } from '../vector-index.js';
import { keywordQueries, type OpenMemory } from './candidates.js';
import { originRemoved, type Target } from './change-memory.js';
import { applyFilter, type KeptChunks } from './document-filter.js';
import { type MemoryFacts, readFacts, type SharedMemory } from './facts.js';
import { KeywordReader } from './keyword-reader.js';
import { documentQueries } from './read-documents.js';
import { WordReader } from './tokenize.js';

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

/** The memory of an agent on a shared server, as this host uses it. */
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
  // A search asks several questions with one filter. Each search has a filter of its own.
  const filterResults = new WeakMap<CandidateFilter, Promise<KeptChunks | undefined>>();
  const memory: OpenMemory = {
    sql: server,
    name: originName,
    get facts() {
      return facts;
    },
    current,
    writable,
    searched: async () => {
      const now = await current();
      return { sql: server, facts: now, reader: readers.keywords(now) };
    },
    filtered: async (filter = {}) => {
      const known = filterResults.get(filter) ?? applyFilter(server, await current(), filter);
      filterResults.set(filter, known);
      return known;
    },
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
    ...documentQueries(memory),
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
    ...keywordQueries(memory),
    ...lazyVectors(async () => (await vectors()).vectorPart(memory)),
    claims: {
      release: async (...args) => (await vectors()).embeddingClaims(memory).release(...args),
      others: async (...args) => (await vectors()).embeddingClaims(memory).others(...args),
    },
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

const vectors = () => import('./vectors/index.js');
