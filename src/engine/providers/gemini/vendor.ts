import { type HttpAnswer, parseAnswer } from '../http/http-client.js';
import { jsonAt, numberAt } from '../http/status-fault.js';
import type { AddressedProvider } from '../provider.js';
import { readVector, withoutResult } from '../read-vectors.js';
import type {
  EmbeddingInput,
  EmbeddingVendor,
  InputRole,
  MediaLimits,
  ProviderSettings,
  VendorAnswer,
} from '../vendor.js';
import { VendorFault } from '../vendor-fault.js';
import { createGeminiBatch } from './batch.js';
import { type GeminiPart, type GeminiRequest, geminiConnection } from './connection.js';

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

/** Google's Gemini API: `batchEmbedContents` inline, `asyncBatchEmbedContent` for batches. */
export function createGeminiVendor(
  settings: ProviderSettings,
  provider: AddressedProvider,
): EmbeddingVendor {
  const connection = geminiConnection(settings, provider);
  const model = settings.model ?? provider.model;
  // The models that accept media get the task as part of the text.
  const inText = provider.media?.takes(model) === true;
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
    batch: createGeminiBatch(connection, {
      url: `${endpoint}/${path}:asyncBatchEmbedContent`,
      request: (input) => request(input, 'document'),
      dimensions: settings.dimensions,
    }),
    embed: async ({ inputs, role, ...call }) => {
      const requests = inputs.map((input) => ({
        model: `models/${model}`,
        ...request(input, role),
      }));
      try {
        const url = `${endpoint}/${path}:batchEmbedContents`;
        return readAnswer(
          await connection.send({ ...call, method: 'POST', url, json: { requests } }),
        );
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
function readAnswer(answer: HttpAnswer): VendorAnswer {
  const body = parseAnswer(answer);
  const embeddings = jsonAt(body, 'embeddings');
  if (!Array.isArray(embeddings)) throw withoutResult(body, 'no "embeddings"');
  return {
    vectors: embeddings.map((embedding: unknown) => readVector(jsonAt(embedding, 'values'))),
    tokens: numberAt(body, 'usageMetadata', 'promptTokenCount'),
  };
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
