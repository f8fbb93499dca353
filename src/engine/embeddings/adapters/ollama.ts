import { DEFAULT_MODELS, dimensionsToAsk } from '../../config/index.js';
import { type ExplainStatus, type HttpAnswer, sendRequest } from '../http/http-client.js';
import { parseAnswer } from '../http/parse-answer.js';
import { withHintWhenRefused } from '../http/refused-connection.js';
import { jsonAt, messageIn } from '../http/status-fault.js';
import type { ProviderSettings } from '../provider-settings.js';
import { broken, readVector } from '../read-vectors.js';
import type { EmbeddingVendor, VendorAnswer } from '../vendor.js';
import { OLLAMA_ENDPOINT } from './ollama-host.js';
import { inputTokensOf, promptsOf } from './open-models.js';
import { bearerHeaders } from './openai-shaped-vendor.js';

/**
 * Ollama's `POST /api/embed` (docs.ollama.com, "Generate embeddings").
 *
 * Requests are small, so that an answer comes within seconds on a processor, too. Texts are never
 * cut by the server: one that is too long comes back as an error, and is divided.
 */
export function createOllamaVendor(settings: ProviderSettings): EmbeddingVendor {
  const endpoint = (settings.baseUrl ?? OLLAMA_ENDPOINT).replace(/\/v1$/u, '');
  const model = settings.model ?? DEFAULT_MODELS.ollama;
  const dimensions = dimensionsToAsk('ollama', model, settings.dimensions);
  const prompts = promptsOf(model);
  const headers = bearerHeaders({ ...settings, credential: credentialFor(endpoint, settings) });
  return {
    adapter: 'ollama',
    endpoint,
    model,
    dimensions: dimensions ?? null,
    documentForm: prompts.documentForm,
    // Models are served with 2048 tokens or more unless they were trained with less.
    limits: {
      maxInputs: 32,
      maxTokensPerInput: inputTokensOf(model, 2048),
      maxTokensPerRequest: 8192,
    },
    embed: async ({ inputs, role, signal, timeoutMs, pacing }) => {
      const json = {
        model,
        input: inputs.map((input) =>
          role === 'query' ? prompts.query(input.text) : prompts.document(input),
        ),
        truncate: false,
        ...(dimensions === undefined ? {} : { dimensions }),
      };
      const sent = { method: 'POST', url: `${endpoint}/api/embed`, headers } as const;
      const answer = await withHintWhenRefused(
        'start it with `ollama serve`, or set remote.baseUrl to where it runs',
        sendRequest({ ...sent, json, signal, timeoutMs, pacing }, explainOllama(model)),
      );
      return readOllamaAnswer(answer);
    },
  };
}

/**
 * `OLLAMA_API_KEY` holds the key of ollama.com or a mere placeholder (spec/memory-search §5): it is
 * for that host alone, as in Ollama's own client. A key in the configuration is for the host that is
 * configured with it.
 */
function credentialFor(
  endpoint: string,
  { credential }: ProviderSettings,
): ProviderSettings['credential'] {
  const vendors = /^https:\/\/(?:[a-z0-9-]+\.)*ollama\.com(?:[:/]|$)/iu.test(endpoint);
  return vendors || credential?.source !== ENVIRONMENT_KEY ? credential : undefined;
}

/** How {@link ProviderSettings.credential} names a key from the environment. */
const ENVIRONMENT_KEY = 'env OLLAMA_API_KEY';

/** Reads `{embeddings, prompt_eval_count}`; the vectors are in the order of the inputs. */
function readOllamaAnswer(answer: HttpAnswer): VendorAnswer {
  const body = parseAnswer(answer);
  const embeddings = jsonAt(body, 'embeddings');
  if (!Array.isArray(embeddings)) throw broken('it has no "embeddings"');
  const tokens = jsonAt(body, 'prompt_eval_count');
  return {
    vectors: embeddings.map(readVector),
    tokens: typeof tokens === 'number' ? tokens : undefined,
  };
}

/** What Ollama's errors, `{error}`, mean; their words change from release to release. */
function explainOllama(model: string): ExplainStatus {
  return ({ status, body }) => {
    if (status === 404) {
      return jsonAt(body, 'error') === undefined
        ? { kind: 'request', hint: 'no Ollama with /api/embed is there: check remote.baseUrl' }
        : { hint: `pull it with \`ollama pull ${model}\`` };
    }
    const said = messageIn(body) ?? '';
    if (/exceed\w* .*context length/iu.test(said)) return { kind: 'too_large' };
    // The model itself fails on such a text, every time.
    if (/\bNaN\b|[+-]Inf\b/u.test(said)) return { kind: 'input' };
    if (/not support embed/iu.test(said)) {
      return {
        kind: 'model',
        hint: `${model} is no embedding model; try ${DEFAULT_MODELS.ollama}`,
      };
    }
    return {};
  };
}
