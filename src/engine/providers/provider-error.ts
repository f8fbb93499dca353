import { type ErrorCode, SvcError } from '../errors/index.js';
import { formatTimeUntil } from '../support/format.js';
import { shellWord } from '../support/text.js';
import {
  shownAddress,
  VendorFault,
  type VendorFaultDetails,
  type VendorFaultKind,
} from './vendor-fault.js';

/** Context for the messages of provider errors. */
export interface ProviderPlace {
  readonly provider: string;
  readonly model?: string | undefined;
  readonly endpoint?: string | undefined;
  /** For example, `env OPENAI_API_KEY`; undefined if there is no key. */
  readonly keySource?: string | undefined;
  /** Time limit of a query; undefined outside of searches. */
  readonly queryTimeoutMs?: number | undefined;
  /** A variable whose key is not sent to this address. */
  readonly withheldKey?: string | undefined;
  /** Whether `memorySearch.remote` and `memorySearch.model` apply to it; by default they do. */
  readonly isPrimary?: boolean | undefined;
}

const PROVIDER_CODES: Readonly<Record<VendorFaultKind, ErrorCode>> = {
  answer: 'PROVIDER_ANSWER_INVALID',
  auth: 'PROVIDER_AUTH',
  input: 'PROVIDER_REFUSED',
  model: 'PROVIDER_MODEL_UNKNOWN',
  network: 'PROVIDER_UNREACHABLE',
  overload: 'PROVIDER_OVERLOADED',
  quota: 'PROVIDER_QUOTA',
  rate: 'PROVIDER_RATE_LIMITED',
  request: 'PROVIDER_REFUSED',
  setup: 'PROVIDER_NOT_SET_UP',
  timeout: 'PROVIDER_TIMEOUT',
  too_large: 'PROVIDER_REFUSED',
};

/** How a stored login is shown as the source of a key. */
export const LOGIN_SOURCE = 'svc provider login';

/**
 * Names of the settings of a provider, for hints. Those of memorySearch belong to the primary
 * provider and have no effect on the fallback.
 */
export function settingNames({
  provider,
  isPrimary = true,
}: Pick<ProviderPlace, 'isPrimary' | 'provider'>) {
  const entry = `models.providers.${provider}`;
  if (!isPrimary) {
    return { apiKey: `${entry}.apiKey`, baseUrl: `${entry}.baseUrl`, model: `${entry}.models` };
  }
  return {
    apiKey: `memorySearch.remote.apiKey or ${entry}.apiKey`,
    baseUrl: 'remote.baseUrl',
    model: 'memorySearch.model',
  };
}

export function withheldHint(
  variable: string,
  place: Pick<ProviderPlace, 'isPrimary' | 'provider'>,
): string {
  return `${variable} is set but withheld: it is only sent to the vendor's own address; to send it to this one, set ${settingNames(place).apiKey} to "env:${variable}"`;
}

/** Converts a vendor's fault to an SvcError; passes other errors through. */
export function asProviderError(error: unknown, place: ProviderPlace): unknown {
  // The reason of AbortSignal.timeout.
  const isLate = error instanceof DOMException && error.name === 'TimeoutError';
  const known = isLate ? new VendorFault('timeout', 'no answer in time', { cause: error }) : error;
  if (!(known instanceof VendorFault)) return known;
  const { provider, model } = place;
  const endpoint = place.endpoint === undefined ? undefined : shownAddress(place.endpoint);
  const fault = limitNamed(known, place.queryTimeoutMs, endpoint);
  const hint = hintFor(fault.details, { ...place, endpoint });
  return errorOfFault(fault, `embedding provider ${provider}`, hint, { provider, model, endpoint });
}

/**
 * The error that users see for a vendor's fault.
 *
 * @param subject what failed, as `embedding provider voyage`
 * @param usualHint if the fault has none
 * @param endpoint without user name and password
 */
export function errorOfFault(
  fault: VendorFault,
  subject: string,
  usualHint: string,
  { provider, model, endpoint }: Pick<ProviderPlace, 'endpoint' | 'model' | 'provider'>,
): SvcError {
  const { kind, status, code, hint = usualHint } = fault.details;
  const codeSuffix = code === undefined ? '' : ` (${code})`;
  return new SvcError(PROVIDER_CODES[kind], `${subject}: ${saidIn(fault)}${codeSuffix}`, {
    hint,
    cause: fault,
    details: {
      provider,
      ...(model === undefined ? {} : { model }),
      ...(endpoint === undefined ? {} : { endpoint }),
      ...(status === undefined ? {} : { status }),
    },
  });
}

/** What a vendor answered: its status, if there is one, and its message. */
function saidIn({ details: { status, message } }: VendorFault): string {
  // An empty answer has the status as its message.
  const isSaid = status === undefined || message === `status ${status}`;
  return isSaid ? message : `${status} ${message}`;
}

/** Names our own time limit and the setting that controls it. */
function limitNamed(
  fault: VendorFault,
  queryTimeoutMs: number | undefined,
  endpoint = 'the endpoint',
): VendorFault {
  const { kind, status } = fault.details;
  // With a status, the vendor itself reported the timeout.
  if (kind !== 'timeout' || status !== undefined || queryTimeoutMs === undefined) return fault;
  return fault.with({
    message: `no answer within ${queryTimeoutMs / 1000} s`,
    hint: `check that ${endpoint} is reachable, or raise memorySearch.query.timeoutSeconds`,
  });
}

function hintFor({ kind, waitMs, url }: VendorFaultDetails, place: ProviderPlace): string {
  const { provider, model, endpoint, keySource, withheldKey } = place;
  const name = shellWord(provider);
  const again = `test it with "svc provider test ${name}"`;
  switch (kind) {
    case 'auth':
      if (keySource === undefined && withheldKey !== undefined) {
        return withheldHint(withheldKey, place);
      }
      if (keySource === LOGIN_SOURCE) return `run "svc provider login ${name}" to sign in again`;
      return keySource === undefined
        ? `set a key for ${provider}; "svc provider list" shows where svc looks for it`
        : `check the key from ${keySource}; ${again}`;
    case 'quota':
      return `check the balance and limits of the account of ${keySource ?? 'this key'}; waiting does not help`;
    case 'model':
      return `check ${settingNames(place).model} (${model ?? 'unset'}) and the address ${url ?? endpoint ?? ''}`.trim();
    case 'rate':
      return waitMs === undefined
        ? 'try again later or lower remote.nonBatchConcurrency; finished embeddings are kept'
        : `try again ${formatTimeUntil(waitMs, 0)}; finished embeddings are kept`;
    case 'network':
    case 'timeout':
      return `check that ${endpoint ?? 'the endpoint'} is reachable; ${again}`;
    case 'overload':
      return 'try again later; finished embeddings are kept';
    case 'answer':
      return `check that ${endpoint ?? 'the endpoint'} serves embeddings of ${model ?? 'this model'}; ${again}`;
    case 'input':
    case 'request':
    case 'setup':
    case 'too_large':
      return again;
  }
}

/** Whether a failure may be due to the text that was embedded, so that it says nothing about others. */
export function mayBeDueToText({ cause }: SvcError): boolean {
  if (!(cause instanceof VendorFault)) return false;
  return cause.details.kind === 'input' || cause.details.isInVector === true;
}

/**
 * Whether an error comes from a provider; other errors concern the index, and a fallback would fail
 * too.
 */
export function isProviderFailure({ code }: SvcError): boolean {
  return code.startsWith('PROVIDER_') || code === 'SECRET_UNRESOLVED';
}
