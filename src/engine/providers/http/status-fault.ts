import { jsonOrText } from '../../support/text.js';
import { VendorFault, type VendorFaultKind } from '../vendor-fault.js';

const KINDS: Readonly<Record<number, VendorFaultKind>> = {
  401: 'auth',
  402: 'quota',
  403: 'auth',
  404: 'model',
  408: 'timeout',
  409: 'overload',
  413: 'too_large',
  425: 'overload',
  429: 'rate',
  // llama.cpp without --embeddings or --reranking.
  501: 'setup',
};

/** By names in lower case. */
export type AnswerHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** What the status alone means, with the vendor's message. */
export function statusFault(status: number, headers: AnswerHeaders, body: unknown): VendorFault {
  // The vendor never saw the request.
  if (status === 407) {
    // With http:// in front, they would be masked like those of a real address.
    const hint = 'put USER:PASSWORD@ before the host in the address of the proxy (HTTPS_PROXY)';
    return new VendorFault('request', 'the proxy requires a user name and password', {
      status,
      hint,
    });
  }
  const waitMs = retryAfterMs(headers);
  // OpenRouter answers 402 also if too many requests are under way for the balance, and then asks to wait.
  const isRate = status === 402 && waitMs !== undefined;
  const kind = isRate ? 'rate' : (KINDS[status] ?? (status >= 500 ? 'overload' : 'request'));
  return new VendorFault(kind, messageIn(body) ?? `status ${status}`, { status, waitMs });
}

/**
 * The failure in an answer with a status of success. So OpenRouter reports providers that fail once it has passed the request
 * on, with a number in `code` that is the status (openrouter.ai/docs, "Errors and Debugging"); of a chat, also in a choice.
 */
export function reportedFailure(answer: unknown) {
  for (const error of [jsonAt(answer, 'error'), jsonAt(answer, 'choices', 0, 'error')]) {
    const status = numberAt(error, 'code') ?? 0;
    if (status >= 400 && status < 600) return { status, body: { error } };
  }
  return undefined;
}

/** What a redirect means. It is not followed: what is sent contains a key. @param location the header, if there is one */
export function redirectFault(status: number, location: unknown): VendorFault {
  const where = typeof location === 'string' ? ` to ${originOf(location)}` : '';
  const hint = 'set baseUrl to the final address';
  return new VendorFault('request', `the endpoint redirects${where}`, { status, hint });
}

/** With its scheme, which is often all that differs; without its path, which may contain a key. */
function originOf(location: string): string {
  if (!URL.canParse(location)) return 'another address';
  const { protocol, host } = new URL(location);
  return `${protocol}//${host}`;
}

const MAX_MESSAGE = 300;

/** More than any vendor puts around a message; a body can be nested too deeply to be walked. */
const MESSAGE_LEVELS = 8;

/** The message in an error body of any shape that vendors use. */
export function messageIn(body: unknown, levels = MESSAGE_LEVELS): string | undefined {
  if (levels === 0) return undefined;
  if (typeof body === 'string') {
    const text = body
      .replaceAll(/<(script|style)\b.*?(?:<\/\1>|$)/gisu, ' ')
      .replaceAll(/<[^<>]*>/gu, ' ')
      .replaceAll(/\s+/gu, ' ')
      .trim();
    return text === '' ? undefined : text.slice(0, MAX_MESSAGE);
  }
  if (Array.isArray(body)) {
    const texts = body
      .map((item) => messageIn(item, levels - 1))
      .filter((text) => text !== undefined);
    return texts.length === 0 ? undefined : texts.join('; ').slice(0, MAX_MESSAGE);
  }
  if (typeof body !== 'object' || body === null) return undefined;
  // Above it, OpenRouter only says that a provider returned an error.
  const raw = jsonAt(body, 'metadata', 'raw');
  const original = messageIn(typeof raw === 'string' ? jsonOrText(raw) : raw, levels - 1);
  if (original !== undefined) return original;
  const fields: ReadonlyMap<string, unknown> = new Map(Object.entries(body));
  // The last two are of Cloudflare and of gateways of companies.
  for (const name of ['error', 'message', 'detail', 'msg', 'errors', 'errorMessage']) {
    const text = messageIn(fields.get(name), levels - 1);
    if (text !== undefined) return text;
  }
  return undefined;
}

/**
 * `Retry-After`: seconds or a date (RFC 9110 §10.2.3), or `retry-after-ms`, which OpenAI's own clients prefer. Zero, or a
 * date that has passed by the clock of this machine, is no reason to try again without a pause.
 */
function retryAfterMs(headers: AnswerHeaders): number | undefined {
  const text = textIn(headers['retry-after']);
  const exactMs = numberIn(textIn(headers['retry-after-ms']));
  const seconds = numberIn(text);
  const waitMs =
    exactMs ?? (seconds === undefined ? Date.parse(text) - Date.now() : seconds * 1000);
  return waitMs > 0 ? Math.ceil(waitMs) : undefined;
}

/** A number above zero. */
function numberIn(text: string): number | undefined {
  const number = /^\d+(?:\.\d+)?$/u.test(text) ? Number(text) : 0;
  return number > 0 ? number : undefined;
}

function textIn(header: AnswerHeaders[string]): string {
  return typeof header === 'string' ? header.trim() : '';
}

/** Code of {@link unsendableFault}. */
export const UNSENDABLE = 'ERR_INVALID_CHAR';

/** A header that cannot be sent: most often the key, with the line break of the file that it comes from. */
export function unsendableFault(error: Error): VendorFault {
  const header = /\["([^"]+)"\]/u.exec(error.message)?.[1] ?? '';
  const isKey = /^(?:authorization|x-(?:goog-)?api-key)$/iu.test(header);
  const subject = isKey ? 'the key' : `the header "${header}"`;
  const message = `${subject} contains a line break or another character that cannot be sent`;
  const hint = isKey ? undefined : "check the provider's headers in the configuration";
  return new VendorFault(isKey ? 'auth' : 'setup', message, { hint, cause: error });
}

/** A value inside parsed JSON; undefined if the path does not exist. */
export function jsonAt(value: unknown, ...path: readonly (number | string)[]): unknown {
  let current = value;
  for (const step of path) {
    if (typeof current !== 'object' || current === null) return undefined;
    current = Reflect.get(current, step);
  }
  return current;
}

/** A text inside parsed JSON; undefined if there is none. */
export function textAt(value: unknown, ...path: readonly (number | string)[]): string | undefined {
  const found = jsonAt(value, ...path);
  return typeof found === 'string' ? found : undefined;
}

/** A number inside parsed JSON; undefined if there is none. */
export function numberAt(
  value: unknown,
  ...path: readonly (number | string)[]
): number | undefined {
  const found = jsonAt(value, ...path);
  return typeof found === 'number' ? found : undefined;
}

/** A list inside parsed JSON; empty if there is none. */
export function listAt(value: unknown, ...path: readonly (number | string)[]): readonly unknown[] {
  const found = jsonAt(value, ...path);
  return Array.isArray(found) ? found : [];
}
