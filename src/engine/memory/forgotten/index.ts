/* What is kept out of memory: the list of forgotten text, and how that text is recognized. */

import { statSync } from 'node:fs';
import { join } from 'node:path';
import type * as z from 'zod/mini';
import {
  handlesExhausted,
  isHandleShortage,
  SvcError,
  systemErrorCode,
  systemReason,
} from '../../errors/index.js';
import type { DeepReadonly } from '../../errors/output-schema.js';
import type { StatePaths } from '../../support/context.js';
import { crypto } from '../../support/crypto.js';
import { PRIVATE_MODE, readRegularFile, unlessSystemError } from '../../support/files.js';
import { writeJsonFile } from '../../support/json-file.js';
import { realTarget } from '../../support/paths.js';
import { replaceFile } from '../../support/replace-file.js';
import type { forgetListSchema } from './forget-list-schema.js';
import { Forgotten } from './forgotten.js';

export * from './forgotten.js';

export type ForgetList = DeepReadonly<z.infer<typeof forgetListSchema>>;
export type ForgetEntry = ForgetList['entries'][number];
/** A changed file and its backup. */
export type ChangedFile = ForgetEntry['files'][number];

const SALT_BYTES = 16;

/** Where forgetting stores what must outlive an index; absolute paths. */
export interface ForgetPlaces {
  readonly listFile: string;
  readonly backupDir: string;
}

export function newSalt(): string {
  return crypto().randomBytes(SALT_BYTES).toString('base64url');
}

/** An empty list with a new salt. */
export function emptyForgetList(): ForgetList {
  return { version: 1, salt: newSalt(), next: 1, entries: [] };
}

/**
 * Reads the list; undefined when there is none.
 *
 * @throws SvcError FORGET_LIST_INVALID, since an index without it would bring everything back
 */
export async function readForgetList(file: string): Promise<ForgetList | undefined> {
  let text: string;
  try {
    text = readRegularFile(file).toString('utf8');
  } catch (error) {
    const code = systemErrorCode(error);
    // A dangling link is a list that cannot be reached, such as one on a disk that is not mounted.
    const isMissing = code === 'ENOENT' && realTarget(file) !== undefined;
    if (isMissing || code === 'ENOTDIR') return undefined;
    if (isHandleShortage(error)) throw handlesExhausted(error);
    throw new SvcError(
      'FORGET_LIST_INVALID',
      `cannot read the forget list ${file}: ${systemReason(error)}`,
      { hint: 'check the permissions of the file and its folder', cause: error },
    );
  }
  // Not loaded when nothing was ever forgotten. Where it cannot be loaded, the list is not to blame.
  const { forgetListSchema } = await import('./forget-list-schema.js');
  try {
    return forgetListSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new SvcError('FORGET_LIST_INVALID', 'the forget list is damaged: unexpected content', {
      hint: `restore ${file} from a backup; deleting it brings back everything that was forgotten`,
      cause: error,
    });
  }
}

/** What lists keep out of memory together. @throws SvcError FORGET_LIST_INVALID */
export async function readForgotten(...places: readonly ForgetPlaces[]): Promise<Forgotten> {
  const lists = await Promise.all(places.map(({ listFile }) => readForgetList(listFile)));
  const entries = lists.flatMap((list) =>
    (list?.entries ?? []).map((entry) => ({ ...entry, salt: entry.salt ?? list?.salt })),
  );
  return new Forgotten('', entries);
}

/** Writes the list, readable only by its owner. @throws SvcError FORGET_FAILED; the old list is kept then */
export function writeForgetList(file: string, list: ForgetList): void {
  try {
    writeJsonFile(file, list);
  } catch (error) {
    const message = `cannot write the forget list ${file}: ${systemReason(error)}`;
    const hint = 'check the permissions of its folder and the free disk space';
    throw new SvcError('FORGET_FAILED', message, { hint, cause: error });
  }
}

/** Changes whenever the list changes; empty if there is none. */
export function forgetMark({ listFile }: Pick<ForgetPlaces, 'listFile'>): string {
  // Whoever reads the list reports why it cannot be read.
  const stats = unlessSystemError(() => statSync(listFile));
  return stats === undefined ? '' : `${stats.size}-${stats.mtimeMs}`;
}

/** Whether all stores follow the list as it is now. Otherwise, forgetting was killed, or it came from another host. */
export function isFollowed(places: ForgetPlaces): boolean {
  const mark = forgetMark(places);
  return (
    mark === '' || unlessSystemError(() => String(readRegularFile(followedFile(places)))) === mark
  );
}

/** Notes that all stores follow the list. @param mark of the list that they read */
export function noteFollowed(places: ForgetPlaces, mark: string): void {
  // If it cannot be written, the list is applied again.
  if (mark !== '') unlessSystemError(() => replaceFile(followedFile(places), mark, PRIVATE_MODE));
}

function followedFile({ listFile }: ForgetPlaces): string {
  return `${listFile}.followed`;
}

/**
 * Where forgetting stores its data for one index. Not in the cache: deleting an index must not undo forgetting.
 *
 * @param indexName an agent's id, or the name derived from a folder
 */
export function forgetPlaces(
  { stateDir }: Pick<StatePaths, 'stateDir'>,
  indexName: string,
): ForgetPlaces {
  const folder = join(stateDir, 'forgotten');
  return { listFile: join(folder, `${indexName}.json`), backupDir: join(folder, indexName) };
}
