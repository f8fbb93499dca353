import * as z from 'zod/mini';
import { SvcError } from '../../errors/index.js';
import { abortableSleep } from '../../support/async.js';
import type { Clock } from '../../support/context.js';
import { type ExplainStatus, parseAnswer, sendRequest } from '../http/http-client.js';
import { jsonAt, numberAt, textAt } from '../http/status-fault.js';
import { broken } from '../read-vectors.js';
import type { VendorCall } from '../vendor.js';
import { isTransient, VendorFault } from '../vendor-fault.js';
import { isTrustworthy } from './github-hosts.js';

export type LoginEvent =
  /** The user has to open the address and enter the code. */
  | {
      readonly type: 'code.issued';
      readonly userCode: string;
      readonly verificationUri: string;
      /** How long the code is valid. */
      readonly lifetimeMs: number;
    }
  /** Polling failed and will be retried. */
  | { readonly type: 'poll.failed'; readonly why: string };

export interface DeviceFlowOptions extends VendorCall {
  /** Of an OAuth app with device flow enabled. */
  readonly clientId: string;
  /** For example, `https://github.com`. */
  readonly webUrl: string;
  readonly clock: Clock;
  readonly onEvent: (event: LoginEvent) => void;
}

/** The least that GitHub's own client requests. */
const SCOPE = 'read:user';
const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
/** RFC 8628 §3.2 and §3.5. */
const DEFAULT_INTERVAL_S = 5;
const SLOW_DOWN_S = 5;

/**
 * Signs in with a code entered in a browser (GitHub Docs, "Authorizing OAuth apps", device flow;
 * RFC 8628).
 *
 * @returns the user's GitHub token
 * @throws SvcError PROVIDER_LOGIN_FAILED; VendorFault if GitHub is unreachable; the signal's reason
 */
export async function signInByDevice(options: DeviceFlowOptions): Promise<string> {
  const { clientId, clock, signal, onEvent } = options;
  const code = await requestCode(options);
  const { user_code: userCode, verification_uri: verificationUri } = code;
  const lifetimeMs = code.expires_in * 1000;
  const endsMs = clock.now() + lifetimeMs;
  onEvent({ type: 'code.issued', userCode, verificationUri, lifetimeMs });
  const form = { client_id: clientId, device_code: code.device_code, grant_type: GRANT };
  for (let intervalS = code.interval; ; ) {
    const leftMs = Math.max(0, endsMs - clock.now());
    await abortableSleep(Math.min(intervalS * 1000, leftMs), signal);
    // Ends the wait even if GitHub is unreachable.
    if (clock.now() >= endsMs) throw expired();
    let body: unknown;
    try {
      body = await post('/login/oauth/access_token', form, options);
    } catch (error) {
      // A short network failure must not cost the user a new code.
      if (!(error instanceof VendorFault) || !isTransient(error)) throw error;
      onEvent({ type: 'poll.failed', why: error.message });
      continue;
    }
    const token = textAt(body, 'access_token');
    if (token !== undefined) return token;
    // Errors come with status 200.
    const state = jsonAt(body, 'error');
    if (state === 'slow_down') {
      intervalS = Math.max(intervalS, numberAt(body, 'interval') ?? intervalS + SLOW_DOWN_S);
    } else if (state !== 'authorization_pending') throw refused(body);
  }
}

/** Of RFC 8628 §3.2. */
const deviceCode = z.object({
  device_code: z.string(),
  user_code: z.string(),
  verification_uri: z.string().check(z.refine(isTrustworthy)),
  expires_in: z.number(),
  interval: z.catch(z.number().check(z.positive()), DEFAULT_INTERVAL_S),
});

async function requestCode(options: DeviceFlowOptions): Promise<z.infer<typeof deviceCode>> {
  const { clientId } = options;
  const body = await post('/login/device/code', { client_id: clientId, scope: SCOPE }, options);
  if (jsonAt(body, 'error') !== undefined) throw refused(body);
  const { data } = deviceCode.safeParse(body);
  if (data === undefined) throw broken('it has no sign-in code');
  return data;
}

async function post(
  path: string,
  form: Readonly<Record<string, string>>,
  { webUrl, signal, timeoutMs, pacing }: DeviceFlowOptions,
): Promise<unknown> {
  const answer = await sendRequest(
    {
      method: 'POST',
      url: `${webUrl}${path}`,
      headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form).toString(),
      signal,
      timeoutMs,
      pacing,
    },
    explainLogin,
  );
  return parseAnswer(answer);
}

/** GitHub answers 404 for an unknown app. */
const explainLogin: ExplainStatus = ({ status }) =>
  status === 404
    ? { kind: 'auth', message: 'GitHub has no app with this client ID', hint: CHECK_CLIENT }
    : {};

const CHECK_CLIENT = 'check --github-client-id (SVC_GITHUB_CLIENT_ID)';
const AGAIN = 'run "svc provider login github-copilot" again';

/** Error codes of that GitHub page. */
const REFUSALS: ReadonlyMap<unknown, readonly [why: string, hint: string]> = new Map([
  ['access_denied', ['the request was declined in the browser', AGAIN]],
  [
    'device_flow_disabled',
    [
      'the OAuth app does not allow the device flow',
      'select "Enable Device Flow" in the settings of the app on GitHub',
    ],
  ],
  ['incorrect_client_credentials', ['GitHub has no app with this client ID', CHECK_CLIENT]],
]);

function refused(body: unknown): SvcError {
  const code = jsonAt(body, 'error');
  if (code === 'expired_token' || code === 'token_expired') return expired();
  const reason = textAt(body, 'error_description') ?? textAt(body, 'error') ?? 'no reason given';
  const [why, hint] = REFUSALS.get(code) ?? [`GitHub refused: ${reason}`, AGAIN];
  return new SvcError('PROVIDER_LOGIN_FAILED', why, { hint });
}

function expired(): SvcError {
  return new SvcError('PROVIDER_LOGIN_FAILED', 'the code was not entered in time', { hint: AGAIN });
}
