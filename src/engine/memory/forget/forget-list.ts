import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type * as z from 'zod/mini';
import type { DeepReadonly } from '../../config/index.js';
import { messageOf, SvcError, systemErrorCode } from '../../errors/index.js';
import { PRIVATE_MODE, replaceFile } from '../../replace-file.js';
import type { forgetListSchema } from './forget-list-schema.js';
import { Forgotten, NOTHING_FORGOTTEN } from './forgotten.js';

/** See forget-list-schema.ts. */
export type ForgetList = DeepReadonly<z.infer<typeof forgetListSchema>>;
/** What was forgotten at once. */
export type ForgetEntry = ForgetList['entries'][number];
/** A file that was changed, and its backup. */
export type ChangedFile = ForgetEntry['files'][number];

const SALT_BYTES = 16;

/** Where forgetting keeps what outlasts an index; absolute paths. */
export interface ForgetPlaces {
  readonly listFile: string;
  /** The folder of the backups of changed files. */
  readonly backupDir: string;
}

/** A list with nothing on it, with a salt of its own. */
export function emptyForgetList(): ForgetList {
  const salt = randomBytes(SALT_BYTES).toString('base64url');
  return { version: 1, salt, next: 1, entries: [] };
}

/**
 * Reads the list; undefined when there is none.
 *
 * @throws SvcError FORGET_LIST_INVALID, since an index without it would bring everything back
 */
export async function readForgetList(file: string): Promise<ForgetList | undefined> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw invalid(file, messageOf(error), error);
  }
  try {
    // Where nothing was ever forgotten, it is not loaded.
    const { forgetListSchema } = await import('./forget-list-schema.js');
    return forgetListSchema.parse(JSON.parse(text));
  } catch (error) {
    throw invalid(file, 'it is not what svc wrote', error);
  }
}

/** What a list keeps out of memory. @throws SvcError FORGET_LIST_INVALID */
export async function readForgotten({ listFile }: ForgetPlaces): Promise<Forgotten> {
  const list = await readForgetList(listFile);
  return list === undefined ? NOTHING_FORGOTTEN : new Forgotten(list.salt, list.entries);
}

/** Writes the list, for its owner alone. @throws the system's error; the old list stands then */
export function writeForgetList(file: string, list: ForgetList): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  replaceFile(file, `${JSON.stringify(list)}\n`, PRIVATE_MODE);
}

function invalid(file: string, why: string, cause: unknown): SvcError {
  return new SvcError('FORGET_LIST_INVALID', `the list of what is forgotten is damaged: ${why}`, {
    hint: `bring ${file} back from a backup; deleting it makes svc remember everything again`,
    cause,
  });
}
