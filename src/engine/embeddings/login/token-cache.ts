import { createHash } from 'node:crypto';
import { SvcError } from '../../errors/index.js';
import { jsonAt } from '../http/status-fault.js';
import { tokenCacheFile } from './auth-files.js';
import type { CopilotToken } from './copilot-token.js';
import { readPrivateJson, writePrivateJson } from './private-json.js';

/** Whose token it is. */
export interface TokenOwner {
  readonly githubToken: string;
  /** The GitHub it was exchanged at. */
  readonly apiUrl: string;
}

/** The embedding model that the account may use, as Copilot's list had it. */
export interface CopilotModel {
  readonly id: string;
  readonly maxInputs: number;
}

/** A token with what was learnt by it: a search does not ask again as long as it holds. */
export interface CachedToken extends CopilotToken {
  readonly model?: CopilotModel | undefined;
}

/** The kept token of this owner, expired or not; undefined when there is none that can be used. */
export async function readCachedToken(
  stateDir: string,
  owner: TokenOwner,
): Promise<CachedToken | undefined> {
  try {
    const json = await readPrivateJson(tokenCacheFile(stateDir));
    return jsonAt(json, 'owner') === nameOf(owner) ? tokenIn(json) : undefined;
  } catch (error) {
    // Damaged, or open to others: a new one takes its place.
    if (error instanceof SvcError) return undefined;
    throw error;
  }
}

function tokenIn(json: unknown): CachedToken | undefined {
  const [value, url, expiresMs] = ['value', 'url', 'expiresMs'].map((name) => jsonAt(json, name));
  if (typeof value !== 'string' || typeof url !== 'string' || typeof expiresMs !== 'number') {
    return undefined;
  }
  const [id, maxInputs] = [jsonAt(json, 'model', 'id'), jsonAt(json, 'model', 'maxInputs')];
  const known = typeof id === 'string' && typeof maxInputs === 'number';
  return { value, url, expiresMs, ...(known ? { model: { id, maxInputs } } : {}) };
}

/** Keeps a token; where that is not possible, the next process exchanges again. */
export function writeCachedToken(stateDir: string, owner: TokenOwner, token: CachedToken): void {
  try {
    writePrivateJson(tokenCacheFile(stateDir), { owner: nameOf(owner), ...token });
  } catch {
    // No room, or a folder for reading only: no reason to fail a search.
  }
}

/** Tells owners apart without holding their tokens. */
function nameOf({ githubToken, apiUrl }: TokenOwner): string {
  return createHash('sha256').update(`${apiUrl}\0${githubToken}`).digest('hex');
}
