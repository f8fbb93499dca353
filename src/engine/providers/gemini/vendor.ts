import type { EmbeddingInput, InputRole } from '../embedding-input.js';
import {
  downloadLines,
  type ExplainStatus,
  type HttpAnswer,
  type HttpRequest,
  parseAnswer,
  sendRequest,
} from '../http/http-client.js';
import { jsonAt, numberAt, textAt } from '../http/status-fault.js';
import { broken, readVector, wrongCount } from '../read-vectors.js';
import type { EmbeddingVendor, MediaLimits, ProviderSettings, VendorAnswer } from '../vendor.js';
import { VendorFault, type VendorFaultDetails } from '../vendor-fault.js';
import { GeminiBatch } from './batch.js';

/** Maximum of `BatchEmbedContentsRequest` (ai.google.dev, API reference, "Embeddings"). */
const MAX_INPUTS = 100;

/**
 * Documented for the same models by Google's Vertex AI only. Also less than a free key's limit per
 * minute.
 */
const MAX_TOKENS_PER_REQUEST = 20_000;

/**
 * A request may have 20 MB, a third more than its media because of base64, and up to six images;
 * types as documented (ai.google.dev, "Embeddings" and "Files API").
 */
const MEDIA: MediaLimits = {
  maxBytesPerRequest: Math.floor((20_000_000 - 50_000) / 4) * 3,
  maxImagesPerRequest: 6,
  documented: new Set(['image/png', 'image/jpeg', 'audio/mpeg', 'audio/wav']),
};

export interface GeminiDefaults {
  readonly endpoint: string;
  readonly model: string;
  /** Whether a model gets the task as part of the text, and accepts media. */
  readonly speaksInText: (model: string) => boolean;
}

/** Google's Gemini API: `batchEmbedContents` inline, `asyncBatchEmbedContent` for batches. */
export function createGeminiVendor(
  settings: ProviderSettings,
  defaults: GeminiDefaults,
): EmbeddingVendor {
  const connection = geminiConnection(settings, defaults.endpoint);
  const model = settings.model ?? defaults.model;
  const inText = defaults.speaksInText(model);
  const form = inText ? IN_TEXT : IN_FIELDS;
  const { endpoint } = connection;
  const path = `models/${encodeURIComponent(model)}`;
  const request: typeof form.request = (input, role): GeminiRequest => ({
    ...form.request(input, role),
    outputDimensionality: settings.dimensions,
  });
  return {
    endpoint,
    model,
    limits: {
      maxInputs: MAX_INPUTS,
      maxTokensPerInput: inText ? 8192 - WORDS_AROUND : 2048,
      maxTokensPerRequest: MAX_TOKENS_PER_REQUEST,
      ...(inText ? { media: MEDIA } : {}),
    },
    documentForm: form.documentForm,
    batch: new GeminiBatch(connection, {
      url: `${endpoint}/${path}:asyncBatchEmbedContent`,
      request: (input) => request(input, 'document'),
      dimensions: settings.dimensions,
    }),
    embed: async ({ inputs, role, signal, timeoutMs, pacing }) => {
      const requests = inputs.map((input) => ({
        model: `models/${model}`,
        ...request(input, role),
      }));
      try {
        const answer = await connection.send({
          method: 'POST',
          url: `${endpoint}/${path}:batchEmbedContents`,
          json: { requests },
          signal,
          timeoutMs,
          pacing,
        });
        return readAnswer(answer, inputs.length);
      } catch (error) {
        throw inputs.some(({ media }) => media !== undefined) ? blamedOnMedia(error) : error;
      }
    },
  };
}

/**
 * Google reports a bad media type, length or file like any other invalid request. If a request has
 * media, they are the likely cause.
 */
function blamedOnMedia(error: unknown): unknown {
  if (!(error instanceof VendorFault)) return error;
  const { kind, code } = error.details;
  if (kind !== 'request' || code !== 'INVALID_ARGUMENT') return error;
  return error.with({ kind: 'input' });
}

/** Reads `{embeddings: [{values}], usageMetadata?}`, in the order of the requests. */
function readAnswer(answer: HttpAnswer, count: number): VendorAnswer {
  const body = parseAnswer(answer);
  const embeddings = jsonAt(body, 'embeddings');
  if (!Array.isArray(embeddings)) throw broken('it has no "embeddings"');
  if (embeddings.length !== count) throw wrongCount(embeddings.length, count);
  return {
    vectors: embeddings.map((embedding: unknown) => readVector(jsonAt(embedding, 'values'))),
    tokens: numberAt(body, 'usageMetadata', 'promptTokenCount'),
  };
}

/** One part of the content of a vector. */
type GeminiPart =
  | { readonly text: string }
  | {
      /** `data` is base64. */
      readonly inlineData: { readonly mimeType: string; readonly data: string };
    };

/** `EmbedContentRequest` without its model (ai.google.dev, "Embeddings" of the API reference). */
export interface GeminiRequest {
  readonly content: { readonly parts: readonly GeminiPart[] };
  readonly taskType?: 'RETRIEVAL_DOCUMENT' | 'RETRIEVAL_QUERY';
  readonly title?: string;
  readonly outputDimensionality?: number | undefined;
}

/** How a model gets the task; part of the identity. */
interface GeminiForm {
  /** For {@link EmbeddingIdentity}. */
  readonly documentForm: string;
  request(input: EmbeddingInput, role: InputRole): GeminiRequest;
}

const TASKS = { document: 'RETRIEVAL_DOCUMENT', query: 'RETRIEVAL_QUERY' } as const;

/** Tokens of the task description, out of 8,192 (Google's "Embeddings" guide). */
const WORDS_AROUND = 16;

/** gemini-embedding-001 and older: fields next to the content. */
const IN_FIELDS: GeminiForm = {
  documentForm: TASKS.document,
  request: (input, role) => ({
    content: { parts: [{ text: input.text }] },
    taskType: TASKS[role],
    ...(role === 'query' || !hasTitle(input) ? {} : { title: input.title }),
  }),
};

/** gemini-embedding-2 ignores those fields; its guide puts the task into the text. */
const IN_TEXT: GeminiForm = {
  documentForm: 'title: {title} | text: {text}',
  request: (input, role) => ({
    content: {
      parts: [
        {
          text:
            role === 'query'
              ? `task: search result | query: ${input.text}`
              : `title: ${hasTitle(input) ? input.title : 'none'} | text: ${input.text}`,
        },
        ...mediaParts(input),
      ],
    },
  }),
};

function hasTitle(input: EmbeddingInput): input is EmbeddingInput & { readonly title: string } {
  return (input.title ?? '').trim() !== '';
}

function mediaParts({ media }: EmbeddingInput): readonly GeminiPart[] {
  if (media === undefined) return [];
  const { mimeType, data } = media;
  return [{ inlineData: { mimeType, data: data.toString('base64') } }];
}

/** A request to the Gemini API, before the key is added. */
type GeminiCall = Pick<
  HttpRequest,
  'body' | 'headers' | 'json' | 'method' | 'pacing' | 'signal' | 'timeoutMs' | 'url'
>;

/** Address and key of the Gemini API. */
export interface GeminiConnection {
  /** With version, as `https://generativelanguage.googleapis.com/v1beta`. */
  readonly endpoint: string;
  /** For file uploads and downloads: `upload` comes before the version. */
  fileUrl(kind: 'download' | 'upload', path: string): string;
  /** @throws VendorFault, or the signal's reason */
  send(call: GeminiCall): Promise<HttpAnswer>;
  /** Streams the lines of a file. @throws VendorFault, or the signal's reason */
  lines(call: Pick<GeminiCall, 'pacing' | 'signal' | 'timeoutMs' | 'url'>): AsyncIterable<string>;
}

function geminiConnection(settings: ProviderSettings, usual: string): GeminiConnection {
  // Users often configure the OpenAI-compatible endpoint of the same service.
  const endpoint = settings.baseUrl?.replace(/\/openai(?:\/.*)?$/su, '') ?? usual;
  const headers = {
    // In a header: `?key=` would appear in logs.
    ...(settings.credential === undefined ? {} : { 'x-goog-api-key': settings.credential.value }),
    ...settings.headers,
  };
  const version = endpoint.lastIndexOf('/');
  return {
    endpoint,
    fileUrl: (kind, path) =>
      `${endpoint.slice(0, version)}/${kind}${endpoint.slice(version)}/${path}`,
    lines: (call) => downloadLines({ ...call, headers }, explainGemini),
    send: (call) => {
      // An upload address comes from an answer; the key is sent to our own host only.
      const own = new URL(call.url).origin === new URL(endpoint).origin;
      return sendRequest(
        { ...call, headers: own ? { ...headers, ...call.headers } : call.headers },
        explainGemini,
      );
    },
  };
}

/**
 * Error bodies: `{error: {status, message, details[]}}`, with details ErrorInfo, QuotaFailure and
 * RetryInfo (google.rpc).
 */
export const explainGemini: ExplainStatus = ({ status, body }) => {
  const details = listAt(jsonAt(body, 'error'), 'details');
  const message = textAt(body, 'error', 'message') ?? '';
  const reason = details.map((detail) => textAt(detail, 'reason')).find(Boolean);
  const code = reason ?? textAt(body, 'error', 'status');
  const known = code === undefined ? {} : { code };
  if (reason === 'API_KEY_INVALID') return { ...known, kind: 'auth' };
  if (status === 429) return { ...known, ...explainExhausted(details, message) };
  if (status !== 400) return known;
  if (/exceeds the maximum number of tokens/u.test(message)) return { ...known, kind: 'input' };
  // The message names one text, so only that one is at fault.
  if (/requests\[\d+\]\.content/u.test(message)) return { ...known, kind: 'input' };
  if (/payload size exceeds|requests can be in one batch/u.test(message)) {
    return { ...known, kind: 'too_large' };
  }
  return known;
};

/** A per-minute limit and a used-up quota have the same status and code. */
function explainExhausted(
  details: readonly unknown[],
  message: string,
): Partial<VendorFaultDetails> {
  const quotas = details.flatMap((detail) => listAt(detail, 'violations'));
  if (quotas.some((quota) => /PerDay/u.test(textAt(quota, 'quotaId') ?? ''))) {
    return {
      kind: 'quota',
      hint: "the key's daily quota is used up; it resets at midnight Pacific time, or enable billing; finished embeddings are kept",
    };
  }
  if (/\blimit: 0\b/u.test(message)) {
    return { kind: 'quota', hint: "the key's plan does not include this model: enable billing" };
  }
  const delay = details.map((detail) => textAt(detail, 'retryDelay')).find(Boolean);
  // The message repeats the delay, even if details are missing.
  const waitMs = durationMs(delay ?? /retry in ([\d.]+s)/u.exec(message)?.[1]);
  return waitMs === undefined ? {} : { waitMs };
}

/** A `google.protobuf.Duration` in JSON: `33s`, `33.4s`. */
function durationMs(text: string | undefined): number | undefined {
  const seconds = /^(\d+(?:\.\d+)?)s$/u.exec(text ?? '')?.[1];
  return seconds === undefined ? undefined : Math.ceil(Number(seconds) * 1000);
}

function listAt(value: unknown, name: string): readonly unknown[] {
  const list = jsonAt(value, name);
  return Array.isArray(list) ? list : [];
}
