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
import { signatureFault } from './sigv4.js';

/** The access key and the Bedrock API key that the fake takes. */
export const AWS_KEYS = {
  AWS_ACCESS_KEY_ID: 'AKIATESTBEDROCK00001',
  AWS_SECRET_ACCESS_KEY: 'test-secret-of-bedrock/0123456789abcdef+',
} as const;
export const BEDROCK_TOKEN = 'bedrock-api-key-0123456789abcdef';

/** Settings of the fake. */
export interface BedrockFakeOptions {
  /** The region that requests must be signed for. */
  readonly region?: string;
  /** Where the vectors of Cohere v4 and Marengo stand in the answer. */
  readonly shape?: 'bare' | 'list' | 'typed';
  /** Models behind ARNs, by ARN. */
  readonly arns?: Readonly<Record<string, string>>;
}

/** Bedrock's InvokeModel, as its API reference and the models' own pages have it. */
export async function startBedrockFake(options: BedrockFakeOptions = {}): Promise<FakeVendor> {
  return startFake({
    answer: (request, trouble) => answer(request, trouble, options),
    troubleAnswers: {
      key_refused: failure(
        403,
        'UnrecognizedClientException',
        'The security token included in the request is invalid.',
      ),
      forbidden: failure(
        403,
        'AccessDeniedException',
        "You don't have access to the model with the specified model ID.",
      ),
      model_unknown: invalid('The provided model identifier is invalid.'),
      too_large: malformed('#/texts: expected maximum item count: 96, found: 97'),
      quota_spent: failure(
        400,
        'ServiceQuotaExceededException',
        'Your request exceeds the service quota for your account.',
      ),
      overloaded: failure(503, 'ServiceUnavailableException', 'The service is not available.'),
      rate_limited: {
        ...failure(429, 'ThrottlingException', 'Too many requests, please wait.'),
        headers: { 'x-amzn-errortype': 'ThrottlingException', 'retry-after': '1' },
      },
      rate_limited_without_wait: failure(429, 'ThrottlingException', 'Too many requests.'),
    },
  });
}

/** An error as the service sends it: the name in a header, here with the tail it may have. */
export function failure(status: number, name: string, message: string): FakeAnswer {
  const headers = { 'x-amzn-errortype': `${name}:http://internal.amazon.com/coral/` };
  return { status, headers, body: { message } };
}

function invalid(message: string): FakeAnswer {
  return failure(400, 'ValidationException', message);
}

function malformed(what: string): FakeAnswer {
  return invalid(`Malformed input request: ${what}, please reformat your input and try again.`);
}

function answer(
  request: RecordedRequest,
  trouble: Trouble | undefined,
  options: BedrockFakeOptions,
): FakeAnswer {
  const refused = refusedAuth(request, options.region ?? 'us-east-1');
  if (refused !== undefined) return refused;
  const encoded = /^\/model\/([^/:?]+)\/invoke$/u.exec(request.path)?.[1];
  if (request.method !== 'POST' || encoded === undefined) {
    return failure(404, 'UnknownOperationException', 'Unknown operation.');
  }
  const { accept, 'content-type': type } = request.headers;
  if (accept !== 'application/json' || type !== 'application/json') {
    return invalid('The content type is not supported.');
  }
  const id = decodeURIComponent(encoded);
  const asked = options.arns?.[id] ?? id;
  const name = asked.replace(/^(?:us|eu|apac|global)\./u, '');
  const model = MODELS[name];
  if (model === undefined && /:\d+:\w+$/u.test(asked)) {
    return invalid(`Model ${id} doesn't support on-demand throughput.`);
  }
  if (model === undefined) return invalid('The provided model identifier is invalid.');
  if (model.profileOnly && name === asked) {
    return invalid(
      `Invocation of model ID ${id} with on-demand throughput isn’t supported. Retry your request with the ID or ARN of an inference profile that contains this model.`,
    );
  }
  const body: unknown = JSON.parse(request.body.toString('utf8'));
  return model.answer(body, trouble, options.shape ?? 'bare');
}

function refusedAuth(request: RecordedRequest, region: string): FakeAnswer | undefined {
  const { authorization = '' } = request.headers;
  if (authorization.startsWith('Bearer ')) {
    return authorization === `Bearer ${BEDROCK_TOKEN}`
      ? undefined
      : failure(403, 'AccessDeniedException', 'Authentication failed: API key is not valid.');
  }
  const fault = signatureFault(request, {
    accessKeyId: AWS_KEYS.AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_KEYS.AWS_SECRET_ACCESS_KEY,
    region,
    service: 'bedrock',
  });
  if (fault === undefined) return undefined;
  // The service repeats the whole request, session token included.
  const repeated = `${fault}\n\nThe Canonical String for this request should have been\nx-amz-security-token:${String(request.headers['x-amz-security-token'])}`;
  return failure(403, 'InvalidSignatureException', repeated);
}

interface FakeModel {
  /** Answers through an inference profile alone. */
  readonly profileOnly: boolean;
  readonly answer: (
    body: unknown,
    trouble: Trouble | undefined,
    shape: 'bare' | 'list' | 'typed',
  ) => FakeAnswer;
}

/** What a family takes and gives. */
interface FakeFamily<Schema extends z.ZodMiniType> {
  readonly schema: Schema;
  readonly texts: (body: z.infer<Schema>) => readonly string[];
  readonly dimensions: (body: z.infer<Schema>) => number;
  readonly maxTokens: number;
  readonly give: (
    vectors: readonly (readonly number[])[],
    shape: 'bare' | 'list' | 'typed',
  ) => unknown;
}

/** Keys that the model does not have are refused by name, as the service does. */
function fakeModel<Schema extends z.ZodMiniType>(
  family: FakeFamily<Schema>,
  profileOnly = false,
): FakeModel {
  return {
    profileOnly,
    answer: (json, trouble, shape) => {
      const parsed = family.schema.safeParse(json);
      if (!parsed.success) return malformed(describe(parsed.error));
      const texts = family.texts(parsed.data);
      // About four characters a token.
      const tokens = texts.map((text) => Math.ceil(text.length / 4));
      const longest = Math.max(...tokens);
      if (longest > family.maxTokens) {
        return invalid(
          `400 Bad Request: Too many input tokens. Max input tokens: ${family.maxTokens}, request input token count: ${longest}`,
        );
      }
      const size = family.dimensions(parsed.data);
      const vectors = troubledVectors(
        texts.map((text) => meaningOf(text, size)),
        trouble,
      );
      const numbers = vectors.map((vector) => [...vector]);
      return { status: 200, body: family.give(numbers, shape) };
    },
  };
}

function describe(error: z.core.$ZodError): string {
  const [issue] = error.issues;
  if (issue?.code === 'unrecognized_keys') {
    return `#: extraneous key [${issue.keys.join()}] is not permitted`;
  }
  const path = `#/${issue?.path.join('/') ?? ''}`;
  if (issue?.code === 'too_big') return `${path}: expected maxLength: ${String(issue.maximum)}`;
  return `${path}: ${issue?.message ?? 'invalid'}`;
}

const titanText = z.string().check(z.minLength(1), z.maxLength(50_000));
const TITAN_V1 = fakeModel({
  schema: z.strictObject({ inputText: titanText }),
  texts: ({ inputText }) => [inputText],
  dimensions: () => 1536,
  maxTokens: 8192,
  give: ([embedding]) => ({ embedding, inputTextTokenCount: 3 }),
});

const cohereTexts = (maxChars: number) =>
  z
    .array(z.string().check(z.minLength(1), z.maxLength(maxChars)))
    .check(z.minLength(1), z.maxLength(96));
const cohereType = z.enum(['search_document', 'search_query', 'classification', 'clustering']);
const COHERE_V3 = fakeModel({
  schema: z.strictObject({
    texts: cohereTexts(2048),
    input_type: cohereType,
    truncate: z.optional(z.enum(['START', 'END'])),
    embedding_types: z.optional(z.array(z.string())),
  }),
  texts: ({ texts }) => texts,
  dimensions: () => 1024,
  // Longer ones are cut off, as "truncate" says.
  maxTokens: Number.POSITIVE_INFINITY,
  give: (embeddings) => ({ id: 'x', response_type: 'embeddings_floats', embeddings }),
});

const MARENGO = {
  texts: ({ text: { inputText } }: { text: { inputText: string } }) => [inputText],
  give: (
    [embedding]: readonly (readonly number[])[],
    shape: 'bare' | 'list' | 'typed',
  ): unknown => {
    if (shape === 'bare') return { embedding };
    return { data: shape === 'list' ? [{ embedding }] : { embedding } };
  },
};

const MODELS: Readonly<Record<string, FakeModel>> = {
  'amazon.titan-embed-text-v2:0': fakeModel({
    schema: z.strictObject({
      inputText: titanText,
      dimensions: z.optional(z.literal([256, 512, 1024])),
      normalize: z.optional(z.boolean()),
      embeddingTypes: z.optional(z.array(z.enum(['float', 'binary']))),
    }),
    texts: ({ inputText }) => [inputText],
    dimensions: ({ dimensions }) => dimensions ?? 1024,
    maxTokens: 8192,
    give: ([embedding]) => ({ embedding, inputTextTokenCount: 3 }),
  }),
  'amazon.titan-embed-text-v1': TITAN_V1,
  'amazon.titan-embed-g1-text-02': TITAN_V1,
  'amazon.titan-embed-image-v1': fakeModel({
    schema: z.strictObject({
      inputText: z.optional(z.string()),
      inputImage: z.optional(z.string()),
      embeddingConfig: z.optional(z.strictObject({ outputEmbeddingLength: z.int() })),
    }),
    texts: ({ inputText = '' }) => [inputText],
    dimensions: () => 1024,
    maxTokens: 256,
    give: ([embedding]) => ({ embedding, message: null }),
  }),
  'amazon.nova-2-multimodal-embeddings-v1:0': fakeModel({
    schema: z.strictObject({
      schemaVersion: z.optional(z.literal('nova-multimodal-embed-v1')),
      taskType: z.literal('SINGLE_EMBEDDING'),
      singleEmbeddingParams: z.strictObject({
        embeddingPurpose: z.enum([
          'GENERIC_INDEX',
          'GENERIC_RETRIEVAL',
          'TEXT_RETRIEVAL',
          'CLASSIFICATION',
        ]),
        embeddingDimension: z.optional(z.literal([256, 384, 1024, 3072])),
        text: z.strictObject({
          truncationMode: z.enum(['START', 'END', 'NONE']),
          value: z.string().check(z.minLength(1), z.maxLength(8192)),
        }),
      }),
    }),
    texts: ({ singleEmbeddingParams: { text } }) => [text.value],
    dimensions: ({ singleEmbeddingParams }) => singleEmbeddingParams.embeddingDimension ?? 3072,
    maxTokens: 8192,
    give: ([embedding]) => ({ embeddings: [{ embeddingType: 'TEXT', embedding }] }),
  }),
  'cohere.embed-english-v3': COHERE_V3,
  'cohere.embed-multilingual-v3': COHERE_V3,
  'cohere.embed-v4:0': fakeModel({
    schema: z.strictObject({
      texts: cohereTexts(600_000),
      input_type: cohereType,
      embedding_types: z.optional(z.array(z.enum(['float', 'int8']))),
      output_dimension: z.optional(z.literal([256, 512, 1024, 1536])),
      max_tokens: z.optional(z.int()),
      truncate: z.optional(z.enum(['NONE', 'LEFT', 'RIGHT'])),
    }),
    texts: ({ texts }) => texts,
    dimensions: ({ output_dimension: size }) => size ?? 1536,
    maxTokens: 128_000,
    give: (vectors, shape) => ({
      id: 'x',
      response_type: shape === 'typed' ? 'embeddings_by_type' : 'embeddings_floats',
      embeddings: shape === 'typed' ? { float: vectors } : vectors,
    }),
  }),
  'twelvelabs.marengo-embed-2-7-v1:0': fakeModel(
    {
      ...MARENGO,
      schema: z.strictObject({
        inputType: z.literal('text'),
        inputText: z.string(),
        textTruncate: z.optional(z.enum(['end', 'none'])),
      }),
      texts: ({ inputText }) => [inputText],
      dimensions: () => 1024,
      maxTokens: 77,
    },
    true,
  ),
  'twelvelabs.marengo-embed-3-0-v1:0': fakeModel({
    ...MARENGO,
    schema: z.strictObject({
      inputType: z.literal('text'),
      text: z.strictObject({ inputText: z.string() }),
    }),
    dimensions: () => 512,
    maxTokens: 500,
  }),
};
