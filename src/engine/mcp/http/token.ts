import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import { SvcError, systemErrorCode } from '../../errors/index.js';
import { withProcessLock } from '../../process-lock.js';
import { PRIVATE_MODE, replaceFile } from '../../replace-file.js';
import { currentUser } from '../../secrets/path-safety.js';

/** What opens the server over HTTP, and where it is kept. */
export interface HttpToken {
  /** Absolute path; what people are shown instead of the token. */
  readonly file: string;
  readonly value: string;
}

const TOKEN_BYTES = 32;
const TOKEN = /^[\w-]{43,}$/u;

/** Where the token lies. @param stateDir absolute path */
export function tokenFile(stateDir: string): string {
  return join(stateDir, 'mcp-token');
}

/**
 * Reads the token, and makes it when there is none. The file is its owner's alone; one that others may
 * read is refused, because nobody can say who has read it.
 *
 * @throws SvcError MCP_TOKEN_UNUSABLE; the signal's reason
 */
export async function loadToken(stateDir: string, signal: AbortSignal): Promise<HttpToken> {
  const file = tokenFile(stateDir);
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // Two servers that start together shall have the same.
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
    throw new SvcError('MCP_TOKEN_UNUSABLE', `the token file ${file} cannot be used: ${why}`, {
      hint: 'check the permissions of the file and of its folder',
      cause,
    });
  }
}

const NEW_ONE = 'delete it: the next start makes a new one';

function readToken(file: string, stats: Stats): string {
  const fault = faultOf(stats);
  if (fault !== undefined) throw unusable(file, fault, NEW_ONE);
  const value = readFileSync(file, 'utf8').trim();
  if (!TOKEN.test(value)) throw unusable(file, 'it holds no token', NEW_ONE);
  return value;
}

function faultOf(stats: Stats): string | undefined {
  if (!stats.isFile()) return 'it is no regular file';
  const user = currentUser();
  // Where the system knows no owners, the folder's own protection has to do.
  if (user === undefined) return undefined;
  if (stats.uid !== user) return 'it belongs to another user';
  return (stats.mode & 0o077) === 0 ? undefined : 'other users may read it';
}

function unusable(file: string, why: string, hint: string): SvcError {
  return new SvcError('MCP_TOKEN_UNUSABLE', `the token file ${file} cannot be used: ${why}`, {
    hint,
  });
}

/** Whether an `Authorization` header brings the token; takes the same time for every wrong one. */
export function bringsToken(authorization: string | undefined, { value }: HttpToken): boolean {
  const given = /^Bearer +(?<token>\S+) *$/iu.exec(authorization ?? '')?.groups?.['token'];
  return given !== undefined && timingSafeEqual(digest(given), digest(value));
}

/** Of one length, whatever was given. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
