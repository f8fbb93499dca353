import { randomBytes } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, SvcError, systemErrorCode } from '../../errors/index.js';
import { withProcessLock } from '../../process-lock.js';
import { syncToDisk } from '../../sync-to-disk.js';
import { checkRuntime } from './check-runtime.js';
import { findNpm } from './find-npm.js';
import { sizeOfFolder, watchSize } from './folder-size.js';
import { npmFailure } from './npm-failure.js';
import { runProgram } from './run-program.js';
import { type Platform, RUNTIME_VERSION, runtimePackages } from './runtime-package.js';
import {
  dropPointer,
  FOLDER_PREFIX,
  type InstalledRuntime,
  pointerFile,
  pointerText,
  removeLeftovers,
  runtimeLockFile,
  runtimeState,
} from './runtime-store.js';

/** What happens while the runtime is installed; for progress. */
export type InstallEvent =
  /** Another process installs; this one waits for it. */
  | { readonly type: 'install.waiting' }
  | { readonly type: 'install.started'; readonly version: string }
  /** Bytes on disk so far; how many it will be is not known before. */
  | { readonly type: 'install.grew'; readonly bytes: number }
  /** All is there; it is loaded once. */
  | { readonly type: 'install.checking' };

/** How the runtime is installed. */
export interface InstallOptions {
  /** See runtimesDir. */
  readonly dir: string;
  readonly platform: Platform;
  /** With the GPU variants. */
  readonly gpu: boolean;
  /** Also when it is there already. */
  readonly force: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** As `process.execPath`. */
  readonly nodePath: string;
  readonly signal: AbortSignal;
  readonly onEvent: (event: InstallEvent) => void;
}

/** What came of it. */
export interface InstallResult {
  readonly outcome: 'already' | 'installed';
  readonly runtime: InstalledRuntime;
  /** What it computes with, when it was installed now; null means the processor alone. */
  readonly computesWith?: string | null;
}

/**
 * Installs the runtime of local models with npm, into a folder that counts only once everything is
 * in it and it has been loaded. Nothing is compiled and no script of a package is run.
 *
 * @throws SvcError PROVIDER_INSTALL_FAILED; the signal's reason. What was there before is there still
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
 * Removes the runtime; models stay.
 *
 * @returns what was removed, undefined when there was none
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
    const run = await runProgram({ command: npm.command, args, cwd: folder, env }, signal);
    if (run.code !== 0) throw npmFailure(run);
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
 * Optional packages are the binaries for all other platforms; scripts are what would compile
 * llama.cpp. What the environment of an npm above us says of folders does not count.
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
  ENOSPC: 'free about 200 MB (800 MB with --gpu) and try again',
  EDQUOT: 'free about 200 MB (800 MB with --gpu) and try again',
  SQLITE_FULL: 'free about 200 MB (800 MB with --gpu) and try again',
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
      hint: hint ?? 'check who owns this folder and what is in its way, or move it with SVC_HOME',
      details: { reason: hint === undefined ? 'permission' : 'disk_full' },
      cause: error,
    },
  );
}
