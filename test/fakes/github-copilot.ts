import * as z from 'zod/mini';
import {
  type FakeAnswer,
  type FakeVendor,
  type RecordedRequest,
  startFake,
  type Trouble,
  troubledVectors,
} from './fake-vendor.js';
import { meaningOf } from './meaning.js';

/** The token of a person that the fake takes. */
export const GITHUB_TOKEN = 'gho_test_0123456789abcdef';
/** The OAuth app that the fake knows. */
export const CLIENT_ID = 'Iv1.test0123456789';
/** Every Copilot token begins with it. */
export const COPILOT_TOKEN = 'tid=test-copilot-token';

/** The answers to the polls of a device login; the last one repeats. */
export type DeviceAnswer =
  | 'access_denied'
  | 'authorization_pending'
  | 'device_flow_disabled'
  | 'expired_token'
  | 'slow_down'
  | 'token';

/** Settings of the fake. */
export interface CopilotFakeOptions {
  /** Vectors have this length by default, so that tests stay small. */
  readonly dimensions?: number;
  /** The embedding models of the plan; a chat model is always listed too. */
  readonly models?: readonly string[];
  /** Where the answer of an exchange has the address of the API. */
  readonly apiIn?: 'endpoints' | 'nowhere';
  /** Seconds after which a client should exchange the token again. */
  readonly refreshIn?: number;
  /** False: the account has no Copilot. */
  readonly seat?: boolean;
  readonly device?: readonly DeviceAnswer[];
  /** Seconds between two polls. */
  readonly interval?: number;
  /** Seconds until the code expires. */
  readonly expiresIn?: number;
}

/** A running fake of GitHub and of Copilot's API. */
export interface CopilotFake extends FakeVendor {
  /** Requests whose path ends like this, so far. */
  count(path: string): number;
  /** From now on the tokens exchanged so far are refused. */
  revokeTokens(): void;
}

const MAX_INPUTS = 512;
const DIMENSIONS: Readonly<Record<string, number>> = {
  'text-embedding-3-small': 1536,
  'text-embedding-3-large': 3072,
  'text-embedding-ada-002': 1536,
};

const embedSchema = z.strictObject({
  model: z.string(),
  input: z.array(z.string().check(z.minLength(1))).check(z.minLength(1)),
  dimensions: z.optional(z.int().check(z.minimum(1))),
});

/**
 * GitHub (device login, `/api/v3` as on a server of one's own) and Copilot's API (below `/copilot`)
 * on one origin, as GitHub Docs and the sources of GitHub's own client have them.
 */
export async function startCopilotFake(options: CopilotFakeOptions = {}): Promise<CopilotFake> {
  const service: Service = { options, polls: 0, tokensIssued: 0, validTokens: new Set() };
  const fake = await startFake({
    answer: (request, trouble) => answer(request, trouble, service),
    troubleAnswers: {
      key_refused: { status: 401, body: { message: 'Bad credentials' } },
      forbidden: { status: 403, body: { error: { message: 'Not allowed.' } } },
      model_unknown: failure('model_not_supported', 'The requested model is not supported.'),
      too_large: { status: 413, body: { error: { message: 'Request too large.' } } },
      quota_spent: { status: 402, body: { error: { message: 'You have no quota.' } } },
      overloaded: { status: 503, body: 'upstream is gone' },
      rate_limited: { status: 429, headers: { 'retry-after': '1' }, body: 'too many requests' },
      rate_limited_without_wait: { status: 429, body: 'too many requests' },
    },
  });
  return {
    ...fake,
    count: (path) => fake.requests.filter((request) => request.path.endsWith(path)).length,
    revokeTokens: () => service.validTokens.clear(),
  };
}

interface Service {
  readonly options: CopilotFakeOptions;
  polls: number;
  tokensIssued: number;
  readonly validTokens: Set<string>;
}

function failure(code: string, message: string): FakeAnswer {
  return { status: 400, body: { error: { message, code } } };
}

function answer(
  request: RecordedRequest,
  trouble: Trouble | undefined,
  service: Service,
): FakeAnswer {
  switch (`${request.method} ${request.path}`) {
    case 'POST /login/device/code':
      return deviceCode(request, service);
    case 'POST /login/oauth/access_token':
      return poll(request, service);
    case 'GET /api/v3/user':
      return refuseSignedOut(request) ?? { status: 200, body: { login: 'ada', id: 1 } };
    case 'GET /api/v3/copilot_internal/v2/token':
      return refuseSignedOut(request) ?? refuseWithoutEditor(request) ?? exchange(request, service);
    case 'GET /copilot/models':
      return (
        refuseExpiredToken(request, service) ?? refuseWithoutEditor(request) ?? models(service)
      );
    case 'POST /copilot/embeddings':
      return (
        refuseExpiredToken(request, service) ??
        refuseWithoutEditor(request) ??
        embed(request, trouble, service)
      );
    default:
      return { status: 404, body: { message: 'Not Found' } };
  }
}

/** Without `Accept: application/json` GitHub answers with a form. */
function formOf({ headers, body }: RecordedRequest): URLSearchParams | undefined {
  const acceptsJson = headers.accept === 'application/json';
  const type = headers['content-type'] ?? '';
  if (!acceptsJson || !type.startsWith('application/x-www-form-urlencoded')) return undefined;
  return new URLSearchParams(body.toString('utf8'));
}

function deviceCode(request: RecordedRequest, { options }: Service): FakeAnswer {
  const form = formOf(request);
  if (form === undefined || form.get('scope') !== 'read:user') return { status: 422, body: {} };
  if (form.get('client_id') !== CLIENT_ID) return { status: 404, body: { error: 'Not Found' } };
  if (options.device?.[0] === 'device_flow_disabled') return refusal('device_flow_disabled');
  return {
    status: 200,
    body: {
      device_code: 'device-0123456789',
      user_code: 'WDJB-MJHT',
      verification_uri: `http://${request.headers.host}/login/device`,
      expires_in: options.expiresIn ?? 900,
      interval: options.interval ?? 0.01,
    },
  };
}

function poll(request: RecordedRequest, service: Service): FakeAnswer {
  const form = formOf(request);
  if (
    form?.get('client_id') !== CLIENT_ID ||
    form.get('device_code') !== 'device-0123456789' ||
    form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:device_code'
  ) {
    return refusal('incorrect_device_code');
  }
  const { device = ['token'], interval = 0.01 } = service.options;
  const next = device[Math.min(service.polls, device.length - 1)] ?? 'token';
  service.polls += 1;
  if (next === 'token') {
    const body = { access_token: GITHUB_TOKEN, token_type: 'bearer', scope: 'read:user' };
    return { status: 200, body };
  }
  return next === 'slow_down' ? refusal(next, { interval: interval + 0.05 }) : refusal(next);
}

/** Errors have status 200. */
function refusal(error: string, more: Readonly<Record<string, unknown>> = {}): FakeAnswer {
  return { status: 200, body: { error, error_description: `about ${error}`, ...more } };
}

/** Undefined when the request has the token of the person. */
function refuseSignedOut({ headers }: RecordedRequest): FakeAnswer | undefined {
  return headers.authorization === `token ${GITHUB_TOKEN}`
    ? undefined
    : { status: 401, body: { message: 'Bad credentials' } };
}

function exchange(request: RecordedRequest, service: Service): FakeAnswer {
  const { seat = true, refreshIn = 1500, apiIn = 'endpoints' } = service.options;
  if (!seat) {
    const url = 'https://github.com/settings/copilot';
    const details = { message: 'No access to GitHub Copilot found.', title: 'Sign up', url };
    return { status: 403, body: { can_signup_for_limited: true, error_details: details } };
  }
  const token = `${COPILOT_TOKEN}-${++service.tokensIssued};exp=1;sku=free:mac`;
  service.validTokens.add(token);
  const api = `http://${request.headers.host}/copilot`;
  return {
    status: 200,
    body: {
      token,
      // From a wrong clock: clients must not rely on it.
      expires_at: 1000,
      refresh_in: refreshIn,
      ...(apiIn === 'endpoints' ? { endpoints: { api } } : {}),
    },
  };
}

function refuseWithoutEditor({ headers }: RecordedRequest): FakeAnswer | undefined {
  return headers['editor-version'] === undefined || headers['copilot-integration-id'] === undefined
    ? { status: 400, body: 'bad request: missing Editor-Version header for IDE auth\n' }
    : undefined;
}

function refuseExpiredToken(
  { headers }: RecordedRequest,
  { validTokens }: Service,
): FakeAnswer | undefined {
  const token = headers.authorization?.replace(/^Bearer /, '') ?? '';
  return validTokens.has(token)
    ? undefined
    : { status: 401, body: 'unauthorized: token expired\n' };
}

function models({ options }: Service): FakeAnswer {
  const chat = { id: 'gpt-4o', capabilities: { type: 'chat', limits: {} } };
  const limits = { max_inputs: MAX_INPUTS };
  const data = modelsOf(options).map((id) => ({
    id,
    capabilities: { type: 'embeddings', limits },
  }));
  return { status: 200, body: { data: [chat, ...data], object: 'list' } };
}

function modelsOf(options: CopilotFakeOptions): readonly string[] {
  return options.models ?? ['text-embedding-ada-002', 'text-embedding-3-small'];
}

function embed(
  request: RecordedRequest,
  trouble: Trouble | undefined,
  { options }: Service,
): FakeAnswer {
  const parsed = embedSchema.safeParse(JSON.parse(request.body.toString('utf8')));
  if (!parsed.success) return failure('invalid_request_body', z.prettifyError(parsed.error));
  const { model, input, dimensions } = parsed.data;
  if (!modelsOf(options).includes(model)) {
    return failure('model_not_supported', 'The requested model is not supported.');
  }
  if (input.length > MAX_INPUTS) return failure('invalid_request_body', 'Too many inputs.');
  if (input.some((text) => Math.ceil(text.length / 4) > 8191)) {
    return failure('invalid_request_body', 'Too long.');
  }
  const size = dimensions ?? options.dimensions ?? DIMENSIONS[model] ?? 1536;
  const vectors = troubledVectors(
    input.map((text) => meaningOf(text, size)),
    trouble,
  );
  // Out of order on purpose: the index says where each belongs.
  const data = vectors.map((vector, index) => ({ index, embedding: [...vector] })).reverse();
  return { status: 200, body: { data, usage: { prompt_tokens: 1, total_tokens: 1 } } };
}
