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
import { embeddingList, jsonBody, strictTokens, total } from './openai-shape.js';

/** The key that the fake takes. */
export const MISTRAL_KEY = 'test-mistral-0123456789';

const MODELS: Readonly<Record<string, { dimensions: number; maxDimensions?: number }>> = {
  'mistral-embed': { dimensions: 1024 },
  'codestral-embed': { dimensions: 1536, maxDimensions: 3072 },
};

/** `EmbeddingRequest` of Mistral's API description (github.com/mistralai/platform-docs-public). */
const requestSchema = z.strictObject({
  model: z.string(),
  input: z.union([z.string().check(z.minLength(1)), z.array(z.string().check(z.minLength(1)))]),
  metadata: z.optional(z.nullable(z.record(z.string(), z.unknown()))),
  output_dimension: z.optional(z.nullable(z.int().check(z.minimum(1)))),
  output_dtype: z.optional(z.enum(['float', 'int8', 'uint8', 'binary', 'ubinary'])),
  encoding_format: z.optional(z.enum(['float', 'base64'])),
});

/** Settings of the fake. */
export interface MistralFakeOptions {
  /** The length of vectors unless the request sets one; short by default, so that tests stay small. */
  readonly dimensions?: number;
}

/** Mistral's `POST /v1/embeddings`; errors in the three shapes of its "Error glossary". */
export async function startMistralFake(options: MistralFakeOptions = {}): Promise<FakeVendor> {
  return startFake({
    answer: (request, trouble) => answer(request, trouble, options),
    troubleAnswers: {
      key_refused: unauthorized(),
      forbidden: { status: 403, body: { message: 'Forbidden', request_id: 'r-1' } },
      model_unknown: unknownModel('mistral-x'),
      too_large: tooManyTokens(),
      // "Usage limits" says that it happens and with this status, not in which words.
      quota_spent: { status: 429, body: { message: 'Monthly usage limit reached' } },
      overloaded: { status: 503, body: 'upstream connect error' },
      rate_limited: {
        ...failure(429, '1300', 'rate_limited', 'Rate limit exceeded'),
        headers: { 'retry-after': '1' },
      },
      rate_limited_without_wait: {
        status: 429,
        body: { message: 'Requests rate limit exceeded' },
      },
    },
  });
}

function failure(status: number, code: string, type: string, message: string): FakeAnswer {
  return {
    status,
    body: { object: 'error', message, type, param: null, code, raw_status_code: status },
  };
}

function unauthorized(): FakeAnswer {
  return { status: 401, body: { detail: 'Unauthorized' } };
}

function unknownModel(model: string): FakeAnswer {
  return failure(400, '1500', 'invalid_model', `Invalid model: ${model}`);
}

function tooManyTokens(): FakeAnswer {
  const text = 'Too many tokens overall, split into more batches.';
  return failure(400, '3210', 'invalid_request_prompt', text);
}

function answer(
  request: RecordedRequest,
  trouble: Trouble | undefined,
  options: MistralFakeOptions,
): FakeAnswer {
  if (request.method !== 'POST' || request.path !== '/v1/embeddings') {
    return { status: 404, body: { message: 'no Route matched with those values' } };
  }
  if (request.headers.authorization !== `Bearer ${MISTRAL_KEY}`) return unauthorized();
  const parsed = requestSchema.safeParse(jsonBody(request));
  if (parsed.success) return embed(parsed.data, trouble, options);
  const detail = parsed.error.issues.map(({ code, path, message }) => ({
    type: code === 'unrecognized_keys' ? 'extra_forbidden' : code,
    loc: ['body', ...path],
    msg: message,
  }));
  return { status: 422, body: { detail } };
}

function embed(
  body: z.infer<typeof requestSchema>,
  trouble: Trouble | undefined,
  options: MistralFakeOptions,
): FakeAnswer {
  const model = MODELS[body.model];
  if (model === undefined) return unknownModel(body.model);
  const dimensions = body.output_dimension ?? undefined;
  if (dimensions !== undefined && dimensions > (model.maxDimensions ?? 0)) {
    const text = 'This model does not support output_dimension.';
    return failure(400, '3051', 'invalid_request_invalid_args', text);
  }
  const inputs = typeof body.input === 'string' ? [body.input] : body.input;
  const tokens = strictTokens(inputs);
  const long = tokens.findIndex((count) => count > 8192);
  if (long >= 0) {
    const text = `Input id ${long} has ${tokens[long]} tokens, exceeding max 8192 tokens.`;
    return failure(400, '3210', 'invalid_request_prompt', text);
  }
  const sum = total(tokens);
  if (sum > 16_384) return tooManyTokens();
  const size = dimensions ?? options.dimensions ?? model.dimensions;
  const vectors = troubledVectors(
    inputs.map((text) => meaningOf(text, size)),
    trouble,
  );
  const base64 = body.encoding_format === 'base64';
  const usage = { prompt_tokens: sum, total_tokens: sum, completion_tokens: 0 };
  return { status: 200, body: embeddingList(vectors, { base64, model: body.model, usage }) };
}
