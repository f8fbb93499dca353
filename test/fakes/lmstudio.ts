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
import { embeddingList, jsonBody } from './openai-shape.js';

/** A key of LM Studio's form, for a server with "Require Authentication". */
export const LMSTUDIO_KEY = 'sk-lm-testtest:0123456789abcdefghij';

const MODELS = new Set(['text-embedding-bge-m3', 'text-embedding-nomic-embed-text-v1.5']);

/**
 * The documentation of "Embeddings" (github.com/lmstudio-ai/docs) names `model` and `input`, and
 * `ttl` for just-in-time loading; the fake refuses the rest, so that none is sent in vain.
 */
const requestSchema = z.strictObject({
  model: z.optional(z.string()),
  input: z.union([z.string(), z.array(z.string())]),
  ttl: z.optional(z.number()),
});

/** Settings of the fake. */
export interface LmStudioFakeOptions {
  readonly dimensions?: number;
  /** Whether {@link LMSTUDIO_KEY} is required. */
  readonly locked?: boolean;
  /** Just-in-time loading is off, and nothing is loaded. */
  readonly unloaded?: boolean;
  /** So many requests crash the model. */
  readonly crashes?: number;
}

/** LM Studio's `POST /v1/embeddings`. */
export async function startLmStudioFake(options: LmStudioFakeOptions = {}): Promise<FakeVendor> {
  let crashes = options.crashes ?? 0;
  return startFake({
    answer: (request, trouble) => (crashes-- > 0 ? CRASHED : answer(request, trouble, options)),
    troubleAnswers: {
      key_refused: failure(401, 'invalid_api_key', 'Invalid API key.'),
      forbidden: { status: 403, body: { error: 'Forbidden' } },
      model_unknown: unknownModel('x'),
      too_large: { status: 400, body: { error: 'The input exceeds the context length.' } },
      overloaded: { status: 503, body: { error: 'The model is busy.' } },
    },
  });
}

const CRASHED: FakeAnswer = {
  status: 400,
  body: { error: 'The model has crashed without additional information. (Exit code: 6)' },
};

function failure(status: number, code: string, message: string): FakeAnswer {
  return {
    status,
    body: { error: { message, type: 'invalid_request_error', param: null, code } },
  };
}

function unknownModel(model: string): FakeAnswer {
  return failure(404, 'model_not_found', `Model "${model}" not found.`);
}

function answer(
  request: RecordedRequest,
  trouble: Trouble | undefined,
  options: LmStudioFakeOptions,
): FakeAnswer {
  if (request.method !== 'POST' || request.path !== '/v1/embeddings') {
    // With status 200, as the server has it.
    const error = `Unexpected endpoint or method. (${request.method} ${request.path})`;
    return { status: 200, body: { error } };
  }
  if (options.locked === true && request.headers.authorization !== `Bearer ${LMSTUDIO_KEY}`) {
    return failure(401, 'invalid_api_key', 'Invalid API key.');
  }
  const parsed = requestSchema.safeParse(jsonBody(request));
  if (!parsed.success) return { status: 400, body: { error: z.prettifyError(parsed.error) } };
  if (options.unloaded === true) {
    const error =
      "No models loaded. Please load a model in the developer page or use the 'lms load' command.";
    return { status: 400, body: { error } };
  }
  return embed(parsed.data, trouble, options);
}

function embed(
  body: z.infer<typeof requestSchema>,
  trouble: Trouble | undefined,
  options: LmStudioFakeOptions,
): FakeAnswer {
  const model = body.model ?? '';
  if (!MODELS.has(model)) return unknownModel(model);
  const inputs = typeof body.input === 'string' ? [body.input] : body.input;
  const vectors = troubledVectors(
    inputs.map((text) =>
      meaningOf(text.replace(/^search_(?:query|document): /, ''), options.dimensions ?? 768),
    ),
    trouble,
  );
  // It counts no tokens of embeddings.
  const usage = { prompt_tokens: 0, total_tokens: 0 };
  return { status: 200, body: embeddingList(vectors, { base64: false, model, usage }) };
}
