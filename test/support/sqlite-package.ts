import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './run-svc.js';

/** The installed better-sqlite3, below the folder of the project. */
export const SQLITE_PACKAGE = 'node_modules/better-sqlite3';

/** Its native modules: the release for Node.js 20 is built here, the newer one brings them for every system. */
export const SQLITE_BINARIES = existsSync(join(ROOT, SQLITE_PACKAGE, 'prebuilds'))
  ? 'prebuilds'
  : 'build/Release/better_sqlite3.node';
