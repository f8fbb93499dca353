/** Who is asked for words, and how. */
export interface ChatVendor {
  /** Which API it speaks. */
  readonly api: 'anthropic' | 'openai';
  /** Where it is reached when nothing else is configured. */
  readonly endpoint: string;
  /** The address of its chat API, given the configured one, which embedding uses as well. */
  readonly chatAddress: (configured: string) => string;
  /** What the vendor itself calls the limit of the answer. */
  readonly limitField: 'max_completion_tokens' | 'max_tokens';
  /** Whether it knows `reasoning_effort`. */
  readonly reasons: boolean;
  /** What to do when nothing listens there: for servers that people start themselves. */
  readonly startHint?: string;
}

const asItIs = (configured: string): string => configured;
const withVersion = (configured: string): string =>
  `${configured.replace(/\/(?:v1|api)$/u, '')}/v1`;

/**
 * The vendors, by the ids of their embedding adapters where they have one. All but Anthropic have an
 * endpoint in OpenAI's manner: Gemini at `/openai` (ai.google.dev/gemini-api/docs/openai), Ollama at
 * `/v1` (its docs/openai.md), LM Studio, Mistral and DeepInfra at their usual addresses. The field names
 * are those of platform.openai.com/docs/api-reference/chat and docs.mistral.ai/api.
 */
export const CHAT_VENDORS = {
  anthropic: {
    api: 'anthropic',
    endpoint: 'https://api.anthropic.com/v1',
    chatAddress: withVersion,
    limitField: 'max_tokens',
    reasons: true,
  },
  deepinfra: {
    api: 'openai',
    endpoint: 'https://api.deepinfra.com/v1/openai',
    chatAddress: asItIs,
    limitField: 'max_tokens',
    reasons: true,
  },
  gemini: {
    api: 'openai',
    endpoint: 'https://generativelanguage.googleapis.com/v1beta/openai',
    chatAddress: (configured) => `${configured.replace(/\/openai$/u, '')}/openai`,
    limitField: 'max_tokens',
    reasons: true,
  },
  lmstudio: {
    api: 'openai',
    endpoint: 'http://localhost:1234/v1',
    chatAddress: asItIs,
    limitField: 'max_tokens',
    reasons: false,
    startHint: 'start its server: lms server start',
  },
  mistral: {
    api: 'openai',
    endpoint: 'https://api.mistral.ai/v1',
    chatAddress: asItIs,
    limitField: 'max_tokens',
    reasons: false,
  },
  ollama: {
    api: 'openai',
    endpoint: 'http://127.0.0.1:11434/v1',
    chatAddress: withVersion,
    limitField: 'max_tokens',
    reasons: true,
    startHint: 'start it: ollama serve',
  },
  openai: {
    api: 'openai',
    endpoint: 'https://api.openai.com/v1',
    chatAddress: asItIs,
    limitField: 'max_completion_tokens',
    reasons: true,
  },
} as const satisfies Readonly<Record<string, ChatVendor>>;

/** The id of a vendor that can be asked for words. */
export type ChatVendorId = keyof typeof CHAT_VENDORS;

/** Whether a name is one of the vendors. */
export function isChatVendor(name: string): name is ChatVendorId {
  return Object.hasOwn(CHAT_VENDORS, name);
}
