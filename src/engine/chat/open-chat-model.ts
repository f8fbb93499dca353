import type { ProviderWorld } from '../embeddings/choose-provider.js';
import { sendRequest } from '../embeddings/http/http-client.js';
import { parseAnswer } from '../embeddings/http/parse-answer.js';
import { withHintWhenRefused } from '../embeddings/http/refused-connection.js';
import { readHeaders, secretReader } from '../embeddings/provider-secrets.js';
import { INTERACTIVE, Pacer } from '../embeddings/requests/pacer.js';
import { VendorFault } from '../embeddings/vendor-fault.js';
import { ANTHROPIC_CHAT } from './apis/anthropic-chat.js';
import type { ApiSettings, ChatApi } from './apis/api.js';
import { OPENAI_CHAT } from './apis/openai-chat.js';
import { asChatError } from './chat-error.js';
import type { ChatAnswer, ChatModel, ChatRequest } from './chat-model.js';
import { CHAT_VENDORS, type ChatVendor } from './chat-vendors.js';
import type { ChatChoice } from './choose-chat-model.js';

const APIS: Readonly<Record<ChatVendor['api'], ChatApi>> = {
  anthropic: ANTHROPIC_CHAT,
  openai: OPENAI_CHAT,
};

const TIMEOUT_MS = 120_000;

/**
 * Makes a chat model that can be asked: reads its key and headers. Requests are sent again where that
 * can help, a few times at most; a wait that is longer than a few seconds is given up on.
 *
 * @param signal ends the reading of secrets
 * @throws SvcError PROVIDER_AUTH, SECRET_UNRESOLVED
 */
export async function openChatModel(
  choice: ChatChoice,
  world: ProviderWorld,
  signal: AbortSignal,
): Promise<ChatModel> {
  const settings = await apiSettings(choice, world, signal);
  const api = APIS[settings.vendor.api];
  const pacer = new Pacer(() => performance.now(), Math.random);
  const ask = async (request: ChatRequest): Promise<ChatAnswer> => {
    const sent = sendRequest(
      {
        method: 'POST',
        url: api.url(settings),
        headers: api.headers(settings),
        json: api.body(settings, request),
        signal: request.signal,
        timeoutMs: request.timeoutMs ?? TIMEOUT_MS,
        pacing: pacer.pacing(INTERACTIVE, () => undefined),
      },
      api.explain,
    );
    return api.read(parseAnswer(await withHintWhenRefused(settings.vendor.startHint, sent)));
  };
  return {
    name: choice.name,
    complete: async (request) => {
      try {
        return await ask(request);
      } catch (error) {
        request.signal.throwIfAborted();
        throw asChatError(error, choice);
      }
    },
  };
}

async function apiSettings(
  choice: ChatChoice,
  world: ProviderWorld,
  signal: AbortSignal,
): Promise<ApiSettings> {
  const { vendor, model, baseUrl, customEndpoint, credential, entry } = choice;
  if (credential.state === 'missing') {
    const fault = { kind: 'auth', message: 'there is no key', hint: credential.mend } as const;
    throw asChatError(new VendorFault(fault), choice);
  }
  const read = secretReader(world, signal);
  const headers = await readHeaders(entry?.headers ?? {}, read);
  return {
    vendor: CHAT_VENDORS[vendor],
    model,
    baseUrl,
    customEndpoint,
    key: credential.state === 'found' ? await read(credential.input) : undefined,
    headers,
  };
}
