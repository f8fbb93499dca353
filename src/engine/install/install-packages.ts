import { randomBytes } from 'node:crypto';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { wholeEnvironment } from '../child/program.js';
import { type ProgramEnd, runProgram } from '../child/run-program.js';
import { SvcError, systemErrorCode, systemReason } from '../errors/index.js';
import { databaseFault } from '../sqlite/database.js';
import { withProcessLock } from '../sqlite/process-lock.js';
import { syncFolder } from '../support/files.js';
import { writeJsonFile } from '../support/json-file.js';
import { type PackageFacts, pointerFile, removeLeftovers } from './installed-packages.js';
import { type FindNpmOptions, findNpm, howEnded, type InstallSubject, npmFailure } from './npm.js';

/** Progress of an installation. */
export type InstallEvent =
  /** Another process is installing; this one waits. */
  | { readonly type: 'install.waiting' }
  | { readonly type: 'install.started'; readonly package: string; readonly version: string }
  /** Bytes on disk so far; the total is unknown. */
  | { readonly type: 'install.grew'; readonly package: string; readonly bytes: number }
  /** Installed; being loaded as a test. */
  | { readonly type: 'install.checking' };

export interface InstallOptions extends FindNpmOptions {
  readonly dir: string;
  /** Reinstall what is present. */
  readonly force: boolean;
  readonly signal: AbortSignal;
  readonly onEvent: (event: InstallEvent) => void;
}

/** What to install, and how it is tested. */
export interface Installation<Installed> {
  readonly subject: InstallSubject;
  /** With exact versions. @throws SvcError if there are none for this machine */
  readonly dependencies: () => Readonly<Record<string, string>>;
  /** Hashes that the packages must have, besides those of the registry. */
  readonly integrity?: Readonly<Record<string, string>>;
  readonly facts: PackageFacts;
  /** Finds what is installed and meets the request; undefined if nothing does. */
  readonly findInstalled: () => Installed | undefined;
  /** A module that loads the package and prints something about it, and the argument of the module. */
  readonly check: { readonly module: string; readonly argument?: string };
  /** Whether the module printed what it prints if the package works. */
  readonly isExpected: (stdout: string) => boolean;
  /** What to do about a package that was installed but does not work. */
  readonly brokenHint: string;
}

export interface InstallResult<Installed> {
  readonly outcome: 'already' | 'installed';
  readonly installed: Installed;
}

/**
 * Installs packages with npm, into a folder that only counts once it is complete and has been loaded. Compiles
 * nothing and runs no package scripts.
 *
 * @throws SvcError the code of the subject; the signal's reason. What is installed is unaffected
 */
export async function installPackages<Installed>(
  installation: Installation<Installed>,
  options: InstallOptions,
): Promise<InstallResult<Installed>> {
  const { subject, findInstalled } = installation;
  const { dir, signal, force, onEvent } = options;
  const onWait = (): void => onEvent({ type: 'install.waiting' });
  return withInstallLock(subject, dir, { signal, onWait }, async () => {
    const installed = findInstalled();
    if (installed !== undefined && !force) return { outcome: 'already', installed };
    await removeLeftovers(dir, subject.name);
    try {
      await installInto(installation, options);
    } finally {
      await removeLeftovers(dir, subject.name);
    }
    const result = findInstalled();
    if (result === undefined)
      throw new Error(`${pointerFile(dir, subject.name)} was changed meanwhile`);
    return { outcome: 'installed', installed: result };
  });
}

/**
 * Removes what is installed.
 *
 * @returns what was installed
 * @throws SvcError the code of the subject; the signal's reason
 */
export async function removePackages<Installed>(
  { subject, findInstalled }: Pick<Installation<Installed>, 'findInstalled' | 'subject'>,
  { dir, signal }: Pick<InstallOptions, 'dir' | 'signal'>,
): Promise<Installed | undefined> {
  return withInstallLock(subject, dir, { signal }, async () => {
    const installed = findInstalled();
    // Its folder becomes a leftover.
    rmSync(pointerFile(dir, subject.name), { force: true });
    await removeLeftovers(dir, subject.name);
    return installed;
  });
}

/** Only one process installs or removes at a time. */
async function withInstallLock<T>(
  subject: InstallSubject,
  dir: string,
  options: { readonly signal: AbortSignal; readonly onWait?: () => void },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await withProcessLock(join(dir, `${subject.name}.lock`), options, work);
  } catch (error) {
    options.signal.throwIfAborted();
    throw asInstallError(error, subject, dir);
  }
}

async function installInto<Installed>(
  {
    subject,
    dependencies,
    integrity,
    facts,
    check,
    isExpected,
    brokenHint,
  }: Installation<Installed>,
  options: InstallOptions,
): Promise<void> {
  const { dir, signal, onEvent, nodePath } = options;
  const packages = dependencies();
  const npm = findNpm(options, subject);
  const name = `${subject.name}-${randomBytes(6).toString('hex')}`;
  const folder = join(dir, name);
  mkdirSync(folder, { mode: 0o700 });
  const manifest = { name: `svc-${subject.name}`, private: true, dependencies: packages };
  writeJsonFile(join(folder, 'package.json'), manifest);
  if (integrity !== undefined) {
    writeJsonFile(join(folder, 'package-lock.json'), packageLock(packages, integrity));
  }
  onEvent({ type: 'install.started', package: subject.package, version: subject.version });
  const stopWatching = watchSize(folder, (bytes) =>
    onEvent({ type: 'install.grew', package: subject.package, bytes }),
  );
  try {
    const lock = integrity === undefined ? ['--no-package-lock'] : [];
    const args = [...npm.args, ...NPM_ARGS, ...lock];
    const end = await runIn(folder, [npm.command, ...args], options);
    if (!hasSucceeded(end)) throw npmFailure(end, subject);
  } finally {
    stopWatching();
  }
  onEvent({ type: 'install.checking' });
  const file = join(folder, 'check.mjs');
  writeFileSync(file, check.module);
  const end = await runIn(folder, [nodePath, file, check.argument ?? ''], options);
  rmSync(file, { force: true });
  if (!hasSucceeded(end) || !isExpected(end.stdout.toString())) {
    throw brokenError(end, subject, brokenHint);
  }
  const draft = join(folder, 'pointer.json');
  const bytes = await sizeOfFolder(folder);
  writeJsonFile(draft, { folder: name, version: subject.version, ...facts, bytes });
  await syncTree(folder);
  syncFolder(dir);
  signal.throwIfAborted();
  renameSync(draft, pointerFile(dir, subject.name));
  syncFolder(dir);
}

/** Makes npm refuse packages with another content, whatever the registry says. */
function packageLock(
  packages: Readonly<Record<string, string>>,
  integrity: Readonly<Record<string, string>>,
): object {
  const lockedPackages = Object.entries(packages).map(([name, version]) => [
    `node_modules/${name}`,
    { version, integrity: integrity[name] },
  ]);
  return {
    lockfileVersion: 3,
    packages: { '': { dependencies: packages }, ...Object.fromEntries(lockedPackages) },
  };
}

/**
 * Optional packages are binaries for other platforms, and scripts would compile. `--no-global` and `--no-workspaces`
 * override settings of an npm that started svc. npm runs in the folder and does not get it as `--prefix`: below a prefix
 * it would look for the global settings of the machine (registry, proxy, certificates), and find none. By default, npm waits
 * for more than a minute before it reports a registry that cannot be reached.
 */
const NPM_ARGS = [
  'install',
  '--omit=optional',
  '--ignore-scripts',
  '--no-global',
  '--no-workspaces',
  '--no-audit',
  '--no-fund',
  '--no-progress',
  '--no-update-notifier',
  '--fetch-retry-mintimeout=2000',
  '--fetch-retry-maxtimeout=10000',
  '--loglevel=error',
];

function asInstallError(error: unknown, { code, space }: InstallSubject, dir: string): unknown {
  if (error instanceof SvcError) return error;
  if (systemErrorCode(error) === undefined) return error;
  const isFull = databaseFault(error) === 'disk_full';
  return new SvcError(code, `cannot install into ${dir}: ${systemReason(error)}`, {
    hint: isFull
      ? `free about ${space}, then try again`
      : 'check the owner of this folder and files in its place, or move it with SVC_HOME',
    details: { reason: isFull ? 'disk_full' : 'permission' },
    cause: error,
  });
}

function brokenError(end: ProgramEnd, subject: InstallSubject, hint: string): SvcError {
  const words = /^\S*Error: (.*)$/mu.exec(end.stderr.toString())?.[1] ?? '';
  const what = `${subject.package} was installed but does not run here (failed ${howEnded(end)})`;
  return new SvcError(subject.code, words === '' ? what : `${what}: ${words}`, {
    hint,
    details: { reason: 'broken' },
  });
}

const MOST_OUTPUT_BYTES = 1_000_000;
const MOST_ERROR_BYTES = 16_000;

/** Runs npm or node in the folder of an installation, for as long as it takes. */
function runIn(
  folder: string,
  command: readonly [string, ...string[]],
  { env, signal }: Pick<InstallOptions, 'env' | 'signal'>,
): Promise<ProgramEnd> {
  return runProgram({
    command,
    env: wholeEnvironment(env),
    cwd: folder,
    maxOutputBytes: MOST_OUTPUT_BYTES,
    stderrBytes: MOST_ERROR_BYTES,
    endsGracefully: true,
    signal,
  });
}

function hasSucceeded(end: ProgramEnd): end is Extract<ProgramEnd, { readonly kind: 'exited' }> {
  return end.kind === 'exited' && end.exitCode === 0;
}

/** Total size in bytes; ignores files that disappear meanwhile. */
async function sizeOfFolder(folder: string): Promise<number> {
  let bytes = 0;
  const pending = [folder];
  for (let dir = pending.pop(); dir !== undefined; dir = pending.pop()) {
    for (const entry of await readdir(dir, { withFileTypes: true }).catch(() => [])) {
      const path = join(dir, entry.name);
      if (entry.isDirectory()) pending.push(path);
      else bytes += (await lstat(path).catch(() => undefined))?.size ?? 0;
    }
  }
  return bytes;
}

/** How many files are open at the same time. */
const MOST_SYNCED = 64;

/** Writes a folder to disk, so that no power failure takes a part of it. @throws the system's error */
async function syncTree(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((one) => join(one.parentPath, one.name));
  // Together, since file systems then write their journal once for several.
  for (let at = 0; at < paths.length; at += MOST_SYNCED) {
    await Promise.all(paths.slice(at, at + MOST_SYNCED).map(syncOne));
  }
  for (const entry of entries)
    if (entry.isDirectory()) syncFolder(join(entry.parentPath, entry.name));
  syncFolder(folder);
}

async function syncOne(path: string): Promise<void> {
  // Windows syncs only what is open for writing.
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

const MEASURE_EVERY_MS = 700;

/** Reports the size of a growing folder periodically. @returns stops it */
function watchSize(folder: string, onSize: (bytes: number) => void): () => void {
  let ended = false;
  let timer: NodeJS.Timeout | undefined;
  const measure = async (): Promise<void> => {
    const bytes = await sizeOfFolder(folder);
    if (ended) return;
    onSize(bytes);
    timer = setTimeout(() => void measure(), MEASURE_EVERY_MS);
  };
  timer = setTimeout(() => void measure(), MEASURE_EVERY_MS);
  return () => {
    ended = true;
    clearTimeout(timer);
  };
}
