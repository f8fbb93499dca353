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
export const DEEPINFRA_KEY = 'test-deepinfra-0123456789';

const MODELS: Readonly<Record<string, { dimensions: number; tokens: number }>> = {
  'BAAI/bge-m3': { dimensions: 1024, tokens: 8192 },
  'BAAI/bge-large-en-v1.5': { dimensions: 1024, tokens: 512 },
  'Qwen/Qwen3-Embedding-8B': { dimensions: 4096, tokens: 32_768 },
};

/**
 * `OpenAIEmbeddingsIn` of DeepInfra's API description (api.deepinfra.com/openapi.json). DeepInfra
 * passes over fields it does not know; the fake refuses them, so that none is sent in vain.
 */
const requestSchema = z.strictObject({
  model: z.string(),
  input: z.union([
    z.string().check(z.minLength(1)),
    z.array(z.string().check(z.minLength(1))).check(z.maxLength(1024)),
  ]),
  encoding_format: z.optional(z.enum(['float', 'base64'])),
  dimensions: z.optional(z.nullable(z.int().check(z.minimum(32)))),
  input_type: z.optional(z.nullable(z.enum(['query', 'passage', 'document']))),
  service_tier: z.optional(z.string()),
  fail_fast: z.optional(z.boolean()),
});

/** Settings of the fake. */
export interface DeepInfraFakeOptions {
  /** The length of vectors unless the request sets one; short by default, so that tests stay small. */
  readonly dimensions?: number;
}

/** DeepInfra's `POST /v1/openai/embeddings`, with its error shapes as observed. */
export async function startDeepInfraFake(options: DeepInfraFakeOptions = {}): Promise<FakeVendor> {
  return startFake({
    answer: (request, trouble) => answer(request, trouble, options),
    troubleAnswers: {
      key_refused: failure(401, 'Not authenticated'),
      forbidden: { status: 403, body: { detail: 'Not authenticated' } },
      model_unknown: unknownModel(),
      too_large: tooManyItems(1025),
      quota_spent: {
        status: 402,
        body: {
          detail: {
            error:
              'inference prohibited, please enter a payment method in https://deepinfra.com/dash/billing',
          },
        },
      },
      overloaded: { status: 500, body: { detail: { error: 'Internal Server Error' } } },
      rate_limited: {
        ...failure(429, 'Model busy, retry later'),
        headers: { 'retry-after': '1' },
      },
      rate_limited_without_wait: failure(429, 'Model busy, retry later'),
    },
  });
}

function failure(status: number, message: string): FakeAnswer {
  return { status, body: { error: { message } } };
}

function unknownModel(): FakeAnswer {
  return { status: 404, body: { detail: { error: 'Model is not available' } } };
}

function tooManyItems(count: number): FakeAnswer {
  return invalid([
    {
      code: 'too_long',
      path: ['input'],
      message: `List should have at most 1024 items after validation, not ${count}`,
    },
  ]);
}

function invalid(
  issues: readonly { code?: string; path: PropertyKey[]; message: string }[],
): FakeAnswer {
  const detail = issues.map(({ code, path, message }) => ({
    type: code,
    loc: ['body', ...path],
    msg: message,
  }));
  return { status: 422, body: { detail } };
}

function answer(
  request: RecordedRequest,
  trouble: Trouble | undefined,
  options: DeepInfraFakeOptions,
): FakeAnswer {
  if (request.method !== 'POST' || request.path !== '/v1/openai/embeddings') {
    return { status: 404, body: { detail: 'Not Found' } };
  }
  if (request.headers.authorization !== `Bearer ${DEEPINFRA_KEY}`) {
    return failure(401, 'Not authenticated');
  }
  const parsed = requestSchema.safeParse(jsonBody(request));
  return parsed.success ? embed(parsed.data, trouble, options) : invalid(parsed.error.issues);
}

function embed(
  body: z.infer<typeof requestSchema>,
  trouble: Trouble | undefined,
  options: DeepInfraFakeOptions,
): FakeAnswer {
  const model = MODELS[body.model];
  if (model === undefined) return unknownModel();
  const inputs = typeof body.input === 'string' ? [body.input] : body.input;
  const tokens = strictTokens(inputs);
  const longest = Math.max(...tokens);
  if (longest > model.tokens) {
    const text = `inputs must have less than ${model.tokens} tokens. Given: ${longest}`;
    return { status: 422, body: { detail: { error: text } } };
  }
  const dimensions = body.dimensions ?? undefined;
  const size = Math.min(dimensions ?? options.dimensions ?? model.dimensions, model.dimensions);
  const vectors = troubledVectors(
    inputs.map((text) => {
      const vector = new Float32Array(dimensions ?? size);
      // Zeros beyond the model's own length.
      vector.set(meaningOf(text, size));
      return vector;
    }),
    trouble,
  );
  const sum = total(tokens);
  const base64 = body.encoding_format === 'base64';
  const usage = { prompt_tokens: sum, total_tokens: sum };
  return { status: 200, body: embeddingList(vectors, { base64, model: body.model, usage }) };
}
