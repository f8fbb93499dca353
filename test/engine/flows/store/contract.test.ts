import { Server } from '../../../../src/engine/postgres/index.js';
import { flowsOn, SQLITE } from '../../../support/flow-stores.js';
import { PATIENT, testServers } from '../../../support/postgres.js';
import { storeContract } from './contract.js';

/** A server as it looks behind a transaction pooler: no state stays on a connection. */
class PooledServer extends Server {
  private readonly connections: readonly Server[];

  constructor(url: string) {
    const settings = { url, poolSize: 1, ...PATIENT };
    super(settings);
    this.connections = Array.from({ length: 4 }, () => new Server(settings));
  }

  override query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]> {
    return this.anyConnection().query<Row>(text, values);
  }

  override run(text: string, values?: readonly unknown[]): Promise<number> {
    return this.anyConnection().run(text, values);
  }

  override async transaction<T>(
    ...args: Parameters<typeof Server.prototype.transaction<T>>
  ): Promise<T> {
    const connection = this.anyConnection();
    try {
      return await connection.transaction(...args);
    } finally {
      await connection.query('DISCARD ALL');
    }
  }

  override listen(): () => Promise<void> {
    return async () => undefined;
  }

  override async close(): Promise<void> {
    for (const connection of this.connections) await connection.close();
    await super.close();
  }

  private anyConnection(): Server {
    return this.connections[Math.floor(Math.random() * this.connections.length)] ?? this;
  }
}

/** The servers of a process whose pooler gives each statement and each transaction any connection. */
function pooledServers(url: string): Map<string, Server> {
  const server = new PooledServer(url);
  const servers = new Map([['', server]]);
  // Whatever the settings.
  servers.get = () => server;
  return servers;
}

const servers = await testServers();
const pooled = servers
  .filter(({ connections }) => connections > 1)
  .map((postgres) => ({
    ...flowsOn(postgres, pooledServers),
    name: 'PostgreSQL behind a pooler',
    // The next suite uses it too.
    stop: async () => undefined,
  }));
for (const store of [SQLITE, ...pooled, ...servers.map((one) => flowsOn(one))]) {
  storeContract(store);
}
