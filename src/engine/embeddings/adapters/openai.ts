import { DEFAULT_MODELS, dimensionsToAsk } from '../../config/index.js';
import type { InputRole } from '../embedding-adapter.js';
import type { ExplainStatus } from '../http/http-client.js';
import { jsonAt } from '../http/status-fault.js';
import type { ProviderSettings } from '../provider-settings.js';
import { plainText } from '../requests/input-text.js';
import type { EmbeddingVendor } from '../vendor.js';
import { createOpenAiBatch } from './openai-batch.js';
import { bearerHeaders, createOpenAiShapedVendor } from './openai-shaped-vendor.js';

const ENDPOINT = 'https://api.openai.com/v1';

/** `CreateEmbeddingRequest` of OpenAI's published API description (github.com/openai/openai-openapi). */
const LIMITS = { maxInputs: 2048, maxTokensPerInput: 8192, maxTokensPerRequest: 300_000 } as const;

/**
 * OpenAI, and every endpoint that speaks its embeddings API (`remote.baseUrl`).
 *
 * `input_type` is no field of OpenAI's; it goes out only when the configuration sets it, which is
 * meant for compatible endpoints that have it.
 */
export function createOpenAiVendor(settings: ProviderSettings): EmbeddingVendor {
  const endpoint = settings.baseUrl ?? ENDPOINT;
  const model = settings.model ?? DEFAULT_MODELS.openai;
  const dimensions = dimensionsToAsk('openai', model, settings.dimensions);
  const fields = (role: InputRole) => {
    const inputType = settings.inputTypes[role];
    return {
      model,
      encoding_format: 'base64',
      ...(dimensions === undefined ? {} : { dimensions }),
      ...(inputType === undefined ? {} : { input_type: inputType }),
    };
  };
  const vendor = createOpenAiShapedVendor(
    {
      adapter: 'openai',
      endpoint,
      model,
      limits: LIMITS,
      dimensions,
      documentForm: settings.inputTypes.document ?? '',
      body: ({ inputs, role }) => ({ ...fields(role), input: inputs.map(plainText) }),
      explain: () => explainOpenAi,
    },
    settings,
  );
  const connection = { endpoint, headers: bearerHeaders(settings), explain: explainOpenAi };
  return { ...vendor, batch: createOpenAiBatch(connection, fields('document')) };
}

/** 429s of these types or codes are about money, not about speed. */
const SPENT = new Set([
  'insufficient_quota',
  'credit_balance_exhausted',
  'organization_spend_limit_exceeded',
]);

/** What OpenAI's error bodies say beyond the status: `{error: {message, type, param, code}}`. */
export const explainOpenAi: ExplainStatus = ({ status, body }) => {
  const type = jsonAt(body, 'error', 'type');
  const named = jsonAt(body, 'error', 'code');
  const code = typeof named === 'string' ? named : typeof type === 'string' ? type : undefined;
  const known = code === undefined ? {} : { code };
  if ([named, type].some((name) => typeof name === 'string' && SPENT.has(name))) {
    return { ...known, kind: 'quota' };
  }
  if (code === 'max_tokens_per_request' || code === 'array_above_max_length') {
    return { ...known, kind: 'too_large' };
  }
  const message = jsonAt(body, 'error', 'message');
  if (status === 400 && typeof message === 'string' && /maximum context length/u.test(message)) {
    return { ...known, kind: 'too_large' };
  }
  return known;
};
