import type { InputRole } from '../embedding-adapter.js';
import { type ExplainStatus, sendRequest } from '../http/http-client.js';
import { jsonAt } from '../http/status-fault.js';
import type { ProviderSettings } from '../provider-settings.js';
import { plainText } from '../requests/input-text.js';
import type { EmbeddingVendor } from '../vendor.js';
import { createOpenAiBatch } from './openai-batch.js';
import { readOpenAiAnswer } from './openai-shape.js';

const ENDPOINT = 'https://api.openai.com/v1';
const DEFAULT_MODEL = 'text-embedding-3-small';

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
  const model = settings.model ?? DEFAULT_MODEL;
  const headers = {
    ...(settings.credential === undefined
      ? {}
      : { authorization: `Bearer ${settings.credential.value}` }),
    ...settings.headers,
  };
  const body = (role: InputRole) => {
    const inputType = settings.inputTypes[role];
    return {
      model,
      encoding_format: 'base64',
      ...(settings.dimensions === undefined ? {} : { dimensions: settings.dimensions }),
      ...(inputType === undefined ? {} : { input_type: inputType }),
    };
  };
  return {
    adapter: 'openai',
    endpoint,
    model,
    limits: LIMITS,
    documentForm: settings.inputTypes.document ?? '',
    batch: createOpenAiBatch({ endpoint, headers, explain: explainOpenAi }, body('document')),
    embed: async ({ inputs, role, signal, timeoutMs, pacing }) => {
      const sent = { method: 'POST', url: `${endpoint}/embeddings`, headers } as const;
      const answer = await sendRequest(
        {
          ...sent,
          json: { ...body(role), input: inputs.map(plainText) },
          signal,
          timeoutMs,
          pacing,
        },
        explainOpenAi,
      );
      return readOpenAiAnswer(answer, inputs.length);
    },
  };
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
    return { ...known, kind: 'input' };
  }
  return known;
};
