import { hash } from 'node:crypto';
import { join } from 'node:path';
import { randomToken } from '../../support/crypto.js';
import { PRIVATE_MODE } from '../../support/files.js';
import { replaceFile } from '../../support/replace-file.js';
import { readPrivateFile, TOKEN_SCOPES, unusable, withLockedFile } from '../tokens/token-store.js';
import type { Holder } from './gate.js';

const TOKEN = /^[\w-]{43,}$/u;

/** @param stateDir absolute path */
export function tokenFile(stateDir: string): string {
  return join(stateDir, 'mcp-token');
}

/**
 * Reads the bearer token of programs on this machine, creating it if necessary. Refuses a file that others can read,
 * since the token may be known. The path of the file is shown instead of the token.
 *
 * @throws SvcError MCP_TOKEN_UNUSABLE; the signal's reason
 */
export async function loadToken(stateDir: string, signal: AbortSignal) {
  const file = tokenFile(stateDir);
  // Two servers starting together must use the same token.
  return withLockedFile(file, signal, async () => {
    const value = readToken(file);
    if (value !== undefined) return { file, value };
    const created = randomToken();
    replaceFile(file, `${created}\n`, PRIVATE_MODE);
    return { file, value: created };
  });
}

const NEW_ONE = 'delete it; the next start creates a new one';

function readToken(file: string): string | undefined {
  const value = readPrivateFile(file, NEW_ONE)?.trim();
  if (value === undefined || TOKEN.test(value)) return value;
  throw unusable(file, 'it does not contain a token', NEW_ONE);
}

/** Programs on this machine, which can do everything with the memory that the server was started with. */
export function localHolder({ value }: { readonly value: string }): Holder {
  return {
    name: 'local',
    agent: null,
    scopes: [...TOKEN_SCOPES],
    sessionKey: null,
    chatType: null,
    channel: null,
    hash: hash('sha256', value),
  };
}
