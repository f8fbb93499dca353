import { fixed, listed } from './dimensions.js';
import type { ExplainStatus } from './http/http-client.js';
import { messageIn } from './http/status-fault.js';
import { type AddressedProvider, HOSTED } from './provider.js';
import { BYTES_PER_TOKEN, estimateTokens, plainText } from './requests/input-text.js';
import type {
  Credential,
  EmbeddingInput,
  InputRole,
  ProviderSettings,
  RequestLimits,
} from './vendor.js';

const ENDPOINT = 'https://api.voyageai.com/v1';
/** For MongoDB Atlas keys (github.com/voyage-ai/voyageai-python, `get_default_base_url`). */
const ATLAS_ENDPOINT = 'https://ai.mongodb.com/v1';
const ATLAS_KEY = /^al-/u;

const LENGTHS = listed(256, 512, 1024, 2048);
/** The only labels that Voyage accepts; configured input types are free text. */
const LABELS: readonly string[] = ['query', 'document'] satisfies InputRole[];

/** Voyage's page "Batch Inference": inputs per job; a file may have 1 GB. */
const BATCH_LIMITS = { maxEntries: 100_000, maxBytes: 1_000_000_000 } as const;

/** Voyage AI. Its batch API is a third cheaper and done within 12 hours. */
export const voyage: AddressedProvider<'voyage'> = {
  ...HOSTED,
  id: 'voyage',
  kind: 'retrieval-vendor',
  prefixes: ['voyage'],
  endpoint: ENDPOINT,
  ownOrigins: /^https:\/\/ai\.mongodb\.com$/u,
  endpointKnown: 'configured',
  model: 'voyage-4-large',
  dimensions: {
    'voyage-4-large': LENGTHS,
    'voyage-4': LENGTHS,
    'voyage-4-lite': LENGTHS,
    'voyage-code-3': LENGTHS,
    'voyage-code-4': LENGTHS,
    'voyage-3-large': LENGTHS,
    'voyage-3.5': LENGTHS,
    'voyage-3.5-lite': LENGTHS,
    'voyage-3': fixed(1024),
    'voyage-3-lite': fixed(512),
    'voyage-code-2': fixed(1536),
    'voyage-finance-2': fixed(1024),
    'voyage-law-2': fixed(1024),
  },
  key: { variables: ['VOYAGE_API_KEY'], required: true },
  inputTypes: 'always',
  labels: () => LABELS,
  batch: true,
  open: async (settings) => {
    const { openAiShaped } = await import('./openai-shaped.js');
    const { createFileBatch } = await import('./file-batch.js');
    return openAiShaped(voyage, settings, {
      endpoint: voyageEndpoint(settings.credential),
      limits: limitsOf,
      documentForm: labelOf('document', settings),
      fields: (role, dimensions) => ({
        input_type: labelOf(role, settings),
        // By default, Voyage silently truncates long texts.
        truncation: false,
        encoding_format: 'base64',
        output_dimension: dimensions,
      }),
      explain: (_model, inputs) => explainVoyage(inputs),
      // Like OpenAI's, except that lines contain only the text and the job has the other fields.
      batch: (connection, fields) =>
        createFileBatch(connection, {
          limits: BATCH_LIMITS,
          line: ({ key, input }) => ({ custom_id: key, body: { input: plainText(input) } }),
          job: {
            endpoint: '/v1/embeddings',
            completion_window: '12h',
            request_params: fields,
          },
        }),
    });
  },
};

/** Unsupported input types are replaced by the role. */
function labelOf(role: InputRole, { inputTypes }: ProviderSettings): string {
  const configured = inputTypes[role];
  return configured !== undefined && LABELS.includes(configured) ? configured : role;
}

/** The default endpoint for a key. */
export function voyageEndpoint(credential: Credential | undefined): string {
  return credential !== undefined && ATLAS_KEY.test(credential.value) ? ATLAS_ENDPOINT : ENDPOINT;
}

/**
 * "Text Embeddings" and the API reference of docs.voyageai.com. On mixed text, the tokenizer gives
 * three or four times as many tokens as OpenAI's (github.com/garrytan/gbrain, pull 680). So the
 * request limit is counted in bytes, of which every token has at least one.
 */
function limitsOf(model: string): RequestLimits {
  return {
    maxInputs: 1000,
    maxTokensPerInput: /^voyage-(?:law-2|code-2)$/u.test(model) ? 16_000 : 32_000,
    maxTokensPerRequest: requestCapOf(model) / BYTES_PER_TOKEN,
  };
}

/** Tokens of all inputs; the lowest limit for unknown models. */
function requestCapOf(model: string): number {
  if (/^voyage-(?:4|3\.5)-lite$/u.test(model)) return 1_000_000;
  return /^voyage-(?:4|3\.5|code-4)$/u.test(model) ? 320_000 : 120_000;
}

/** Without a payment method: 3 requests and 10K tokens a minute ("Rate Limits"). */
const UNPAID_TOKENS = 10_000;
const UNPAID_WAIT_MS = 20_000;

/** Error bodies: `{detail}`. */
function explainVoyage(inputs: readonly EmbeddingInput[]): ExplainStatus {
  return ({ status, body, headers }) => {
    const message = messageIn(body) ?? '';
    if (status === 403) {
      return { hint: 'Voyage rejects keys without permission, and blocked IP addresses' };
    }
    if (status === 429 && /payment method/iu.test(message)) {
      const hint =
        'add a payment method at dashboard.voyageai.com: without one, Voyage allows 3 requests and 10K tokens a minute';
      const tokens = inputs.reduce((sum, input) => sum + estimateTokens(plainText(input)), 0);
      // A larger request is refused however long we wait.
      if (tokens > UNPAID_TOKENS) return { kind: 'too_large', hint };
      return { hint, ...(headers['retry-after'] === undefined ? { waitMs: UNPAID_WAIT_MS } : {}) };
    }
    if (status !== 400) return {};
    if (/max allowed tokens|too many tokens|context window/iu.test(message))
      return { kind: 'too_large' };
    return /^model .* (?:is not supported|does not exist)/iu.test(message) ? { kind: 'model' } : {};
  };
}
