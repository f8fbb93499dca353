import type { VendorFaultDetails, VendorFaultKind } from '../vendor-fault.js';

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
};

/** What an error answer means by its status alone, with the vendor's words for people. */
export function detailsOfStatus(
  status: number,
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  body: unknown,
): VendorFaultDetails {
  const kind = KINDS[status] ?? (status >= 500 ? 'overload' : 'request');
  return {
    kind,
    status,
    message: messageIn(body) ?? `status ${status}`,
    waitMs: retryAfterMs(headers['retry-after'], Date.now()),
  };
}

const MAX_MESSAGE = 300;

/** The words of an error body, in any of the shapes that vendors use. */
export function messageIn(body: unknown): string | undefined {
  if (typeof body === 'string') {
    const text = body
      .replaceAll(/<[^<>]*>/gu, ' ')
      .replaceAll(/\s+/gu, ' ')
      .trim();
    return text === '' ? undefined : text.slice(0, MAX_MESSAGE);
  }
  if (Array.isArray(body)) {
    const texts = body.map(messageIn).filter((text) => text !== undefined);
    return texts.length === 0 ? undefined : texts.join('; ').slice(0, MAX_MESSAGE);
  }
  if (typeof body !== 'object' || body === null) return undefined;
  const fields: ReadonlyMap<string, unknown> = new Map(Object.entries(body));
  for (const name of ['error', 'message', 'detail', 'msg']) {
    const text = messageIn(fields.get(name));
    if (text !== undefined) return text;
  }
  return undefined;
}

/**
 * `Retry-After` in milliseconds: seconds, or a date (RFC 9110 §10.2.3).
 *
 * @param nowMs milliseconds since the epoch, for dates
 */
function retryAfterMs(
  header: string | readonly string[] | undefined,
  nowMs: number,
): number | undefined {
  const text = typeof header === 'string' ? header.trim() : undefined;
  if (text === undefined || text === '') return undefined;
  if (/^\d+(?:\.\d+)?$/u.test(text)) return Math.ceil(Number(text) * 1000);
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}

/** A value inside parsed JSON; undefined where the path leads nowhere. */
export function jsonAt(value: unknown, ...path: readonly (number | string)[]): unknown {
  let current = value;
  for (const step of path) {
    if (typeof current !== 'object' || current === null) return undefined;
    current = Reflect.get(current, step);
  }
  return current;
}
