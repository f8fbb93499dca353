import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
  request as send,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import * as z from 'zod/mini';
import {
  type DataEdit,
  dataEdits,
  JSON_PIECES,
  mangleData,
  mangleText,
  repeatedText,
  textEdits,
  textOf,
  textSchema,
} from './mangle.js';

/** Changes to responses. */
export const manglingSchema = z.object({
  /** The first response to change, 0-based; earlier ones pass unchanged. */
  first: z.number(),
  status: z.optional(z.number()),
  headers: z.record(z.string(), z.string()),
  /** Changes to the JSON, or to each line of JSON lines. */
  data: z.array(
    z.object({ pick: z.number(), kind: z.enum(['double', 'put', 'remove']), value: z.unknown() }),
  ),
  /** Changes to the resulting text. */
  text: z.array(
    z.object({
      at: z.number(),
      kind: z.enum(['cut', 'double', 'end', 'put']),
      length: z.number(),
      text: z.string(),
    }),
  ),
  /** Replaces the body. */
  body: z.optional(textSchema),
  /** Whether to close the connection in the middle of the response. */
  cutOff: z.boolean(),
});
export type Mangling = z.infer<typeof manglingSchema>;

const PIECE = fc.constantFrom(
  ...JSON_PIECES,
  ...['\n', '\r\n', 'null', 'NaN', '1e999', '-', '\ud800'],
  ...['<html>', '</html>', '<', 'data: ', '[DONE]', 'a.', '://', 'sk-', 'eyJ-', 'error', '=', '🦊'],
);

const headers = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Record<string, string>>(
      ...[
        { 'retry-after': '1' },
        { 'retry-after': '-1' },
        { 'retry-after': '9e99' },
        { 'retry-after': 'soon' },
      ],
      ...[
        { location: 'http://[' },
        { location: '//' },
        { location: '' },
        { location: 'file:///etc/passwd' },
      ],
      ...[
        { 'content-encoding': 'gzip' },
        { 'content-encoding': 'br' },
        { 'content-encoding': 'what' },
      ],
      ...[{ 'content-type': 'text/html' }, { 'content-type': '' }, { 'set-cookie': 'a=b' }],
      ...[{ 'x-amzn-errortype': 'toString' }, { 'x-amzn-errortype': '__proto__:' }],
      ...[{ 'x-goog-upload-url': 'http://[' }, { 'x-goog-upload-url': 'http://127.0.0.1:9/' }],
    ),
  },
);

/** Placeholder for the key of the request, which vendors may echo. */
const SENT_KEY = '{the key}';

/** Arbitrary changes to responses. */
export const manglings: fc.Arbitrary<Mangling> = anyMangling();

function anyMangling(): fc.Arbitrary<Mangling> {
  const piece = fc.oneof(
    { weight: 8, arbitrary: PIECE },
    { weight: 1, arbitrary: fc.constant(SENT_KEY) },
  );
  const unit = fc.array(piece, { maxLength: 3 }).map((parts) => parts.join(''));
  const status = fc.constantFrom(
    ...[
      200, 200, 201, 204, 206, 300, 301, 304, 307, 400, 400, 401, 402, 403, 404, 408, 409, 410, 413,
    ],
    ...[418, 422, 425, 429, 500, 502, 503, 529, 599, 999],
  );
  return fc.record({
    first: fc.constantFrom(0, 0, 0, 1, 2, 3),
    status: fc.option(status, { nil: undefined }),
    headers,
    data: fc
      .oneof(
        dataEdits,
        // Values that are invalid or out of range in a vector.
        fc.array(
          fc.record<DataEdit>({
            pick: fc.nat(200),
            kind: fc.constant('put'),
            value: fc.constantFrom<unknown>(1e308, -1e39, '1', null, true, [], {}),
          }),
          { minLength: 1, maxLength: 2 },
        ),
        // Keys that vendors use, in wrong places.
        fc.array(
          fc.record<DataEdit>({
            pick: fc.nat(40),
            kind: fc.constant('put'),
            value: fc.constantFrom<unknown>(
              ...[
                SENT_KEY,
                `Bearer ${SENT_KEY} is wrong`,
                { message: SENT_KEY },
                { error: { message: [SENT_KEY] } },
              ],
            ),
          }),
          { maxLength: 2 },
        ),
      )
      .map((edits) => [...edits]),
    text: textEdits(piece).map((edits) => [...edits]),
    body: fc.option(
      fc.oneof(
        unit,
        repeatedText(unit, 200_000),
        fc.constantFrom('', 'null', '0', '[]', '{}', '"x"'),
      ),
      { nil: undefined, freq: 6 },
    ),
    cutOff: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  });
}

/** A proxy in front of a service that changes its responses. */
export interface ManglingProxy {
  readonly origin: string;
  /** Sets the changes and restarts the count of responses. */
  mangle(mangling: Mangling): void;
  /** Keys in requests since then. */
  readonly keys: ReadonlySet<string>;
  close(): Promise<void>;
}

/** Starts the proxy on a free loopback port. */
export async function startManglingProxy(target: string): Promise<ManglingProxy> {
  let mangling: Mangling | undefined;
  let count = 0;
  let origin = '';
  const keys = new Set<string>();
  const server = createServer((incoming, outgoing) => {
    incoming.on('error', () => undefined);
    outgoing.on('error', () => undefined);
    const { method, url, headers: sentHeaders } = incoming;
    const key = keyIn(sentHeaders);
    // A token that a change made of one digit is in any message with a number.
    if (key !== undefined && key.length >= SHORTEST_KEY) keys.add(key);
    const onward = send(`${target}${url ?? '/'}`, { method, headers: sentHeaders }, (answer) => {
      void pass(answer, outgoing, key ?? '');
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  const pass = async (
    answer: IncomingMessage,
    outgoing: ServerResponse,
    key: string,
  ): Promise<void> => {
    const body = Buffer.concat(await answer.toArray().catch(() => []));
    const changes = mangling !== undefined && count++ >= mangling.first ? mangling : undefined;
    // Addresses in responses must point to the proxy.
    const unchanged = Buffer.from(body.toString('latin1').replaceAll(target, origin), 'latin1');
    const bytes = changes === undefined ? unchanged : mangleBody(unchanged, changes, key);
    const endToEnd = Object.entries(answer.headers).filter(([name]) => !HOP_HEADERS.has(name));
    const passedHeaders = Object.fromEntries(
      endToEnd.map(([name, value]) => [name, String(value).replaceAll(target, origin)]),
    );
    try {
      outgoing.writeHead(changes?.status ?? answer.statusCode ?? 200, {
        ...passedHeaders,
        ...changes?.headers,
      });
    } catch {
      outgoing.destroy();
      return;
    }
    if (changes?.cutOff === true) {
      outgoing.write(bytes.subarray(0, bytes.length / 2), () => outgoing.destroy());
    } else outgoing.end(bytes);
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  origin = `http://127.0.0.1:${port}`;
  return {
    origin,
    mangle: (next) => {
      mangling = next;
      count = 0;
      keys.clear();
    },
    keys,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

const SHORTEST_KEY = 6;
const HOP_HEADERS = new Set(['connection', 'content-length', 'keep-alive', 'transfer-encoding']);

function mangleBody(body: Buffer, mangling: Mangling, key: string): Buffer {
  const { data, text, body: other } = mangling;
  const lines = body.toString('utf8').split('\n');
  const edited = data.length === 0 ? lines : lines.map((line) => mangleLine(line, data));
  const left = other === undefined ? mangleText(edited.join('\n'), text) : textOf(other);
  return Buffer.from(left.replaceAll(SENT_KEY, key));
}

/** The key of a request without its scheme; not a signature. */
function keyIn(headers: IncomingHttpHeaders): string | undefined {
  const { authorization } = headers;
  if (authorization !== undefined && !authorization.startsWith('AWS4'))
    return authorization.replace(/^\S+\s+/u, '');
  return [headers['x-goog-api-key'] ?? headers['x-api-key']].flat()[0];
}

function mangleLine(line: string, edits: readonly DataEdit[]): string {
  try {
    return JSON.stringify(mangleData(JSON.parse(line), edits));
  } catch {
    return line;
  }
}
