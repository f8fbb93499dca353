import { readdirSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { messageOf, SvcError, systemErrorCode, systemReason } from '../../errors/index.js';
import { ifThere, READ, requireFile } from '../../support/files.js';
import { writeJsonFile } from '../../support/json-file.js';
import { TEMPORARY_ENDING } from '../../support/replace-file.js';
import { parsedJson, shellWord } from '../../support/text.js';
import { authFolder, loginFile, tokenCacheFile } from './auth-files.js';

/** The login that `svc provider login github-copilot` stores. */
const storedLogin = z.object({
  /** The user's GitHub token; never shown. */
  token: z.string(),
  /** The account name, if known. */
  account: z.optional(z.string()),
  /** The API the token belongs to; it is sent nowhere else. */
  apiUrl: z.string(),
});
export type StoredLogin = Readonly<z.infer<typeof storedLogin>>;

/** @throws SvcError SECRET_UNRESOLVED if the file is damaged or readable by others */
export async function readStoredLogin(stateDir: string): Promise<StoredLogin | undefined> {
  const file = loginFile(stateDir);
  const json = await readPrivateJson(file);
  if (json === undefined) return undefined;
  const { data } = storedLogin.safeParse(json);
  if (data !== undefined) return data;
  throw new SvcError('SECRET_UNRESOLVED', `${file} does not contain a login`, {
    hint: 'run "svc provider login github-copilot" to sign in again',
  });
}

/** Stores a login, replacing the previous one. @throws SvcError PROVIDER_LOGIN_FAILED */
export function storeLogin(stateDir: string, login: StoredLogin): void {
  const file = loginFile(stateDir);
  try {
    writeJsonFile(file, login);
  } catch (cause) {
    throw new SvcError('PROVIDER_LOGIN_FAILED', `cannot write ${file}: ${systemReason(cause)}`, {
      hint: "check the folder's permissions and free space, then sign in again",
      cause,
    });
  }
}

/**
 * Deletes the login, its cached token, and temporary files of a killed process.
 *
 * @throws SvcError PROVIDER_LOGIN_FAILED
 */
export async function deleteLogin(stateDir: string): Promise<void> {
  const folder = authFolder(stateDir);
  try {
    const names = ifThere(() => readdirSync(folder)) ?? [];
    const leftovers = names.filter((name) => name.endsWith(TEMPORARY_ENDING));
    const temporary = leftovers.map((name) => join(folder, name));
    for (const file of [...temporary, tokenCacheFile(stateDir), loginFile(stateDir)]) {
      await rm(file, { force: true });
    }
  } catch (cause) {
    throw new SvcError('PROVIDER_LOGIN_FAILED', `cannot delete the login: ${messageOf(cause)}`, {
      hint: `delete the folder ${folder}`,
      cause,
    });
  }
}

/**
 * Reads a JSON file with a secret; undefined if it does not exist.
 *
 * @throws SvcError SECRET_UNRESOLVED if it is damaged or readable by others
 */
export async function readPrivateJson(file: string): Promise<unknown> {
  const text = await readPrivate(file);
  if (text === undefined) return undefined;
  const value = parsedJson(text);
  if (value !== undefined) return value;
  // The parser's message would quote the content.
  throw new SvcError('SECRET_UNRESOLVED', `${file} is damaged`, {
    hint: `delete ${file}, then sign in again: "svc provider login github-copilot"`,
  });
}

async function readPrivate(file: string): Promise<string | undefined> {
  try {
    const handle = await open(file, READ);
    try {
      // Checks the opened file, so that it cannot be swapped in between.
      const stats = await handle.stat();
      requireFile(stats);
      if (process.platform !== 'win32' && (stats.mode & FOR_OTHERS) !== 0) {
        throw new SvcError('SECRET_UNRESOLVED', `${file} is readable by other users`, {
          hint: `chmod 600 ${shellWord(file)}`,
        });
      }
      return await handle.readFile('utf8');
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof SvcError) throw error;
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new SvcError('SECRET_UNRESOLVED', `cannot read ${file}: ${systemReason(error)}`, {
      hint: 'check the permissions of the file and its folder',
      cause: error,
    });
  }
}

const FOR_OTHERS = 0o077;
