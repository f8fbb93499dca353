import { adapterOf, type ResolvedModelProvider } from '../config/index.js';
import { ollamaBaseUrl } from '../embeddings/adapters/ollama-host.js';
import type { ProviderWorld } from '../embeddings/choose-provider.js';
import { type CredentialPlace, findCredential } from '../embeddings/credentials.js';
import { modelName } from '../embeddings/model-name.js';
import { SvcError } from '../errors/index.js';
import { CHAT_VENDORS, type ChatVendorId, isChatVendor } from './chat-vendors.js';

/** A chat model with everything that can be said of it without asking it. */
export interface ChatChoice {
  /** `provider/model`, as it was asked for. */
  readonly name: string;
  /** A vendor's id, or that of a `models.providers` entry. */
  readonly provider: string;
  readonly vendor: ChatVendorId;
  /** As the vendor knows it. */
  readonly model: string;
  /** Where requests go, without a slash at the end. */
  readonly baseUrl: string;
  /** Whether that is an address of the configuration. */
  readonly customEndpoint: boolean;
  readonly credential: CredentialPlace;
  readonly entry: ResolvedModelProvider | undefined;
}

/**
 * Finds the chat model that a name means. Nobody is asked.
 *
 * @param name `provider/model`; the provider is a vendor's id or that of a `models.providers` entry
 * @throws SvcError PROVIDER_UNKNOWN, PROVIDER_MODEL_UNKNOWN
 */
export function chooseChatModel(
  name: string,
  world: Pick<ProviderWorld, 'config' | 'env'>,
): ChatChoice {
  const slash = name.indexOf('/');
  const written = slash === -1 ? name : name.slice(0, slash);
  const { providers } = world.config.models;
  const own = Object.hasOwn(providers, written);
  const provider = own ? written : (adapterOf(written) ?? written);
  const entry = Object.hasOwn(providers, provider) ? providers[provider] : undefined;
  const vendor = vendorOf(provider, entry);
  if (vendor === undefined) throw unknownProvider(name, provider);
  const named = slash === -1 ? entry?.models[0]?.id : name.slice(slash + 1);
  if (named === undefined || named === '') throw modelMissing(name);
  const facts = CHAT_VENDORS[vendor];
  const configured = (entry?.baseUrl ?? ownHost(provider, world.env))?.replace(/\/+$/u, '');
  const customEndpoint = entry?.baseUrl !== undefined;
  return {
    name,
    provider,
    vendor,
    model: vendor === 'anthropic' ? named : modelName(named, vendor, provider),
    baseUrl: configured === undefined ? facts.endpoint : facts.chatAddress(configured),
    customEndpoint,
    credential: findCredential({
      provider,
      adapter: vendor,
      remoteKey: undefined,
      entryKey: entry?.apiKey,
      customEndpoint,
      hasLogin: false,
      env: world.env,
    }),
    entry,
  };
}

/** By the entry's `api`, else by its id; an endpoint of one's own that says neither is OpenAI-compatible. */
function vendorOf(
  provider: string,
  entry: ResolvedModelProvider | undefined,
): ChatVendorId | undefined {
  if (entry?.api !== undefined) return isChatVendor(entry.api) ? entry.api : undefined;
  if (isChatVendor(provider)) return provider;
  return entry?.baseUrl !== undefined && adapterOf(provider) === undefined ? 'openai' : undefined;
}

function ownHost(provider: string, env: ProviderWorld['env']): string | undefined {
  return provider === 'ollama' ? ollamaBaseUrl(env['OLLAMA_HOST']) : undefined;
}

function unknownProvider(name: string, provider: string): SvcError {
  const isEmbedder = adapterOf(provider) !== undefined;
  const why = isEmbedder ? `${provider} is not asked for words here` : 'there is no such provider';
  return new SvcError(
    'PROVIDER_UNKNOWN',
    `the model ${JSON.stringify(name)} cannot be used: ${why}`,
    {
      hint: `write provider/model with one of ${Object.keys(CHAT_VENDORS).join(', ')}, or with the id of a models.providers entry whose api is one of these`,
    },
  );
}

function modelMissing(name: string): SvcError {
  return new SvcError('PROVIDER_MODEL_UNKNOWN', `${JSON.stringify(name)} names no model`, {
    hint: `write ${name.replace(/\/$/u, '')}/MODEL`,
  });
}
