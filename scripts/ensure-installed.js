import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Records the Node.js ABI that native modules were built for. */
const abiFile = `${root}node_modules/.svc-node-abi`;

/**
 * Installs the dependencies if they are missing, older than the lock file, or built for another Node.js.
 * Otherwise only checks three files. npm's output is shown only if it fails.
 */
export function ensureInstalled() {
  // npm would empty the folder that the link points to.
  const folder = lstatSync(`${root}node_modules`, { throwIfNoEntry: false });
  if (folder?.isSymbolicLink() === true) return;
  const installed = statSync(`${root}node_modules/.package-lock.json`, { throwIfNoEntry: false });
  const locked = statSync(`${root}package-lock.json`);
  const native = `${root}node_modules/better-sqlite3/build/Release/better_sqlite3.node`;
  const complete = installed !== undefined && installed.mtimeMs >= locked.mtimeMs;
  if (!complete || !existsSync(native)) {
    say('installing dependencies (only once; compiling SQLite takes about a minute)…');
    npm(['ci', '--no-audit', '--no-fund', '--loglevel=error']);
  } else if (builtFor() !== process.versions.modules) {
    say('building SQLite for this version of Node.js (about a minute)…');
    npm(['rebuild', 'better-sqlite3', '--loglevel=error']);
  } else {
    return;
  }
  writeFileSync(abiFile, process.versions.modules);
}

/** An install made by someone else is assumed to be for this Node.js. */
function builtFor() {
  return existsSync(abiFile) ? readFileSync(abiFile, 'utf8') : process.versions.modules;
}

/** @param {string} text */
function say(text) {
  process.stderr.write(`${text}\n`);
}

/** @param {string[]} args */
function npm(args) {
  const { status, stdout, stderr } = spawnSync('npm', args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    // The caller builds next; do not build in the prepare script too.
    env: { ...process.env, SVC_SKIP_PREPARE: '1' },
  });
  if (status === 0) return;
  say(`${stdout}${stderr}\nerror: npm ${args[0]} failed`);
  process.exit(1);
}
