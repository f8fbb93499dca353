import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ReadableStream } from 'node:stream/web';

/** How long the head of an answer waits for the first of its body, so that both go out as one. */
const HEAD_WAITS_MS = 50;

/**
 * Lets a handler of web requests answer a request of Node's server.
 *
 * @param answer gets a request whose signal aborts when the client leaves before it has its answer
 */
export async function exchange(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  answer: (request: Request) => Promise<Response>,
): Promise<void> {
  const left = new AbortController();
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) left.abort();
  });
  await send(outgoing, await answer(webRequest(incoming, left.signal)));
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

async function send(outgoing: ServerResponse, response: Response): Promise<void> {
  if (outgoing.destroyed) {
    await response.body?.cancel();
    return;
  }
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) {
    outgoing.end();
    return;
  }
  // So that a client that waits for a stream knows that it has begun.
  const head = setTimeout(() => outgoing.flushHeaders(), HEAD_WAITS_MS);
  try {
    await pipeline(Readable.fromWeb(webStream(response.body)), outgoing);
  } catch (error) {
    // A client that leaves in the middle is no fault; its request was aborted.
    if (!outgoing.destroyed) throw error;
  } finally {
    clearTimeout(head);
  }
}

/** One and the same class; its two declarations, of streams and of fetch, differ in the details. */
function webStream(stream: unknown): ReadableStream<Uint8Array> {
  if (stream instanceof ReadableStream) return stream;
  throw new TypeError('no web stream');
}
