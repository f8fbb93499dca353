// PostgreSQL, the shared store of teams. Loaded only if `storage.url` is set: nothing else imports `pg`.
export { migrate, pendingMigrations, requireCurrent, serverState } from './migrate.js';
export { openCurrentServer, openServer } from './open-server.js';
export { Server } from './server.js';
