import type { EngineContext } from '../../context.js';
import { SvcError } from '../../errors/index.js';
import { sendRequest } from '../http/http-client.js';
import { parseAnswer } from '../http/parse-answer.js';
import { jsonAt } from '../http/status-fault.js';
import type { LoginOutput } from '../output-schemas.js';
import { asProviderError } from '../provider-error.js';
import { INTERACTIVE, ONCE, Pacer } from '../requests/pacer.js';
import type { BatchCall } from '../vendor.js';
import { isTransient, VendorFault } from '../vendor-fault.js';
import { loginFile } from './auth-files.js';
import { exchangeToken } from './copilot-token.js';
import { type LoginEvent, signInByDevice } from './device-flow.js';
import { type GithubHosts, githubHosts } from './github-hosts.js';
import { providerWithLogin } from './key-places.js';
import { storeLogin } from './stored-login.js';
import { writeCachedToken } from './token-cache.js';

/** What a login needs. */
export interface LoginOptions {
  /** Id of the provider, or its kind. */
  readonly provider: string;
  /** Of an OAuth app at GitHub; svc has none of its own. */
  readonly clientId: string | undefined;
  /** Another GitHub than github.com. */
  readonly githubUrl: string | undefined;
  readonly githubApiUrl: string | undefined;
  readonly signal: AbortSignal;
  readonly onEvent: (event: LoginEvent) => void;
}

const TIMEOUT_MS = 30_000;

/**
 * Signs in to a provider and keeps the login for searches and syncs to come.
 *
 * The login is tried before it is kept, so that one that is refused never replaces one that works.
 * When the try fails for a passing reason it is kept all the same: the person has typed the code.
 *
 * @throws SvcError PROVIDER_*, USAGE; the signal's reason
 */
export async function login(context: EngineContext, options: LoginOptions): Promise<LoginOutput> {
  const provider = providerWithLogin(options.provider);
  const hosts = githubHosts({ webUrl: options.githubUrl, apiUrl: options.githubApiUrl });
  const clientId = options.clientId ?? '';
  if (clientId === '') throw noClientId(hosts);
  const { signal, onEvent } = options;
  const { clock, state } = context;
  const file = loginFile(state.stateDir);
  const pacer = new Pacer(
    () => performance.now(),
    () => 0.5,
  );
  const pacing = pacer.pacing(INTERACTIVE, () => undefined);
  const call: BatchCall = { signal, timeoutMs: TIMEOUT_MS, pacing };
  const explained = (error: unknown, endpoint: string): unknown =>
    asProviderError(error, { provider, model: undefined, endpoint, keySource: undefined });

  const token = await signInByDevice({
    clientId,
    webUrl: hosts.webUrl,
    clock,
    signal,
    pacing,
    onEvent,
  }).catch((error: unknown) => {
    throw explained(error, hosts.webUrl);
  });
  const once = pacer.pacing(ONCE, () => undefined);
  const account = await accountOf(token, hosts, { ...call, pacing: once });
  const kept = { token, apiUrl: hosts.apiUrl, ...(account === undefined ? {} : { account }) };
  try {
    const exchanged = await exchangeToken(token, hosts.apiUrl, clock, call);
    storeLogin(state.stateDir, kept);
    writeCachedToken(state.stateDir, { githubToken: token, apiUrl: hosts.apiUrl }, exchanged);
  } catch (error) {
    if (!(error instanceof VendorFault) || !isTransient(error))
      throw explained(error, hosts.apiUrl);
    storeLogin(state.stateDir, kept);
    const hint = `the login is kept in ${file}; "svc provider test ${provider}" tries it again`;
    throw explained(new VendorFault({ ...error.details, hint }, { cause: error }), hosts.apiUrl);
  }
  return { provider, ...(account === undefined ? {} : { account }), file };
}

/** The person's name, for people; a login is none the worse without it. */
async function accountOf(
  token: string,
  { apiUrl }: GithubHosts,
  call: BatchCall,
): Promise<string | undefined> {
  try {
    const headers = { accept: 'application/json', authorization: `token ${token}` };
    const answer = await sendRequest({ ...call, method: 'GET', url: `${apiUrl}/user`, headers });
    const name = jsonAt(parseAnswer(answer), 'login');
    return typeof name === 'string' ? name : undefined;
  } catch (error) {
    if (error instanceof VendorFault) return undefined;
    throw error;
  }
}

function noClientId({ webUrl }: GithubHosts): SvcError {
  return new SvcError(
    'PROVIDER_NOT_SET_UP',
    'signing in needs the client id of an OAuth app at GitHub, and svc has none of its own',
    {
      hint: `register an app with "Enable Device Flow" at ${webUrl}/settings/developers and give --github-client-id or SVC_GITHUB_CLIENT_ID; or set COPILOT_GITHUB_TOKEN, as with $(gh auth token), and do without a login`,
    },
  );
}
