import {
  type ExplainStatus,
  type HttpAnswer,
  parseAnswer,
  sendRequest,
  withHintWhenRefused,
} from '../http/http-client.js';
import { jsonAt, messageIn } from '../http/status-fault.js';
import { inInputOrder, readVector } from '../read-vectors.js';
import type { EmbeddingVendor, ProviderSettings, VendorAnswer, VendorRequest } from '../vendor.js';
import { VendorFault } from '../vendor-fault.js';

/** Differences between vendors with an OpenAI-compatible embeddings API. */
export interface OpenAiShape
  extends Pick<EmbeddingVendor, 'documentForm' | 'endpoint' | 'limits' | 'model'> {
  /** Requested length; undefined leaves it to the model. */
  readonly dimensions: number | undefined;
  readonly body: (request: VendorRequest) => Readonly<Record<string, unknown>>;
  readonly explain: (request: VendorRequest) => ExplainStatus;
  /** Hint if nothing listens at the endpoint, for servers that people start themselves. */
  readonly startHint?: string;
}

/** Creates a vendor for `POST ENDPOINT/embeddings` with a Bearer key. */
export function openAiShaped(shape: OpenAiShape, settings: ProviderSettings): EmbeddingVendor {
  const { endpoint, model, limits, documentForm, dimensions } = shape;
  const headers = bearerHeaders(settings);
  return {
    endpoint,
    model,
    limits,
    documentForm,
    dimensions: dimensions ?? null,
    embed: async (request) => {
      const { signal, timeoutMs, pacing, inputs } = request;
      const sent = { method: 'POST', url: `${endpoint}/embeddings`, headers } as const;
      const answer = await withHintWhenRefused(
        shape.startHint,
        sendRequest(
          { ...sent, json: shape.body(request), signal, timeoutMs, pacing },
          shape.explain(request),
        ),
      );
      return readOpenAiAnswer(answer, inputs.length);
    },
  };
}

/** Headers with the key, if there is one, and the configured headers. */
export function bearerHeaders({
  credential,
  headers,
}: Pick<ProviderSettings, 'credential' | 'headers'>): Readonly<Record<string, string>> {
  return {
    ...(credential === undefined ? {} : { authorization: `Bearer ${credential.value}` }),
    ...headers,
  };
}

/**
 * Reads `{data: [{index, embedding}], usage}`; vectors are numbers or base64.
 *
 * @param count number of inputs sent
 * @throws VendorFault
 */
export function readOpenAiAnswer(answer: HttpAnswer, count: number): VendorAnswer {
  const body = parseAnswer(answer);
  const data = jsonAt(body, 'data');
  if (!Array.isArray(data)) {
    // Some servers report an unknown route with status 200.
    const said = messageIn(jsonAt(body, 'error'));
    throw new VendorFault(
      'answer',
      `the answer is broken: it ${said === undefined ? 'has no "data"' : `reports "${said}"`}`,
      { hint: 'check that the address is an embeddings endpoint' },
    );
  }
  const items = data.map((item: unknown, position) => {
    const index = jsonAt(item, 'index');
    return {
      // Some compatible servers omit it and keep the order.
      index: typeof index === 'number' ? index : position,
      vector: readVector(jsonAt(item, 'embedding')),
    };
  });
  const tokens = jsonAt(body, 'usage', 'total_tokens') ?? jsonAt(body, 'usage', 'prompt_tokens');
  return {
    vectors: inInputOrder(items, count),
    // Some servers do not count, and report 0.
    tokens: typeof tokens === 'number' && tokens > 0 ? tokens : undefined,
  };
}
