import { join } from 'node:path';

/*
 * Apart from what reads them: choosing a provider asks whether a login is there, at every search.
 */

/** Where logins and what is made of them are kept. @param stateDir absolute path of the state folder */
export function authFolder(stateDir: string): string {
  return join(stateDir, 'auth');
}

/** Where the login is kept. */
export function loginFile(stateDir: string): string {
  return join(authFolder(stateDir), 'github-copilot.json');
}

/** Where the token of the last exchange is kept; may be deleted at any time. */
export function tokenCacheFile(stateDir: string): string {
  return join(authFolder(stateDir), 'github-copilot-token.json');
}
