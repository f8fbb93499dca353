import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { ResolvedWebhooks } from '../config/index.js';
import { jsonFault, type Names, nameFault, repairJson } from '../support/json-fault.js';
import { parsedJson } from '../support/text.js';
import { REQUEST_REJECTIONS, type RequestRejection } from './answers.js';

const JSON_TYPE = /^application\/(?:json|[\w!#$&^.+-]+\+json)[ \t]*(?:;(.*))?$/isu;

const CHARSET = /(?:^|;)[ \t]*charset[ \t]*=[ \t]*"?([^\s";]*)/iu;

const FORM_TYPE = /^application\/x-www-form-urlencoded[ \t]*(?:;(.*))?$/isu;

/** Why a route cannot read the body that the headers announce; undefined if it can. */
export function typeFault(headers: IncomingHttpHeaders, isMapped: boolean): string | undefined {
  if (isBodyOf(JSON_TYPE, headers) || (isMapped && isFormBody(headers))) return undefined;
  return isMapped ? MAPPED_TYPES : REQUEST_REJECTIONS.unsupported_media_type.error;
}

const MAPPED_TYPES =
  'The body must be application/json or application/x-www-form-urlencoded in UTF-8, not compressed.';

/** Whether the headers announce an uncompressed form in UTF-8. */
export function isFormBody(headers: IncomingHttpHeaders): boolean {
  return isBodyOf(FORM_TYPE, headers);
}

function isBodyOf(type: RegExp, headers: IncomingHttpHeaders): boolean {
  const parts = type.exec(headers['content-type'] ?? '');
  if (parts === null) return false;
  const charset = CHARSET.exec(parts[1] ?? '')?.[1]?.toLowerCase() ?? 'utf-8';
  const encoding = headers['content-encoding']?.toLowerCase() ?? 'identity';
  return (charset === 'utf-8' || charset === 'utf8') && encoding === 'identity';
}

type ParsedBody =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: string };

/** Some clients on Windows start every text with it. */
const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Reads the bytes of a body as JSON in UTF-8.
 *
 * @param isMapped what other systems send cannot be changed, so it is repaired where that is possible
 */
export function parseBody(bytes: Buffer, isMapped = false): ParsedBody {
  if (bytes.length === 0) return invalidBody('is empty');
  if (!isUtf8(bytes)) return invalidBody('is not UTF-8');
  const whole = bytes.toString('utf8');
  const text = whole.startsWith(BYTE_ORDER_MARK) ? whole.slice(1) : whole;
  const value = parsedJson(text);
  // The parser's message would quote the text, which may contain secrets.
  if (value === undefined) return invalidBody('is not JSON');
  const fault = jsonFault(text);
  if (fault === undefined) return { ok: true, value };
  const repaired = isMapped ? repairJson(text) : text;
  return repaired === text ? invalidBody(fault) : parseBody(Buffer.from(repaired));
}

function invalidBody(error: string): ParsedBody {
  return { ok: false, error: `body: ${error}` };
}

/** More than any sender has. */
const MOST_FORM_FIELDS = 1000;

/**
 * Reads the bytes of a form as an object of texts. A field `payload` with a JSON object is the body itself: GitHub
 * and Slack send their JSON that way.
 */
export function parseForm(bytes: Buffer): ParsedBody {
  if (bytes.length === 0) return invalidBody('is empty');
  if (!isUtf8(bytes)) return invalidBody('is not UTF-8');
  const form = new URLSearchParams(bytes.toString('utf8'));
  if (form.size > MOST_FORM_FIELDS) return invalidBody(`has more than ${MOST_FORM_FIELDS} fields`);
  const payload = form.get(PAYLOAD_FIELD);
  if (payload?.startsWith('{') === true && form.getAll(PAYLOAD_FIELD).length === 1) {
    return parseBody(Buffer.from(payload, 'utf8'), true);
  }
  const names: Names = new Set();
  for (const name of form.keys()) {
    const fault = nameFault(JSON.stringify(name).slice(1, -1), names);
    if (fault !== undefined) return invalidBody(fault);
  }
  return { ok: true, value: Object.fromEntries(form) };
}

const PAYLOAD_FIELD = 'payload';

/** The limits of every route; see the configuration reference. */
export type WebhookLimits = ResolvedWebhooks['config']['limits'];

/** Why a body was not read. */
interface UnreadBody {
  readonly code: RequestRejection;
  readonly error?: string;
}

const TOO_LARGE: UnreadBody = { code: 'payload_too_large' };

/**
 * Reads a body. One announced as too large is refused before a byte is read; one that turns out too large
 * or too slow is not read to its end.
 */
export function readBody(
  request: IncomingMessage,
  limits: Pick<WebhookLimits, 'bodyBytes' | 'bodyTimeoutSeconds'>,
): Promise<Buffer | UnreadBody> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > limits.bodyBytes) return Promise.resolve(TOO_LARGE);
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const settle = (outcome: Buffer | UnreadBody): void => {
      clearTimeout(timer);
      request.off('data', onData).off('end', onEnd).off('close', onClose);
      resolve(outcome);
    };
    const onData = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes > limits.bodyBytes) settle(TOO_LARGE);
      else chunks.push(chunk);
    };
    const onEnd = (): void => {
      const [first] = chunks;
      settle(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks));
    };
    // The client is gone, and nobody reads an answer.
    const onClose = (): void =>
      settle({ code: 'invalid_request', error: 'body: the connection was closed' });
    const timer = setTimeout(
      () => settle({ code: 'request_timeout' }),
      limits.bodyTimeoutSeconds * 1000,
    );
    request.on('data', onData).on('end', onEnd).on('close', onClose);
    // Without a listener an aborted request would end the process.
    request.on('error', onClose);
  });
}
