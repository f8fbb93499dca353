import { DEFAULT_MODELS, dimensionsToAsk } from '../../config/index.js';
import type { ExplainStatus } from '../http/http-client.js';
import { jsonAt, messageIn } from '../http/status-fault.js';
import type { ProviderSettings } from '../provider-settings.js';
import { plainText } from '../requests/input-text.js';
import type { EmbeddingVendor } from '../vendor.js';
import { createOpenAiShapedVendor } from './openai-shaped-vendor.js';

const ENDPOINT = 'https://api.mistral.ai/v1';

/**
 * Mistral takes 8192 tokens an input and 16384 a request, and names no number of inputs. A quarter
 * is kept free, for texts that are denser than our estimate; still denser ones are divided when
 * Mistral refuses them.
 */
const LIMITS = {
  maxInputs: Number.POSITIVE_INFINITY,
  maxTokensPerInput: 6144,
  maxTokensPerRequest: 12_288,
} as const;

/** Mistral AI. It has no field for input types and refuses fields that it does not know. */
export function createMistralVendor(settings: ProviderSettings): EmbeddingVendor {
  const model = settings.model ?? DEFAULT_MODELS.mistral;
  const dimensions = dimensionsToAsk('mistral', model, settings.dimensions);
  return createOpenAiShapedVendor(
    {
      adapter: 'mistral',
      endpoint: settings.baseUrl ?? ENDPOINT,
      model,
      limits: LIMITS,
      dimensions,
      documentForm: '',
      body: ({ inputs }) => ({
        model,
        input: inputs.map(plainText),
        encoding_format: 'base64',
        ...(dimensions === undefined ? {} : { output_dimension: dimensions }),
      }),
      explain: () => explainMistral,
    },
    settings,
  );
}

const TOO_MANY_TOKENS = '3210';
const NO_OUTPUT_DIMENSION = '3051';
const INVALID_MODEL = '1500';

/**
 * What Mistral's error bodies say beyond the status: `{object: "error", message, type, param, code}`
 * ("Error glossary"), `{message}`, or `{detail}`.
 */
const explainMistral: ExplainStatus = ({ status, body }) => {
  const given = jsonAt(body, 'code');
  const code = typeof given === 'string' || typeof given === 'number' ? String(given) : undefined;
  const known = code === undefined ? {} : { code };
  const said = messageIn(body) ?? '';
  if (code === TOO_MANY_TOKENS || /too many (?:tokens|inputs)|exceed\w* .*tokens/iu.test(said)) {
    return { ...known, kind: 'too_large' };
  }
  if (code === NO_OUTPUT_DIMENSION) {
    return { ...known, hint: 'remove outputDimensionality: this model has one length of vectors' };
  }
  if (code === INVALID_MODEL || jsonAt(body, 'type') === 'invalid_model') {
    return { ...known, kind: 'model' };
  }
  // A spent limit shares its status with the rate limit ("Usage limits"); a rate names itself.
  const spent = /\b(?:usage limit|spend\w*|monthly|budget|credits?|billing|payment)\b/iu.test(said);
  return status === 429 && spent ? { ...known, kind: 'quota' } : known;
};
