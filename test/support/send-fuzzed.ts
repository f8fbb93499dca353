import { connect } from 'node:net';
import { fuzzedRequest, randomSource } from './fuzz-requests.js';

/** What came of many requests. */
export interface FuzzOutcome {
  /** How often each status was given; `none` where nothing was answered. */
  readonly statuses: ReadonlyMap<string, number>;
  /** The requests that were answered with 5xx, as they were sent. */
  readonly broken: readonly Buffer[];
}

const AT_ONCE = 32;
/** Long enough for a change to be on disk. */
const PATIENCE_MS = 25;

/** Sends requests of a fixed course to a port of this machine. */
export async function sendFuzzed(port: number, count: number, seed: number): Promise<FuzzOutcome> {
  const random = randomSource(seed);
  const statuses = new Map<string, number>();
  const broken: Buffer[] = [];
  let sent = 0;
  const worker = async (): Promise<void> => {
    while (sent < count) {
      sent += 1;
      const request = fuzzedRequest(random);
      const answered = await answersTo(port, request);
      for (const status of answered.length === 0 ? ['none'] : answered) {
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status.startsWith('5')) broken.push(request);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return { statuses, broken };
}

/** The statuses of all answers on a connection that sends these bytes, and soon no more. */
function answersTo(port: number, bytes: Buffer): Promise<readonly string[]> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    let text = '';
    socket.setEncoding('latin1').on('data', (part: string) => {
      text += part;
    });
    socket.on('error', () => undefined);
    // A server takes a client that hangs up for one that wants no answer any more.
    const hangUp = setTimeout(() => socket.end(), PATIENCE_MS);
    socket.on('close', () => {
      clearTimeout(hangUp);
      const found = Array.from(text.matchAll(/HTTP\/1\.1 (\d{3})/gu), ([, status]) => status ?? '');
      resolve(found.filter((status) => status !== '100'));
    });
    socket.write(bytes);
  });
}
