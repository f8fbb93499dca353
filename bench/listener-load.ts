/** A listener under load, for the parts of the benchmark that measure one. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));
export const CONNECTIONS = 64;
export const SESSION = 'agent:main:bench';
export const SECRET = 'the-secret-of-the-benchmark-0123456789';
const BODY = JSON.stringify({
  action: 'create_flow',
  goal: 'Build release 1.2.3 and tell the team',
  notifyPolicy: 'silent',
  stateJson: { run: 42, branch: 'main', ref: 'refs/heads/main' },
});
const children: ChildProcess[] = [];

/** Kills the listeners and handlers that were started. */
export function killChildren(): void {
  for (const child of children) child.kill('SIGKILL');
}

/** How much to send, and what instead of `create_flow`. */
export type LoadOptions = Pick<
  autocannon.Options,
  'amount' | 'body' | 'duration' | 'headers' | 'overallRate'
> &
  Pick<autocannon.Request, 'setupRequest'>;

/** Sends `create_flow`, or something else, over all connections. */
export async function load(
  url: string,
  { setupRequest, ...how }: LoadOptions,
): Promise<autocannon.Result> {
  const result = await autocannon({
    url,
    connections: CONNECTIONS,
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${SECRET}` },
    body: BODY,
    ...how,
    ...(setupRequest === undefined ? {} : { requests: [{ setupRequest }] }),
  });
  const refused = result.non2xx + result.errors;
  if (refused > 0) throw new Error(`${refused} requests were not served`);
  return result;
}

/** Starts a program and waits until it prints its address. */
async function start(args: readonly string[], urlPattern: RegExp, home: string) {
  const env = { PATH: process.env['PATH'], HOME: home, SVC_HOME: home };
  const child = spawn(process.execPath, args, {
    env,
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let text = '';
  const url = await new Promise<string>((resolve, reject) => {
    const read = (part: Buffer): void => {
      text += part.toString();
      const found = urlPattern.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.on('exit', () => reject(new Error(`did not start: ${text}`)));
  });
  return { url, child };
}

/** A listener with a route, perhaps others and other settings, and without limits that matter. */
export function configuration(others: object = {}, settings: object = {}): object {
  const limits = { ratePerWindow: 1_000_000_000, inFlight: 10_000 };
  const routes = { bench: { sessionKey: SESSION, secret: SECRET }, ...others };
  return {
    gateway: { port: 0 },
    plugins: { entries: { webhooks: { enabled: true, config: { routes, limits, ...settings } } } },
  };
}

/** Starts a listener. @param home a folder with its svc.json */
export async function startListener(home: string) {
  const args = [`${ROOT}/bin/run.js`, 'webhook', 'serve', '--plain'];
  const { url, child } = await start(args, /listening on (http[^"\s]+)/u, home);
  return { route: `${url}/plugins/webhooks/bench`, pid: child.pid ?? 0, child };
}

/** The same HTTP library without anything behind it. */
export async function startEmptyHandler(home: string): Promise<string> {
  return (await start([`${ROOT}/bench/empty-handler.mjs`], /^(http\S+)$/mu, home)).url;
}
