import { type ErrorCode, SvcError } from '../errors/index.js';
import { shownAddress } from './shown-address.js';
import { VendorFault, type VendorFaultDetails, type VendorFaultKind } from './vendor-fault.js';

/** What an error for people says of the provider besides the fault. */
export interface ProviderPlace {
  readonly provider: string;
  readonly model: string | undefined;
  readonly endpoint: string | undefined;
  /** Where the key came from, as `env OPENAI_API_KEY`; undefined when there is none. */
  readonly keySource: string | undefined;
}

/** The error code of each kind of fault. */
export const PROVIDER_CODES: Readonly<Record<VendorFaultKind, ErrorCode>> = {
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

/** Turns a vendor's fault into the error for people; anything else passes through. */
export function asProviderError(error: unknown, place: ProviderPlace): unknown {
  if (isTimeout(error)) {
    return asProviderError(
      new VendorFault({ kind: 'timeout', message: 'no answer in time' }, { cause: error }),
      place,
    );
  }
  if (!(error instanceof VendorFault)) return error;
  const { details } = error;
  const { provider, model } = place;
  const endpoint = place.endpoint === undefined ? undefined : shownAddress(place.endpoint);
  const status = details.status === undefined ? '' : `${details.status} `;
  const code = details.code === undefined ? '' : ` (${details.code})`;
  return new SvcError(
    PROVIDER_CODES[details.kind],
    `embedding provider ${provider}: ${status}${details.message}${code}`,
    {
      hint: details.hint ?? hintFor(details, { ...place, endpoint }),
      cause: error,
      details: {
        provider,
        ...(model === undefined ? {} : { model }),
        ...(endpoint === undefined ? {} : { endpoint }),
        ...(details.status === undefined ? {} : { status: details.status }),
      },
    },
  );
}

/** AbortSignal.timeout's reason, from the budget of a question. */
function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError';
}

function hintFor({ kind, waitMs }: VendorFaultDetails, place: ProviderPlace): string {
  const { provider, model, endpoint, keySource } = place;
  const again = `svc provider test ${provider} tries again`;
  switch (kind) {
    case 'auth':
      return keySource === undefined
        ? `set a key for ${provider}: svc provider list shows from where it is taken`
        : `check the key from ${keySource}; ${again}`;
    case 'quota':
      return `look at the balance and limits of the account behind ${keySource ?? 'this key'}; waiting does not help`;
    case 'model':
      return `check memorySearch.model (${model ?? 'unset'}) and the address ${endpoint ?? ''}`.trim();
    case 'rate':
      return waitMs === undefined
        ? 'try again later, or lower remote.nonBatchConcurrency; what was embedded is kept'
        : `try again in ${Math.ceil(waitMs / 1000)} s; what was embedded is kept`;
    case 'network':
    case 'timeout':
      return `check that ${endpoint ?? 'the endpoint'} can be reached; ${again}`;
    case 'overload':
      return 'try again later; what was embedded is kept';
    case 'answer':
      return `the endpoint ${endpoint ?? ''} may not serve embeddings of ${model ?? 'this model'}; ${again}`;
    case 'input':
    case 'request':
    case 'setup':
    case 'too_large':
      return again;
  }
}
