import { DEFAULT_MODELS } from '../../config/index.js';
import type { ExplainStatus } from '../http/http-client.js';
import { jsonAt, messageIn } from '../http/status-fault.js';
import type { ProviderSettings } from '../provider-settings.js';
import type { EmbeddingVendor } from '../vendor.js';
import { inputTokensOf, promptsOf } from './open-models.js';
import { createOpenAiShapedVendor } from './openai-shaped-vendor.js';

const ENDPOINT = 'http://localhost:1234/v1';

/**
 * LM Studio's local server. It documents no length of vectors and no limits, so none is asked for
 * and requests are kept small: an answer comes within seconds on a processor, too.
 */
export function createLmStudioVendor(settings: ProviderSettings): EmbeddingVendor {
  const model = settings.model ?? DEFAULT_MODELS.lmstudio;
  const prompts = promptsOf(model);
  return createOpenAiShapedVendor(
    {
      adapter: 'lmstudio',
      endpoint: settings.baseUrl ?? ENDPOINT,
      model,
      limits: {
        maxInputs: 32,
        maxTokensPerInput: inputTokensOf(model, 2048),
        maxTokensPerRequest: 8192,
      },
      dimensions: undefined,
      documentForm: prompts.documentForm,
      body: ({ inputs, role }) => ({
        model,
        input: inputs.map((input) =>
          role === 'query' ? prompts.query(input.text) : prompts.document(input),
        ),
      }),
      explain: () => explainLmStudio(model),
      startHint: 'start the server of LM Studio: `lms server start`, or its Developer page',
    },
    settings,
  );
}

/** What LM Studio's errors say: `{error: "text"}`, or OpenAI's form. */
function explainLmStudio(model: string): ExplainStatus {
  return ({ status, body }) => {
    const said = messageIn(body) ?? '';
    if (/no models? loaded/iu.test(said)) {
      return {
        kind: 'model',
        hint: `load it with \`lms load ${model}\`, or switch on just-in-time loading in the server settings of LM Studio`,
      };
    }
    if (jsonAt(body, 'error', 'code') === 'model_not_found' || /model .*not found/iu.test(said)) {
      return {
        kind: 'model',
        hint: `\`lms ls\` lists the models there are; ${model} is not one for embeddings`,
      };
    }
    const tooLong = /context (?:length|size|window|overflow)|too (?:long|large)/iu.test(said);
    return status < 500 && tooLong ? { kind: 'too_large' } : {};
  };
}
