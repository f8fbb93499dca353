import { fixed, range } from './dimensions.js';
import type { ExplainStatus } from './http/http-client.js';
import { messageIn, textAt } from './http/status-fault.js';
import { modelFailure } from './open-models.js';
import { type AddressedProvider, HOSTED, isCustomAddress } from './provider.js';
import { plainText } from './requests/input-text.js';
import type { EmbeddingInput } from './vendor.js';

/** OpenAI's models, wherever they are served. */
export const OPENAI_DIMENSIONS = {
  'text-embedding-3-small': range(1, 1536),
  'text-embedding-3-large': range(1, 3072),
  'text-embedding-ada-002': fixed(1536),
} as const;

/**
 * `CreateEmbeddingRequest` in OpenAI's published API description
 * (github.com/openai/openai-openapi).
 */
const LIMITS = { maxInputs: 2048, maxTokensPerInput: 8192, maxTokensPerRequest: 300_000 } as const;
/** OpenAI's guide "Batch": inputs in one file, and its size. */
const BATCH_LIMITS = { maxEntries: 50_000, maxBytes: 200_000_000 } as const;

/**
 * OpenAI, and every endpoint with a compatible API (`remote.baseUrl`). Its batch API costs half and
 * is done within 24 hours.
 *
 * OpenAI answers 400 to `input_type`; it is sent only to configured endpoints.
 */
export const openai: AddressedProvider<'openai'> = {
  ...HOSTED,
  id: 'openai',
  kind: 'general-vendor',
  prefixes: ['openai'],
  endpoint: 'https://api.openai.com/v1',
  model: 'text-embedding-3-small',
  dimensions: OPENAI_DIMENSIONS,
  key: { variables: ['OPENAI_API_KEY'], required: true },
  inputTypes: 'custom-address',
  batch: true,
  open: async (settings) => {
    const { openAiShaped } = await import('./openai-shaped.js');
    const { createFileBatch } = await import('./file-batch.js');
    const isCompatible = isCustomAddress(openai, settings.baseUrl);
    const inputTypes = isCompatible ? settings.inputTypes : {};
    return openAiShaped(openai, settings, {
      limits: () => LIMITS,
      documentForm: inputTypes.document ?? '',
      fields: (role, dimensions) => {
        return { encoding_format: 'base64', dimensions, input_type: inputTypes[role] };
      },
      write: openAiText,
      mayLackBase64: isCompatible,
      explain: (_model, inputs) => (answer) => ({
        ...explainOpenAi(answer),
        ...modelFailure(messageIn(answer.body), inputs),
      }),
      batch: (connection, fields) =>
        createFileBatch(connection, {
          limits: BATCH_LIMITS,
          line: ({ key, input }) => ({
            custom_id: key,
            method: 'POST',
            url: '/v1/embeddings',
            body: { ...fields, input: openAiText(input) },
          }),
          job: { endpoint: '/v1/embeddings', completion_window: '24h' },
        }),
    });
  },
};

/** `<|endoftext|>` and others of its form. */
const SPECIAL_TOKEN = /<\|(?=\w{1,64}\|>)/gu;

/**
 * An input as one text without the marks of OpenAI's tokenizers: it answers 500 to those, however often it is asked
 * (github.com/PostHog/posthog, pull 52723).
 */
export function openAiText(input: EmbeddingInput): string {
  return plainText(input).replaceAll(SPECIAL_TOKEN, '<| ');
}

/** 429 responses about money, not speed. */
const SPENT = new Set([
  'insufficient_quota',
  'credit_balance_exhausted',
  'organization_spend_limit_exceeded',
]);

/**
 * How a text that is too long is refused by OpenAI (an older and a newer wording), vLLM, llama.cpp, Ollama, SGLang,
 * text-embeddings-inference, NVIDIA's NIM, Alibaba's Model Studio and Baidu's Qianfan; and by Mistral, Google, Voyage and
 * Amazon behind a gateway, some of which mean all texts of a request. llama.cpp answers with status 500
 * (github.com/ggml-org/llama.cpp, pulls 7389, 10030 and 15780).
 */
const TOO_LONG = new RegExp(
  [
    'maximum (?:context|input|model) length|too large to process|larger than the max context size',
    'exceeds (?:the (?:available )?|maximum )context (?:length|size)|maximum allowed (?:token size|length)',
    "longer than the model's context length|must have less than \\d+ tokens|range of input length should be",
    'too many (?:input )?tokens|input token count|max allowed tokens per submitted batch|max length per batch size',
  ].join('|'),
  'iu',
);

/** OpenAI and Groq, if a request has more tokens than a minute may have. */
const LARGER_THAN_MINUTE = /^Request too large for\b/u;

/** Whether a refusal means that a text, or a request, is too long. With status 429, "too many tokens" are those of a minute. */
export function isTooLong(status: number, message: string): boolean {
  return LARGER_THAN_MINUTE.test(message) || (status !== 429 && TOO_LONG.test(message));
}

/**
 * How compatible servers refuse a request with too many inputs: text-embeddings-inference and SiliconFlow, Alibaba's Model
 * Studio (github.com/MemMachine/MemMachine, issue 864), Azure, Cohere, Google, Baidu's Qianfan, and Zhipu and Volcengine
 * (github.com/openclaw/openclaw, issue 136261 and pull 129845).
 */
const TOO_MANY = [
  /(?:maximum allowed batch size|batch size is invalid, it should not be larger than) (\d{1,9})/u,
  /(?:max number of inputs is|number of texts must be at most|max batch size is|input limit exceeded: max) (\d{1,9})/u,
  /at most (\d{1,9}) requests can be in one batch/u,
  /input(?:数组最大不得超过| array max )(\d{1,9})/u,
];

/** How many inputs a request can have, according to a refusal. */
export function mostInputsIn(message: string): number | undefined {
  for (const words of TOO_MANY) {
    const most = words.exec(message)?.[1];
    if (most !== undefined) return Number(most);
  }
  return undefined;
}

/** Codes of refusals for what a text says: of Azure's filters, and of Alibaba's Model Studio. */
const FILTERED = new Set(['content_filter', 'data_inspection_failed']);

/** What NVIDIA's NIM says without a type, others with one, and OpenAI, vLLM and LiteLLM to a wrong vector length. */
const HINTS: readonly (readonly [words: RegExp, hint: string])[] = [
  [
    /(?:unrecogni[sz]ed|unknown|unexpected|unsupported).{0,60}input_type/iu,
    'remove inputType, queryInputType and documentInputType: this server takes no types',
  ],
  [
    /input_type.{0,40} required/u,
    'set memorySearch.queryInputType to "query" and memorySearch.documentInputType to "passage"',
  ],
  [
    /support specifying dimensions|support matryoshka|dimensions is currently not supported|support parameters: \{'dimensions'/u,
    'remove outputDimensionality: this model has a fixed vector length',
  ],
];

/** Error bodies: `{error: {message, type, param, code}}`. */
export const explainOpenAi: ExplainStatus = ({ status, body }) => {
  const type = textAt(body, 'error', 'type');
  const reportedCode = textAt(body, 'error', 'code');
  const code = reportedCode ?? type;
  if ([reportedCode, type].some((name) => name !== undefined && SPENT.has(name))) {
    return { code, kind: 'quota' };
  }
  if (code === 'max_tokens_per_request' || code === 'array_above_max_length') {
    return { code, kind: 'too_large' };
  }
  // For a model that the key's project has no access to, the status is 403.
  if (code === 'model_not_found') return { code, kind: 'model' };
  if (code !== undefined && FILTERED.has(code)) return { code, kind: 'input' };
  const message = messageIn(body) ?? '';
  // OpenRouter, with the code 404, if those that serve the model are busy or broken.
  if (message.startsWith('No successful provider responses')) return { code, kind: 'overload' };
  const mostInputs = mostInputsIn(message);
  if (mostInputs !== undefined) return { code, kind: 'too_large', mostInputs };
  if (isTooLong(status, message)) return { code, kind: 'too_large' };
  const hint = HINTS.find(([words]) => words.test(message))?.[1];
  return hint === undefined ? { code } : { code, hint };
};
