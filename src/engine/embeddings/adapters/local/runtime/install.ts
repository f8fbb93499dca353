import { randomBytes } from 'node:crypto';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type ProgramEnd, runProgram, wholeEnvironment } from '../../../../child/index.js';
import { messageOf, SvcError, systemErrorCode } from '../../../../errors/index.js';
import { withProcessLock } from '../../../../sqlite/process-lock.js';
import { syncToDisk } from '../../../../support/files.js';
import { findNpm, howEnded, npmFailure } from './npm.js';
import {
  dropPointer,
  FOLDER_PREFIX,
  type InstalledRuntime,
  type Platform,
  pointerFile,
  pointerText,
  RUNTIME_PACKAGE,
  RUNTIME_VERSION,
  removeLeftovers,
  runtimeLockFile,
  runtimePackages,
  runtimeState,
} from './store.js';

/** Progress of the installation. */
export type InstallEvent =
  /** Another process is installing; this one waits. */
  | { readonly type: 'install.waiting' }
  | { readonly type: 'install.started'; readonly version: string }
  /** Bytes on disk so far; the total is unknown. */
  | { readonly type: 'install.grew'; readonly bytes: number }
  /** Installed; being loaded as a test. */
  | { readonly type: 'install.checking' };

export interface InstallOptions {
  readonly dir: string;
  readonly platform: Platform;
  readonly gpu: boolean;
  /** Reinstall an existing runtime. */
  readonly force: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly nodePath: string;
  readonly signal: AbortSignal;
  readonly onEvent: (event: InstallEvent) => void;
}

export interface InstallResult {
  readonly outcome: 'already' | 'installed';
  readonly runtime: InstalledRuntime;
  /** What it computes with after an installation; null for the CPU only. */
  readonly computesWith?: string | null;
}

/**
 * Installs the runtime of local models with npm, into a folder that only counts once it is complete
 * and has been loaded. Compiles nothing and runs no package scripts.
 *
 * @throws SvcError PROVIDER_INSTALL_FAILED; the signal's reason. An existing runtime is unaffected
 */
export async function installRuntime(options: InstallOptions): Promise<InstallResult> {
  const { dir, signal, onEvent } = options;
  const onWait = (): void => onEvent({ type: 'install.waiting' });
  try {
    return await withProcessLock(runtimeLockFile(dir), { signal, onWait }, async () => {
      const present = runtimeState(dir, options.platform);
      const enough = present.state === 'ready' && isEnough(present.runtime, options.gpu);
      if (enough && !options.force) return { outcome: 'already', runtime: present.runtime };
      await removeLeftovers(dir);
      try {
        return await installInto(dir, options);
      } finally {
        await removeLeftovers(dir);
      }
    });
  } catch (error) {
    signal.throwIfAborted();
    throw asInstallError(error, dir);
  }
}

/**
 * Removes the runtime; models are kept.
 *
 * @returns the removed runtime, if there was one
 * @throws SvcError PROVIDER_INSTALL_FAILED; the signal's reason
 */
export async function removeRuntime(
  options: Pick<InstallOptions, 'dir' | 'platform' | 'signal'>,
): Promise<InstalledRuntime | undefined> {
  const { dir, platform, signal } = options;
  try {
    return await withProcessLock(runtimeLockFile(dir), { signal }, async () => {
      const present = runtimeState(dir, platform);
      dropPointer(dir);
      await removeLeftovers(dir);
      return present.state === 'ready' ? present.runtime : undefined;
    });
  } catch (error) {
    signal.throwIfAborted();
    throw asInstallError(error, dir);
  }
}

function isEnough(runtime: InstalledRuntime, gpu: boolean): boolean {
  return runtime.version === RUNTIME_VERSION && (runtime.gpu || !gpu);
}

async function installInto(dir: string, options: InstallOptions): Promise<InstallResult> {
  const { platform, gpu, signal, onEvent, env, nodePath } = options;
  const dependencies = runtimePackages(platform, gpu);
  const npm = findNpm({ env, nodePath });
  const name = `${FOLDER_PREFIX}${randomBytes(6).toString('hex')}`;
  const folder = join(dir, name);
  mkdirSync(folder, { mode: 0o700 });
  const manifest = { name: 'svc-local-runtime', private: true, dependencies };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  onEvent({ type: 'install.started', version: RUNTIME_VERSION });
  const stopWatching = watchSize(folder, (bytes) => onEvent({ type: 'install.grew', bytes }));
  try {
    const args = [...npm.args, ...NPM_ARGS, '--prefix', folder];
    const end = await runIn(folder, [npm.command, ...args], options);
    if (!hasSucceeded(end)) throw npmFailure(end);
  } finally {
    stopWatching();
  }
  onEvent({ type: 'install.checking' });
  const { gpu: computesWith } = await checkRuntime(folder, { gpu, nodePath, env, signal });
  const bytes = await sizeOfFolder(folder);
  const facts = { version: RUNTIME_VERSION, gpu, bytes };
  const draft = join(folder, 'pointer.json');
  writeFileSync(draft, pointerText(name, facts, platform), { mode: 0o600 });
  syncToDisk(draft);
  signal.throwIfAborted();
  renameSync(draft, pointerFile(dir));
  const present = runtimeState(dir, platform);
  if (present.state !== 'ready') throw new Error(`${pointerFile(dir)} was changed meanwhile`);
  return { outcome: 'installed', runtime: present.runtime, computesWith };
}

/**
 * Optional packages are binaries for other platforms; scripts would compile llama.cpp. Ignores
 * folder settings of an npm that started svc.
 */
const NPM_ARGS = [
  'install',
  '--omit=optional',
  '--ignore-scripts',
  '--no-global',
  '--no-audit',
  '--no-fund',
  '--no-package-lock',
  '--no-progress',
  '--no-update-notifier',
  '--loglevel=error',
];

const HINTS: Readonly<Record<string, string>> = {
  ENOSPC: 'free about 200 MB (800 MB with --gpu), then try again',
  EDQUOT: 'free about 200 MB (800 MB with --gpu), then try again',
  SQLITE_FULL: 'free about 200 MB (800 MB with --gpu), then try again',
};

function asInstallError(error: unknown, dir: string): unknown {
  if (error instanceof SvcError) return error;
  const code = systemErrorCode(error);
  if (code === undefined) return error;
  const hint = HINTS[code];
  return new SvcError(
    'PROVIDER_INSTALL_FAILED',
    `cannot install into ${dir}: ${messageOf(error)}`,
    {
      hint:
        hint ?? 'check the owner of this folder and files in its place, or move it with SVC_HOME',
      details: { reason: hint === undefined ? 'permission' : 'disk_full' },
      cause: error,
    },
  );
}

/**
 * Loads the library's native part. A binary that does not fit the CPU crashes this process, not
 * svc. In a file, since the library cannot test its binary from `node -e`.
 */
const CHECK = `
const { getLlama } = await import('${RUNTIME_PACKAGE}');
const llama = await getLlama({
  gpu: process.argv[2] === 'gpu' ? 'auto' : false,
  build: 'never',
  skipDownload: true,
  progressLogs: false,
  logLevel: 'error',
});
const { gpu } = llama;
await llama.dispose();
process.stdout.write(JSON.stringify({ gpu }) + '\\n', () => process.exit(0));
`;

interface RuntimeCheck {
  /** `cuda`, `vulkan` or `metal`; null for the CPU only. */
  readonly gpu: string | null;
}

interface CheckOptions {
  readonly gpu: boolean;
  readonly nodePath: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/**
 * Loads an installed runtime in a separate process.
 *
 * @param folder contains its `node_modules`
 * @throws SvcError PROVIDER_INSTALL_FAILED; the signal's reason
 */
async function checkRuntime(folder: string, options: CheckOptions): Promise<RuntimeCheck> {
  const file = join(folder, 'check.mjs');
  writeFileSync(file, CHECK);
  const command = [options.nodePath, file, options.gpu ? 'gpu' : 'cpu'] as const;
  const end = await runIn(folder, command, options);
  rmSync(file, { force: true });
  const answer = hasSucceeded(end) ? readAnswer(end.stdout.toString()) : undefined;
  if (answer !== undefined) return answer;
  const words = /^\S*Error: (.*)$/mu.exec(end.stderr.toString())?.[1] ?? '';
  throw new SvcError(
    'PROVIDER_INSTALL_FAILED',
    `${RUNTIME_PACKAGE} was installed but does not run here (failed ${howEnded(end)})${words === '' ? '' : `: ${words}`}`,
    {
      hint: options.gpu
        ? 'run it again without --gpu, or use another provider (see "svc provider list")'
        : 'use another provider (see "svc provider list"); ollama and lmstudio also run models on this machine',
      details: { reason: 'broken' },
    },
  );
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
    endsInOrder: true,
    signal,
  });
}

function hasSucceeded(end: ProgramEnd): boolean {
  return end.kind === 'exited' && end.exitCode === 0;
}

function readAnswer(stdout: string): RuntimeCheck | undefined {
  const gpu = /^\{"gpu":(?:false|"(\w+)")\}$/mu.exec(stdout);
  return gpu === null ? undefined : { gpu: gpu[1] ?? null };
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

const EVERY_MS = 700;

/** Reports the size of a growing folder periodically. @returns stops it */
function watchSize(folder: string, onSize: (bytes: number) => void): () => void {
  let ended = false;
  let timer: NodeJS.Timeout | undefined;
  const measure = async (): Promise<void> => {
    const bytes = await sizeOfFolder(folder);
    if (ended) return;
    onSize(bytes);
    timer = setTimeout(() => void measure(), EVERY_MS);
  };
  timer = setTimeout(() => void measure(), EVERY_MS);
  return () => {
    ended = true;
    clearTimeout(timer);
  };
}
