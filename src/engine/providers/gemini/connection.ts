import {
  downloadLines,
  type ExplainStatus,
  type HttpAnswer,
  type HttpRequest,
  sendRequest,
} from '../http/http-client.js';
import { listAt, textAt } from '../http/status-fault.js';
import { type AddressedProvider, addressUsed } from '../provider.js';
import type { ProviderSettings, VendorCall } from '../vendor.js';
import type { VendorFaultDetails } from '../vendor-fault.js';

/** One part of the content of a vector. */
export type GeminiPart =
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

export type GeminiConnection = ReturnType<typeof geminiConnection>;

/** Address and key of the Gemini API for some settings. The key is added to its requests. */
export function geminiConnection(settings: ProviderSettings, provider: AddressedProvider) {
  const endpoint = addressUsed(provider, settings.baseUrl ?? provider.endpoint);
  const headers = {
    // In a header: `?key=` would appear in logs.
    ...(settings.credential === undefined ? {} : { 'x-goog-api-key': settings.credential.value }),
    ...settings.headers,
  };
  const version = endpoint.lastIndexOf('/');
  return {
    /** With version, as `https://generativelanguage.googleapis.com/v1beta`. */
    endpoint,
    /** For file uploads and downloads: `upload` comes before the version. */
    fileUrl: (kind: 'download' | 'upload', path: string): string =>
      `${endpoint.slice(0, version)}/${kind}${endpoint.slice(version)}/${path}`,
    /** Streams the lines of a file. @throws VendorFault, or the signal's reason */
    lines: (call: VendorCall & Pick<HttpRequest, 'url'>): AsyncIterable<string> =>
      downloadLines({ ...call, headers }, explainGemini),
    /** @throws VendorFault, or the signal's reason */
    send: (request: HttpRequest): Promise<HttpAnswer> => {
      // An upload address comes from an answer; the key is sent to our own host only.
      const isOwn = new URL(request.url).origin === new URL(endpoint).origin;
      const withKey = isOwn ? { ...request, headers: { ...headers, ...request.headers } } : request;
      return sendRequest(withKey, explainGemini);
    },
  };
}

const TOO_LARGE =
  /payload size exceeds|requests can be in one batch|exceeds the maximum number of tokens/u;

/**
 * Error bodies: `{error: {status, message, details[]}}`, with details ErrorInfo, QuotaFailure and
 * RetryInfo (google.rpc).
 */
export const explainGemini: ExplainStatus = ({ status, body }) => {
  const details = listAt(body, 'error', 'details');
  const message = textAt(body, 'error', 'message') ?? '';
  const reason = details.map((detail) => textAt(detail, 'reason')).find(Boolean);
  const code = reason ?? textAt(body, 'error', 'status');
  const known = code === undefined ? {} : { code };
  if (reason === 'API_KEY_INVALID') return { ...known, kind: 'auth' };
  if (status === 429) return { ...known, ...explainExhausted(details, message) };
  if (status !== 400) return known;
  // The message names one text, so only that one is at fault.
  if (/requests\[\d+\]\.content/u.test(message)) return { ...known, kind: 'input' };
  if (TOO_LARGE.test(message)) return { ...known, kind: 'too_large' };
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
      hint: "the key's daily quota is used up; it resets at midnight Pacific time, or enable billing",
    };
  }
  // The prepaid balance of a project, and what it may cost in a month.
  if (/\bcredits are depleted\b|\bspending cap\b/iu.test(message)) return { kind: 'quota' };
  if (/\blimit: 0\b/u.test(message)) {
    return { kind: 'quota', hint: "the key's plan does not include this model: enable billing" };
  }
  const delay = details.map((detail) => textAt(detail, 'retryDelay')).find(Boolean);
  // The message repeats the delay, even if details are missing.
  const waitMs = durationMs(delay ?? /retry in ([\d.]+s)/u.exec(message)?.[1]);
  return waitMs === undefined ? {} : { waitMs };
}

/**
 * A `google.protobuf.Duration` in JSON: `33s`, `33.4s`. `0s` is no reason to try again without a pause, like a
 * `Retry-After` of zero.
 */
function durationMs(text: string | undefined): number | undefined {
  const seconds = Number(/^(\d+(?:\.\d+)?)s$/u.exec(text ?? '')?.[1]);
  return seconds > 0 ? Math.ceil(seconds * 1000) : undefined;
}
