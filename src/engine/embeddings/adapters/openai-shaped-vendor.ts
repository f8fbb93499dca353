import { type ExplainStatus, sendRequest } from '../http/http-client.js';
import { withHintWhenRefused } from '../http/refused-connection.js';
import type { ProviderSettings } from '../provider-settings.js';
import type { EmbeddingVendor, VendorRequest } from '../vendor.js';
import { readOpenAiAnswer } from './openai-shape.js';

/** What a vendor with an embeddings API in OpenAI's manner has of its own. */
export interface OpenAiShape
  extends Pick<EmbeddingVendor, 'adapter' | 'documentForm' | 'endpoint' | 'limits' | 'model'> {
  /** The length of vectors that {@link body} asks for; undefined leaves it to the model. */
  readonly dimensions: number | undefined;
  readonly body: (request: VendorRequest) => Readonly<Record<string, unknown>>;
  /** What an error answer to this request means. */
  readonly explain: (request: VendorRequest) => ExplainStatus;
  /** What to do when nothing listens at the endpoint: for servers that people start themselves. */
  readonly startHint?: string;
}

/** Makes a vendor that is asked by `POST ENDPOINT/embeddings` with a Bearer key. */
export function createOpenAiShapedVendor(
  shape: OpenAiShape,
  settings: ProviderSettings,
): EmbeddingVendor {
  const { adapter, endpoint, model, limits, documentForm, dimensions } = shape;
  const headers = bearerHeaders(settings);
  return {
    adapter,
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

/** The headers of every request: the key, where there is one, and those of the configuration. */
export function bearerHeaders({
  credential,
  headers,
}: Pick<ProviderSettings, 'credential' | 'headers'>): Readonly<Record<string, string>> {
  return {
    ...(credential === undefined ? {} : { authorization: `Bearer ${credential.value}` }),
    ...headers,
  };
}
