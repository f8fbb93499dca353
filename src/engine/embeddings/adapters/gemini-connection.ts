import { type HttpAnswer, type HttpRequest, sendRequest } from '../http/http-client.js';
import type { ProviderSettings } from '../provider-settings.js';
import { explainGemini } from './gemini-errors.js';

const ENDPOINT = 'https://generativelanguage.googleapis.com/v1beta';

/** A request to the Gemini API; its key is added. */
export type GeminiCall = Pick<
  HttpRequest,
  'body' | 'headers' | 'json' | 'method' | 'pacing' | 'signal' | 'timeoutMs' | 'url'
>;

/** Where the Gemini API is, and the key for it. */
export interface GeminiConnection {
  /** Base URL with its version, as `https://generativelanguage.googleapis.com/v1beta`. */
  readonly endpoint: string;
  /** The same for the upload and download of files: `upload` stands before the version. */
  fileUrl(kind: 'download' | 'upload', path: string): string;
  /** @throws VendorFault, or the signal's reason */
  send(call: GeminiCall): Promise<HttpAnswer>;
}

/** Reads the connection from the settings. */
export function geminiConnection(settings: ProviderSettings): GeminiConnection {
  // The OpenAI-compatible endpoint that people have at hand is the same service below another path.
  const endpoint = settings.baseUrl?.replace(/\/openai(?:\/.*)?$/u, '') ?? ENDPOINT;
  const headers = {
    // In a header: as `?key=` it would stand in logs.
    ...(settings.credential === undefined ? {} : { 'x-goog-api-key': settings.credential.value }),
    ...settings.headers,
  };
  const version = endpoint.lastIndexOf('/');
  return {
    endpoint,
    fileUrl: (kind, path) =>
      `${endpoint.slice(0, version)}/${kind}${endpoint.slice(version)}/${path}`,
    send: (call) => {
      // The address for an upload comes out of an answer: the key is for this host alone.
      const own = new URL(call.url).origin === new URL(endpoint).origin;
      return sendRequest(
        { ...call, headers: own ? { ...headers, ...call.headers } : call.headers },
        explainGemini,
      );
    },
  };
}
