import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a host does wrong, or otherwise than a plain one. */
export interface HostBehaviour {
  /** Closes the connection after so many bytes of each of the first answers. */
  readonly cutAfter?: readonly number[];
  /** Sends so many bytes and then nothing more, without closing. */
  readonly standsStillAfter?: number;
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
    answer(request, response, files.get(path), path, behaviour, answers);
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

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  file: Buffer | undefined,
  path: string,
  now: HostBehaviour,
  count: number,
): void {
  if (now.status !== undefined || file === undefined) {
    response.writeHead(now.status ?? 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: 'no such file' }));
  } else if (now.redirectTo !== undefined) {
    response.writeHead(302, {
      location: `${now.redirectTo}${path}`,
      'x-linked-size': String(file.length),
      'x-linked-etag': `"${now.linkedSha256 ?? sha256(file)}"`,
    });
    response.end();
  } else serve(request, response, file, now, now.cutAfter?.[count]);
}

function serve(
  request: IncomingMessage,
  response: ServerResponse,
  file: Buffer,
  now: HostBehaviour,
  cutAfter: number | undefined,
): void {
  const etag = now.etag ?? `"${sha256(file).slice(0, 16)}"`;
  const from = now.ignoresRanges === true ? 0 : rangeStart(request, etag);
  if (from > file.length) {
    response.writeHead(416, { 'content-range': `bytes */${file.length}` }).end();
    return;
  }
  const body = file.subarray(from);
  response.writeHead(from === 0 ? 200 : 206, {
    etag,
    ...(now.linkedSha256 === undefined ? {} : { 'x-linked-etag': `"${now.linkedSha256}"` }),
    'content-length': body.length,
    ...(from === 0 ? {} : { 'content-range': `bytes ${from}-${file.length - 1}/${file.length}` }),
  });
  if (cutAfter !== undefined) {
    response.write(body.subarray(0, cutAfter), () => response.destroy());
  } else if (now.standsStillAfter !== undefined) {
    response.write(body.subarray(0, now.standsStillAfter));
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
