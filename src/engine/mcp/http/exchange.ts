import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ReadableStream } from 'node:stream/web';

/** How long to wait for the first body chunk, to send it together with the head. */
const HEAD_WAITS_MS = 50;

/**
 * Answers a request of Node's server with a handler for web requests.
 *
 * @param more headers to send with the answer
 * @param answer receives a request whose signal aborts when the client disconnects early
 */
export async function exchange(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  more: Readonly<Record<string, string>>,
  answer: (request: Request) => Promise<Response>,
): Promise<void> {
  const left = new AbortController();
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) left.abort();
  });
  await send(outgoing, await answer(webRequest(incoming, left.signal)), more);
}

function webRequest(incoming: IncomingMessage, signal: AbortSignal): Request {
  const { method = 'GET', url = '/', headersDistinct } = incoming;
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(headersDistinct)) {
    for (const value of values) headers.append(name, value);
  }
  const hasBody = method !== 'GET' && method !== 'HEAD';
  return new Request(new URL(url, 'http://127.0.0.1'), {
    method,
    headers,
    signal,
    ...(hasBody ? { body: webStream(Readable.toWeb(incoming)), duplex: 'half' } : {}),
  });
}

async function send(
  outgoing: ServerResponse,
  response: Response,
  more: Readonly<Record<string, string>>,
): Promise<void> {
  if (outgoing.destroyed) {
    await response.body?.cancel();
    return;
  }
  outgoing.writeHead(response.status, { ...more, ...Object.fromEntries(response.headers) });
  if (response.body === null) {
    outgoing.end();
    return;
  }
  // Lets a waiting client know that the stream has started.
  const head = setTimeout(() => outgoing.flushHeaders(), HEAD_WAITS_MS);
  try {
    await pipeline(Readable.fromWeb(webStream(response.body)), outgoing);
  } catch (error) {
    // A disconnecting client is not an error; its request was aborted.
    if (!outgoing.destroyed) throw error;
  } finally {
    clearTimeout(head);
  }
}

/** The same class with two slightly different declarations, of streams and fetch. */
function webStream(stream: unknown): ReadableStream<Uint8Array> {
  if (stream instanceof ReadableStream) return stream;
  throw new TypeError('no web stream');
}
