import { dimensionsToAsk } from './dimensions.js';
import type { BatchConnection } from './file-batch.js';
import {
  bearerHeaders,
  type ExplainStatus,
  type HttpAnswer,
  parseAnswer,
  sendRequest,
  withHintWhenRefused,
} from './http/http-client.js';
import { jsonAt, numberAt } from './http/status-fault.js';
import type { AddressedProvider } from './provider.js';
import { inInputOrder, readVector, withoutResult } from './read-vectors.js';
import { plainText } from './requests/input-text.js';
import type {
  EmbeddingInput,
  EmbeddingVendor,
  InputRole,
  ProviderSettings,
  RequestLimits,
  VendorAnswer,
  VendorBatch,
} from './vendor.js';
import { isUnknownRefusal, VendorFault } from './vendor-fault.js';

/** Differences between vendors with an OpenAI-compatible embeddings API. */
export interface OpenAiShape {
  /** The default address, if the settings decide which. */
  readonly endpoint?: string;
  readonly limits: (model: string) => RequestLimits;
  readonly documentForm: string;
  /** Fields of a request besides the model and the texts. */
  readonly fields: (role: InputRole, dimensions: number | undefined) => RequestFields;
  /** A text as it is sent; by default below its title. */
  readonly write?: (input: EmbeddingInput, role: InputRole) => string;
  /**
   * Whether it may be a server that has numbers only: those that ask LiteLLM or OpenRouter for base64 get a refusal, or
   * no vectors (github.com/BerriAI/litellm, issue 33173; github.com/plastic-labs/honcho, pull 938).
   */
  readonly mayLackBase64?: boolean;
  readonly explain: (model: string, inputs: readonly EmbeddingInput[]) => ExplainStatus;
  /** Hint if nothing listens at the endpoint, for servers that people start themselves. */
  readonly startHint?: string;
  /** @param fields the model and {@link OpenAiShape.fields} of a document */
  readonly batch?: (connection: BatchConnection, fields: RequestFields) => VendorBatch;
}

type RequestFields = Readonly<Record<string, unknown>>;

/** Creates a vendor for `POST ENDPOINT/embeddings` with a Bearer key. */
export function openAiShaped(
  provider: AddressedProvider,
  settings: ProviderSettings,
  shape: OpenAiShape,
): EmbeddingVendor {
  const { write = plainText, documentForm } = shape;
  const endpoint = settings.baseUrl ?? shape.endpoint ?? provider.endpoint;
  const model = settings.model ?? provider.model;
  const dimensions = dimensionsToAsk(provider, model, settings.dimensions);
  const headers = bearerHeaders(settings.credential?.value, settings.headers);
  const fields = (role: InputRole) => ({ model, ...shape.fields(role, dimensions) });
  const connection = { endpoint, headers, explain: shape.explain(model, []) };
  const batch = shape.batch?.(connection, fields('document'));
  /** Undefined until a vector has come. */
  let hasBase64 = shape.mayLackBase64 === true ? undefined : true;
  return {
    endpoint,
    model,
    limits: shape.limits(model),
    documentForm,
    ...(batch === undefined ? {} : { batch }),
    embed: async ({ inputs, role, ...call }) => {
      const ask = async (changed: RequestFields = {}): Promise<VendorAnswer> => {
        const input = inputs.map((one) => write(one, role));
        const json = { ...fields(role), ...changed, input };
        const request = { method: 'POST', url: `${endpoint}/embeddings`, headers, json } as const;
        const sending = sendRequest({ ...call, ...request }, shape.explain(model, inputs));
        return readOpenAiAnswer(await withHintWhenRefused(shape.startHint, sending));
      };
      if (hasBase64 === false) return ask(NUMBERS);
      try {
        const answer = await ask();
        if (hasBase64 === true || answer.vectors.length > 0) {
          hasBase64 = true;
          return answer;
        }
      } catch (error) {
        if (hasBase64 === true || !mayBeDueToFormat(error)) throw error;
      }
      const answer = await ask(NUMBERS);
      if (answer.vectors.length > 0) hasBase64 = false;
      return answer;
    },
  };
}

/** Numbers are the default; some servers refuse to be asked for them. */
const NUMBERS: RequestFields = { encoding_format: undefined };

/** Whether a server that lacks base64 may have failed for that. What it says of it can be anything without a hint. */
function mayBeDueToFormat(error: unknown): boolean {
  if (!(error instanceof VendorFault)) return false;
  const { kind, hint } = error.details;
  return kind === 'answer' || (hint === undefined && isUnknownRefusal(error.details));
}

/**
 * Whether vectors are in the order of their inputs, although their numbers are not those of the inputs: some servers omit
 * them, older releases of LiteLLM give 0 to all of Gemini's, and those of Xinference go on from another request
 * (github.com/BerriAI/litellm, pull 25656; github.com/xorbitsai/inference, pull 5240).
 */
function areInOrder(indexes: readonly number[]): boolean {
  const [first = 0] = indexes;
  return [0, 1].some((step) => indexes.every((index, at) => index === first + at * step));
}

/**
 * Reads `{data: [{index, embedding}], usage}`; vectors are numbers or base64.
 *
 * @throws VendorFault
 */
export function readOpenAiAnswer(answer: HttpAnswer): VendorAnswer {
  const body = parseAnswer(answer);
  const data = jsonAt(body, 'data');
  if (!Array.isArray(data)) {
    const hint = 'check that the address is an embeddings endpoint';
    throw withoutResult(body, 'no "data"').with({ hint });
  }
  const indexes = data.map((item: unknown, position) => numberAt(item, 'index') ?? position);
  const areKept = areInOrder(indexes);
  const items = data.map((item: unknown, position) => ({
    index: areKept ? position : (indexes[position] ?? position),
    vector: readVector(jsonAt(item, 'embedding')),
  }));
  const tokens = jsonAt(body, 'usage', 'total_tokens') ?? jsonAt(body, 'usage', 'prompt_tokens');
  return {
    vectors: inInputOrder(items),
    // Some servers do not count, and report 0.
    tokens: typeof tokens === 'number' && tokens > 0 ? tokens : undefined,
  };
}
