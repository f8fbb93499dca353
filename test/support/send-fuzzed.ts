import { connect } from 'node:net';
import { fuzzedRequest, randomSource } from './fuzz-requests.js';

/** The results of many requests. */
export interface FuzzOutcome {
  /** How often each status was answered; `none` for requests without an answer. */
  readonly statuses: ReadonlyMap<string, number>;
  /** The requests that were answered with 5xx, as they were sent. */
  readonly broken: readonly Buffer[];
}

const CONCURRENCY = 32;
/** Long enough for a change to be on disk. */
const HANG_UP_AFTER_MS = 25;

/** Sends random requests, the same for each seed, to a port of this machine. */
export async function sendFuzzed(port: number, count: number, seed: number): Promise<FuzzOutcome> {
  const random = randomSource(seed);
  const statuses = new Map<string, number>();
  const broken: Buffer[] = [];
  let sent = 0;
  const worker = async (): Promise<void> => {
    while (sent < count) {
      sent += 1;
      const request = fuzzedRequest(random);
      const answers = await answersTo(port, request);
      for (const status of answers.length === 0 ? ['none'] : answers) {
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status.startsWith('5')) broken.push(request);
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return { statuses, broken };
}

/** The statuses of all answers on a connection that sends these bytes and is closed soon after. */
function answersTo(port: number, bytes: Buffer): Promise<readonly string[]> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    let text = '';
    socket.setEncoding('latin1').on('data', (part: string) => {
      text += part;
    });
    socket.on('error', () => undefined);
    // A server need not answer a client that has hung up.
    const hangUp = setTimeout(() => socket.end(), HANG_UP_AFTER_MS);
    socket.on('close', () => {
      clearTimeout(hangUp);
      const found = Array.from(text.matchAll(/HTTP\/1\.1 (\d{3})/gu), ([, status]) => status ?? '');
      resolve(found.filter((status) => status !== '100'));
    });
    socket.write(bytes);
  });
}
