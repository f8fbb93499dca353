import {
  createServer,
  type IncomingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** What can go wrong at a vendor, on demand. Each fake answers in its own vendor's words. */
export type Trouble =
  | 'cut_off'
  | 'forbidden'
  | 'key_refused'
  | 'model_unknown'
  | 'not_finite'
  | 'overloaded'
  | 'quota_spent'
  | 'rate_limited'
  | 'rate_limited_without_wait'
  | 'redirected'
  | 'slow'
  | 'too_large'
  | 'wrong_count'
  | 'wrong_dimensions';

/** A request as it came in. */
export interface RecordedRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** performance.now() when it came. */
  readonly atMs: number;
}

/** An answer of a fake. */
export interface FakeAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON unless it is text or bytes. */
  readonly body: unknown;
  /** The connection breaks off in the middle of it. */
  readonly cutOff?: boolean;
}

/** A running fake of one vendor's service. */
export interface FakeVendor {
  /** `http://127.0.0.1:PORT`, without a path. */
  readonly origin: string;
  /** All requests so far. */
  readonly requests: readonly RecordedRequest[];
  /** Makes the next `times` requests fail this way (all of them by default); undefined ends it. */
  trouble(trouble: Trouble | undefined, times?: number): void;
  close(): Promise<void>;
}

/** The behaviour of a fake vendor. */
export interface FakeOptions {
  /** Answers a request as the vendor documents it; refuses whatever the vendor refuses. */
  readonly answer: (
    request: RecordedRequest,
    trouble: Trouble | undefined,
  ) => FakeAnswer | Promise<FakeAnswer>;
  /** How this vendor says that something is wrong; the rest is handled here. */
  readonly troubleAnswers: Readonly<Partial<Record<Trouble, FakeAnswer>>>;
  /** A free one by default. */
  readonly port?: number | undefined;
}

/** Starts a fake on a free port of the loopback. */
export async function startFake({
  answer,
  troubleAnswers,
  port: preferredPort = 0,
}: FakeOptions): Promise<FakeVendor> {
  const requests: RecordedRequest[] = [];
  let current: { trouble: Trouble; left: number } | undefined;
  const nextTrouble = (): Trouble | undefined => {
    if (current === undefined || current.left <= 0) return undefined;
    current.left -= 1;
    return current.trouble;
  };
  const server = createServer((incoming, response) => {
    const parts: Buffer[] = [];
    incoming.on('data', (part: Buffer) => parts.push(part));
    incoming.on('end', () => {
      const request: RecordedRequest = {
        method: incoming.method ?? '',
        path: incoming.url ?? '',
        headers: incoming.headers,
        body: Buffer.concat(parts),
        atMs: performance.now(),
      };
      requests.push(request);
      void respond(request, response, nextTrouble());
    });
  });
  const respond = async (
    request: RecordedRequest,
    response: ServerResponse,
    trouble: Trouble | undefined,
  ): Promise<void> => {
    // It never answers, so that the caller has to give up.
    if (trouble === 'slow') return;
    const troubleAnswer = trouble === undefined ? undefined : troubleAnswers[trouble];
    if (troubleAnswer !== undefined) return write(response, troubleAnswer);
    if (trouble === 'redirected') {
      return write(response, {
        status: 307,
        headers: { location: 'http://127.0.0.1:9/x' },
        body: '',
      });
    }
    const reply = await answer(request, trouble);
    if (trouble !== 'cut_off' && reply.cutOff !== true) return write(response, reply);
    const bytes = bytesOf(reply);
    response.writeHead(reply.status, { ...headersOf(reply), 'content-length': bytes.length });
    response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
  };
  await new Promise<void>((resolve) => server.listen(preferredPort, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    requests,
    trouble: (trouble, times = Number.POSITIVE_INFINITY) => {
      current = trouble === undefined ? undefined : { trouble, left: times };
    },
    close: () => closeServer(server),
  };
}

function write(response: ServerResponse, answer: FakeAnswer): void {
  response.writeHead(answer.status, headersOf(answer));
  response.end(bytesOf(answer));
}

function headersOf({ body, headers }: FakeAnswer): Record<string, string> {
  const type =
    typeof body === 'string' || Buffer.isBuffer(body) ? 'text/plain' : 'application/json';
  return { 'content-type': type, ...headers };
}

function bytesOf({ body }: FakeAnswer): Buffer {
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

/** A vector in the form that `encoding_format: "base64"` asks for. */
export function base64Vector(vector: Float32Array): string {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64');
}

/** Applies the troubles that are in the vectors of an otherwise good answer. */
export function troubledVectors(
  vectors: readonly Float32Array[],
  trouble: Trouble | undefined,
): readonly Float32Array[] {
  switch (trouble) {
    case 'wrong_count':
      return vectors.slice(1);
    case 'wrong_dimensions':
      return vectors.map((vector, i) => (i === vectors.length - 1 ? vector.slice(1) : vector));
    case 'not_finite':
      return vectors.map((vector) => vector.map((value, i) => (i === 0 ? Number.NaN : value)));
    default:
      return vectors;
  }
}
