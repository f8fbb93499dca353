import { PROVIDER_CODES } from '../embeddings/provider-error.js';
import { shownAddress } from '../embeddings/shown-address.js';
import { VendorFault, type VendorFaultDetails } from '../embeddings/vendor-fault.js';
import { SvcError } from '../errors/index.js';
import type { ChatChoice } from './choose-chat-model.js';

/** Turns a vendor's fault into the error for people; anything else passes through. */
export function asChatError(error: unknown, choice: ChatChoice): unknown {
  if (!(error instanceof VendorFault)) return error;
  const { details } = error;
  const { provider, model, baseUrl } = choice;
  const endpoint = shownAddress(baseUrl);
  const status = details.status === undefined ? '' : `${details.status} `;
  const code = details.code === undefined ? '' : ` (${details.code})`;
  return new SvcError(
    PROVIDER_CODES[details.kind],
    `model ${choice.name}: ${status}${details.message}${code}`,
    {
      hint: details.hint ?? hintFor(details, choice, endpoint),
      cause: error,
      details: {
        provider,
        model,
        endpoint,
        ...(details.status === undefined ? {} : { status: details.status }),
      },
    },
  );
}

function hintFor(
  { kind, waitMs }: VendorFaultDetails,
  { provider, model, credential }: ChatChoice,
  endpoint: string,
): string {
  const source = credential.state === 'found' ? credential.source : undefined;
  switch (kind) {
    case 'auth':
      return source === undefined
        ? `set models.providers.${provider}.apiKey`
        : `check the key from ${source}`;
    case 'quota':
      return `look at the balance and limits of the account behind ${source ?? 'this key'}; waiting does not help`;
    case 'model':
      return `check that ${endpoint} has a model ${model}`;
    case 'rate':
    case 'overload':
      return waitMs === undefined
        ? 'try again later'
        : `try again in ${Math.ceil(waitMs / 1000)} s`;
    case 'network':
    case 'timeout':
    case 'setup':
      return `check that ${endpoint} can be reached`;
    case 'answer':
      return `the endpoint ${endpoint} may not speak the API that models.providers.${provider}.api names`;
    case 'input':
    case 'request':
    case 'too_large':
      return `check that ${model} at ${endpoint} takes such requests`;
  }
}
