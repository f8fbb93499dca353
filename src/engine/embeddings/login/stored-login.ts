import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SvcError, systemErrorCode } from '../../errors/index.js';
import { TEMPORARY_ENDING } from '../../replace-file.js';
import { jsonAt } from '../http/status-fault.js';
import { authFolder, loginFile, tokenCacheFile } from './auth-files.js';
import { readPrivateJson, writePrivateJson } from './private-json.js';

/** A person's login, as `svc provider login github-copilot` keeps it. */
export interface StoredLogin {
  /** GitHub's token for the person; never shown. */
  readonly token: string;
  /** The person's name at GitHub, where it could be asked for. */
  readonly account?: string | undefined;
  /** The API the token is for; it is sent to no other. */
  readonly apiUrl: string;
}

/**
 * The stored login; undefined when there is none.
 *
 * @throws SvcError SECRET_UNRESOLVED when the file is damaged, or others may read it
 */
export async function readStoredLogin(stateDir: string): Promise<StoredLogin | undefined> {
  const file = loginFile(stateDir);
  const json = await readPrivateJson(file);
  if (json === undefined) return undefined;
  const [token, account, apiUrl] = ['token', 'account', 'apiUrl'].map((name) => jsonAt(json, name));
  if (typeof token === 'string' && typeof apiUrl === 'string') {
    return typeof account === 'string' ? { token, account, apiUrl } : { token, apiUrl };
  }
  throw new SvcError('SECRET_UNRESOLVED', `${file} holds no login`, {
    hint: 'sign in anew: svc provider login github-copilot',
  });
}

/** Keeps a login in place of the one before. @throws SvcError PROVIDER_LOGIN_FAILED */
export function storeLogin(stateDir: string, login: StoredLogin): void {
  const file = loginFile(stateDir);
  try {
    writePrivateJson(file, login);
  } catch (cause) {
    const code = systemErrorCode(cause) ?? 'unknown error';
    throw new SvcError('PROVIDER_LOGIN_FAILED', `${file} could not be written (${code})`, {
      hint: 'check the permissions of its folder and the free space, then sign in again',
      cause,
    });
  }
}

/**
 * Deletes the login and all that was made of it, also what a killed process left half-written.
 *
 * @throws SvcError PROVIDER_LOGIN_FAILED when the system does not let it
 */
export async function deleteLogin(stateDir: string): Promise<void> {
  const folder = authFolder(stateDir);
  try {
    const leftovers = (await entriesOf(folder)).filter((name) => name.endsWith(TEMPORARY_ENDING));
    const made = leftovers.map((name) => join(folder, name));
    for (const file of [...made, tokenCacheFile(stateDir), loginFile(stateDir)]) {
      await rm(file, { force: true });
    }
  } catch (cause) {
    const code = systemErrorCode(cause) ?? 'unknown error';
    throw new SvcError('PROVIDER_LOGIN_FAILED', `the login could not be deleted (${code})`, {
      hint: `delete the folder ${folder}`,
      cause,
    });
  }
}

async function entriesOf(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
