import { hash } from 'node:crypto';
import * as z from 'zod/mini';
import { skipSvcError } from '../../errors/index.js';
import type { Clock } from '../../support/context.js';
import { writeJsonFile } from '../../support/json-file.js';
import { type ExplainStatus, parseAnswer, sendRequest } from '../http/http-client.js';
import { jsonAt, messageIn, numberAt, textAt } from '../http/status-fault.js';
import { broken } from '../read-vectors.js';
import type { VendorCall } from '../vendor.js';
import { shownAddress, VendorFault, withoutEndSlashes } from '../vendor-fault.js';
import { tokenCacheFile } from './auth-files.js';
import { defaultCopilotUrl, isTrustworthy } from './github-hosts.js';
import { readPrivateJson } from './stored-login.js';

const cachedToken = z.object({
  /** See nameOf. */
  owner: z.string(),
  /** Never shown. */
  value: z.string(),
  /** Base URL of its API, without trailing slash. */
  url: z.string(),
  /** Expiry by this machine's clock, since the epoch. */
  expiresMs: z.number(),
  /** The embedding model found with it, so that later searches need not ask. */
  model: z.optional(z.object({ id: z.string(), maxInputs: z.number() })),
});

/** A short-lived token for the Copilot API. */
export type CopilotToken = Readonly<Omit<z.infer<typeof cachedToken>, 'owner'>>;
/** The embedding model available to the account. */
export type CopilotModel = NonNullable<CopilotToken['model']>;

/**
 * Client identification, without which Copilot answers 400 (from GitHub's own client,
 * microsoft/vscode-copilot-chat).
 */
export const EDITOR_HEADERS = {
  'editor-version': 'vscode/1.96.2',
  'editor-plugin-version': 'copilot-chat/0.26.7',
  'copilot-integration-id': 'vscode-chat',
  'user-agent': 'GitHubCopilotChat/0.26.7',
  'x-github-api-version': '2025-04-01',
} as const;

/** Added to `refresh_in`, as in GitHub's own client. */
const GRACE_MS = 60_000;

/**
 * Exchanges a GitHub token for a Copilot token: `GET /copilot_internal/v2/token`.
 *
 * The expiry is counted from now instead of taken from `expires_at`, since clocks differ.
 *
 * @param apiUrl GitHub's API
 * @throws VendorFault, or the signal's reason
 */
export async function exchangeToken(
  githubToken: string,
  apiUrl: string,
  clock: Clock,
  { signal, timeoutMs, pacing }: VendorCall,
): Promise<CopilotToken> {
  const answer = await sendRequest(
    {
      signal,
      timeoutMs,
      pacing,
      method: 'GET',
      url: `${apiUrl}/copilot_internal/v2/token`,
      headers: {
        ...EDITOR_HEADERS,
        accept: 'application/json',
        authorization: `token ${githubToken}`,
      },
    },
    explainExchange,
  ).catch((error: unknown) => {
    throw unreachableNamed(error, apiUrl);
  });
  const body = parseAnswer(answer);
  const value = textAt(body, 'token');
  const refreshIn = numberAt(body, 'refresh_in');
  if (value === undefined || refreshIn === undefined) {
    throw broken('it has no Copilot token');
  }
  return {
    value,
    url: copilotUrl(jsonAt(body, 'endpoints', 'api'), value) ?? defaultCopilotUrl(apiUrl),
    expiresMs: clock.now() + refreshIn * 1000 + GRACE_MS,
  };
}

/** The usual hint names the address of Copilot, which has not been asked yet. */
function unreachableNamed(error: unknown, apiUrl: string): unknown {
  if (!(error instanceof VendorFault) || error.details.hint !== undefined) return error;
  const { kind } = error.details;
  if (kind !== 'network' && kind !== 'timeout') return error;
  return error.with({ hint: `check that ${shownAddress(apiUrl)} is reachable` });
}

/** The account's plan determines the host: in the answer, or in older ones inside the token. */
function copilotUrl(named: unknown, token: string): string | undefined {
  const proxy = /(?:^|;)proxy-ep=([^;]+)/u.exec(token)?.[1];
  const inToken = proxy === undefined ? undefined : `https://${proxy.replace(/^proxy\./u, 'api.')}`;
  const found = [named, inToken].find((url) => typeof url === 'string' && isTrustworthy(url));
  return typeof found === 'string' ? withoutEndSlashes(found) : undefined;
}

const SIGN_IN =
  'sign in with "svc provider login github-copilot", or set COPILOT_GITHUB_TOKEN to a token of an account with Copilot';

/** Error bodies: `{message, error_details: {message, title, url}}`. */
const explainExchange: ExplainStatus = ({ status, body }) => {
  if (textAt(body, 'message')?.startsWith('API rate limit exceeded')) return { kind: 'rate' };
  if (status === 401) return { hint: SIGN_IN };
  if (status === 404) {
    return {
      kind: 'auth',
      message: 'GitHub issues no Copilot token for this GitHub token',
      hint: `personal access tokens are not accepted; ${SIGN_IN}`,
    };
  }
  if (status !== 403) return {};
  const details = jsonAt(body, 'error_details');
  const why = messageIn(details);
  return {
    ...(why === undefined ? {} : { message: why }),
    hint: `check the account's Copilot plan: ${textAt(details, 'url') ?? 'https://github.com/settings/copilot'}`,
  };
};

/** The GitHub token that was exchanged, and where. */
export interface TokenOwner {
  readonly githubToken: string;
  readonly apiUrl: string;
}

/** The owner's cached token, perhaps expired; undefined if there is none. */
export async function readCachedToken(
  stateDir: string,
  owner: TokenOwner,
): Promise<CopilotToken | undefined> {
  // One that is damaged or readable by others is replaced.
  const cached = await readPrivateJson(tokenCacheFile(stateDir)).catch(skipSvcError);
  const { data } = cachedToken.safeParse(cached);
  return data?.owner === nameOf(owner) ? data : undefined;
}

/** Caches a token; if that fails, the next process exchanges again. */
export function writeCachedToken(stateDir: string, owner: TokenOwner, token: CopilotToken): void {
  try {
    writeJsonFile(tokenCacheFile(stateDir), { owner: nameOf(owner), ...token });
  } catch {
    // A full or read-only disk must not fail a search.
  }
}

/** Identifies an owner without storing the GitHub token. */
function nameOf({ githubToken, apiUrl }: TokenOwner): string {
  return hash('sha256', `${apiUrl}\0${githubToken}`);
}
