import * as z from 'zod/mini';
import {
  type FakeAnswer,
  type FakeVendor,
  type RecordedRequest,
  startFake,
  type Trouble,
  troubledVectors,
} from './fake-vendor.js';
import { GeminiBatchFake, type GeminiBatchFakeOptions } from './gemini-batch.js';
import {
  depictedText,
  imagesIn,
  inlineDataSchema,
  MAX_IMAGES,
  MAX_REQUEST_BYTES,
} from './gemini-media.js';
import { meaningOf, noiseOf } from './meaning.js';

/** The key that the fake takes. */
export const GEMINI_KEY = 'AIza-test-gemini-0123456789';

/** Settings of the fake. */
export interface GeminiFakeOptions extends GeminiBatchFakeOptions {
  /** Vectors have this length by default, so that tests stay small; Google's own default is 3072. */
  readonly dimensions?: number;
  /** How much of a medium's vector is what all media share, and no text has; none by default. */
  readonly mediaGap?: number;
  /** The free tier: every text counts as a request, so many in a window. */
  readonly freeTier?: { readonly texts: number; readonly windowMs: number };
}

/** A running fake of the Gemini API, with its batches. */
export interface GeminiFake extends FakeVendor {
  readonly batches: GeminiBatchFake;
}

/** `EmbedContentRequest` (ai.google.dev, API reference, "Embeddings"); other names are refused. */
const embedSchema = z.strictObject({
  model: z.optional(z.string()),
  content: z.strictObject({
    parts: z
      .array(
        z.union([z.strictObject({ text: z.string().check(z.minLength(1)) }), inlineDataSchema]),
      )
      .check(z.minLength(1)),
  }),
  taskType: z.optional(z.enum(['RETRIEVAL_DOCUMENT', 'RETRIEVAL_QUERY', 'SEMANTIC_SIMILARITY'])),
  title: z.optional(z.string()),
  outputDimensionality: z.optional(z.int().check(z.minimum(128), z.maximum(3072))),
});
type EmbedRequest = z.infer<typeof embedSchema>;

const batchSchema = z.strictObject({ requests: z.array(z.unknown()) });

const MODELS: Readonly<
  Record<string, { readonly tokens: number; readonly taskType: boolean; readonly media: boolean }>
> = {
  'gemini-embedding-001': { tokens: 2048, taskType: true, media: false },
  'gemini-embedding-2': { tokens: 8192, taskType: false, media: true },
};

/** Google's Gemini API as far as embeddings go: inline, files and batches. */
export async function startGeminiFake(options: GeminiFakeOptions = {}): Promise<GeminiFake> {
  const batches = new GeminiBatchFake(options, (model, line) => embedOne(model, line, options));
  const window = { sinceMs: 0, texts: 0 };
  const fake = await startFake({
    answer: (request, trouble) => answer(request, trouble, { options, batches, window }),
    troubleAnswers: {
      key_refused: failure(400, 'INVALID_ARGUMENT', 'API key not valid.', [
        errorInfo('API_KEY_INVALID'),
      ]),
      forbidden: failure(403, 'PERMISSION_DENIED', 'Your API key was reported as leaked.'),
      model_unknown: unknownModel('x'),
      too_large: failure(
        400,
        'INVALID_ARGUMENT',
        'Request payload size exceeds the limit: 20971520 bytes.',
      ),
      quota_spent: exhausted('EmbedContentRequestsPerDayPerProjectPerModel-FreeTier', '30s'),
      overloaded: failure(503, 'UNAVAILABLE', 'The model is overloaded.'),
      rate_limited: exhausted(PER_MINUTE, '0.1s'),
      rate_limited_without_wait: failure(429, 'RESOURCE_EXHAUSTED', 'Resource has been exhausted.'),
    },
  });
  return { ...fake, batches };
}

const PER_MINUTE = 'EmbedContentRequestsPerMinutePerUserPerProjectPerModel-FreeTier';

/** Google's error form, with google.rpc details. */
function failure(
  status: number,
  name: string,
  message: string,
  details: readonly unknown[] = [],
): FakeAnswer {
  return { status, body: { error: { code: status, message, status: name, details } } };
}

function errorInfo(reason: string): unknown {
  return {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason,
    domain: 'googleapis.com',
  };
}

/** A limit per minute and a spent day share the status; only the details tell them apart. */
function exhausted(quotaId: string, retryDelay: string): FakeAnswer {
  return failure(429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota.', [
    { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ quotaId }] },
    { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay },
  ]);
}

interface Service {
  readonly options: GeminiFakeOptions;
  readonly batches: GeminiBatchFake;
  readonly window: { sinceMs: number; texts: number };
}

function answer(
  request: RecordedRequest,
  trouble: Trouble | undefined,
  service: Service,
): FakeAnswer {
  const key = request.headers['x-goog-api-key'];
  if (key === undefined) {
    return failure(403, 'PERMISSION_DENIED', 'Method does not allow unregistered callers.');
  }
  if (key !== GEMINI_KEY) {
    return failure(400, 'INVALID_ARGUMENT', 'API key not valid.', [errorInfo('API_KEY_INVALID')]);
  }
  const [, model, method] = /^\/v1beta\/models\/([^/:]+):(\w+)$/.exec(request.path) ?? [];
  if (model !== undefined && MODELS[model] === undefined) return unknownModel(model);
  const isInline = method === 'embedContent' || method === 'batchEmbedContents';
  if (model === undefined || !isInline || request.method !== 'POST') {
    return service.batches.answer(request);
  }
  if (request.body.length > MAX_REQUEST_BYTES) {
    return invalid(`Request payload size exceeds the limit: ${MAX_REQUEST_BYTES} bytes.`);
  }
  const body = request.body.toString('utf8');
  if (imagesIn(body) > MAX_IMAGES) return invalid(`At most ${MAX_IMAGES} images are supported.`);
  const json: unknown = JSON.parse(body);
  const single = method === 'embedContent';
  const batch = batchSchema.safeParse(single ? { requests: [json] } : json);
  if (!batch.success) return invalid(z.prettifyError(batch.error));
  const { requests } = batch.data;
  if (requests.length > 100) {
    return invalid(
      '* BatchEmbedContentsRequest.requests: at most 100 requests can be in one batch',
    );
  }
  if (overFreeTier(requests.length, service)) return exhausted(PER_MINUTE, '0.1s');
  const vectors: Float32Array[] = [];
  const modelField = single ? undefined : `models/${model}`;
  for (const each of requests) {
    const vector = embedOne(model, each, service.options, modelField);
    if (!(vector instanceof Float32Array)) return vector;
    vectors.push(vector);
  }
  const embeddings = troubledVectors(vectors, trouble).map((vector) => ({ values: [...vector] }));
  return { status: 200, body: single ? { embedding: embeddings[0] } : { embeddings } };
}

function overFreeTier(texts: number, { options, window }: Service): boolean {
  if (options.freeTier === undefined) return false;
  if (performance.now() - window.sinceMs > options.freeTier.windowMs) {
    window.sinceMs = performance.now();
    window.texts = 0;
  }
  if (window.texts + texts > options.freeTier.texts) return true;
  window.texts += texts;
  return false;
}

/**
 * The vector of one request, or the error for it.
 *
 * @param modelField what its field `model` must be
 */
function embedOne(
  model: string,
  json: unknown,
  options: GeminiFakeOptions,
  modelField?: string,
): FakeAnswer | Float32Array {
  const traits = MODELS[model];
  if (traits === undefined) return unknownModel(model);
  const parsed = embedSchema.safeParse(json);
  if (!parsed.success) return invalid(z.prettifyError(parsed.error));
  const request = parsed.data;
  if (request.model !== modelField)
    return invalid('Request model does not match the model in the URL.');
  // Google ignores them silently; svc must not rely on them there.
  if (!traits.taskType && (request.taskType ?? request.title) !== undefined) {
    return invalid(`${model} takes no task type`);
  }
  if (request.title !== undefined && request.taskType !== 'RETRIEVAL_DOCUMENT') {
    return invalid('Title is only applicable to RETRIEVAL_DOCUMENT.');
  }
  const texts: string[] = [];
  for (const part of request.content.parts) {
    const words = 'text' in part ? part.text : mediaText(part.inlineData, traits.media);
    if (typeof words !== 'string') return invalid(words.refused);
    texts.push(words);
  }
  const text = texts.join('\n');
  const tokens = Math.ceil(text.length / 4);
  if (tokens > traits.tokens) {
    return invalid(
      `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${traits.tokens}).`,
    );
  }
  const size = request.outputDimensionality ?? options.dimensions ?? 3072;
  const meaning = meaningOf(withoutTask(request, text), size);
  const isMedium = request.content.parts.some((part) => 'inlineData' in part);
  const vector = isMedium ? withGap(meaning, options.mediaGap ?? 0) : meaning;
  // Shortened vectors of the older model are not of unit length.
  return traits.taskType && size < 3072 ? vector.map((value) => value * 3) : vector;
}

function mediaText(
  data: Parameters<typeof depictedText>[0],
  acceptsMedia: boolean,
): ReturnType<typeof depictedText> {
  return acceptsMedia ? depictedText(data) : { refused: 'The model does not support image input.' };
}

/** A unit vector that has this much of a direction that all media share. */
function withGap(vector: Float32Array, gap: number): Float32Array {
  const shared = noiseOf('what all media share', vector.length);
  const rest = Math.sqrt(1 - gap * gap);
  return vector.map((value, at) => rest * value + gap * (shared[at] ?? 0));
}

/** The text without the words that name the task for the model. */
function withoutTask({ title }: EmbedRequest, text: string): string {
  const bare = text
    .replace(/^task: search result \| query: /, '')
    .replace(/^title: (?:none|(.*?)) \| text: /s, '$1\n');
  return title === undefined ? bare : `${title}\n${bare}`;
}

function unknownModel(model: string): FakeAnswer {
  return failure(404, 'NOT_FOUND', `models/${model} is not found for API version v1beta.`);
}

function invalid(message: string): FakeAnswer {
  return failure(400, 'INVALID_ARGUMENT', message);
}
