import got, { type Options, type Response, type Request as Stream, TimeoutError } from 'got';
import { messageOf, networkWords, systemErrorCode } from '../../errors/index.js';
import { createSecretMask, LEAST_KNOWN_CHARS } from '../../masking/index.js';
import { jsonOrText } from '../../support/text.js';
import { broken } from '../read-vectors.js';
import { withRetries } from '../requests/pacer.js';
import type { VendorCall } from '../vendor.js';
import { shownAddress, VendorFault, type VendorFaultDetails } from '../vendor-fault.js';
import {
  type AnswerHeaders,
  redirectFault,
  reportedFailure,
  statusFault,
  UNSENDABLE,
  unsendableFault,
} from './status-fault.js';

export interface HttpRequest extends VendorCall {
  readonly method: 'DELETE' | 'GET' | 'POST';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly json?: unknown;
  /** Not together with `json`. */
  readonly body?: Buffer | FormData | string | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: Buffer;
}

/**
 * Interprets an error answer beyond its status. `body` is parsed JSON if possible, else text;
 * header names are lower case. Returns only what differs.
 */
export type ExplainStatus = (
  answer: AnswerHead & { readonly body: unknown },
) => Partial<VendorFaultDetails>;

/**
 * Parsed JSON can take thirty times as much memory, and several answers come at once. 128 vectors of 8,192 dimensions, as
 * numbers, have 23 MB.
 */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

/**
 * Sends a request, with retries as its pacing decides.
 *
 * @throws VendorFault, or the signal's reason
 */
export function sendRequest(request: HttpRequest, explain?: ExplainStatus): Promise<HttpAnswer> {
  return withRetries(request.pacing, request.signal, () => sendOnce(request, explain));
}

/**
 * Sends a request. Does not follow redirects: the key is for this host only.
 *
 * @throws VendorFault, or the signal's reason
 */
export async function sendOnce(
  request: Omit<HttpRequest, 'pacing'>,
  explain: ExplainStatus = () => ({}),
): Promise<HttpAnswer> {
  const { method, json, signal } = request;
  // A stream of got waits for a body if the method can have one.
  const body = request.body ?? (method === 'GET' || json !== undefined ? undefined : '');
  const stream = got.stream(addressOf(request), {
    ...ONE_TRY,
    method,
    headers: { 'user-agent': 'svc', ...request.headers },
    ...(json === undefined ? {} : { json }),
    ...(body === undefined ? {} : { body }),
    signal,
    timeout: { request: request.timeoutMs },
  });
  try {
    const { status, headers } = await successHead(stream, await answerHead(stream), explain);
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of stream) {
      bytes += chunk.length;
      if (bytes > MAX_ANSWER_BYTES) throw broken('it is too large');
      chunks.push(chunk);
    }
    const answer = withoutSecrets(Buffer.concat(chunks), sentSecrets(stream.options));
    throwReported(answer, headers, explain);
    return { status, headers, body: answer };
  } catch (error) {
    signal.throwIfAborted();
    throw faultOf(error);
  } finally {
    stream.destroy();
  }
}

/** Without user and password where a header has a key, which got would replace. */
function addressOf({ url, headers = {} }: Pick<HttpRequest, 'headers' | 'url'>): string {
  const hasKey = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
  return hasKey ? url.replace(/^(https?:\/\/)[^/?#]*@/iu, '$1') : url;
}

/** Minimum upload speed, in bytes per millisecond. */
const UPLOAD_BYTES_PER_MS = 50;

/** The time limit of a request with this many bytes. */
export function uploadTimeoutMs(
  { timeoutMs }: Pick<VendorCall, 'timeoutMs'>,
  bytes: number,
): number {
  return timeoutMs + bytes / UPLOAD_BYTES_PER_MS;
}

export const ONE_TRY = { followRedirect: false, throwHttpErrors: false, retry: { limit: 0 } };

type AnswerHead = Omit<HttpAnswer, 'body'>;

/** Waits until an answer begins. @throws got's error */
export async function answerHead(stream: Stream): Promise<AnswerHead> {
  const { statusCode, headers } = await new Promise<Response>((resolve, reject) => {
    // Stays attached: an error while nobody reads the body must not crash the process.
    stream.on('error', reject);
    stream.once('response', resolve);
  });
  return { status: statusCode, headers };
}

/** An error says what is wrong at its beginning, and some have no end. */
const MAX_ERROR_BYTES = 64 * 1024;

/** The beginning of an error answer. @throws got's error */
export async function errorBeginning(stream: Stream): Promise<string> {
  let begin = Buffer.alloc(0);
  for await (const chunk of stream) {
    begin = Buffer.concat([begin, chunk]);
    if (begin.length > MAX_ERROR_BYTES) break;
  }
  return textOf(begin.subarray(0, MAX_ERROR_BYTES));
}

/** Throws what an answer reports as failed, although its own status is one of success. @throws VendorFault */
function throwReported(answer: Buffer, headers: AnswerHeaders, explain: ExplainStatus): void {
  if (answer.length > MAX_ERROR_BYTES || !answer.includes('"error"')) return;
  const reported = reportedFailure(jsonOrText(textOf(answer)));
  if (reported === undefined) return;
  const { status, body } = reported;
  throw statusFault(status, headers, body).with(explain({ status, body, headers }));
}

/** The head of a successful answer. @throws VendorFault for any other, or got's error */
async function successHead(
  stream: Stream,
  head: AnswerHead,
  explain: ExplainStatus,
): Promise<AnswerHead> {
  const { status, headers } = head;
  if (status < 300) return head;
  if (status < 400) throw redirectFault(status, headers['location']);
  // Mask before truncating: half a key would not be recognized.
  const body = createSecretMask(sentSecrets(stream.options)).data(
    jsonOrText(await errorBeginning(stream)),
  );
  const url = shownAddress(String(stream.options.url));
  throw statusFault(status, headers, body).with({ url, ...explain({ status, body, headers }) });
}

/** Headers with the key, if there is one, and the configured headers. */
export function bearerHeaders(
  key: string | undefined,
  headers: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return { ...(key === undefined ? {} : { authorization: `Bearer ${key}` }), ...headers };
}

/** Parses the JSON of an answer. @throws VendorFault if it is cut off */
export function parseAnswer(answer: HttpAnswer): unknown {
  try {
    return JSON.parse(textOf(answer.body));
  } catch (error) {
    throw new VendorFault('answer', 'the answer is broken: it is not JSON', {
      status: answer.status,
      cause: error,
    });
  }
}

/** Without the byte-order mark that some servers begin with. */
function textOf(body: Buffer): string {
  return new TextDecoder().decode(body);
}

/** Adds a hint to the fault of a server that is not running. */
export async function withHintWhenRefused<T>(
  hint: string | undefined,
  answer: Promise<T>,
): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (hint === undefined || !(error instanceof VendorFault)) throw error;
    if (error.details.code !== 'ECONNREFUSED') throw error;
    throw error.with({ hint });
  }
}

/** Protects memory from a broken endpoint. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
const NEWLINE = 0x0a;

/**
 * Streams the lines of a file, since batch results can exceed memory. Skips blank lines. Does
 * not retry: the caller knows which lines it has. Follows one redirect, because Voyage's reference
 * downloads files with `curl -L`; the headers with the key are sent to the first host only.
 *
 * @throws VendorFault, or the signal's reason
 */
export async function* downloadLines(
  request: Omit<HttpRequest, 'body' | 'json' | 'method'>,
  explain: ExplainStatus = () => ({}),
): AsyncGenerator<string> {
  const { signal, timeoutMs, pacing } = request;
  await pacing.ready(signal);
  const open = (url: URL | string, headers: HttpRequest['headers']): Stream =>
    got.stream(url, {
      ...ONE_TRY,
      headers: { 'user-agent': 'svc', ...headers },
      signal,
      // A large file may take long, but not without receiving data.
      timeout: { response: timeoutMs, socket: timeoutMs },
    });
  let stream = open(addressOf(request), request.headers);
  try {
    let head = await answerHead(stream);
    const from = new URL(request.url);
    const target = redirectTarget(head, from);
    if (target !== undefined) {
      stream.destroy();
      stream = open(target, target.origin === from.origin ? request.headers : {});
      head = await answerHead(stream);
    }
    await successHead(stream, head, explain);
    let rest = Buffer.alloc(0);
    for await (const chunk of stream) {
      const data = Buffer.concat([rest, chunk]);
      const end = data.lastIndexOf(NEWLINE) + 1;
      yield* linesOf(data.subarray(0, end));
      rest = data.subarray(end);
      if (rest.length > MAX_LINE_BYTES) throw broken('a line is too long');
    }
    yield* linesOf(rest);
    pacing.succeeded();
  } catch (error) {
    signal.throwIfAborted();
    throw faultOf(error);
  } finally {
    stream.destroy();
  }
}

/** Where a redirect leads, but never from `https:` to `http:`. */
function redirectTarget({ status, headers }: AnswerHead, from: URL): URL | undefined {
  const location = headers['location'];
  if (status < 300 || status >= 400 || typeof location !== 'string') return undefined;
  if (!URL.canParse(location, from.href)) return undefined;
  const target = new URL(location, from);
  return target.protocol === 'https:' || target.protocol === from.protocol ? target : undefined;
}

function linesOf(bytes: Buffer): readonly string[] {
  const lines = bytes.toString('utf8').split('\n');
  return lines.map((line) => line.trim()).filter((line) => line !== '');
}

/** Codes of zlib, for gzip and Brotli. */
const DAMAGED = /^(?:Z_|ERR__ERROR_)/u;

function faultOf(error: unknown): VendorFault {
  if (error instanceof VendorFault) return error;
  if (error instanceof TimeoutError) {
    return new VendorFault('timeout', 'no answer in time', { cause: error });
  }
  // In some versions of Node.js, got passes on errors of the socket as they are.
  const code = systemErrorCode(error);
  if (code !== undefined && DAMAGED.test(code)) return broken('its compression is damaged');
  if (error instanceof Error && code === UNSENDABLE) return unsendableFault(error);
  const { message, hint } = networkWords(code ?? '', messageOf(error));
  const masked = createSecretMask().text(message);
  return new VendorFault('network', masked, { code, hint, cause: error });
}

/** Headers that never contain secrets. */
const PLAIN_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'connection',
  'content-length',
  'content-type',
  'host',
  'user-agent',
]);

/**
 * Values that a vendor may repeat in its error: those of the headers, with and without their
 * scheme.
 */
export function sentSecrets({ headers }: Pick<Options, 'headers'>): readonly string[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    if (value === undefined || PLAIN_HEADERS.has(name.toLowerCase())) return [];
    return [value].flat().flatMap((text) => [text, text.replace(/^\S+\s+/u, '')]);
  });
}

/** Some servers repeat the key in what they report with a status of success. */
function withoutSecrets(body: Buffer, secrets: readonly string[]): Buffer {
  const isRepeated = secrets.some(
    (secret) => secret.length >= LEAST_KNOWN_CHARS && body.includes(secret),
  );
  return isRepeated ? Buffer.from(createSecretMask(secrets).text(body.toString('utf8'))) : body;
}
