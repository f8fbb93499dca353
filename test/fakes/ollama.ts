import * as z from 'zod/mini';
import {
  type FakeAnswer,
  type FakeVendor,
  type RecordedRequest,
  startFake,
  type Trouble,
  troubledVectors,
} from './fake-vendor.js';
import { meaningOf } from './meaning.js';
import { jsonBody, shortened, strictTokens, total } from './openai-shape.js';

/** A key for an Ollama that requires one, such as ollama.com. */
export const OLLAMA_KEY = 'test-ollama-0123456789';

const MODELS: Readonly<Record<string, { dimensions: number; tokens: number }>> = {
  'nomic-embed-text': { dimensions: 768, tokens: 2048 },
  'mxbai-embed-large': { dimensions: 1024, tokens: 512 },
  'all-minilm': { dimensions: 384, tokens: 256 },
  'an-unknown-one': { dimensions: 384, tokens: 128 },
};

/**
 * "Generate embeddings" of docs.ollama.com. Ollama passes over fields it does not know; the fake
 * refuses them, so that none is sent in vain.
 */
const requestSchema = z.strictObject({
  model: z.string(),
  input: z.union([z.string(), z.array(z.string())]),
  truncate: z.optional(z.boolean()),
  dimensions: z.optional(z.int()),
  keep_alive: z.optional(z.union([z.string(), z.number()])),
  options: z.optional(z.record(z.string(), z.unknown())),
});

/** Settings of the fake. */
export interface OllamaFakeOptions {
  /** The length of vectors unless the request sets one; short by default, so that tests stay small. */
  readonly dimensions?: number;
  /** A model crashes on a text with more tokens, if its context has room for it (issue 16582). */
  readonly batch?: number;
  /** Whether {@link OLLAMA_KEY} is required; a plain Ollama requires none. */
  readonly locked?: boolean;
}

/** Ollama's `POST /api/embed`; statuses and words from github.com/ollama/ollama, server/routes.go. */
export async function startOllamaFake(options: OllamaFakeOptions = {}): Promise<FakeVendor> {
  return startFake({
    answer: (request, trouble) => answer(request, trouble, options),
    troubleAnswers: {
      key_refused: failure(401, 'unauthorized'),
      // What the server says to an origin that it does not allow.
      forbidden: { status: 403, body: '' },
      model_unknown: failure(404, 'model "x" not found, try pulling it first'),
      too_large: tooLong(),
      overloaded: failure(503, 'server busy, please try again. maximum pending requests exceeded'),
      rate_limited: {
        ...failure(429, 'too many requests'),
        headers: { 'retry-after': '1' },
      },
      rate_limited_without_wait: failure(429, 'too many requests'),
    },
  });
}

function failure(status: number, error: string): FakeAnswer {
  return { status, body: { error } };
}

function tooLong(): FakeAnswer {
  return failure(400, 'the input length exceeds the context length');
}

function answer(
  request: RecordedRequest,
  trouble: Trouble | undefined,
  options: OllamaFakeOptions,
): FakeAnswer {
  if (request.path !== '/api/embed') return { status: 404, body: '404 page not found' };
  if (request.method !== 'POST') return { status: 405, body: '405 method not allowed' };
  if (options.locked === true && request.headers.authorization !== `Bearer ${OLLAMA_KEY}`) {
    return failure(401, 'unauthorized');
  }
  const parsed = requestSchema.safeParse(jsonBody(request));
  if (!parsed.success) return failure(400, z.prettifyError(parsed.error));
  return embed(parsed.data, trouble, options);
}

function embed(
  body: z.infer<typeof requestSchema>,
  trouble: Trouble | undefined,
  options: OllamaFakeOptions,
): FakeAnswer {
  const model = MODELS[body.model.replace(/:latest$/, '')];
  if (model === undefined) return failure(404, `model "${body.model}" not found`);
  // One empty text is answered with no vector; in a list it gets one.
  const inputs = body.input === '' ? [] : [body.input].flat();
  const tokens = strictTokens(inputs);
  if (body.truncate === false && tokens.some((count) => count > model.tokens)) return tooLong();
  if (tokens.some((count) => count > (options.batch ?? count))) {
    return failure(500, 'do embedding request: Post "http://127.0.0.1:33967/embedding": EOF');
  }
  // A text on which the model itself fails.
  if (inputs.some((text) => text.includes('makes the model fail'))) {
    return failure(500, 'failed to encode response: json: unsupported value: NaN');
  }
  const whole = options.dimensions ?? model.dimensions;
  const vectors = troubledVectors(
    inputs.map((text) => {
      const vector = meaningOf(text.replace(/^search_(?:query|document): /, ''), whole);
      const { dimensions } = body;
      // A larger wish is ignored.
      return dimensions !== undefined && dimensions < whole
        ? shortened(vector, dimensions)
        : vector;
    }),
    trouble,
  );
  return {
    status: 200,
    body: {
      model: body.model,
      embeddings: vectors.map((vector) => [...vector]),
      total_duration: 14_143_917,
      load_duration: 1_019_500,
      prompt_eval_count: total(tokens),
    },
  };
}
