import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Installs the dependencies when they are missing or older than the lock file; otherwise costs two
 * stat calls. npm's own output is shown only when it fails.
 */
export function ensureInstalled() {
  const installed = statSync(`${root}node_modules/.package-lock.json`, { throwIfNoEntry: false });
  const locked = statSync(`${root}package-lock.json`);
  const native = `${root}node_modules/better-sqlite3/build/Release/better_sqlite3.node`;
  if (installed !== undefined && installed.mtimeMs >= locked.mtimeMs && existsSync(native)) return;
  process.stderr.write('installing dependencies (once; compiling SQLite takes about a minute) …\n');
  const npm = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    // The prepare script would build once more what the caller builds next.
    env: { ...process.env, SVC_SKIP_PREPARE: '1' },
  });
  if (npm.status === 0) return;
  process.stderr.write(`${npm.stdout}${npm.stderr}\nerror: npm ci failed\n`);
  process.exit(1);
}
