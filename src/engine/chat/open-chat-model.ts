import type { ProviderWorld } from '../embeddings/index.js';
import { readAccess } from '../embeddings/open-provider.js';
import { parseAnswer, sendRequest, withHintWhenRefused } from '../providers/http/http-client.js';
import { errorOfFault } from '../providers/provider-error.js';
import { broken } from '../providers/read-vectors.js';
import { createPacer, INTERACTIVE } from '../providers/requests/pacer.js';
import {
  isTransient,
  shownAddress,
  VendorFault,
  type VendorFaultDetails,
} from '../providers/vendor-fault.js';
import { formatTimeUntil } from '../support/format.js';
import {
  CHAT_APIS,
  type ChatAnswer,
  type ChatRequest,
  type ModelTraits,
  traitsIn,
} from './apis.js';
import { CHAT_VENDORS, type ChatChoice, type ChatVendor } from './choose-chat-model.js';

const TIMEOUT_MS = 120_000;
/** Far more than any limit of tokens. Thoughts are looked for in the whole text, which takes long in a larger one. */
const MAX_ANSWER_BYTES = 1024 * 1024;
/** One of the name of the limit, and one each of the effort, of thinking and of the instructions. */
const MOST_REFUSALS = 4;

/**
 * Opens a chat model: reads its key and headers. Requests are retried a few times, but never after
 * a wait of more than a few seconds.
 *
 * @param signal aborts reading secrets
 * @throws SvcError PROVIDER_AUTH, SECRET_UNRESOLVED
 */
export async function openChatModel(
  choice: ChatChoice,
  world: ProviderWorld,
  signal: AbortSignal,
): Promise<ChatModel> {
  const access = await readAccess(choice, world, signal).catch((error: unknown) => {
    throw asChatError(error, choice);
  });
  const vendor: ChatVendor = CHAT_VENDORS[choice.vendor];
  const { model, baseUrl } = choice;
  const settings = { vendor, model, baseUrl, ...access };
  let traits: ModelTraits = {
    isCompatible: choice.customEndpoint && choice.vendor === 'openai',
  };
  const api = CHAT_APIS[vendor.api];
  const pacer = createPacer();
  const ask = async (request: ChatRequest): Promise<ChatAnswer> => {
    const sent = sendRequest(
      {
        method: 'POST',
        url: api.url(settings),
        headers: api.headers(settings),
        json: api.body({ ...settings, ...traits }, request),
        signal: request.signal,
        timeoutMs: request.timeoutMs ?? TIMEOUT_MS,
        pacing: pacer.pacing(INTERACTIVE),
      },
      api.explain,
    );
    const received = await withHintWhenRefused(vendor.startHint, sent);
    if (received.body.length > MAX_ANSWER_BYTES) throw broken('it is too large');
    const answer = api.read(parseAnswer(received));
    if (answer.truncated && answer.text === '') {
      const hint = 'choose a model that does not think, or thinks less';
      throw broken('it ended at the limit of tokens before any text').with({ hint });
    }
    return answer;
  };
  /** Asks again, in a form that the model accepts, if a refusal says which. */
  const askAsAccepted = async (request: ChatRequest, refusals = 0): Promise<ChatAnswer> => {
    try {
      return await ask(request);
    } catch (error) {
      if (!(error instanceof VendorFault) || isTransient(error)) throw error;
      const revealed = traitsIn(error.message, traits.efforts);
      if (revealed === undefined || refusals === MOST_REFUSALS) throw error;
      traits = { ...traits, ...revealed };
      return askAsAccepted(request, refusals + 1);
    }
  };
  return {
    name: choice.name,
    endpoint: shownAddress(choice.baseUrl),
    complete: async (request) => {
      try {
        return await askAsAccepted(request);
      } catch (error) {
        request.signal.throwIfAborted();
        throw asChatError(error, choice);
      }
    },
  };
}

/** Converts a vendor's fault to an SvcError; passes other errors through. */
function asChatError(error: unknown, choice: ChatChoice): unknown {
  if (!(error instanceof VendorFault)) return error;
  const { name, provider, model, baseUrl } = choice;
  const endpoint = shownAddress(baseUrl);
  const hint = hintFor(error.details, choice, endpoint);
  return errorOfFault(error, `model ${name}`, hint, { provider, model, endpoint });
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
      return `check the balance and limits of the account of ${source ?? 'this key'}; waiting does not help`;
    case 'model':
      return `check that ${endpoint} has a model ${model}`;
    case 'rate':
    case 'overload':
      return `try again ${waitMs === undefined ? 'later' : formatTimeUntil(waitMs, 0)}`;
    case 'network':
    case 'timeout':
    case 'setup':
      return `check that ${endpoint} is reachable`;
    case 'answer':
      return `check that ${endpoint} speaks the API set in models.providers.${provider}.api`;
    case 'input':
    case 'request':
    case 'too_large':
      return `check that ${model} at ${endpoint} supports this request`;
  }
}

export interface ChatModel {
  /** As requested: `provider/model`. */
  readonly name: string;
  /** Address that requests go to, without secrets. */
  readonly endpoint: string;
  /** @throws SvcError PROVIDER_*, or the signal's reason */
  complete(request: ChatRequest): Promise<ChatAnswer>;
}
