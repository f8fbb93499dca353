import { hash, timingSafeEqual } from 'node:crypto';
import { lstatSync, readFileSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { messageOf, SvcError, systemReason } from '../../errors/index.js';
import { field } from '../../errors/output-schema.js';
import { currentUser } from '../../secrets/index.js';
import { withProcessLock } from '../../sqlite/process-lock.js';
import type { Clock } from '../../support/context.js';
import { randomToken } from '../../support/crypto.js';
import { fileStamp, PRIVATE_MODE } from '../../support/files.js';
import { replaceFile } from '../../support/replace-file.js';
import { nameHint, shellWord } from '../../support/text.js';
import { iso } from '../../support/time.js';

/** What a token allows: `search` is memory_search; `read` is the other tools that read, and the resources; `write` is memory_add. */
export const TOKEN_SCOPES = ['search', 'read', 'write'] as const;
/** Unless its creator says otherwise. */
export const READING_SCOPES = ['search', 'read'] as const;

/** What is stored of a token and printed. */
export const tokenFields = {
  name: field.text('Its name, which the audit log shows.'),
  agent: field.textOrNull(
    'The agent whose memory it opens; `null` is the one that the server was started with.',
  ),
  scopes: field(
    z.array(z.enum(TOKEN_SCOPES)),
    'What it allows: `search` is `memory_search`, `read` is `memory_get`, `memory_recent`, `memory_links` and the resources.',
  ),
  sessionKey: field.textOrNull(
    'The conversation that its holder takes part in; that of the server if this, `chatType` and `channel` are `null`.',
  ),
  chatType: field(
    z.nullable(z.enum(['direct', 'group', 'channel', 'explicit'])),
    'Kind of that conversation; a direct one if only `channel` is not `null`.',
  ),
  channel: field.textOrNull('Channel of that conversation.'),
  createdAt: field.time('When it was created.'),
  expiresAt: field.timeOrNull('When it expires; `null` is never.'),
};

const tokenSchema = z.strictObject({
  ...tokenFields,
  /** SHA-256 in hexadecimal: a token is 256 random bits, so guessing from it is hopeless. */
  hash: z.string().check(z.regex(/^[0-9a-f]{64}$/u)),
});

const fileSchema = z.strictObject({ version: z.literal(1), tokens: z.array(tokenSchema) });

/** A token that lets a client on another machine connect. The token itself is not stored. */
export type McpToken = Readonly<z.infer<typeof tokenSchema>>;

/** What its creator decides. */
export type NewToken = Pick<McpToken, 'agent' | 'channel' | 'chatType' | 'name' | 'sessionKey'> & {
  readonly scopes: readonly McpToken['scopes'][number][];
  /** Undefined never expires. */
  readonly lifetimeMs: number | undefined;
};

/** @param stateDir absolute path */
export function tokensFile(stateDir: string): string {
  return join(stateDir, 'mcp-tokens.json');
}

/** @throws SvcError MCP_TOKEN_UNUSABLE */
export function readTokens(stateDir: string): readonly McpToken[] {
  const file = tokensFile(stateDir);
  const text = readPrivateFile(file, RESTORE, `run: chmod 600 ${shellWord(file)}`);
  if (text === undefined) return [];
  try {
    return fileSchema.parse(JSON.parse(text)).tokens;
  } catch (cause) {
    throw unusable(file, 'it is damaged', RESTORE, cause);
  }
}

const RESTORE = 'restore it from a backup, or delete it and create the tokens again';

export function isExpired({ expiresAt }: Pick<McpToken, 'expiresAt'>, nowMs: number): boolean {
  return expiresAt !== null && Date.parse(expiresAt) <= nowMs;
}

/** Lets people and scanners recognize a token that leaked. */
const PREFIX = 'svc_mcp_';
const NAME = /^[A-Za-z0-9][\w.@-]{0,63}$/u;
/** Each request is compared with all of them. */
const MOST_TOKENS = 1000;

/**
 * Creates a token. Its value exists only in the result.
 *
 * @throws SvcError USAGE, MCP_TOKEN_EXISTS, MCP_TOKEN_UNUSABLE
 */
export async function createToken(
  { lifetimeMs, ...properties }: NewToken,
  { stateDir, nowMs, signal }: StoreContext,
): Promise<{ readonly token: McpToken; readonly value: string }> {
  if (!NAME.test(properties.name)) {
    throw new SvcError('USAGE', `invalid token name ${JSON.stringify(properties.name)}`, {
      hint: 'use at most 64 letters, digits, _, ., @ and -, such as ada-laptop',
    });
  }
  const value = PREFIX + randomToken();
  const token: McpToken = {
    ...properties,
    scopes: TOKEN_SCOPES.filter((scope) => properties.scopes.includes(scope)),
    createdAt: iso(nowMs),
    expiresAt: lifetimeMs === undefined ? null : iso(nowMs + lifetimeMs),
    hash: hash('sha256', value),
  };
  await change({ stateDir, nowMs, signal }, (tokens) => {
    const { name } = token;
    if (tokens.some((other) => other.name === name)) {
      throw new SvcError('MCP_TOKEN_EXISTS', `there is a token ${JSON.stringify(name)} already`, {
        hint: `choose another name, or run "svc mcp token revoke ${name}" first`,
      });
    }
    if (tokens.length >= MOST_TOKENS) {
      throw new SvcError('USAGE', `there are ${MOST_TOKENS} tokens already`, {
        hint: 'revoke some of them with "svc mcp token revoke"',
      });
    }
    return [...tokens, token];
  });
  return { token, value };
}

/** @throws SvcError MCP_TOKEN_UNKNOWN, MCP_TOKEN_UNUSABLE */
export async function revokeToken(name: string, context: StoreContext): Promise<McpToken> {
  let revoked: McpToken | undefined;
  await change(context, (tokens) => {
    revoked = tokens.find((token) => token.name === name);
    return tokens.filter((token) => token !== revoked);
  });
  if (revoked !== undefined) return revoked;
  const known = readTokens(context.stateDir).map((token) => token.name);
  throw new SvcError('MCP_TOKEN_UNKNOWN', `token ${JSON.stringify(name)} not found`, {
    hint: nameHint(name, known, 'run "svc mcp token list" to see the names'),
  });
}

/** A token as shown: everything but its hash. */
export function tokenOutput({ hash: _, ...token }: McpToken, nowMs: number) {
  return { ...token, expired: isExpired(token, nowMs) };
}

interface StoreContext {
  readonly stateDir: string;
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

/** Reads, changes and replaces the file, while no other process does. */
async function change(
  { stateDir, signal }: StoreContext,
  apply: (tokens: readonly McpToken[]) => readonly McpToken[],
): Promise<void> {
  const file = tokensFile(stateDir);
  await withLockedFile(file, signal, async () => {
    const before = readTokens(stateDir);
    const tokens = apply(before);
    if (tokens.length === before.length) return;
    replaceFile(file, `${JSON.stringify({ version: 1, tokens }, null, 2)}\n`, PRIVATE_MODE);
  });
}

/** Works with a file while no other process does. @throws SvcError MCP_TOKEN_UNUSABLE; the signal's reason */
export async function withLockedFile<T>(
  file: string,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await withProcessLock(`${file}.lock`, { signal }, work);
  } catch (cause) {
    throw signal.aborted ? cause : asUnusable(file, cause);
  }
}

/** The entry with the hash of a token; compares all of them in constant time. */
export function withHash<T extends { readonly hash: string }>(
  entries: readonly T[],
  token: string,
): T | undefined {
  const expected = Buffer.from(hash('sha256', token));
  let found: T | undefined;
  for (const entry of entries) {
    if (timingSafeEqual(Buffer.from(entry.hash), expected)) found = entry;
  }
  return found;
}

/** No file of tokens is nearly as large. */
const MAX_BYTES = 1024 * 1024;

/**
 * Reads a file with tokens or their hashes. Refuses one that other users could have read or written.
 *
 * @param hint what to do about a file that is refused
 * @param exposedHint the same, if only its permissions are wrong
 * @returns undefined if there is no file
 * @throws SvcError MCP_TOKEN_UNUSABLE
 */
export function readPrivateFile(
  file: string,
  hint: string,
  exposedHint = hint,
): string | undefined {
  try {
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    const fault = faultOf(stats);
    if (fault !== undefined) throw unusable(file, fault, hint);
    if (isExposed(stats)) throw unusable(file, 'it is readable by other users', exposedHint);
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw asUnusable(file, cause);
  }
}

function faultOf(stats: Stats): string | undefined {
  if (!stats.isFile()) return 'it is not a regular file';
  if (stats.size > MAX_BYTES) return 'it is too large';
  const user = currentUser();
  return user === undefined || stats.uid === user ? undefined : 'it belongs to another user';
}

function isExposed({ mode }: Stats): boolean {
  // Without file owners, the folder's permissions have to do.
  return currentUser() !== undefined && (mode & 0o077) !== 0;
}

export function unusable(file: string, why: string, hint: string, cause?: unknown): SvcError {
  return new SvcError('MCP_TOKEN_UNUSABLE', `cannot use the token file ${file}: ${why}`, {
    hint,
    cause,
  });
}

/** A system error as one that names the file. */
function asUnusable(file: string, cause: unknown): SvcError {
  if (cause instanceof SvcError) return cause;
  const hint = 'check the permissions of the file and its folder, and the free disk space';
  return unusable(file, systemReason(cause), hint, cause);
}

/**
 * The valid tokens of a running server. A changed file is read again before the next answer.
 *
 * @param onProblem called when the file cannot be used; until it can, no token is valid
 */
export function liveTokens(stateDir: string, clock: Clock, onProblem: (why: string) => void) {
  let seen: string | undefined;
  let tokens: readonly McpToken[] = [];
  return (): readonly McpToken[] => {
    const now = fileStamp([tokensFile(stateDir)]);
    if (now !== seen) {
      seen = now;
      try {
        tokens = readTokens(stateDir);
      } catch (error) {
        tokens = [];
        onProblem(messageOf(error));
      }
    }
    const nowMs = clock.now();
    return tokens.filter((token) => !isExpired(token, nowMs));
  };
}
