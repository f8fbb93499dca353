import type { Clock } from '../../context.js';
import { type ExplainStatus, sendRequest } from '../http/http-client.js';
import { parseAnswer } from '../http/parse-answer.js';
import { jsonAt, messageIn } from '../http/status-fault.js';
import { broken } from '../read-vectors.js';
import type { BatchCall } from '../vendor.js';
import { defaultCopilotUrl, isTrustworthy } from './github-hosts.js';

/** What the Copilot API takes for a while in place of GitHub's own token. */
export interface CopilotToken {
  /** Never shown. */
  readonly value: string;
  /** Base URL of the API that it is for, without a slash at the end. */
  readonly url: string;
  /** When it is worth no more, by the clock of this machine; milliseconds since the epoch. */
  readonly expiresMs: number;
}

/**
 * What Copilot's services want to know of who asks; without them they answer 400 (sources of
 * GitHub's own client, microsoft/vscode-copilot-chat).
 */
export const EDITOR_HEADERS = {
  'editor-version': 'vscode/1.96.2',
  'editor-plugin-version': 'copilot-chat/0.26.7',
  'copilot-integration-id': 'vscode-chat',
  'user-agent': 'GitHubCopilotChat/0.26.7',
  'x-github-api-version': '2025-04-01',
} as const;

/** Added to `refresh_in`, as GitHub's own client has it. */
const GRACE_MS = 60_000;

/**
 * Exchanges a GitHub token for one of Copilot's: `GET /copilot_internal/v2/token`.
 *
 * The end of its life is counted from here on and not taken from `expires_at`: clocks are wrong.
 *
 * @param apiUrl GitHub's API
 * @throws VendorFault, or the signal's reason
 */
export async function exchangeToken(
  githubToken: string,
  apiUrl: string,
  clock: Clock,
  { signal, timeoutMs, pacing }: BatchCall,
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
  );
  const body = parseAnswer(answer);
  const value = jsonAt(body, 'token');
  const refreshIn = jsonAt(body, 'refresh_in');
  if (typeof value !== 'string' || typeof refreshIn !== 'number') {
    throw broken('it holds no Copilot token');
  }
  return {
    value,
    url: copilotUrl(jsonAt(body, 'endpoints', 'api'), value) ?? defaultCopilotUrl(apiUrl),
    expiresMs: clock.now() + refreshIn * 1000 + GRACE_MS,
  };
}

/** The plan of the account decides the host: named in the answer, in older ones inside the token. */
function copilotUrl(named: unknown, token: string): string | undefined {
  const proxy = /(?:^|;)proxy-ep=([^;]+)/u.exec(token)?.[1];
  const inToken = proxy === undefined ? undefined : `https://${proxy.replace(/^proxy\./u, 'api.')}`;
  const found = [named, inToken].find((url) => typeof url === 'string' && isTrustworthy(url));
  return typeof found === 'string' ? found.replace(/\/+$/u, '') : undefined;
}

const SIGN_IN =
  'sign in with "svc provider login github-copilot", or set COPILOT_GITHUB_TOKEN to a token of an account with Copilot';

/** GitHub's words for a refusal: `{message, error_details: {message, title, url}}`. */
const explainExchange: ExplainStatus = ({ status, body }) => {
  const message = jsonAt(body, 'message');
  if (typeof message === 'string' && message.startsWith('API rate limit exceeded')) {
    return { kind: 'rate' };
  }
  if (status === 401) return { hint: SIGN_IN };
  if (status === 404) {
    return {
      kind: 'auth',
      message: 'GitHub gives no Copilot token for this GitHub token',
      hint: `tokens that a person makes by hand are not taken; ${SIGN_IN}`,
    };
  }
  if (status !== 403) return {};
  const details = jsonAt(body, 'error_details');
  const [why, url] = [messageIn(details), jsonAt(details, 'url')];
  return {
    ...(why === undefined ? {} : { message: why }),
    hint: `check the Copilot plan of the account: ${typeof url === 'string' ? url : 'https://github.com/settings/copilot'}`,
  };
};
