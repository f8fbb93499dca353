import { readFileSync, rmSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemErrorCode } from '../../errors/index.js';
import {
  type Platform,
  platformName,
  RUNTIME_PACKAGE,
  RUNTIME_VERSION,
} from './runtime-package.js';

/** A runtime that was installed and loaded once. */
export interface InstalledRuntime {
  /** Absolute path of the folder that holds its `node_modules`. */
  readonly folder: string;
  readonly version: string;
  /** As {@link platformName}: a home folder may be shared between machines. */
  readonly platform: string;
  /** Whether the GPU variants are part of it. */
  readonly gpu: boolean;
  /** Size on disk. */
  readonly bytes: number;
}

/** Whether there is a runtime that this svc can use. */
export type RuntimeState =
  | { readonly state: 'ready'; readonly runtime: InstalledRuntime }
  | { readonly state: 'missing'; readonly why: string };

/** Where runtimes lie, below the state folder. */
export function runtimesDir(stateDir: string): string {
  return join(stateDir, 'runtimes');
}

/*
 * A runtime lies in a folder of a name of its own. `local.json` says which one counts; it is written
 * last, in one step. So there is a whole runtime or none at every moment, also while one replaces
 * another, and every folder that the file does not name is a leftover.
 */

/** The file that names the runtime in use. */
export function pointerFile(dir: string): string {
  return join(dir, 'local.json');
}

/** Only one process installs or removes at a time. */
export function runtimeLockFile(dir: string): string {
  return join(dir, 'local.lock');
}

/** Begins the name of every folder that an installation makes. */
export const FOLDER_PREFIX = 'local-';

/** The runtime in use; reads one small file. @param dir see {@link runtimesDir} */
export function runtimeState(dir: string, platform: Pick<Platform, 'os' | 'arch'>): RuntimeState {
  const runtime = readPointer(dir);
  if (runtime === undefined) return missing(`${RUNTIME_PACKAGE} is not installed`);
  const here = `${platform.os}-${platform.arch}`;
  if (runtime.platform !== here) {
    return missing(`${RUNTIME_PACKAGE} is installed for ${runtime.platform}, and this is ${here}`);
  }
  if (majorOf(runtime.version) !== majorOf(RUNTIME_VERSION)) {
    return missing(
      `${RUNTIME_PACKAGE} ${runtime.version} is installed, and this svc needs ${RUNTIME_VERSION}`,
    );
  }
  return { state: 'ready', runtime };
}

/** Ends the use of the runtime; its folder is a leftover then. */
export function dropPointer(dir: string): void {
  rmSync(pointerFile(dir), { force: true });
}

/** Removes every folder of an installation but the one in use. Only with the lock held. */
export async function removeLeftovers(dir: string): Promise<void> {
  const inUse = readPointer(dir)?.folder;
  for (const name of await readdir(dir)) {
    const path = join(dir, name);
    if (!name.startsWith(FOLDER_PREFIX) || path === inUse) continue;
    // One that cannot be removed, or that an npm without its svc still fills, waits for the next time.
    await rm(path, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  }
}

function missing(why: string): RuntimeState {
  return { state: 'missing', why };
}

function majorOf(version: string): string {
  return version.split('.')[0] ?? '';
}

/** What the file says; undefined for one that is missing, damaged or written by somebody else. */
function readPointer(dir: string): InstalledRuntime | undefined {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(pointerFile(dir), 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError || systemErrorCode(error) !== undefined) return undefined;
    throw error;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { folder, version, platform, gpu, bytes } = fieldsOf(value);
  if (typeof folder !== 'string' || !FOLDER_NAME.test(folder)) return undefined;
  if (typeof version !== 'string' || typeof platform !== 'string') return undefined;
  if (typeof gpu !== 'boolean' || typeof bytes !== 'number') return undefined;
  return { folder: join(dir, folder), version, platform, gpu, bytes };
}

/** A name and no path: what lies elsewhere is never loaded as code. */
const FOLDER_NAME = /^local-[0-9a-f]+$/u;

function fieldsOf(value: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(value));
}

/** The text of the file that makes a runtime the one in use. */
export function pointerText(
  folderName: string,
  runtime: Omit<InstalledRuntime, 'folder' | 'platform'>,
  platform: Platform,
): string {
  const { version, gpu, bytes } = runtime;
  const pointer = { folder: folderName, version, platform: platformName(platform), gpu, bytes };
  return `${JSON.stringify(pointer, null, 2)}\n`;
}
