import { range } from './dimensions.js';
import type { ExplainStatus } from './http/http-client.js';
import { messageIn } from './http/status-fault.js';
import { type AddressedProvider, HOSTED } from './provider.js';
import type { InputRole, RequestLimits } from './vendor.js';

/**
 * DeepInfra: open models behind OpenAI's embeddings API.
 *
 * `input_type` is sent only if configured: symmetric models ignore it, and for the others it
 * changes every vector.
 */
export const deepinfra: AddressedProvider<'deepinfra'> = {
  ...HOSTED,
  id: 'deepinfra',
  kind: 'open-model-host',
  prefixes: ['deepinfra'],
  endpoint: 'https://api.deepinfra.com/v1/openai',
  model: 'BAAI/bge-m3',
  // Up to the model's own size: DeepInfra pads longer vectors with zeros.
  dimensions: {
    'bge-base-en-v1.5': range(32, 768),
    'bge-large-en-v1.5': range(32, 1024),
    'bge-m3': range(32, 1024),
    'multilingual-e5-large': range(32, 1024),
    'Qwen3-Embedding-0.6B': range(32, 1024),
    'Qwen3-Embedding-4B': range(32, 2560),
    'Qwen3-Embedding-8B': range(32, 4096),
  },
  key: { variables: ['DEEPINFRA_API_KEY', 'DEEPINFRA_TOKEN'], required: true },
  inputTypes: 'always',
  open: async (settings) => {
    const { openAiShaped } = await import('./openai-shaped.js');
    const labels = {
      query: labelOf('query', settings.inputTypes.query),
      document: labelOf('document', settings.inputTypes.document),
    };
    return openAiShaped(deepinfra, settings, {
      limits: limitsOf,
      documentForm: labels.document ?? '',
      fields: (role, dimensions) => {
        return { encoding_format: 'base64', dimensions, input_type: labels[role] };
      },
      explain: () => explainDeepInfra,
    });
  },
};

/** From DeepInfra's published API description. */
const LABELS: ReadonlySet<string> = new Set(['query', 'passage', 'document']);

/**
 * Other vendors' input types (`search_query`, `RETRIEVAL_DOCUMENT`) become the role they are
 * configured for, since DeepInfra would refuse them.
 */
function labelOf(role: InputRole, configured: string | undefined): string | undefined {
  if (configured === undefined) return undefined;
  const name = configured.toLowerCase();
  return LABELS.has(name) ? name : role;
}

/** 1,024 inputs by the API description; older models accept 512 tokens. */
function limitsOf(model: string): RequestLimits {
  const long = /bge-m3|qwen3-embedding/iu.test(model);
  return {
    maxInputs: 1024,
    maxTokensPerInput: long ? 8192 : 512,
    maxTokensPerRequest: Number.POSITIVE_INFINITY,
  };
}

/** Error bodies: `{error: {message}}`, `{detail: {error}}`, `{detail: [{msg}]}`. */
const explainDeepInfra: ExplainStatus = ({ status, body }) => {
  const message = messageIn(body) ?? '';
  if (status === 402 || /payment method|positive balance|inference prohibited/iu.test(message)) {
    return { kind: 'quota', hint: 'add a balance at deepinfra.com/dash/billing' };
  }
  if (status >= 500 || status === 429) return {};
  if (/at most \d+ items|less than \d+ tokens|too (?:long|many)|context length/iu.test(message)) {
    return { kind: 'too_large' };
  }
  return /model\b.{0,300}\b(?:not available|not found|not exist|unknown)/iu.test(message)
    ? { kind: 'model' }
    : {};
};
