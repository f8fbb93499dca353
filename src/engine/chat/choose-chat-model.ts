import type { ResolvedModelProvider, SecretInput } from '../config/index.js';
import {
  type CredentialPlace,
  entryOf,
  findCredential,
  modelName,
  type ProviderWorld,
  providerNamed,
} from '../embeddings/index.js';
import { SvcError } from '../errors/index.js';
import type { KeyFacts } from '../providers/provider.js';
import {
  type AdapterId,
  adapterOf,
  canonicalProvider,
  isCustomAddress,
  PROVIDERS,
} from '../providers/registry.js';
import { withoutEndSlashes } from '../providers/vendor-fault.js';

/** A chat model with everything known without calling it. */
export interface ChatChoice {
  /** As requested: `provider/model`. */
  readonly name: string;
  /** A vendor's id, or that of a `models.providers` entry. */
  readonly provider: string;
  readonly vendor: ChatVendorId;
  readonly model: string;
  /** Without trailing slash. */
  readonly baseUrl: string;
  /** Whether that is a configured address, perhaps of a compatible server. */
  readonly customEndpoint: boolean;
  readonly credential: CredentialPlace;
  readonly headers: Readonly<Record<string, SecretInput>>;
}

/**
 * Finds a chat model by name. Sends nothing.
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
  const provider = providerNamed(written, world);
  const entry = entryOf(provider, world);
  const vendor = vendorOf(provider, entry);
  if (vendor === undefined) throw unknownProvider(name, provider);
  const named = slash === -1 ? entry?.models[0]?.id : name.slice(slash + 1);
  if (named === undefined || named === '') throw modelMissing(name);
  const facts = CHAT_VENDORS[vendor];
  const embedder = adapterOf(provider);
  const address = entry?.baseUrl ?? (embedder && PROVIDERS[embedder].endpointIn?.(world.env));
  const customEndpoint = isCustomAddress(facts, entry?.baseUrl);
  return {
    name,
    provider,
    vendor,
    model:
      vendor === 'anthropic'
        ? named
        : modelName(named, { provider, vendor, prefixes: facts.prefixes, customEndpoint }),
    baseUrl: address === undefined ? facts.endpoint : facts.chatAddress(withoutEndSlashes(address)),
    customEndpoint,
    credential: findCredential({
      provider,
      vendor: { id: vendor, ...facts },
      remoteKey: undefined,
      entry,
      address,
      env: world.env,
    }),
    headers: entry?.headers ?? {},
  };
}

/** By the entry's `api`, else by its id; a custom endpoint with neither is OpenAI-compatible. */
function vendorOf(
  provider: string,
  entry: ResolvedModelProvider | undefined,
): ChatVendorId | undefined {
  const name = canonicalProvider(entry?.api ?? provider);
  if (isChatVendor(name)) return name;
  const isCustom = entry?.baseUrl !== undefined && entry.api === undefined;
  return isCustom && adapterOf(provider) === undefined ? 'openai' : undefined;
}

function unknownProvider(name: string, provider: string): SvcError {
  const isEmbedder = adapterOf(provider) !== undefined;
  const why = isEmbedder ? `${provider} has no chat API here` : 'unknown provider';
  return new SvcError('PROVIDER_UNKNOWN', `cannot use the model ${JSON.stringify(name)}: ${why}`, {
    hint: `use PROVIDER/MODEL, where PROVIDER is one of ${Object.keys(CHAT_VENDORS).join(', ')}, or a models.providers entry whose api is one of these`,
  });
}

function modelMissing(name: string): SvcError {
  return new SvcError('PROVIDER_MODEL_UNKNOWN', `no model in ${JSON.stringify(name)}`, {
    hint: `use ${name.replace(/\/$/u, '')}/MODEL`,
  });
}

/** A vendor with a chat API. */
export interface ChatVendor {
  readonly api: 'anthropic' | 'openai';
  readonly key: KeyFacts;
  /** Prefixes that people put before model names. */
  readonly prefixes: readonly string[];
  /** Default address. */
  readonly endpoint: string;
  /** The address of the chat API, given the configured one, which embeddings share. */
  readonly chatAddress: (configured: string) => string;
  /** The vendor's name for the answer limit. */
  readonly limitField: 'max_completion_tokens' | 'max_tokens';
  readonly reasons: boolean;
  /** Hint if nothing listens there, for servers that people start themselves. */
  readonly startHint?: string;
}

const asItIs = (address: string): string => address;
const withVersion = (address: string): string => `${address.replace(/\/(?:v1|api)$/u, '')}/v1`;

/** A vendor that also embeds, with an OpenAI-compatible endpoint. */
function alsoEmbeds(
  id: Exclude<AdapterId, 'bedrock' | 'github-copilot' | 'local'>,
  own: Partial<ChatVendor> = {},
): ChatVendor {
  const { key, prefixes, endpoint } = PROVIDERS[id];
  const { chatAddress = asItIs } = own;
  return {
    api: 'openai',
    key,
    prefixes,
    endpoint: chatAddress(endpoint),
    limitField: 'max_tokens',
    reasons: true,
    ...own,
    chatAddress,
  };
}

/**
 * Vendors by the ids of their embedding adapters, if they have one. All but Anthropic have an
 * OpenAI-compatible endpoint: Gemini at `/openai` (ai.google.dev/gemini-api/docs/openai), Ollama at
 * `/v1` (its docs/openai.md), LM Studio, Mistral and DeepInfra at their usual addresses. Field
 * names are from platform.openai.com/docs/api-reference/chat and docs.mistral.ai/api.
 */
export const CHAT_VENDORS = {
  anthropic: {
    api: 'anthropic',
    key: { variables: ['ANTHROPIC_API_KEY'], required: true },
    prefixes: [],
    endpoint: 'https://api.anthropic.com/v1',
    chatAddress: withVersion,
    limitField: 'max_tokens',
    reasons: true,
  },
  deepinfra: alsoEmbeds('deepinfra'),
  gemini: alsoEmbeds('gemini', {
    chatAddress: (address) => `${address.replace(/\/openai$/u, '')}/openai`,
  }),
  lmstudio: alsoEmbeds('lmstudio', {
    reasons: false,
    startHint: 'start its server with "lms server start"',
  }),
  mistral: alsoEmbeds('mistral', { reasons: false }),
  ollama: alsoEmbeds('ollama', {
    chatAddress: withVersion,
    startHint: 'start it with "ollama serve"',
  }),
  openai: alsoEmbeds('openai', { limitField: 'max_completion_tokens' }),
} as const satisfies Readonly<Record<string, ChatVendor>>;

type ChatVendorId = keyof typeof CHAT_VENDORS;

function isChatVendor(name: string): name is ChatVendorId {
  return Object.hasOwn(CHAT_VENDORS, name);
}
