import { fixed, range } from './dimensions.js';
import type { ExplainStatus } from './http/http-client.js';
import { jsonAt, messageIn } from './http/status-fault.js';
import { type AddressedProvider, HOSTED } from './provider.js';

/**
 * Mistral accepts 8,192 tokens per input and 16,384 per request. A quarter is reserved for texts
 * denser than our estimate; if Mistral still refuses one, it is split.
 */
const LIMITS = {
  maxInputs: Number.POSITIVE_INFINITY,
  maxTokensPerInput: 6144,
  maxTokensPerRequest: 12_288,
} as const;

/** Mistral AI. It has no input types and rejects unknown fields. */
export const mistral: AddressedProvider<'mistral'> = {
  ...HOSTED,
  id: 'mistral',
  kind: 'european-vendor',
  prefixes: ['mistral'],
  endpoint: 'https://api.mistral.ai/v1',
  model: 'mistral-embed',
  dimensions: {
    'mistral-embed': fixed(1024),
    'mistral-embed-2312': fixed(1024),
    'codestral-embed': range(1, 3072),
    'codestral-embed-2505': range(1, 3072),
  },
  usualDimensions: { 'codestral-embed': 1536, 'codestral-embed-2505': 1536 },
  key: { variables: ['MISTRAL_API_KEY'], required: true },
  open: async (settings) => {
    const { openAiShaped } = await import('./openai-shaped.js');
    return openAiShaped(mistral, settings, {
      limits: () => LIMITS,
      documentForm: '',
      fields: (_role, dimensions) => {
        return { encoding_format: 'base64', output_dimension: dimensions };
      },
      explain: () => explainMistral,
    });
  },
};

const TOO_MANY_TOKENS = '3210';
const NO_OUTPUT_DIMENSION = '3051';
const INVALID_MODEL = '1500';

/**
 * Error bodies: `{object: "error", message, type, param, code}` ("Error glossary"), `{message}`, or
 * `{detail}`.
 */
const explainMistral: ExplainStatus = ({ status, body }) => {
  const written = jsonAt(body, 'code');
  const code =
    typeof written === 'string' || typeof written === 'number' ? String(written) : undefined;
  const message = messageIn(body) ?? '';
  if (
    code === TOO_MANY_TOKENS ||
    /too many (?:tokens|inputs)|exceed\w{0,3} .{0,300}tokens/iu.test(message)
  ) {
    return { code, kind: 'too_large' };
  }
  if (code === NO_OUTPUT_DIMENSION) {
    return { code, hint: 'remove outputDimensionality: this model has a fixed vector length' };
  }
  if (code === INVALID_MODEL || jsonAt(body, 'type') === 'invalid_model') {
    return { code, kind: 'model' };
  }
  // A used-up limit has the same status as the rate limit ("Usage limits").
  const spent = /\b(?:usage limit|spend\w*|monthly|budget|credits?|billing|payment)\b/iu.test(
    message,
  );
  return status === 429 && spent ? { code, kind: 'quota' } : { code };
};
