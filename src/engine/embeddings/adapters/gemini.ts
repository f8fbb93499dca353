import { DEFAULT_MODELS } from '../../config/index.js';
import type { HttpAnswer } from '../http/http-client.js';
import { parseAnswer } from '../http/parse-answer.js';
import { jsonAt } from '../http/status-fault.js';
import type { ProviderSettings } from '../provider-settings.js';
import { broken, readVector, wrongCount } from '../read-vectors.js';
import type { EmbeddingVendor, MediaLimits, VendorAnswer } from '../vendor.js';
import { VendorFault } from '../vendor-fault.js';
import { createGeminiBatch } from './gemini-batch.js';
import { geminiConnection } from './gemini-connection.js';
import {
  type GeminiRequest,
  geminiForm,
  geminiMaxTokens,
  geminiTakesMedia,
} from './gemini-content.js';

/** `BatchEmbedContentsRequest` takes no more (ai.google.dev, API reference, "Embeddings"). */
const MAX_INPUTS = 100;

/**
 * The Gemini API names no figure for all texts of a request; for the same models Google's Vertex AI
 * documents this one. It also stays below what a free key has for a minute.
 */
const MAX_TOKENS_PER_REQUEST = 20_000;

/**
 * A request with inline data may have 20 MB, of which base64 takes a third; images are limited to six,
 * and the types are those that the guide names (ai.google.dev, "Embeddings" and "Files API").
 */
const MEDIA: MediaLimits = {
  maxBytesPerRequest: Math.floor((20_000_000 - 50_000) / 4) * 3,
  maxImagesPerRequest: 6,
  documented: new Set(['image/png', 'image/jpeg', 'audio/mpeg', 'audio/wav']),
};

/** Google's Gemini API: `batchEmbedContents` inline, `asyncBatchEmbedContent` as batch. */
export function createGeminiVendor(settings: ProviderSettings): EmbeddingVendor {
  const connection = geminiConnection(settings);
  const model = settings.model ?? DEFAULT_MODELS.gemini;
  const form = geminiForm(model);
  const size =
    settings.dimensions === undefined ? {} : { outputDimensionality: settings.dimensions };
  const { endpoint } = connection;
  const path = `models/${encodeURIComponent(model)}`;
  const request: typeof form.request = (input, role): GeminiRequest => ({
    ...form.request(input, role),
    ...size,
  });
  return {
    adapter: 'gemini',
    endpoint,
    model,
    limits: {
      maxInputs: MAX_INPUTS,
      maxTokensPerInput: geminiMaxTokens(model),
      maxTokensPerRequest: MAX_TOKENS_PER_REQUEST,
      ...(geminiTakesMedia(model) ? { media: MEDIA } : {}),
    },
    documentForm: form.documentForm,
    batch: createGeminiBatch(connection, {
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
 * A type, a length or a file that is not to Google's liking is told in one code with all else that is
 * wrong with a request, often without a word on which: of a request with media, they are at fault.
 */
function blamedOnMedia(error: unknown): unknown {
  if (!(error instanceof VendorFault)) return error;
  const { kind, code } = error.details;
  if (kind !== 'request' || code !== 'INVALID_ARGUMENT') return error;
  return new VendorFault({ ...error.details, kind: 'input' }, { cause: error });
}

/** Reads `{embeddings: [{values}], usageMetadata?}`: in the order of the requests, without an index. */
function readAnswer(answer: HttpAnswer, count: number): VendorAnswer {
  const body = parseAnswer(answer);
  const embeddings = jsonAt(body, 'embeddings');
  if (!Array.isArray(embeddings)) throw broken('it has no "embeddings"');
  if (embeddings.length !== count) throw wrongCount(embeddings.length, count);
  const tokens = jsonAt(body, 'usageMetadata', 'promptTokenCount');
  return {
    vectors: embeddings.map((embedding: unknown) => readVector(jsonAt(embedding, 'values'))),
    tokens: typeof tokens === 'number' ? tokens : undefined,
  };
}
