import type { IndexIdentity, Tokenizer } from '../../src/engine/memory/index/identity.js';
import type { MemoryIndex } from '../../src/engine/memory/index/memory-index.js';
import {
  type PostgresIndex,
  preparePostgresIndex,
} from '../../src/engine/memory/index/postgres/index.js';
import type { Server } from '../../src/engine/postgres/index.js';
import { migratedServer, type TestPostgres, testServers } from './postgres.js';
import { emptyIndexFile, openReadyIndex, testIdentity } from './vector-index.js';

/** A store of memories. */
export interface IndexKind {
  readonly name: string;
  /** Creates an empty memory; earlier ones are deleted. */
  newIndex(tokenizer?: Tokenizer): Promise<MemoryIndex>;
  stop(): Promise<void>;
}

/** How another host opens a memory; with the identity of a new one by default. */
interface OpenOptions {
  readonly identity?: IndexIdentity;
  readonly lockWaitMs?: number;
}

/** A store that several hosts can share. */
export interface SharedKind extends IndexKind {
  newIndex(tokenizer?: Tokenizer): Promise<PostgresIndex>;
  /** The newest memory, as another host uses it. */
  openAs(origin: string, options?: OpenOptions): Promise<PostgresIndex>;
  readonly server: Server;
}

export const sqliteKind: IndexKind = {
  name: 'SQLite',
  newIndex: async (tokenizer) => openReadyIndex(emptyIndexFile(tokenizer)),
  stop: async () => undefined,
};

/** Memories on every PostgreSQL that tests can use here. */
export async function sharedKinds(): Promise<readonly SharedKind[]> {
  return Promise.all((await testServers()).map(sharedKind));
}

async function sharedKind(postgres: TestPostgres): Promise<SharedKind> {
  const server = await migratedServer(postgres);
  const openAs: SharedKind['openAs'] = (origin, { identity = testIdentity(), lockWaitMs } = {}) =>
    preparePostgresIndex(server, { agent: 'main', origin }, identity, { lockWaitMs });
  return {
    name: postgres.name,
    server,
    openAs,
    newIndex: async (tokenizer) => {
      // A new database each time would take a second.
      await server.run(`
        DO $$ BEGIN
          EXECUTE (SELECT 'TRUNCATE ' || string_agg(format('svc.%I', tablename), ', ') || ' RESTART IDENTITY'
            FROM pg_tables WHERE schemaname = 'svc' AND tablename <> 'migrations');
        END $$`);
      return openAs('host-a', { identity: testIdentity(tokenizer) });
    },
    stop: async () => {
      await server.close();
      await postgres.stop();
    },
  };
}
