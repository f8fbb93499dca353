import type { ExplainStatus } from './http/http-client.js';
import { jsonAt, messageIn } from './http/status-fault.js';
import { inputTokensOf, promptsOf } from './open-models.js';
import { type AddressedProvider, SELF_HOSTED } from './provider.js';

const MODEL = 'text-embedding-nomic-embed-text-v1.5';

/**
 * LM Studio's local server. It documents no vector lengths and no limits: none are requested, and
 * requests are small, so that answers take seconds even on a CPU.
 */
export const lmstudio: AddressedProvider<'lmstudio'> = {
  ...SELF_HOSTED,
  id: 'lmstudio',
  kind: null,
  prefixes: ['lmstudio'],
  endpoint: 'http://localhost:1234/v1',
  model: MODEL,
  dimensions: {},
  usualDimensions: { [MODEL]: 768 },
  key: {
    variables: ['LMSTUDIO_API_KEY', 'LM_API_TOKEN'],
    required: false,
    hint: 'it only needs a key if LM Studio requires one; set LM_API_TOKEN',
  },
  open: async (settings) => {
    const { openAiShaped } = await import('./openai-shaped.js');
    return openAiShaped(lmstudio, settings, {
      limits: (model) => ({
        maxInputs: 32,
        maxTokensPerInput: inputTokensOf(model, 2048),
        maxTokensPerRequest: 8192,
      }),
      ...promptsOf(settings.model ?? MODEL),
      fields: () => ({}),
      explain: explainLmStudio,
      startHint: "start LM Studio's server with `lms server start` or on its Developer page",
    });
  },
};

/** Error bodies: `{error: "text"}`, or OpenAI's form. */
function explainLmStudio(model: string): ExplainStatus {
  return ({ status, body }) => {
    const message = messageIn(body) ?? '';
    if (/no models? loaded/iu.test(message)) {
      return {
        kind: 'model',
        hint: `load it with \`lms load ${model}\`, or enable just-in-time loading in LM Studio's server settings`,
      };
    }
    if (
      jsonAt(body, 'error', 'code') === 'model_not_found' ||
      /model .{0,300}not found/iu.test(message)
    ) {
      return {
        kind: 'model',
        hint: `\`lms ls\` lists the available models; ${model} is not an embedding model`,
      };
    }
    // With status 400. It loads the model again for the next request (github.com/lmstudio-ai/lmstudio-bug-tracker, issue 463).
    if (/model has crashed|model (?:is )?unloaded/iu.test(message)) return { kind: 'overload' };
    const tooLong = /context (?:length|size|window|overflow)|too (?:long|large)/iu.test(message);
    return status < 500 && tooLong ? { kind: 'too_large' } : {};
  };
}
