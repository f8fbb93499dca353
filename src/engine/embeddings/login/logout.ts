import { existsSync } from 'node:fs';
import type { EngineContext } from '../../context.js';
import type { LogoutOutput } from '../output-schemas.js';
import { loginFile, tokenCacheFile } from './auth-files.js';
import { providerWithLogin } from './key-places.js';
import { deleteLogin } from './stored-login.js';

/** What logging out needs. */
export interface LogoutOptions {
  /** Id of the provider, or its kind. */
  readonly provider: string;
  /** Asked when there is something to delete. @param file absolute path of the login */
  readonly agree: (file: string) => Promise<boolean>;
}

/**
 * Deletes a stored login and what was made of it. GitHub is not told: only the app that signed the
 * person in could take the token back, with a secret that no command line has.
 *
 * @throws SvcError PROVIDER_UNKNOWN, USAGE, PROVIDER_LOGIN_FAILED
 */
export async function logout(
  { state }: EngineContext,
  { provider, agree }: LogoutOptions,
): Promise<LogoutOutput> {
  const id = providerWithLogin(provider);
  const file = loginFile(state.stateDir);
  const found = existsSync(file) || existsSync(tokenCacheFile(state.stateDir));
  if (!found) return { provider: id, file, outcome: 'none' };
  if (!(await agree(file))) return { provider: id, file, outcome: 'kept' };
  await deleteLogin(state.stateDir);
  return { provider: id, file, outcome: 'deleted' };
}
