import {
  currentIdentity,
  type IndexIdentity,
  type Tokenizer,
} from '../../src/engine/memory/index/identity.js';
import type { MemoryIndex } from '../../src/engine/memory/index/memory-index.js';
import {
  type PostgresIndex,
  preparePostgresIndex,
} from '../../src/engine/memory/index/postgres/index.js';
import { createIndex } from '../../src/engine/memory/index/sqlite/open-index.js';
import type { Server } from '../../src/engine/postgres/index.js';
import { migratedServer, type TestPostgres, testServers } from './postgres.js';
import { tempFolder } from './temp-folder.js';
import { openReadyIndex } from './vector-index.js';

/** A store that can hold memories. */
export interface IndexKind {
  readonly name: string;
  /** An empty memory; earlier ones are deleted. */
  newIndex(tokenizer?: Tokenizer): Promise<MemoryIndex>;
  stop(): Promise<void>;
}

/** A store that several hosts can share. */
export interface SharedKind extends IndexKind {
  newIndex(tokenizer?: Tokenizer): Promise<PostgresIndex>;
  /** The newest memory, as another host uses it. */
  openAs(
    origin: string,
    tokenizer?: Tokenizer,
    identity?: IndexIdentity,
    lockWaitMs?: number,
  ): Promise<PostgresIndex>;
  readonly server: Server;
}

function identityOf(tokenizer: Tokenizer): IndexIdentity {
  return currentIdentity({ chunking: { tokens: 400, overlap: 80 }, tokenizer });
}

export const sqliteKind: IndexKind = {
  name: 'SQLite',
  newIndex: async (tokenizer = 'unicode61') => {
    const file = tempFolder().at('index.sqlite');
    createIndex(file, identityOf(tokenizer)).seal();
    return openReadyIndex(file);
  },
  stop: async () => undefined,
};

/** Memories on every PostgreSQL that tests can use here. */
export async function sharedKinds(): Promise<readonly SharedKind[]> {
  return Promise.all((await testServers()).map(sharedKind));
}

async function sharedKind(postgres: TestPostgres): Promise<SharedKind> {
  const server = await migratedServer(postgres);
  const openAs: SharedKind['openAs'] = (
    origin,
    tokenizer = 'unicode61',
    identity = identityOf(tokenizer),
    lockWaitMs,
  ) => preparePostgresIndex(server, { agent: 'main', origin }, identity, { lockWaitMs });
  return {
    name: postgres.name,
    server,
    openAs,
    newIndex: async (tokenizer) => {
      // A new database takes a second each.
      await server.run(`
        DO $$ BEGIN
          EXECUTE (SELECT 'TRUNCATE ' || string_agg(format('svc.%I', tablename), ', ') || ' RESTART IDENTITY'
            FROM pg_tables WHERE schemaname = 'svc' AND tablename <> 'migrations');
        END $$`);
      return openAs('host-a', tokenizer);
    },
    stop: async () => {
      await server.close();
      await postgres.stop();
    },
  };
}
