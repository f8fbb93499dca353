import { DEFAULT_MODELS, dimensionsToAsk } from '../../config/index.js';
import type { InputRole } from '../embedding-adapter.js';
import type { ExplainStatus } from '../http/http-client.js';
import { messageIn } from '../http/status-fault.js';
import type { ProviderSettings } from '../provider-settings.js';
import { plainText } from '../requests/input-text.js';
import type { EmbeddingVendor, RequestLimits } from '../vendor.js';
import { createOpenAiShapedVendor } from './openai-shaped-vendor.js';

const ENDPOINT = 'https://api.deepinfra.com/v1/openai';

/**
 * DeepInfra, which runs open models behind OpenAI's embeddings API.
 *
 * `input_type` goes out only when the configuration sets it: models that are symmetric ignore it,
 * and for the others it changes every vector.
 */
export function createDeepInfraVendor(settings: ProviderSettings): EmbeddingVendor {
  const model = settings.model ?? DEFAULT_MODELS.deepinfra;
  const dimensions = dimensionsToAsk('deepinfra', model, settings.dimensions);
  const labels = {
    query: labelOf('query', settings.inputTypes.query),
    document: labelOf('document', settings.inputTypes.document),
  };
  return createOpenAiShapedVendor(
    {
      adapter: 'deepinfra',
      endpoint: settings.baseUrl ?? ENDPOINT,
      model,
      limits: limitsOf(model),
      dimensions,
      documentForm: labels.document ?? '',
      body: ({ inputs, role }) => {
        const label = labels[role];
        return {
          model,
          input: inputs.map(plainText),
          encoding_format: 'base64',
          ...(dimensions === undefined ? {} : { dimensions }),
          ...(label === undefined ? {} : { input_type: label }),
        };
      },
      explain: () => explainDeepInfra,
    },
    settings,
  );
}

/** `input_type` of DeepInfra's published API description. */
const LABELS: ReadonlySet<string> = new Set(['query', 'passage', 'document']);

/**
 * The label for a configured input type. Other vendors' words for the same (`search_query`,
 * `RETRIEVAL_DOCUMENT`) stand for the role they are configured for, since DeepInfra would refuse
 * them.
 */
function labelOf(role: InputRole, configured: string | undefined): string | undefined {
  if (configured === undefined) return undefined;
  const name = configured.toLowerCase();
  return LABELS.has(name) ? name : role;
}

/** 1024 inputs by the API description; tokens by the model, of which the older ones take 512. */
function limitsOf(model: string): RequestLimits {
  const long = /bge-m3|qwen3-embedding/iu.test(model);
  return {
    maxInputs: 1024,
    maxTokensPerInput: long ? 8192 : 512,
    maxTokensPerRequest: Number.POSITIVE_INFINITY,
  };
}

/** What DeepInfra's error bodies say: `{error: {message}}`, `{detail: {error}}`, `{detail: [{msg}]}`. */
const explainDeepInfra: ExplainStatus = ({ status, body }) => {
  const said = messageIn(body) ?? '';
  if (status === 402 || /payment method|positive balance|inference prohibited/iu.test(said)) {
    return { kind: 'quota', hint: 'add a balance at deepinfra.com/dash/billing' };
  }
  if (status >= 500 || status === 429) return {};
  if (/at most \d+ items|less than \d+ tokens|too (?:long|many)|context length/iu.test(said)) {
    return { kind: 'too_large' };
  }
  return /model\b.*\b(?:not available|not found|not exist|unknown)/iu.test(said)
    ? { kind: 'model' }
    : {};
};
