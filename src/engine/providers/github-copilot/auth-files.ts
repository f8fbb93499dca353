import { join } from 'node:path';

/* Separate from the code that reads these files: every search checks whether a login exists. */

/** @param stateDir absolute path */
export function authFolder(stateDir: string): string {
  return join(stateDir, 'auth');
}

export function loginFile(stateDir: string): string {
  return join(authFolder(stateDir), 'github-copilot.json');
}

/** The cached Copilot token; can be deleted at any time. */
export function tokenCacheFile(stateDir: string): string {
  return join(authFolder(stateDir), 'github-copilot-token.json');
}
