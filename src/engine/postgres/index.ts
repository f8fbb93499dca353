// PostgreSQL, the shared store of teams. Loaded only if `storage.url` is set: nothing else imports `pg`.
export { withLease } from './lease.js';
export {
  migrate,
  migrationScript,
  OLDEST_SERVER,
  type PendingMigration,
  pendingAfter,
  pendingMigrations,
  readCurrent,
  requireCurrent,
  SCHEMA_VERSION,
  serverState,
  UTF8_HINT,
} from './migrate.js';
export { openCurrentServer, openServer, type ServerContext } from './open-server.js';
export { type PoolUse, Server } from './server.js';
export { describeAddress } from './server-address.js';
export { exactDouble, type Sql, type Transaction } from './transaction.js';
export * from './vector-indexes.js';
