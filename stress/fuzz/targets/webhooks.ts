import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import fc from 'fast-check';
import * as z from 'zod/mini';
import { FUZZED_ROUTES } from '../../../test/support/fuzz-requests.js';
import { sendFuzzed } from '../../../test/support/send-fuzzed.js';
import { serverHome, serveWebhooks, whenReady } from '../../../test/support/serving.js';
import { waitFor } from '../../../test/support/wait.js';
import { act, SECRET, SESSION } from '../../../test/support/webhooks.js';
import { type OpenTarget, openTarget } from '../target.js';

const inputSchema = z.object({ seed: z.number(), requests: z.number() });

/** Requests per input; a failure is bisected to one request. */
const inputs = fc.record({ seed: fc.nat(), requests: fc.constant(400) });

const IDLE = 1000;
const LIST = { action: 'list_flows' } as const;

/**
 * Malformed requests to the built listener, plus a thousand idle connections: none gets a 5xx response, honest
 * clients are served throughout, and no secret gets into the log.
 */
export async function openWebhooksTarget(): Promise<OpenTarget> {
  const limits = { ratePerWindow: 1_000_000_000, inFlight: 10_000, bodyTimeoutSeconds: 1 };
  const routes = { ci: { sessionKey: SESSION, secret: SECRET }, ...FUZZED_ROUTES };
  const home = serverHome({
    plugins: { entries: { webhooks: { enabled: true, config: { routes, limits } } } },
  });
  const { child, done } = serveWebhooks(home, ['--plain', '--quiet']);
  const url = await whenReady(home);
  const port = Number(new URL(url).port);
  let idle: readonly Socket[] = [];
  const served = async (): Promise<boolean> => (await act(url, LIST)).status === 200;
  return openTarget({
    inputs,
    schema: inputSchema,
    check: async ({ seed, requests }) => {
      // The listener closes idle connections: reopen them from time to time.
      if (idle.every(({ destroyed }) => destroyed)) idle = await connectIdle(port);
      const { broken } = await sendFuzzed(port, requests, seed);
      if (broken.length > 0)
        throw new Error(`5xx: ${JSON.stringify(broken.map(String).slice(0, 3))}`);
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error('the listener ended');
      await waitFor('an honest answer', served);
    },
    close: async () => {
      for (const socket of idle) socket.destroy();
      child.kill('SIGTERM');
      const { code } = await done;
      if (code !== 0) throw new Error(`the listener ended with ${code}`);
      if (readFileSync(home.at('logs/serve.log'), 'utf8').includes(SECRET))
        throw new Error('the secret is in the log');
    },
  });
}

async function connectIdle(port: number): Promise<readonly Socket[]> {
  const sockets = Array.from({ length: IDLE }, () => connect({ host: '127.0.0.1', port }));
  for (const socket of sockets) socket.on('error', () => undefined);
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  return sockets;
}
