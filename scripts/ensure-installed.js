import { spawn } from 'node:child_process';
import { existsSync, lstatSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Records the Node.js ABI that native modules were built for. */
const abiFile = `${root}node_modules/.svc-node-abi`;

/** The lock file has the release of better-sqlite3 for Node.js 20, which has to be compiled; this one is built. */
const NEWER_SQLITE = 'better-sqlite3@13.2.0';
const runsNewerSqlite = Number.parseInt(process.versions.node, 10) >= 22;

/**
 * Installs the dependencies if they are missing, older than the lock file, or for another Node.js.
 * Otherwise only checks three files. npm's output is shown only if it fails.
 */
export async function ensureInstalled() {
  // npm would empty the folder that the link points to.
  const folder = lstatSync(`${root}node_modules`, { throwIfNoEntry: false });
  if (folder?.isSymbolicLink() === true) return;
  const installed = statSync(`${root}node_modules/.package-lock.json`, { throwIfNoEntry: false });
  const locked = statSync(`${root}package-lock.json`);
  const isComplete = installed !== undefined && installed.mtimeMs >= locked.mtimeMs;
  const sqlite = `${root}node_modules/better-sqlite3`;
  // Where SQLite could not be built once, svc uses that of Node.js or says what to do.
  const hasSqlite = ['build/Release/better_sqlite3.node', 'prebuilds', '../.svc-node-abi'].some(
    (path) => existsSync(`${sqlite}/${path}`),
  );
  if (isComplete && hasSqlite && builtFor() === process.versions.modules) return;
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  if (runsNewerSqlite) {
    await npm('installing dependencies (only once)', ['ci', '--ignore-scripts', ...quiet]);
    const newer = ['install', '--no-save', '--ignore-scripts', ...quiet, NEWER_SQLITE];
    await npm('installing SQLite', newer);
  } else {
    const what = 'installing dependencies (only once; compiling SQLite can take a minute)';
    await npm(what, ['ci', ...quiet]);
  }
  writeFileSync(abiFile, process.versions.modules);
}

/** An install made by someone else is assumed to be for this Node.js. */
function builtFor() {
  return existsSync(abiFile) ? readFileSync(abiFile, 'utf8') : process.versions.modules;
}

/**
 * @param {string} what
 * @param {string[]} args
 */
async function npm(what, args) {
  const ended = showProgress(what);
  const child = spawn('npm', args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    // The caller builds next; do not build in the prepare script too.
    env: { ...process.env, SVC_SKIP_PREPARE: '1' },
  });
  const [output, errors, status] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise((resolve) => child.on('error', resolve).on('close', resolve)),
  ]);
  ended();
  if (status === 0) return;
  const why = status instanceof Error ? status.message : '';
  process.stderr.write(`${output}${errors}\nerror: npm ${args[0]} failed ${why}\n`);
  process.exit(1);
}

/**
 * On a terminal, with the seconds so far; otherwise one line.
 *
 * @param {string} what
 * @returns {() => void} what removes the line from a terminal
 */
export function showProgress(what) {
  const { stderr } = process;
  if (!stderr.isTTY) {
    stderr.write(`${what} …\n`);
    return () => undefined;
  }
  const since = Date.now();
  const show = () => {
    const line = `${what} … ${Math.round((Date.now() - since) / 1000)} s`;
    stderr.write(`\r\u001B[K${line.slice(0, (stderr.columns || 80) - 1)}`);
  };
  show();
  const timer = setInterval(show, 1000);
  return () => {
    clearInterval(timer);
    stderr.write('\r\u001B[K');
  };
}
