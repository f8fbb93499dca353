import got from 'got';
import { VendorFault } from '../vendor-fault.js';
import { type ExplainStatus, faultOf, type HttpRequest, redirectFault } from './http-client.js';

/** A longer line is no line of results, but a broken endpoint that must not fill the memory. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
const NEWLINE = 0x0a;

/**
 * The lines of a file at a vendor, as they arrive: results of a batch job are larger than what fits
 * in the memory. Blank lines are left out. One try: a file that breaks off is asked for again by the
 * caller, who knows which lines came already.
 *
 * @throws VendorFault, or the signal's reason
 */
export async function* downloadLines(
  request: Omit<HttpRequest, 'body' | 'json' | 'method'>,
  explain: ExplainStatus = () => ({}),
): AsyncGenerator<string> {
  const { signal, timeoutMs, pacing } = request;
  await pacing.ready(signal);
  const stream = got.stream(request.url, {
    headers: { 'user-agent': 'svc', ...request.headers },
    signal,
    // A large file may take long, but not without a byte arriving.
    timeout: { response: timeoutMs, socket: timeoutMs },
    followRedirect: false,
    retry: { limit: 0 },
  });
  try {
    let rest = Buffer.alloc(0);
    for await (const chunk of stream) {
      if (!Buffer.isBuffer(chunk)) continue;
      let start = 0;
      for (;;) {
        const end = chunk.indexOf(NEWLINE, start);
        if (end < 0) break;
        const line = lineOf(rest, chunk.subarray(start, end));
        rest = Buffer.alloc(0);
        start = end + 1;
        if (line !== '') yield line;
      }
      rest = Buffer.concat([rest, chunk.subarray(start)]);
      if (rest.length > MAX_LINE_BYTES) {
        throw new VendorFault({ kind: 'answer', message: 'the answer is broken: endless line' });
      }
    }
    // With redirects not followed, got takes 3xx for an answer; its body has no lines of results.
    const { statusCode, headers } = stream.response ?? { statusCode: 200, headers: {} };
    if (statusCode >= 300) throw redirectFault(statusCode, headers['location']);
    const last = lineOf(rest, Buffer.alloc(0));
    if (last !== '') yield last;
    pacing.succeeded();
  } catch (error) {
    signal.throwIfAborted();
    throw faultOf(error, explain);
  } finally {
    stream.destroy();
  }
}

function lineOf(first: Buffer, second: Buffer): string {
  const bytes = first.length === 0 ? second : Buffer.concat([first, second]);
  return bytes.toString('utf8').trim();
}
