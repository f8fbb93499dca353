import { failure, invalid, malformed } from './bedrock-errors.js';
import { type AnswerShape, FAKE_MODELS } from './bedrock-models.js';
import {
  type FakeAnswer,
  type FakeVendor,
  type RecordedRequest,
  startFake,
  type Trouble,
} from './fake-vendor.js';
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
  /** Where the vectors of Cohere v4 and Marengo are in the answer. */
  readonly shape?: AnswerShape;
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
  const modelId = options.arns?.[id] ?? id;
  const name = modelId.replace(/^(?:us|eu|apac|global)\./u, '');
  const model = FAKE_MODELS[name];
  if (model === undefined && /:\d+:\w+$/u.test(modelId)) {
    return invalid(`Model ${id} doesn't support on-demand throughput.`);
  }
  if (model === undefined) return invalid('The provided model identifier is invalid.');
  if (model.profileOnly && name === modelId) {
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
