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
export const VOYAGE_KEY = 'pa-test-voyage-0123456789';

interface VoyageModel {
  /** The default first. */
  readonly dimensions: readonly number[];
  readonly inputTokens: number;
  readonly requestTokens: number;
}

const SIZES = [1024, 256, 512, 2048];

/** "Text Embeddings" of docs.voyageai.com. */
const MODELS: Readonly<Record<string, VoyageModel>> = {
  'voyage-4-large': { dimensions: SIZES, inputTokens: 32_000, requestTokens: 120_000 },
  'voyage-4': { dimensions: SIZES, inputTokens: 32_000, requestTokens: 320_000 },
  'voyage-4-lite': { dimensions: SIZES, inputTokens: 32_000, requestTokens: 1_000_000 },
  'voyage-code-3': { dimensions: SIZES, inputTokens: 32_000, requestTokens: 120_000 },
  'voyage-law-2': { dimensions: [1024], inputTokens: 16_000, requestTokens: 120_000 },
};

/** The parameters of "Text embedding models", docs.voyageai.com/reference/embeddings-api. */
const requestSchema = z.strictObject({
  input: z.union([z.string().check(z.minLength(1)), z.array(z.string().check(z.minLength(1)))]),
  model: z.string(),
  input_type: z.optional(z.nullable(z.enum(['query', 'document']))),
  truncation: z.optional(z.boolean()),
  output_dimension: z.optional(z.nullable(z.int())),
  output_dtype: z.optional(z.enum(['float', 'int8', 'uint8', 'binary', 'ubinary'])),
  encoding_format: z.optional(z.nullable(z.literal('base64'))),
});

/** Settings of the fake. */
export interface VoyageFakeOptions {
  /** The length of vectors unless the request sets one; short by default, so that tests stay small. */
  readonly dimensions?: number;
  /** An account without a payment method: what is left of its 10K tokens a minute ("Rate Limits"). */
  readonly unpaidTokens?: number;
}

/** Voyage's `POST /v1/embeddings`, as its reference has it; errors by its page "Error Codes". */
export async function startVoyageFake(options: VoyageFakeOptions = {}): Promise<FakeVendor> {
  return startFake({
    answer: (request, trouble) => answer(request, trouble, options),
    troubleAnswers: {
      key_refused: failure(401, 'Provided API key is invalid.'),
      forbidden: failure(403, 'The IP address is not allowed.'),
      model_unknown: unknownModel('voyage-x'),
      too_large: tooManyTokens('voyage-4-large', 120_000, 130_000),
      overloaded: failure(503, 'The server is overloaded.'),
      rate_limited: {
        ...failure(429, 'Rate limit exceeded.'),
        headers: { 'retry-after': '1' },
      },
      rate_limited_without_wait: failure(429, 'Rate limit exceeded.'),
    },
  });
}

function failure(status: number, detail: string): FakeAnswer {
  return { status, body: { detail } };
}

function unknownModel(model: string): FakeAnswer {
  const names = Object.keys(MODELS).map((name) => `'${name}'`);
  return failure(
    400,
    `Model ${model} is not supported. Supported models are [${names.join(', ')}].`,
  );
}

function tooManyTokens(model: string, maxTokens: number, tokens: number): FakeAnswer {
  return failure(
    400,
    `Request to model '${model}' failed. The max allowed tokens per submitted batch is ${maxTokens}. Your batch has ${tokens} tokens after truncation. Please lower the number of tokens in the batch.`,
  );
}

function answer(
  request: RecordedRequest,
  trouble: Trouble | undefined,
  options: VoyageFakeOptions,
): FakeAnswer {
  if (request.method !== 'POST' || request.path !== '/v1/embeddings') {
    return failure(404, 'Not Found');
  }
  if (request.headers.authorization !== `Bearer ${VOYAGE_KEY}`) {
    return failure(401, 'Provided API key is invalid.');
  }
  const parsed = requestSchema.safeParse(jsonBody(request));
  if (parsed.success) return embed(parsed.data, trouble, options);
  const unknownField = parsed.error.issues.find(({ code }) => code === 'unrecognized_keys');
  if (unknownField?.code === 'unrecognized_keys') {
    return failure(400, `Argument '${unknownField.keys[0]}' is not supported by our API`);
  }
  return failure(400, `The request body is not valid JSON, or ${z.prettifyError(parsed.error)}`);
}

function embed(
  body: z.infer<typeof requestSchema>,
  trouble: Trouble | undefined,
  options: VoyageFakeOptions,
): FakeAnswer {
  const model = MODELS[body.model];
  if (model === undefined) return unknownModel(body.model);
  const inputs = typeof body.input === 'string' ? [body.input] : body.input;
  if (inputs.length === 0 || inputs.length > 1000) {
    return failure(400, 'The batch size limit is 1000.');
  }
  const dimensions = body.output_dimension ?? undefined;
  if (dimensions !== undefined && !model.dimensions.includes(dimensions)) {
    return failure(
      400,
      `Value '${dimensions}' supplied for argument 'output_dimension' is not valid`,
    );
  }
  const tokens = strictTokens(inputs);
  const long = tokens.findIndex((count) => count > model.inputTokens);
  if (long >= 0 && body.truncation === false) {
    const text = `Request to model '${body.model}' failed. The example at index ${long} in your batch has too many tokens and does not fit into the model's context window of ${model.inputTokens} tokens.`;
    return failure(400, text);
  }
  const sum = total(tokens);
  if (sum > model.requestTokens) return tooManyTokens(body.model, model.requestTokens, sum);
  if (options.unpaidTokens !== undefined && sum > options.unpaidTokens) {
    const text =
      'You have not yet added your payment method in the billing page and will have reduced rate limits of 3 RPM and 10K TPM.';
    return failure(429, text);
  }
  const size = dimensions ?? options.dimensions ?? model.dimensions[0] ?? 0;
  const vectors = troubledVectors(
    inputs.map((text) => meaningOf(text, size)),
    trouble,
  );
  const base64 = body.encoding_format === 'base64';
  return {
    status: 200,
    body: embeddingList(vectors, { base64, model: body.model, usage: { total_tokens: sum } }),
  };
}
