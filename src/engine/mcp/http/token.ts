import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import { SvcError, systemErrorCode } from '../../errors/index.js';
import { currentUser } from '../../secrets/index.js';
import { withProcessLock } from '../../sqlite/process-lock.js';
import { PRIVATE_MODE, replaceFile } from '../../support/files.js';

/** The bearer token and its file. */
export interface HttpToken {
  /** Absolute path; shown instead of the token. */
  readonly file: string;
  readonly value: string;
}

const TOKEN_BYTES = 32;
const TOKEN = /^[\w-]{43,}$/u;

/** @param stateDir absolute path */
export function tokenFile(stateDir: string): string {
  return join(stateDir, 'mcp-token');
}

/**
 * Reads the token, creating it if necessary. Refuses a file that others can read, since the token
 * may be known.
 *
 * @throws SvcError MCP_TOKEN_UNUSABLE; the signal's reason
 */
export async function loadToken(stateDir: string, signal: AbortSignal): Promise<HttpToken> {
  const file = tokenFile(stateDir);
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // Two servers starting together must use the same token.
    return await withProcessLock(`${file}.lock`, { signal }, async () => {
      const stats = lstatSync(file, { throwIfNoEntry: false });
      if (stats !== undefined) return { file, value: readToken(file, stats) };
      const value = randomBytes(TOKEN_BYTES).toString('base64url');
      replaceFile(file, `${value}\n`, PRIVATE_MODE);
      return { file, value };
    });
  } catch (cause) {
    if (signal.aborted || cause instanceof SvcError) throw cause;
    const why = systemErrorCode(cause) ?? 'unknown error';
    throw new SvcError('MCP_TOKEN_UNUSABLE', `cannot use the token file ${file}: ${why}`, {
      hint: 'check the permissions of the file and its folder',
      cause,
    });
  }
}

const NEW_ONE = 'delete it; the next start creates a new one';

function readToken(file: string, stats: Stats): string {
  const fault = faultOf(stats);
  if (fault !== undefined) throw unusable(file, fault, NEW_ONE);
  const value = readFileSync(file, 'utf8').trim();
  if (!TOKEN.test(value)) throw unusable(file, 'it does not contain a token', NEW_ONE);
  return value;
}

function faultOf(stats: Stats): string | undefined {
  if (!stats.isFile()) return 'it is not a regular file';
  const user = currentUser();
  // Without file owners, the folder's permissions have to do.
  if (user === undefined) return undefined;
  if (stats.uid !== user) return 'it belongs to another user';
  return (stats.mode & 0o077) === 0 ? undefined : 'it is readable by other users';
}

function unusable(file: string, why: string, hint: string): SvcError {
  return new SvcError('MCP_TOKEN_UNUSABLE', `cannot use the token file ${file}: ${why}`, {
    hint,
  });
}

/** Checks an `Authorization` header in constant time. */
export function bringsToken(authorization: string | undefined, { value }: HttpToken): boolean {
  const given = /^Bearer +(?<token>\S+) *$/iu.exec(authorization ?? '')?.groups?.['token'];
  return given !== undefined && timingSafeEqual(digest(given), digest(value));
}

/** Hashes have equal length. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
