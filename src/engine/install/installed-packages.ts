import { promises } from 'node:fs';
import { join } from 'node:path';
import { readJsonFile } from '../support/json-file.js';
import { isRecord } from '../support/text.js';

/*
 * Each installation has its own folder, `NAME-` and random digits. `NAME.json` names the one in use and is replaced
 * atomically at the end, so there is always a complete one or none. All other folders are leftovers.
 */

/** What else is known of an installation, such as its platform. */
export type PackageFacts = Readonly<Record<string, boolean | string>>;

/** Packages that were installed and tested. */
export interface InstalledPackages {
  /** Absolute path; contains its `node_modules`. */
  readonly folder: string;
  readonly version: string;
  readonly bytes: number;
  /** As they are in the file: callers check their types. */
  readonly facts: Readonly<Record<string, unknown>>;
}

/** The file that names the installation in use. */
export function pointerFile(dir: string, name: string): string {
  return join(dir, `${name}.json`);
}

/** The installation in use; reads one small file. Undefined if missing, damaged or written by something else. */
export function readInstalled(dir: string, name: string): InstalledPackages | undefined {
  const value = readJsonFile(pointerFile(dir, name));
  if (!isRecord(value)) return undefined;
  const { folder, version, bytes, ...facts } = value;
  if (typeof folder !== 'string' || !isFolderOf(name, folder)) return undefined;
  if (typeof version !== 'string' || typeof bytes !== 'number') return undefined;
  return { folder: join(dir, folder), version, bytes, facts };
}

/** A name, not a path: code elsewhere must never be loaded. */
function isFolderOf(name: string, folder: string): boolean {
  return folder.startsWith(`${name}-`) && /^[0-9a-f]+$/u.test(folder.slice(name.length + 1));
}

/** Removes all folders of a name but the one in use. Requires the lock. */
export async function removeLeftovers(dir: string, name: string): Promise<void> {
  const inUse = readInstalled(dir, name)?.folder;
  for (const entry of await promises.readdir(dir)) {
    const path = join(dir, entry);
    if (!entry.startsWith(`${name}-`) || path === inUse) continue;
    // A folder that cannot be removed, or that an orphaned npm still fills, is left for next time.
    await promises.rm(path, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  }
}
