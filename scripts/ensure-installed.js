import { spawn } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { constants } from 'node:os';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

// The program refuses a Node.js that is too old. The build tools would be installed first, and then fail to load.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) await import('../bin/run.js');

/** Records the Node.js ABI that native modules were built for. */
const abiFile = `${root}node_modules/.svc-node-abi`;

/** The lock file has the release of better-sqlite3 for Node.js 20, which has to be compiled; this one is prebuilt. */
const NEWER_SQLITE = 'better-sqlite3@13.2.0';
const runsNewerSqlite = Number(process.versions.napi) >= 10;

/** With node-gyp's own options (`-O3 -g`), SQLite takes a quarter longer to compile, and runs no faster. */
const COMPILING = { CFLAGS: '-O2 -g0', CXXFLAGS: '-O2 -g0', ...installedHeaders() };

/** @returns {{ npm_config_nodedir?: string }} where Node.js came with its headers, which npm would download */
function installedHeaders() {
  const prefix = dirname(dirname(process.execPath));
  const header = `${prefix}/include/node/node_version.h`;
  if (!existsSync(header)) return {};
  const isSameAbi = readFileSync(header, 'utf8').includes(
    `#define NODE_MODULE_VERSION ${process.versions.modules}\n`,
  );
  return isSameAbi ? { npm_config_nodedir: prefix } : {};
}

/** Exists while a process installs or builds, which renews its time. */
const lockFile = `${root}.svc-installing`;
const RENEW_MS = 1000;
/** An older lock is that of a process that was killed. */
const LOST_MS = 10_000;

/**
 * Runs a program, and ends it with all that it started once descriptor 3 is closed: by this process, or because it was
 * killed.
 */
const RUN_WHILE_OPEN = '(cat <&3; kill -9 0) >/dev/null 2>&1 & exec "$@"';

const QUIET = ['--no-audit', '--no-fund', '--loglevel=error'];

/**
 * Installs or builds while no other process does: npm empties the folder that another one fills. A signal ends both this
 * process and npm.
 *
 * @param {() => Promise<void>} work
 */
export async function withInstallLock(work) {
  const isLocked = await takeLock();
  const release = () => {
    if (isLocked) rmSync(lockFile, { force: true });
  };
  process.on('exit', release);
  const stopListening = onSignals((signal) => process.exit(128 + constants.signals[signal]));
  const renewing = setInterval(() => isLocked && renewLock(), RENEW_MS);
  await work();
  clearInterval(renewing);
  stopListening();
  process.off('exit', release);
  release();
}

/** @returns {Promise<boolean>} false in a folder that cannot be written, where nothing can be installed either */
async function takeLock() {
  let clearProgress;
  for (;;) {
    try {
      writeFileSync(lockFile, '', { flag: 'wx' });
      clearProgress?.();
      return true;
    } catch (error) {
      if (Reflect.get(Object(error), 'code') !== 'EEXIST') return false;
    }
    const lock = statSync(lockFile, { throwIfNoEntry: false });
    if (lock !== undefined && Date.now() - lock.mtimeMs > LOST_MS)
      rmSync(lockFile, { force: true });
    clearProgress ??= showProgress('waiting for another process, which installs or builds svc');
    await sleep(50);
  }
}

function renewLock() {
  const now = new Date();
  if (existsSync(lockFile)) utimesSync(lockFile, now, now);
}

/**
 * Installs the dependencies and compiles SQLite where that is still to do. Otherwise only checks a few files. npm's
 * output is shown only if it fails.
 */
export async function ensureInstalled() {
  await installPackages();
  await compileSqlite();
}

/** Installs the dependencies if they are missing, older than the lock file, or for another Node.js. */
export async function installPackages() {
  if (isLinked()) return;
  const installed = statSync(`${root}node_modules/.package-lock.json`, { throwIfNoEntry: false });
  const locked = statSync(`${root}package-lock.json`);
  const isComplete = installed !== undefined && installed.mtimeMs >= locked.mtimeMs;
  const hasSqlite = !runsNewerSqlite || isSqliteReady();
  if (isComplete && hasSqlite && builtForAbi() === process.versions.modules) return;
  await npm('installing dependencies (only once)', ['ci', '--ignore-scripts', ...QUIET]);
  if (!runsNewerSqlite) return;
  const newer = ['install', '--no-save', '--ignore-scripts', ...QUIET, NEWER_SQLITE];
  await npm('installing SQLite', newer);
  writeFileSync(abiFile, process.versions.modules);
}

/** Compiles SQLite after {@link installPackages}. Where that fails, svc uses that of Node.js or says what to do. */
async function compileSqlite() {
  if (runsNewerSqlite || isLinked() || isSqliteReady()) return;
  await runNpm('compiling SQLite (only once; this can take a minute)', ['rebuild', ...QUIET]);
  writeFileSync(abiFile, process.versions.modules);
}

/** Builds the program where a file of it is newer, after {@link installPackages}. */
export async function ensureBuilt() {
  const { buildProgram, isBuildStale } = await import('./build.js');
  if (!isBuildStale()) return;
  const clearProgress = showProgress('building svc');
  await buildProgram();
  clearProgress();
}

/** npm would empty the folder that the link points to. */
function isLinked() {
  const folder = lstatSync(`${root}node_modules`, { throwIfNoEntry: false });
  return folder?.isSymbolicLink() === true;
}

/** Whether SQLite is compiled or prebuilt, or compiling it was tried. */
function isSqliteReady() {
  const sqlite = `${root}node_modules/better-sqlite3`;
  const places = [`${sqlite}/build/Release/better_sqlite3.node`, `${sqlite}/prebuilds`, abiFile];
  return places.some((path) => existsSync(path));
}

/** An install made by someone else is assumed to be for this Node.js. */
function builtForAbi() {
  return existsSync(abiFile) ? readFileSync(abiFile, 'utf8') : process.versions.modules;
}

/**
 * @param {string} what
 * @param {string[]} args
 */
async function npm(what, args) {
  const { output, status } = await runNpm(what, args);
  if (status === 0) return;
  const why = status instanceof Error ? status.message : '';
  process.stderr.write(`${output}\nerror: npm ${args[0]} failed ${why}\n`);
  process.exit(1);
}

/**
 * @param {string} what
 * @param {string[]} args
 */
async function runNpm(what, args) {
  const clearProgress = showProgress(what);
  const child = spawn('sh', ['-c', RUN_WHILE_OPEN, 'sh', 'npm', ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    // A process group of its own, so that compilers end with it.
    detached: true,
    // The caller builds next; do not build in the prepare script too.
    env: { ...COMPILING, ...process.env, SVC_SKIP_PREPARE: '1' },
  });
  child.on('exit', () => child.stdio[3].destroy());
  const [output, errors, status] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise((resolve) => child.on('error', resolve).on('close', resolve)),
  ]);
  clearProgress();
  return { output: `${output}${errors}`, status };
}

/**
 * @param {(signal: 'SIGHUP' | 'SIGINT' | 'SIGTERM') => void} listener
 * @returns {() => void} stops listening
 */
export function onSignals(listener) {
  /** @type {readonly ('SIGHUP' | 'SIGINT' | 'SIGTERM')[]} */
  const signals = ['SIGHUP', 'SIGINT', 'SIGTERM'];
  for (const signal of signals) process.on(signal, listener);
  return () => {
    for (const signal of signals) process.off(signal, listener);
  };
}

/**
 * On a terminal, with the seconds so far; otherwise one line.
 *
 * @param {string} what
 * @returns {() => void} removes the line from a terminal
 */
function showProgress(what) {
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
