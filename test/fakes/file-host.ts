import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How a host differs from a plain one. */
export interface HostBehaviour {
  /** Closes the connection after so many bytes of each of the first answers. */
  readonly cutAfter?: readonly number[];
  /** Sends so many bytes and then nothing more, without closing. */
  readonly stallsAfter?: number;
  /** Accepts the request and never answers. */
  readonly neverAnswers?: boolean;
  readonly status?: number;
  /** Knows no ranges: sends everything again. */
  readonly ignoresRanges?: boolean;
  /** The SHA-256 it names for the file, as Hugging Face does before it redirects. */
  readonly linkedSha256?: string;
  readonly etag?: string;
  /** Sends the client there, with the path and the linked headers of Hugging Face. */
  readonly redirectTo?: string;
}

/** A host of files on this machine. */
export interface FileHost {
  readonly url: string;
  readonly requests: readonly {
    readonly path: string;
    readonly headers: IncomingMessage['headers'];
  }[];
  behave(behaviour: HostBehaviour): void;
  close(): Promise<void>;
}

/** Serves these files by path, with ranges as RFC 9110 §14 has them. Bodies may be JSON. */
export async function startFileHost(files: ReadonlyMap<string, Buffer>): Promise<FileHost> {
  let behaviour: HostBehaviour = {};
  let answers = 0;
  const requests: { path: string; headers: IncomingMessage['headers'] }[] = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '');
    requests.push({ path, headers: request.headers });
    if (behaviour.neverAnswers === true) return;
    answer({ request, response, path, file: files.get(path) }, behaviour, answers);
    if (behaviour.redirectTo === undefined) answers += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    behave: (next) => {
      behaviour = next;
      answers = 0;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  readonly file: Buffer | undefined;
}

/** @param count how many answers there were before */
function answer(exchange: Exchange, behaviour: HostBehaviour, count: number): void {
  const { response, path, file } = exchange;
  const { status, redirectTo, linkedSha256, cutAfter } = behaviour;
  if (status !== undefined || file === undefined) {
    response.writeHead(status ?? 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: 'no such file' }));
  } else if (redirectTo !== undefined) {
    response.writeHead(302, {
      location: `${redirectTo}${path}`,
      'x-linked-size': String(file.length),
      'x-linked-etag': `"${linkedSha256 ?? sha256(file)}"`,
    });
    response.end();
  } else serve({ ...exchange, file }, behaviour, cutAfter?.[count]);
}

function serve(
  { request, response, file }: Exchange & { readonly file: Buffer },
  behaviour: HostBehaviour,
  cutAfter: number | undefined,
): void {
  const { linkedSha256, stallsAfter } = behaviour;
  const etag = behaviour.etag ?? `"${sha256(file).slice(0, 16)}"`;
  const from = behaviour.ignoresRanges === true ? 0 : rangeStart(request, etag);
  if (from > 0 && from >= file.length) {
    response.writeHead(416, { 'content-range': `bytes */${file.length}` }).end();
    return;
  }
  const body = file.subarray(from);
  response.writeHead(from === 0 ? 200 : 206, {
    etag,
    ...(linkedSha256 === undefined ? {} : { 'x-linked-etag': `"${linkedSha256}"` }),
    'content-length': body.length,
    ...(from === 0 ? {} : { 'content-range': `bytes ${from}-${file.length - 1}/${file.length}` }),
  });
  if (cutAfter !== undefined) {
    response.write(body.subarray(0, cutAfter), () => response.destroy());
  } else if (stallsAfter !== undefined) {
    response.write(body.subarray(0, stallsAfter));
  } else response.end(body);
}

/** As hexadecimal. */
export function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function rangeStart({ headers }: IncomingMessage, etag: string): number {
  const start = /^bytes=(\d+)-$/u.exec(headers.range ?? '')?.[1];
  const condition = headers['if-range'];
  if (start === undefined || (condition !== undefined && condition !== etag)) return 0;
  return Number(start);
}
