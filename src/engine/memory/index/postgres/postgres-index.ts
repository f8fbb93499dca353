import { SvcError } from '../../../errors/index.js';
import type { Server, Transaction } from '../../../postgres/index.js';
import { READ_AGAIN_MS } from '../../types.js';
import type { CandidateFilter } from '../candidates.js';
import { type IndexIdentity, identityDifferences, type Tokenizer } from '../identity.js';
import type { BatchJob, MemoryIndex } from '../memory-index.js';
import { lazyVectors } from '../vector-index.js';
import { keywordQueries, type OpenMemory } from './candidates.js';
import type { Target } from './change-memory.js';
import { applyFilter, type KeptChunks } from './document-filter.js';
import { type MemoryFacts, readFacts, type SharedMemory } from './facts.js';
import { createKeywordReader, type KeywordReader } from './keyword-reader.js';
import { documentQueries } from './read-documents.js';
import { WordReader } from './tokenize.js';

/** How a memory is opened to index into it. */
export interface PrepareOptions {
  /** Makes all documents of the host count as changed. */
  readonly force?: boolean;
  /** How long changes wait for other hosts, in milliseconds; as long as a statement may take when left out. */
  readonly lockWaitMs?: number | undefined;
  /** The number that the next entry of the forget list gets, as this host knows the list; undefined if it reads no files. */
  readonly forgetNext?: number;
  /** Its facts, if they were just read. */
  readonly known?: MemoryFacts | undefined;
}

/** Opens a memory as a host sees it; undefined if no host has indexed anything into it yet. */
export async function openPostgresIndex(
  server: Server,
  { agent, origin }: SharedMemory,
): Promise<PostgresIndex | undefined> {
  const facts = await readFacts(server, agent, origin);
  return facts === undefined ? undefined : createPostgresIndex(server, { agent, origin }, facts);
}

/**
 * Opens a memory for a host to index into, and creates what is missing. If the host's documents were indexed with
 * other settings, all of them count as changed, and are replaced one by one.
 *
 * @throws SvcError STORAGE_TOKENIZER if other hosts use another tokenizer; STORAGE_BUSY
 */
export async function preparePostgresIndex(
  server: Server,
  { agent, origin }: SharedMemory,
  identity: IndexIdentity,
  options: PrepareOptions = {},
): Promise<PostgresIndex> {
  const known = options.known ?? (await readFacts(server, agent, origin));
  if (known !== undefined && isOf(known, identity) && options.force !== true) {
    return createPostgresIndex(server, { agent, origin }, known, options);
  }
  const prepare = async (transaction: Transaction): Promise<void> => {
    await transaction.run(
      'INSERT INTO svc.memories (agent, tokenizer) VALUES ($1, $2) ON CONFLICT DO NOTHING',
      [agent, identity.tokenizer],
    );
    await transaction.run(
      `UPDATE svc.memories SET tokenizer = $2 WHERE agent = $1 AND tokenizer <> $2
         AND NOT EXISTS (SELECT FROM svc.documents WHERE memory = memories.id)`,
      [agent, identity.tokenizer],
    );
    const [memory] = await transaction.query<{ id: number; tokenizer: string }>(
      'SELECT id, tokenizer FROM svc.memories WHERE agent = $1 FOR NO KEY UPDATE',
      [agent],
    );
    if (memory?.tokenizer !== identity.tokenizer) {
      const message = `the shared memory of "${agent}" is indexed with ${memory?.tokenizer}, not with ${identity.tokenizer}`;
      const hint =
        'set the same memorySearch.store.fts.tokenizer on all hosts; to change it, run "svc memory reset" on each of them first';
      throw new SvcError('STORAGE_TOKENIZER', message, { hint });
    }
    const [row] = await transaction.query<{ id: number }>(
      `INSERT INTO svc.origins (memory, name, identity) VALUES ($1, $2, $3)
       ON CONFLICT (memory, name) DO UPDATE SET identity = excluded.identity, tree_paths = NULL,
         tree_fingerprints = NULL RETURNING id`,
      [memory.id, origin, JSON.stringify(identity)],
    );
    // A transcript that only grew would be resumed, regardless of its hash.
    await transaction.run(
      `UPDATE svc.documents SET ctime_ms = ${READ_AGAIN_MS}, hash = '' WHERE origin = $1`,
      [row?.id],
    );
  };
  await server.transaction(prepare, options);
  const facts = await readFacts(server, agent, origin);
  if (facts === undefined) throw new Error('a row that was just written is not there');
  return createPostgresIndex(server, { agent, origin }, facts, options);
}

function isOf(facts: MemoryFacts, identity: IndexIdentity): boolean {
  if (facts.identity === undefined || facts.tokenizer !== identity.tokenizer) return false;
  return identityDifferences(facts.identity, identity).length === 0;
}

/** A memory in PostgreSQL, as one of its hosts uses it; see postgres/memory-tables.ts. */
export type PostgresIndex = ReturnType<typeof createPostgresIndex>;

/**
 * The memory of an agent on a shared server, as this host uses it.
 *
 * @param known its facts as they were just read
 */
function createPostgresIndex(
  server: Server,
  { agent, origin: originName }: SharedMemory,
  known: MemoryFacts,
  { lockWaitMs, forgetNext }: PrepareOptions = {},
) {
  let latest = known;
  let isJustOpened = true;
  let wordReader: WordReader | undefined;
  let keywordReader: KeywordReader | undefined;
  const wordsOf = (tokenizer: Tokenizer): WordReader => {
    wordReader ??= new WordReader(tokenizer);
    return wordReader;
  };
  /** A new state gets a new reader: searches of the last one may still use theirs. */
  const keywordsOf = (facts: MemoryFacts): KeywordReader => {
    if (keywordReader?.fits(facts) !== true) {
      keywordReader = createKeywordReader(server, wordsOf(facts.tokenizer), facts);
    }
    return keywordReader;
  };
  const readLatest = async (): Promise<MemoryFacts> => {
    isJustOpened = false;
    latest = (await readFacts(server, agent, originName)) ?? latest;
    return latest;
  };
  const targetOf = ({ memory, origin, tokenizer }: MemoryFacts): Target => {
    return { memory, origin, tokenizer, words: wordsOf(tokenizer), lockWaitMs, forgetNext };
  };
  /** @param frozen for a view, whose facts are those of one search */
  const indexAt = (frozen?: MemoryFacts): MemoryIndex => {
    const current = async (): Promise<MemoryFacts> => frozen ?? readLatest();
    // A search asks several questions with one filter. Each search has a filter of its own.
    const filterResults = new WeakMap<CandidateFilter, Promise<KeptChunks | undefined>>();
    const memory: OpenMemory = {
      sql: server,
      name: originName,
      get facts() {
        return frozen ?? latest;
      },
      current,
      opened: async () => {
        if (!isJustOpened) return current();
        isJustOpened = false;
        return latest;
      },
      searched: async () => {
        const facts = await current();
        return { sql: server, facts, reader: keywordsOf(facts) };
      },
      filtered: async (filter = {}) => {
        const known = filterResults.get(filter) ?? applyFilter(server, await current(), filter);
        filterResults.set(filter, known);
        return known;
      },
    };
    return {
      view: async () => indexAt(await current()),
      identity: async () => {
        const { identity, tokenizer } = memory.facts;
        return identity ?? { ...NOTHING_INDEXED, tokenizer };
      },
      ...documentQueries(memory),
      apply: async (changes) => {
        const { writeChanges } = await import('./write-changes.js');
        const { compactIfWorthIt } = await import('./erase.js');
        const target = targetOf(memory.facts);
        const counts = await writeChanges(server, target, changes);
        await compactIfWorthIt(server, target, counts, changes.signal);
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
          [memory.facts.memory, originName, identity],
        ),
      saveBatchJob: async ({ id, identity, json, createdMs }) => {
        await server.run(
          `INSERT INTO svc.batch_jobs (id, memory, origin, identity, json, created_ms) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (id) DO UPDATE SET identity = excluded.identity, json = excluded.json,
           created_ms = excluded.created_ms`,
          [id, memory.facts.memory, originName, identity, json, createdMs],
        );
      },
      removeBatchJob: async (id) => {
        await server.run('DELETE FROM svc.batch_jobs WHERE id = $1', [id]);
      },
      // Connections are the server's, and the readers of a view those of its index.
      close: () => {
        if (frozen !== undefined) return;
        wordReader?.close();
        wordReader = undefined;
        keywordReader = undefined;
      },
    };
  };
  return {
    ...indexAt(),
    /** As they were read last. */
    facts: () => latest,
    /** Erases chunks of any host, with their vectors; see erase.ts. */
    eraseChunks: async (ids: readonly number[]) =>
      (await import('./erase.js')).eraseChunks(server, targetOf(latest), ids),
    /** Removes the words of deleted chunks. @returns false when the signal interrupted it */
    compact: async (signal?: AbortSignal) =>
      (await import('./erase.js')).compact(server, targetOf(latest), signal),
    /** Removes everything that a host has indexed into the memory. */
    removeOrigin: async (name: string) =>
      (await import('./erase.js')).removeOrigin(server, targetOf(latest), name),
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
