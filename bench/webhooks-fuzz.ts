/**
 * `npm run bench -- webhooks-fuzz [--large]`: requests that are wrong in every way, sent to the built
 * listener: 100,000, or 1,000,000 with `--large`, with 10,000 idle connections beside them. Prints how
 * often each status was given; exit code 1 when one was 5xx, or an honest client was not served.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { sendFuzzed } from '../test/support/send-fuzzed.js';
import { eventually, serverHome, serveWebhooks, whenReady } from '../test/support/serving.js';
import { act, SECRET, SESSION } from '../test/support/webhooks.js';

const isLarge = process.argv.includes('--large');
const COUNT = isLarge ? 1_000_000 : 100_000;
const STEPS = 10;
const IDLE = isLarge ? 10_000 : 1000;
const LIST = { action: 'list_flows' } as const;

const limits = { ratePerWindow: 1_000_000_000, inFlight: 10_000, bodyTimeoutSeconds: 1 };
const routes = { ci: { sessionKey: SESSION, secret: SECRET } };
const home = serverHome({
  plugins: { entries: { webhooks: { enabled: true, config: { routes, limits } } } },
});
const { child, done } = serveWebhooks(home, ['--plain', '--quiet']);
const url = await whenReady(home);
const port = Number(new URL(url).port);

const served = async (): Promise<boolean> => (await act(url, LIST)).status === 200;

const idle = await connectIdle();
console.log(
  `${idle.length} idle connections: honest clients are ${(await served()) ? '' : 'NOT '}served`,
);
const seed = Date.now();
console.log(
  `node ${process.version}, ${COUNT} requests, seed ${seed}\nrequests   memory MB   statuses`,
);
let broken = 0;
for (let step = 1; step <= STEPS; step++) {
  const outcome = await sendFuzzed(port, COUNT / STEPS, seed + step);
  broken += outcome.broken.length;
  for (const request of outcome.broken)
    console.log(`5xx: ${JSON.stringify(request.toString('latin1'))}`);
  const statuses = [...outcome.statuses].toSorted().map(([status, count]) => `${status}:${count}`);
  console.log(
    `${String((COUNT / STEPS) * step).padStart(8)}   ${residentMb().padStart(9)}   ${statuses.join(' ')}`,
  );
}
for (const socket of idle) socket.destroy();
const isServed = await eventually('an honest answer', served);
const isClean = !readFileSync(home.at('logs/serve.log'), 'utf8').includes(SECRET);
child.kill('SIGTERM');
const { code } = await done;
console.log(`5xx: ${broken}; secret in the log: ${isClean ? 'no' : 'YES'}; ended with ${code}`);
process.exitCode = broken === 0 && isServed && isClean && code === 0 ? 0 : 1;

async function connectIdle(): Promise<readonly Socket[]> {
  const sockets: Socket[] = [];
  const AT_ONCE = 500;
  while (sockets.length < IDLE) {
    const some = Array.from({ length: AT_ONCE }, () => connect({ host: '127.0.0.1', port }));
    for (const socket of some) socket.on('error', () => undefined);
    await Promise.all(some.map((socket) => once(socket, 'connect')));
    sockets.push(...some);
  }
  return sockets;
}

function residentMb(): string {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return (Number(/VmRSS:\s+(\d+)/u.exec(status)?.[1] ?? Number.NaN) / 1024).toFixed(0);
}
