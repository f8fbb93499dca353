import { existsSync } from 'node:fs';
import { SvcError } from '../../errors/index.js';
import type { EngineContext } from '../../support/context.js';
import { parseAnswer, sendRequest } from '../http/http-client.js';
import { textAt } from '../http/status-fault.js';
import type { LoginOutput, LogoutOutput } from '../output-schemas.js';
import { asProviderError } from '../provider-error.js';
import { ADAPTER_IDS, type AdapterId, adapterOf, PROVIDERS } from '../registry.js';
import { createPacer, INTERACTIVE, ONCE } from '../requests/pacer.js';
import type { VendorCall } from '../vendor.js';
import { isTransient, VendorFault } from '../vendor-fault.js';
import { loginFile, tokenCacheFile } from './auth-files.js';
import { type LoginEvent, signInByDevice } from './device-flow.js';
import { type GithubHosts, githubHosts } from './github-hosts.js';
import { deleteLogin, storeLogin } from './stored-login.js';
import { exchangeToken, writeCachedToken } from './token.js';

export interface LoginOptions {
  readonly provider: string;
  /** Of an OAuth app; svc has none. */
  readonly clientId: string | undefined;
  /** GitHub Enterprise. */
  readonly githubUrl: string | undefined;
  readonly githubApiUrl: string | undefined;
  readonly signal: AbortSignal;
  readonly onEvent: (event: LoginEvent) => void;
}

const TIMEOUT_MS = 30_000;

/**
 * Signs in to a provider and stores the login.
 *
 * The login is tried before it is stored, so a refused one never replaces a working one. It is
 * stored anyway if the try fails temporarily: the user has entered the code.
 *
 * @throws SvcError PROVIDER_*, USAGE; the signal's reason
 */
export async function login(context: EngineContext, options: LoginOptions): Promise<LoginOutput> {
  const provider = providerWithLogin(options.provider);
  const hosts = githubHosts({ webUrl: options.githubUrl, apiUrl: options.githubApiUrl });
  const clientId = options.clientId ?? '';
  if (clientId === '') {
    const message = 'signing in needs the client ID of a GitHub OAuth app';
    throw new SvcError('PROVIDER_NOT_SET_UP', message, {
      hint: `register an app with "Enable Device Flow" at ${hosts.webUrl}/settings/developers and pass --github-client-id (SVC_GITHUB_CLIENT_ID); or set COPILOT_GITHUB_TOKEN instead of signing in, for example to $(gh auth token)`,
    });
  }
  const { signal, onEvent } = options;
  const { clock, state } = context;
  const file = loginFile(state.stateDir);
  const pacer = createPacer();
  const call = { signal, timeoutMs: TIMEOUT_MS, pacing: pacer.pacing(INTERACTIVE) };
  const explained = (error: unknown, endpoint: string): unknown => {
    const isStrange = error instanceof VendorFault && error.details.kind === 'answer';
    const hint = `check that ${endpoint} is GitHub or your GitHub Enterprise: --github-url and --github-api-url set it`;
    return asProviderError(isStrange ? error.with({ hint }) : error, { provider, endpoint });
  };

  const { webUrl } = hosts;
  const token = await signInByDevice({ ...call, clientId, webUrl, clock, onEvent }).catch(
    (error: unknown) => {
      throw explained(error, webUrl);
    },
  );
  const once = pacer.pacing(ONCE);
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
    const hint = `the login was saved to ${file}; test it with "svc provider test ${provider}"`;
    throw explained(error.with({ hint }), hosts.apiUrl);
  }
  return { provider, ...(account === undefined ? {} : { account }), file };
}

/** The account name, for display only. */
async function accountOf(
  token: string,
  { apiUrl }: GithubHosts,
  call: VendorCall,
): Promise<string | undefined> {
  try {
    const headers = { accept: 'application/json', authorization: `token ${token}` };
    const answer = await sendRequest({ ...call, method: 'GET', url: `${apiUrl}/user`, headers });
    return textAt(parseAnswer(answer), 'login');
  } catch (error) {
    if (error instanceof VendorFault) return undefined;
    throw error;
  }
}

/**
 * Deletes a stored login and its cached token. The token stays valid at GitHub: revoking it needs
 * the app's client secret.
 *
 * @param agree called with the absolute path of the login if there is something to delete
 * @throws SvcError PROVIDER_UNKNOWN, USAGE, PROVIDER_LOGIN_FAILED
 */
export async function logout(
  { state }: EngineContext,
  provider: string,
  agree: (file: string) => Promise<boolean>,
): Promise<LogoutOutput> {
  const id = providerWithLogin(provider);
  const file = loginFile(state.stateDir);
  const found = existsSync(file) || existsSync(tokenCacheFile(state.stateDir));
  if (!found) return { provider: id, file, outcome: 'none' };
  if (!(await agree(file))) return { provider: id, file, outcome: 'kept' };
  await deleteLogin(state.stateDir);
  return { provider: id, file, outcome: 'deleted' };
}

/** @throws SvcError PROVIDER_UNKNOWN, or USAGE if the provider has no login */
function providerWithLogin(name: string): AdapterId {
  const id = adapterOf(name);
  if (id === undefined) {
    const known = ADAPTER_IDS.filter((each) => PROVIDERS[each].key.loginFile !== undefined);
    throw new SvcError('PROVIDER_UNKNOWN', `unknown provider "${name}"`, {
      hint: `you can sign in to: ${known.join(', ')}`,
    });
  }
  const { loginFile: file, hint, variables } = PROVIDERS[id].key;
  if (file !== undefined) return id;
  const usual = `set ${variables[0]}, or models.providers.${id}.apiKey in the configuration`;
  throw new SvcError('USAGE', `${id} has no login`, { hint: hint ?? usual });
}
