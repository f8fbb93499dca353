import { DEFAULT_MODELS, dimensionsToAsk } from '../../config/index.js';
import type { InputRole } from '../embedding-adapter.js';
import type { ExplainStatus } from '../http/http-client.js';
import { messageIn } from '../http/status-fault.js';
import type { ProviderSettings } from '../provider-settings.js';
import { BYTES_PER_TOKEN, estimateTokens, plainText } from '../requests/input-text.js';
import type { EmbeddingVendor, RequestLimits, VendorRequest } from '../vendor.js';
import { bearerHeaders, createOpenAiShapedVendor } from './openai-shaped-vendor.js';
import { createVoyageBatch } from './voyage-batch.js';

const ENDPOINT = 'https://api.voyageai.com/v1';
/** Where keys of MongoDB Atlas belong (github.com/voyage-ai/voyageai-python, `get_default_base_url`). */
const ATLAS_ENDPOINT = 'https://ai.mongodb.com/v1';
const ATLAS_KEY = /^al-/u;

/**
 * Voyage AI.
 *
 * Its labels are `query` and `document` and no others, so the configuration's input types, which are
 * free text, are not sent.
 */
export function createVoyageVendor(settings: ProviderSettings): EmbeddingVendor {
  const model = settings.model ?? DEFAULT_MODELS.voyage;
  const dimensions = dimensionsToAsk('voyage', model, settings.dimensions);
  const endpoint = settings.baseUrl ?? voyageEndpoint(settings);
  const fields = (role: InputRole) => ({
    model,
    input_type: role,
    // By default a text that is too long is cut without a word.
    truncation: false,
    encoding_format: 'base64',
    ...(dimensions === undefined ? {} : { output_dimension: dimensions }),
  });
  const vendor = createOpenAiShapedVendor(
    {
      adapter: 'voyage',
      endpoint,
      model,
      limits: limitsOf(model),
      dimensions,
      documentForm: 'document',
      body: ({ inputs, role }) => ({ ...fields(role), input: inputs.map(plainText) }),
      explain: explainVoyage,
    },
    settings,
  );
  const explain = explainVoyage({ inputs: [] });
  const connection = { endpoint, headers: bearerHeaders(settings), explain };
  return { ...vendor, batch: createVoyageBatch(connection, fields('document')) };
}

/** Voyage's own endpoint for a key, when the configuration names none. */
function voyageEndpoint({ credential }: ProviderSettings): string {
  return credential !== undefined && ATLAS_KEY.test(credential.value) ? ATLAS_ENDPOINT : ENDPOINT;
}

/**
 * "Text Embeddings" and the API reference of docs.voyageai.com. The tokenizer gives three or four
 * times as many tokens as OpenAI's on mixed text (github.com/garrytan/gbrain, pull 680). So the cap
 * of a request is counted in bytes, of which every token has at least one.
 */
function limitsOf(model: string): RequestLimits {
  return {
    maxInputs: 1000,
    maxTokensPerInput: /^voyage-(?:law-2|code-2)$/u.test(model) ? 16_000 : 32_000,
    maxTokensPerRequest: requestCapOf(model) / BYTES_PER_TOKEN,
  };
}

/** Tokens of all inputs together; the lowest for models that are not known here. */
function requestCapOf(model: string): number {
  if (/^voyage-(?:4|3\.5)-lite$/u.test(model)) return 1_000_000;
  return /^voyage-(?:4|3\.5|code-4)$/u.test(model) ? 320_000 : 120_000;
}

/** Without a payment method: 3 requests and 10K tokens a minute ("Rate Limits"). */
const UNPAID_TOKENS = 10_000;
const UNPAID_WAIT_MS = 20_000;

/** What Voyage's error bodies, `{detail}`, say beyond the status. */
function explainVoyage({ inputs }: Pick<VendorRequest, 'inputs'>): ExplainStatus {
  return ({ status, body, headers }) => {
    const said = messageIn(body) ?? '';
    if (status === 403) {
      return { hint: 'Voyage refuses keys without the right, and addresses that it has blocked' };
    }
    if (status === 429 && /payment method/iu.test(said)) {
      const hint =
        'add a payment method at dashboard.voyageai.com: without one, Voyage answers 3 requests and 10K tokens a minute';
      const tokens = inputs.reduce((sum, input) => sum + estimateTokens(plainText(input)), 0);
      // A larger one is refused however long one waits.
      if (tokens > UNPAID_TOKENS) return { kind: 'too_large', hint };
      return { hint, ...(headers['retry-after'] === undefined ? { waitMs: UNPAID_WAIT_MS } : {}) };
    }
    if (status !== 400) return {};
    if (/max allowed tokens|too many tokens|context window/iu.test(said))
      return { kind: 'too_large' };
    return /^model .* (?:is not supported|does not exist)/iu.test(said) ? { kind: 'model' } : {};
  };
}
