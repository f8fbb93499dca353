import got, { type Request as Stream, TimeoutError } from 'got';
import { messageOf, networkWords, systemErrorCode } from '../../../errors/index.js';
import { createSecretMask } from '../../../masking/index.js';
import { jsonOrText } from '../../../support/text.js';
import { answerHead, errorBeginning, ONE_TRY, sentSecrets } from '../../http/http-client.js';
import { type AnswerHeaders, statusFault } from '../../http/status-fault.js';
import { VendorFault } from '../../vendor-fault.js';

export interface DownloadLimits {
  readonly connectMs: number;
  /** Until the response starts, and between two chunks. */
  readonly idleMs: number;
}

/** What the first host reports about a file stored elsewhere (Hugging Face: `x-linked-*`). */
export interface LinkedFile {
  /** Lower-case hex. */
  readonly sha256?: string | undefined;
  readonly bytes?: number | undefined;
}

/** A response with status 2xx or 416; iterate over its body. */
export interface OpenedDownload {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly linked: LinkedFile;
  readonly body: AsyncIterable<Buffer>;
  /** Ends the transfer. */
  readonly close: () => void;
}

interface DownloadRequest {
  readonly url: string;
  /** Sent to the host of `url` only, never to a redirect's. */
  readonly secretHeaders: Readonly<Record<string, string>>;
  /** Headers that request a range, given what is known about the file. */
  readonly rangeHeaders: (linked: LinkedFile) => Readonly<Record<string, string>>;
  readonly limits: DownloadLimits;
  readonly signal: AbortSignal;
}

const MAX_REDIRECTS = 8;

/**
 * Requests a file and follows redirects itself: a token is for its own host only, and the first
 * response has the hash.
 *
 * @throws VendorFault, or the signal's reason
 */
export async function openDownload(request: DownloadRequest): Promise<OpenedDownload> {
  const { connectMs, idleMs } = request.limits;
  let url = new URL(request.url);
  const first = url.origin;
  let linked: LinkedFile = {};
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const secret = url.origin === first ? request.secretHeaders : {};
    const stream = got.stream(url, {
      ...ONE_TRY,
      headers: {
        'user-agent': 'svc',
        'accept-encoding': 'identity',
        ...request.rangeHeaders(linked),
        ...secret,
      },
      decompress: false,
      signal: request.signal,
      timeout: {
        lookup: connectMs,
        connect: connectMs,
        secureConnect: connectMs,
        response: idleMs,
        socket: idleMs,
      },
    });
    const { status, headers } = await answerHead(stream).catch((error: unknown) => {
      throw transferFault(error, url, request.signal);
    });
    if (url.origin === first) linked = { ...linked, ...linkedFile(headers) };
    const location = headers['location'];
    if (status >= 300 && status < 400 && typeof location === 'string') {
      stream.destroy();
      url = nextUrl(location, url);
      continue;
    }
    if (status !== 416 && (status < 200 || status >= 300)) {
      const header = headers['x-error-message'];
      // The status is enough.
      const body =
        typeof header === 'string' ? header : await errorBeginning(stream).catch(() => '');
      const masked = createSecretMask(sentSecrets(stream.options)).text(body);
      stream.destroy();
      throw refusedFault(status, headers, masked, url);
    }
    const close = (): void => void stream.destroy();
    return { status, headers, linked, body: bodyOf(stream, url, request.signal), close };
  }
  throw new VendorFault('request', `${shownUrl(request.url)} redirects too often`, {
    hint: 'use the direct URL of the file',
  });
}

async function* bodyOf(stream: Stream, url: URL, signal: AbortSignal): AsyncGenerator<Buffer> {
  try {
    for await (const part of stream) yield Buffer.isBuffer(part) ? part : Buffer.from(part);
  } catch (error) {
    throw transferFault(error, url, signal);
  }
}

function nextUrl(location: string, from: URL): URL {
  const next = URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  const safe =
    next?.protocol === 'https:' || (next?.protocol === 'http:' && from.protocol === 'http:');
  if (next === undefined || !safe) {
    throw new VendorFault('request', `${shownUrl(from.href)} redirects to an unsafe address`, {
      hint: 'use the direct URL of the file, over https',
    });
  }
  return next;
}

const SHA256 = /^(?:W\/)?"?([0-9a-f]{64})"?$/iu;

function linkedFile(headers: AnswerHeaders): LinkedFile {
  const etag = headers['x-linked-etag'];
  const size = headers['x-linked-size'];
  const sha256 = typeof etag === 'string' ? SHA256.exec(etag)?.[1]?.toLowerCase() : undefined;
  const bytes = lengthOf(size);
  return { ...(sha256 === undefined ? {} : { sha256 }), ...(bytes === undefined ? {} : { bytes }) };
}

/** The number of bytes in a header. */
export function lengthOf(header: AnswerHeaders[string]): number | undefined {
  return typeof header === 'string' && /^\d+$/u.test(header) ? Number(header) : undefined;
}

/** Hugging Face answers 401 for missing as well as for private repositories. */
const HINTS: Readonly<Record<number, string>> = {
  401: 'check the name; for a gated or private model, accept its terms on its page and set HF_TOKEN',
  403: "accept the model's terms on its page and set HF_TOKEN, or choose another model",
  404: 'check memorySearch.local.modelPath: the file does not exist',
};

function refusedFault(status: number, headers: AnswerHeaders, body: string, url: URL): VendorFault {
  const fault = statusFault(status, headers, jsonOrText(body));
  return fault.with({
    message: `cannot download the model from ${shownUrl(url.href)}: ${fault.message}`,
    hint: HINTS[status] ?? 'try again later',
  });
}

const TRY_AGAIN = 'check the connection and try again';

/** Names the host: redirects lead to others, and a firewall may let only some through. @throws the signal's reason */
function transferFault(error: unknown, { host }: URL, signal: AbortSignal): VendorFault {
  signal.throwIfAborted();
  if (error instanceof TimeoutError) {
    const message = `the download from ${host} stalled (${error.event})`;
    return new VendorFault('timeout', message, { hint: TRY_AGAIN, cause: error });
  }
  const code = systemErrorCode(error);
  const text = messageOf(error).replaceAll(/\?\S+/gu, '');
  const { message, hint = TRY_AGAIN } = networkWords(code ?? '', text);
  return new VendorFault('network', `the download from ${host} failed: ${message}`, {
    code,
    hint,
    cause: error,
  });
}

/** A URL without user, password and query, which may be secret. */
function shownUrl(text: string): string {
  const url = new URL(text);
  return `${url.origin}${url.pathname}`;
}
