import got, { RequestError, type Request as Stream, TimeoutError } from 'got';
import { messageOf } from '../../../../errors/index.js';
import { jsonOrText } from '../../../../parse-json.js';
import { detailsOfStatus } from '../../../http/status-fault.js';
import { VendorFault } from '../../../vendor-fault.js';

/** How long a host may be silent, in milliseconds. */
export interface DownloadLimits {
  /** Until there is a connection. */
  readonly connectMs: number;
  /** Until the answer begins, and between two parts of it. */
  readonly idleMs: number;
}

/** What the first host says of a file that lies with another (Hugging Face: `x-linked-*`). */
export interface LinkedFile {
  /** Lower-case hexadecimal. */
  readonly sha256?: string | undefined;
  readonly bytes?: number | undefined;
}

/** Lower-case names. */
export type AnswerHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The begin of an answer with status 2xx or 416; its body is read by iterating. */
export interface OpenedDownload {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly linked: LinkedFile;
  readonly body: AsyncIterable<Buffer>;
  /** Ends the transfer. */
  readonly close: () => void;
}

/** A file to ask for. */
export interface DownloadRequest {
  readonly url: string;
  /** Sent to the host of `url` alone, never to one that it redirects to. */
  readonly secretHeaders: Readonly<Record<string, string>>;
  /** Headers that ask for a part, given what is known of the file by now. */
  readonly rangeHeaders: (linked: LinkedFile) => Readonly<Record<string, string>>;
  readonly limits: DownloadLimits;
  readonly signal: AbortSignal;
}

const MAX_REDIRECTS = 8;

/**
 * Asks for a file and follows redirects by hand: a token is for the host it was given for, and the
 * hash stands in the first answer.
 *
 * @throws VendorFault, or the signal's reason
 */
export async function openDownload(request: DownloadRequest): Promise<OpenedDownload> {
  let url = new URL(request.url);
  const first = url.origin;
  let linked: LinkedFile = {};
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const secret = url.origin === first ? request.secretHeaders : {};
    const stream = got.stream(url, {
      headers: {
        'user-agent': 'svc',
        'accept-encoding': 'identity',
        ...request.rangeHeaders(linked),
        ...secret,
      },
      followRedirect: false,
      throwHttpErrors: false,
      decompress: false,
      retry: { limit: 0 },
      signal: request.signal,
      timeout: timeouts(request.limits),
    });
    const { statusCode, headers } = await answerOf(stream, request.signal);
    if (url.origin === first) linked = { ...linked, ...linkedFile(headers) };
    const location = headers['location'];
    if (statusCode >= 300 && statusCode < 400 && typeof location === 'string') {
      stream.destroy();
      url = nextUrl(location, url);
      continue;
    }
    if (statusCode !== 416 && (statusCode < 200 || statusCode >= 300)) {
      const said = headers['x-error-message'];
      const body = typeof said === 'string' ? said : await beginOf(stream);
      stream.destroy();
      throw statusFault(statusCode, headers, body, url);
    }
    const close = (): void => void stream.destroy();
    return { status: statusCode, headers, linked, body: bodyOf(stream, request.signal), close };
  }
  throw new VendorFault({
    kind: 'request',
    message: `${shownUrl(request.url)} redirects again and again`,
    hint: 'name an address that serves the file itself',
  });
}

function timeouts({ connectMs, idleMs }: DownloadLimits) {
  return {
    lookup: connectMs,
    connect: connectMs,
    secureConnect: connectMs,
    response: idleMs,
    socket: idleMs,
  };
}

async function answerOf(
  stream: Stream,
  signal: AbortSignal,
): Promise<{ readonly statusCode: number; readonly headers: AnswerHeaders }> {
  try {
    return await new Promise((resolve, reject) => {
      // Stays: an error that comes before somebody reads the body must not end the process.
      stream.on('error', reject);
      stream.once('response', resolve);
    });
  } catch (error) {
    signal.throwIfAborted();
    throw transferFault(error);
  }
}

async function* bodyOf(stream: Stream, signal: AbortSignal): AsyncGenerator<Buffer> {
  try {
    for await (const part of stream) yield Buffer.isBuffer(part) ? part : Buffer.from(part);
  } catch (error) {
    signal.throwIfAborted();
    throw transferFault(error);
  }
}

function nextUrl(location: string, from: URL): URL {
  const next = URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  const safe =
    next?.protocol === 'https:' || (next?.protocol === 'http:' && from.protocol === 'http:');
  if (next === undefined || !safe) {
    throw new VendorFault({
      kind: 'request',
      message: `${shownUrl(from.href)} redirects to an address that is not safe to follow`,
      hint: 'name an address that serves the file itself, over https',
    });
  }
  return next;
}

const SHA256 = /^(?:W\/)?"?([0-9a-f]{64})"?$/iu;

function linkedFile(headers: AnswerHeaders): LinkedFile {
  const etag = headers['x-linked-etag'];
  const size = headers['x-linked-size'];
  const sha256 = typeof etag === 'string' ? SHA256.exec(etag)?.[1]?.toLowerCase() : undefined;
  const bytes = typeof size === 'string' && /^\d+$/u.test(size) ? Number(size) : undefined;
  return {
    ...(sha256 === undefined ? {} : { sha256 }),
    ...(bytes === undefined ? {} : { bytes }),
  };
}

const MAX_ERROR_BYTES = 4096;

async function beginOf(stream: Stream): Promise<string> {
  let text = '';
  try {
    for await (const part of stream) {
      text += String(part);
      if (text.length > MAX_ERROR_BYTES) break;
    }
  } catch {
    // The status says enough.
  }
  return text.slice(0, MAX_ERROR_BYTES);
}

/** Hugging Face answers 401 for a repository that is not there, as for one that is not public. */
const HINTS: Readonly<Record<number, string>> = {
  401: 'check the name; for a model with terms or a private one, accept its terms on its page and set HF_TOKEN',
  403: 'accept the terms of the model on its page and set HF_TOKEN, or choose another model',
  404: 'check memorySearch.local.modelPath: there is no such file',
};

function statusFault(status: number, headers: AnswerHeaders, body: string, url: URL): VendorFault {
  const details = detailsOfStatus(status, headers, jsonOrText(body));
  return new VendorFault({
    ...details,
    message: `the model could not be downloaded from ${shownUrl(url.href)}: ${details.message}`,
    hint: HINTS[status] ?? 'try again later; what was downloaded is kept',
  });
}

const TRY_AGAIN = 'check the connection and try again; what was downloaded is kept';

/** Names a failure of the transfer as a fault. */
function transferFault(error: unknown): VendorFault {
  if (error instanceof TimeoutError) {
    const message = `the download stands still (${error.event})`;
    return new VendorFault({ kind: 'timeout', message, hint: TRY_AGAIN }, { cause: error });
  }
  const code = error instanceof RequestError ? error.code : undefined;
  return new VendorFault(
    {
      kind: 'network',
      message: `the download broke off: ${messageOf(error).replaceAll(/\?\S+/gu, '')}`,
      ...(code === undefined ? {} : { code }),
      hint: TRY_AGAIN,
    },
    { cause: error },
  );
}

/** An address for people: without user, password and query, which may be secret. */
function shownUrl(text: string): string {
  const url = new URL(text);
  return `${url.origin}${url.pathname}`;
}
