import * as z from 'zod/mini';
import { BatchFiles } from './batch-files.js';
import {
  type FakeAnswer,
  type FakeVendor,
  type RecordedRequest,
  startFake,
  type Trouble,
  troubledVectors,
} from './fake-vendor.js';
import { meaningOf } from './meaning.js';
import { embeddingList, total } from './openai-shape.js';

/** The key that the fake takes. */
export const OPENAI_KEY = 'sk-test-openai-0123456789';

const MODELS: Readonly<Record<string, { dimensions: number; settable: boolean }>> = {
  'text-embedding-3-small': { dimensions: 1536, settable: true },
  'text-embedding-3-large': { dimensions: 3072, settable: true },
  'text-embedding-ada-002': { dimensions: 1536, settable: false },
};

/** `CreateEmbeddingRequest`, additionalProperties false (github.com/openai/openai-openapi). */
const requestSchema = z.strictObject({
  model: z.string(),
  input: z.union([z.string().check(z.minLength(1)), z.array(z.string().check(z.minLength(1)))]),
  encoding_format: z.optional(z.enum(['float', 'base64'])),
  dimensions: z.optional(z.int().check(z.minimum(1))),
  user: z.optional(z.string()),
});

/** Settings of the fake. */
export interface OpenAiFakeOptions {
  /** Compatible servers that take `input_type`; OpenAI itself refuses it. */
  readonly inputType?: boolean;
  /** Vectors are cut to this length by default, so that tests stay small. */
  readonly dimensions?: number;
  /** Compatible servers that have numbers only: their answer to `encoding_format`. */
  readonly withoutBase64?: FakeAnswer;
  /** A free one by default. */
  readonly port?: number;
  /** The vector of a text; {@link meaningOf} by default. */
  readonly vectorOf?: (text: string, dimensions: number) => Float32Array;
}

/** A running fake of OpenAI. */
export interface OpenAiFake extends FakeVendor {
  readonly batch: BatchFiles;
  /** Texts that were embedded by inline requests. */
  readonly inlineTexts: readonly string[];
  /** Inline requests with such a text are refused for that text, as OpenAI or a compatible server does. */
  refuse(isBad: (text: string) => boolean, refusal?: FakeAnswer): void;
  /** Inline requests with more inputs are refused, as compatible servers do. */
  takeAtMost(inputs: number, refusal: FakeAnswer): void;
}

/** OpenAI's `POST /v1/embeddings`, `/v1/files` and `/v1/batches`, as its API description has them. */
export async function startOpenAiFake(options: OpenAiFakeOptions = {}): Promise<OpenAiFake> {
  const batch = openAiBatches(options);
  const inlineTexts: string[] = [];
  let isBad = (_text: string): boolean => false;
  let mostInputs = Number.POSITIVE_INFINITY;
  let tooMany: FakeAnswer | undefined;
  let tooLong = failure(400, 'invalid_request_error', null, TOO_LONG);
  const fake = await startFake({
    port: options.port,
    answer: async (request, trouble) => {
      if (request.headers.authorization !== `Bearer ${OPENAI_KEY}`) return REFUSED_KEY;
      const batchReply = await batch.answer(request);
      if (batchReply !== undefined) return batchReply;
      const { input } = JSON.parse(request.body.toString('utf8') || '{}') as { input?: unknown };
      if (tooMany !== undefined && [input].flat().length > mostInputs) return tooMany;
      if ([input].flat().some((text) => typeof text === 'string' && isBad(text))) {
        return tooLong;
      }
      return answer(request, trouble, options, inlineTexts);
    },
    troubleAnswers: {
      key_refused: failure(401, 'invalid_request_error', 'invalid_api_key', 'Incorrect API key.'),
      forbidden: failure(403, 'invalid_request_error', null, 'Project lacks access.'),
      model_unknown: failure(404, 'invalid_request_error', 'model_not_found', 'No such model.'),
      too_large: failure(400, 'max_tokens_per_request', 'max_tokens_per_request', 'Too many.'),
      quota_spent: failure(429, 'insufficient_quota', 'insufficient_quota', 'Quota exceeded.'),
      overloaded: failure(503, 'server_error', 'server_is_overloaded', 'Overloaded.'),
      rate_limited: {
        ...failure(429, 'requests', 'rate_limit_exceeded', 'Rate limit reached.'),
        headers: { 'retry-after': '1' },
      },
      rate_limited_without_wait: failure(429, 'requests', 'rate_limit_exceeded', 'Slow down.'),
    },
  });
  return {
    ...fake,
    batch,
    inlineTexts,
    refuse: (test, refusal = tooLong) => {
      isBad = test;
      tooLong = refusal;
    },
    takeAtMost: (inputs, refusal) => {
      mostInputs = inputs;
      tooMany = refusal;
    },
  };
}

/** `CreateBatchRequest` (github.com/openai/openai-openapi). */
const batchSchema = z.strictObject({
  input_file_id: z.string(),
  endpoint: z.literal('/v1/embeddings'),
  completion_window: z.literal('24h'),
  metadata: z.optional(
    z
      .record(z.string().check(z.maxLength(64)), z.string().check(z.maxLength(512)))
      .check(z.refine((pairs) => Object.keys(pairs).length <= 16)),
  ),
});

/** A line of the input file (guide "Batch"). */
const lineSchema = z.strictObject({
  custom_id: z.string().check(z.minLength(1)),
  method: z.literal('POST'),
  url: z.literal('/v1/embeddings'),
  body: z.extend(requestSchema, { input: z.string().check(z.minLength(1)) }),
});

function openAiBatches(options: OpenAiFakeOptions): BatchFiles {
  const bodies = new Map<string, z.infer<typeof requestSchema>>();
  return new BatchFiles({
    failure: (status, message) => failure(status, 'invalid_request_error', null, message),
    maxLines: 50_000,
    checkJob: (body) => void batchSchema.parse(body),
    readLine: (json) => {
      const { custom_id: id, body } = lineSchema.parse(json);
      bodies.set(id, body);
      return { id, text: body.input, model: body.model };
    },
    date: () => Math.floor(Date.now() / 1000),
    embedded: ({ id }, _job, broken) => {
      const body = bodies.get(id);
      const reply =
        body === undefined ? undefined : embed(body, broken ? 'not_finite' : undefined, options);
      const response = { status_code: reply?.status, request_id: `req_${id}`, body: reply?.body };
      return { id: `batch_req_${id}`, custom_id: id, response, error: null };
    },
    refused: ({ id }) => {
      const { status, body } = failure(400, 'invalid_request_error', null, 'This line is bad.');
      const response = { status_code: status, request_id: `req_${id}`, body };
      return { id: `batch_req_${id}`, custom_id: id, response, error: null };
    },
    withoutAnswer: ({ id }, _job, code) => ({
      id: `batch_req_${id}`,
      custom_id: id,
      response: null,
      error: { code, message: 'This request was not executed.' },
    }),
  });
}

const TOO_LONG = "This model's maximum context length is 8192 tokens, however you requested more.";
/** Those of cl100k_base. */
const SPECIAL_TOKENS = /<\|(?:endoftext|endofprompt|fim_(?:prefix|middle|suffix))\|>/u;
const BROKEN = failure(500, 'server_error', null, 'The server had an error while processing it.');
const REFUSED_KEY = failure(
  401,
  'invalid_request_error',
  'invalid_api_key',
  'Incorrect API key provided.',
);

function failure(status: number, type: string, code: string | null, message: string): FakeAnswer {
  return { status, body: { error: { message, type, param: null, code } } };
}

function answer(
  request: RecordedRequest,
  trouble: Trouble | undefined,
  options: OpenAiFakeOptions,
  inlineTexts: string[],
): FakeAnswer {
  if (request.method !== 'POST' || request.path !== '/v1/embeddings') {
    return failure(404, 'invalid_request_error', null, 'Unknown request URL.');
  }
  if (!/^application\/json/.test(request.headers['content-type'] ?? '')) {
    return failure(400, 'invalid_request_error', null, 'We could not parse the JSON body.');
  }
  const json: unknown = JSON.parse(request.body.toString('utf8'));
  const { input_type: inputType, ...rest } = json as Record<string, unknown>;
  if (inputType !== undefined && options.inputType !== true) {
    const message = 'Unrecognized request argument supplied: input_type';
    return failure(400, 'invalid_request_error', null, message);
  }
  const parsed = requestSchema.safeParse(rest);
  if (!parsed.success) {
    return failure(400, 'invalid_request_error', null, z.prettifyError(parsed.error));
  }
  if (inputType !== undefined && typeof inputType !== 'string') {
    return failure(400, 'invalid_request_error', null, 'input_type must be a string');
  }
  if (options.withoutBase64 !== undefined && parsed.data.encoding_format !== undefined) {
    return options.withoutBase64;
  }
  const reply = embed(parsed.data, trouble, options);
  if (reply.status === 200) inlineTexts.push(...[parsed.data.input].flat());
  return reply;
}

function embed(
  body: z.infer<typeof requestSchema>,
  trouble: Trouble | undefined,
  options: OpenAiFakeOptions,
): FakeAnswer {
  const model = MODELS[body.model];
  if (model === undefined) {
    return failure(404, 'invalid_request_error', 'model_not_found', `No model ${body.model}.`);
  }
  const inputs = typeof body.input === 'string' ? [body.input] : body.input;
  if (inputs.length === 0 || inputs.length > 2048) {
    return failure(400, 'invalid_request_error', 'array_above_max_length', 'Too many inputs.');
  }
  if (body.dimensions !== undefined && (!model.settable || body.dimensions > model.dimensions)) {
    const text = 'This model does not support specifying dimensions.';
    return failure(400, 'invalid_request_error', null, text);
  }
  if (inputs.some((text) => SPECIAL_TOKENS.test(text))) return BROKEN;
  // About four characters a token, as OpenAI's own rule of thumb has it.
  const tokens = inputs.map((text) => Math.ceil(text.length / 4));
  const long = tokens.findIndex((count) => count > 8192);
  if (long !== -1) {
    const text = `Invalid 'input[${long}]': maximum input length is 8192 tokens.`;
    return failure(400, 'invalid_request_error', null, text);
  }
  const sum = total(tokens);
  if (sum > 300_000) {
    const text = `Requested ${sum} tokens, max 300000 tokens per request`;
    return failure(400, 'max_tokens_per_request', 'max_tokens_per_request', text);
  }
  const size = body.dimensions ?? options.dimensions ?? model.dimensions;
  const vectors = troubledVectors(
    inputs.map((text) => (options.vectorOf ?? meaningOf)(text, size)),
    trouble,
  );
  const base64 = body.encoding_format === 'base64';
  const usage = { prompt_tokens: sum, total_tokens: sum };
  return { status: 200, body: embeddingList(vectors, { base64, model: body.model, usage }) };
}
