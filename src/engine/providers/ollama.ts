import { dimensionsToAsk, range } from './dimensions.js';
import type { ExplainStatus } from './http/http-client.js';
import { jsonAt, messageIn, numberAt } from './http/status-fault.js';
import { inputTokensOf, modelFailure, promptsOf } from './open-models.js';
import { type AddressedProvider, addressUsed, SELF_HOSTED } from './provider.js';
import { settingNames } from './provider-error.js';
import { readVector, withoutResult } from './read-vectors.js';
import type { EmbeddingInput, VendorAnswer } from './vendor.js';
import { withoutEndSlashes } from './vendor-fault.js';

/** Ollama's default address. */
const ENDPOINT = 'http://127.0.0.1:11434';
const MODEL = 'nomic-embed-text';

/**
 * Ollama's `POST /api/embed` (docs.ollama.com, "Generate embeddings").
 *
 * Requests are small, so that answers take seconds even on a CPU. The server never truncates: a
 * text that is too long is an error, and is split.
 */
export const ollama: AddressedProvider<'ollama'> = {
  ...SELF_HOSTED,
  id: 'ollama',
  kind: 'local-server',
  prefixes: ['ollama'],
  endpoint: ENDPOINT,
  endpointIn: (env) => ollamaBaseUrl(env['OLLAMA_HOST']),
  cutFromAddress: /\/v1$/u,
  model: MODEL,
  // Up to the model's own size: Ollama ignores larger values.
  dimensions: {
    'all-minilm': range(1, 384),
    'bge-large': range(1, 1024),
    'bge-m3': range(1, 1024),
    embeddinggemma: range(1, 768),
    'mxbai-embed-large': range(1, 1024),
    'nomic-embed-text': range(1, 768),
    'nomic-embed-text:v1.5': range(1, 768),
    'qwen3-embedding': range(1, 4096),
    'qwen3-embedding:0.6b': range(1, 1024),
    'qwen3-embedding:4b': range(1, 2560),
    'qwen3-embedding:8b': range(1, 4096),
    'snowflake-arctic-embed2': range(1, 1024),
  },
  key: {
    variables: ['OLLAMA_API_KEY'],
    required: false,
    // It contains the key of ollama.com or a placeholder (spec/memory-search §5). Ollama's own client sends it only there, too.
    sentTo: /^https:\/\/(?:[a-z0-9-]+\.)*ollama\.com$/u,
    hint: 'it needs no key',
  },
  asksDimensions: true,
  oneAtATime: true,
  open: async (settings) => {
    const { bearerHeaders, parseAnswer, sendRequest, withHintWhenRefused } = await import(
      './http/http-client.js'
    );
    const endpoint = addressUsed(ollama, settings.baseUrl ?? ENDPOINT);
    const model = settings.model ?? MODEL;
    const dimensions = dimensionsToAsk(ollama, model, settings.dimensions);
    const prompts = promptsOf(model);
    const { baseUrl: addressSetting } = settingNames(settings);
    const headers = bearerHeaders(settings.credential?.value, settings.headers);
    return {
      endpoint,
      model,
      documentForm: prompts.documentForm,
      // The default context size, unless the model was trained with less.
      limits: {
        maxInputs: 32,
        maxTokensPerInput: inputTokensOf(model, 2048),
        maxTokensPerRequest: 8192,
      },
      embed: async ({ inputs, role, ...call }) => {
        const json = {
          model,
          input: inputs.map((input) => prompts.write(input, role)),
          truncate: false,
          dimensions,
        };
        const request = { method: 'POST', url: `${endpoint}/api/embed`, headers, json } as const;
        const answer = await withHintWhenRefused(
          `start it with \`ollama serve\`, or set ${addressSetting} to where it runs`,
          sendRequest({ ...call, ...request }, explainOllama(model, addressSetting, inputs)),
        );
        return readOllamaAnswer(parseAnswer(answer));
      },
    };
  },
};

/** Reads `{embeddings, prompt_eval_count}`, in the order of the inputs. */
function readOllamaAnswer(body: unknown): VendorAnswer {
  const embeddings = jsonAt(body, 'embeddings');
  if (!Array.isArray(embeddings)) throw withoutResult(body, 'no "embeddings"');
  return { vectors: embeddings.map(readVector), tokens: numberAt(body, 'prompt_eval_count') };
}

/** Error bodies: `{error}`; the wording changes between releases. */
function explainOllama(
  model: string,
  addressSetting: string,
  inputs: readonly EmbeddingInput[],
): ExplainStatus {
  return ({ status, body }) => {
    if (status === 404) {
      return jsonAt(body, 'error') === undefined
        ? {
            kind: 'request',
            hint: `Ollama's /api/embed was not found there: check ${addressSetting}`,
          }
        : { hint: `pull it with \`ollama pull ${model}\`` };
    }
    const message = messageIn(body) ?? '';
    // Ollama's cloud has hourly and weekly limits; waiting a few minutes does not help.
    if (
      status === 429 &&
      /\b(?:hourly|daily|weekly|monthly|usage)\b.{0,300}\blimit/iu.test(message)
    ) {
      return { kind: 'quota' };
    }
    if (/exceed\w{0,3} .{0,300}context length/iu.test(message)) return { kind: 'too_large' };
    if (/not support embed/iu.test(message)) {
      return { kind: 'model', hint: `${model} is not an embedding model; try ${MODEL}` };
    }
    return modelFailure(message, inputs);
  };
}

/** Default ports by scheme; without a scheme, Ollama's own. */
const PORTS: Readonly<Record<string, string>> = { http: '80', https: '443' };
const OWN_PORT = '11434';

/**
 * The base URL for `OLLAMA_HOST`, read as Ollama's client does (github.com/ollama/ollama,
 * `envconfig.Host`): scheme and port are optional, and a server listening on all addresses is
 * reached at the loopback.
 *
 * @returns undefined if the variable is unset, blank or invalid
 */
function ollamaBaseUrl(host: string | undefined): string | undefined {
  const text = (host ?? '').trim().replaceAll(/^["']|["']$/gu, '');
  if (text === '') return undefined;
  if (text === 'ollama.com') return 'https://ollama.com';
  const [, scheme, address = '', path = ''] = /^(?:([a-z]+):\/\/)?([^/]*)(.*)/isu.exec(text) ?? [];
  const kind = scheme?.toLowerCase() ?? 'http';
  const defaultPort = scheme === undefined ? OWN_PORT : PORTS[kind];
  if (defaultPort === undefined) return undefined;
  const { name, port = defaultPort } = hostAndPort(address);
  const url = `${kind}://${reachable(name)}:${port}${path}`;
  return URL.canParse(url) ? withoutEndSlashes(new URL(url).href) : undefined;
}

function hostAndPort(host: string): { readonly name: string; readonly port: string | undefined } {
  const [, bracketed, plain, port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/u.exec(host) ?? [];
  const name = bracketed ?? plain;
  // Several colons without brackets: an IPv6 address without port.
  return name === undefined ? { name: host, port: undefined } : { name, port };
}

/** The address to connect to when the server listens on all. */
function reachable(name: string): string {
  if (name === '' || name === '0.0.0.0') return '127.0.0.1';
  if (name === '::') return '[::1]';
  return name.includes(':') ? `[${name}]` : name;
}
