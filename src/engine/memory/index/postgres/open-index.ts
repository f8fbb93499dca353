import { SvcError } from '../../../errors/index.js';
import type { Server, Transaction } from '../../../postgres/index.js';
import { type IndexIdentity, identityDifferences } from '../identity.js';
import { type MemoryFacts, readFacts, type SharedMemory } from './facts.js';
import { createPostgresIndex, type PostgresIndex } from './postgres-index.js';

/** How a memory is opened to index into it. */
export interface PrepareOptions {
  /** Makes all documents of the host count as changed. */
  readonly force?: boolean;
  /** How long changes wait for other hosts, in milliseconds. */
  readonly lockWaitMs?: number | undefined;
}

/** Opens a memory as a host sees it; undefined if no host has indexed anything into it yet. */
export async function openPostgresIndex(
  server: Server,
  { agent, origin }: SharedMemory,
): Promise<PostgresIndex | undefined> {
  const facts = await readFacts(server, agent, origin);
  return facts === undefined ? undefined : createPostgresIndex(server, { agent, origin, facts });
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
  { force = false, lockWaitMs }: PrepareOptions = {},
): Promise<PostgresIndex> {
  const known = await readFacts(server, agent, origin);
  if (known !== undefined && isOf(known, identity) && !force) {
    return createPostgresIndex(server, { agent, origin, facts: known, lockWaitMs });
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
      throw new SvcError(
        'STORAGE_TOKENIZER',
        `the shared memory of "${agent}" is indexed with ${memory?.tokenizer}, not with ${identity.tokenizer}`,
        {
          hint: 'set the same memorySearch.store.fts.tokenizer on all hosts; to change it, run "svc memory reset" on each of them first',
        },
      );
    }
    const [row] = await transaction.query<{ id: number }>(
      `INSERT INTO svc.origins (memory, name, identity) VALUES ($1, $2, $3)
       ON CONFLICT (memory, name) DO UPDATE SET identity = excluded.identity, tree_paths = NULL,
         tree_fingerprints = NULL RETURNING id`,
      [memory.id, origin, JSON.stringify(identity)],
    );
    // A transcript that only grew would be resumed, regardless of its hash.
    await transaction.run("UPDATE svc.documents SET mtime_ms = -1, hash = '' WHERE origin = $1", [
      row?.id,
    ]);
  };
  await server.transaction(prepare, { lockWaitMs });
  const facts = await readFacts(server, agent, origin);
  if (facts === undefined) throw new Error('a row that was just written is not there');
  return createPostgresIndex(server, { agent, origin, facts, lockWaitMs });
}

function isOf(facts: MemoryFacts, identity: IndexIdentity): boolean {
  if (facts.identity === undefined || facts.tokenizer !== identity.tokenizer) return false;
  return identityDifferences(facts.identity, identity).length === 0;
}
