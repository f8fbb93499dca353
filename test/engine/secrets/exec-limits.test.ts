import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { resolveSecret } from '../../../src/engine/secrets/index.js';
import { PLANTED, program, ref, refusal } from './support.js';

const test = suite('limits on programs');

const KEY = ref('exec', 'pass', 'api/key');
const MINUTE_MS = 60_000;

/** A server that programs connect to, so that their end is seen as the end of a connection. */
async function withServer(run: (server: Server, port: number) => Promise<void>): Promise<void> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  try {
    await run(server, address.port);
  } finally {
    server.close();
  }
}

/** The next connections, in any order. */
async function connections(server: Server, count: number): Promise<readonly Socket[]> {
  const sockets: Socket[] = [];
  return new Promise((resolve) => {
    server.on('connection', (socket) => {
      sockets.push(socket.on('error', () => {}).resume());
      if (sockets.length === count) resolve(sockets);
    });
  });
}

async function ended(sockets: readonly Socket[]): Promise<void> {
  for (const socket of sockets) {
    // Being reset is an end as well.
    if (!socket.closed) await new Promise((resolve) => socket.on('close', resolve));
  }
}

/**
 * Connects, and starts a process that connects too. Both go on until they are ended by force, or by
 * us; on a word they print, and say when they cannot.
 */
function family(port: number, options: { readonly apart: boolean }): string {
  const member = `
    process.on('SIGTERM', () => {});
    process.stdout.on('error', () => {});
    const socket = require('node:net').connect(${port}, '127.0.0.1');
    socket.on('close', () => process.exit()).on('error', () => {});
    socket.on('data', () => {
      process.stdout.write('${PLANTED}', (error) => { if (error) socket.end(error.code); });
    });`;
  return `
    require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(member)}], {
      stdio: ['ignore', 'inherit', 'inherit'],
      detached: ${options.apart},
    });
    ${member}`;
}

test('a program that does not end in time is killed', async () => {
  const { command, context } = program('sh', 'exec sleep 60', { timeoutMs: 50 });
  const error = await refusal(KEY, context);
  assert.match(error.message, `${command} took more than 50 ms`);
  assert.match(error.hint ?? '', 'raise secrets.providers.pass.timeoutMs');
});

test('a program that is silent for too long is killed', async () => {
  const settings = { timeoutMs: MINUTE_MS, noOutputTimeoutMs: 50 };
  const { command, context } = program('sh', 'exec sleep 60', settings);
  const error = await refusal(KEY, context);
  assert.match(error.message, `${command} printed nothing for 50 ms`);
  assert.match(error.hint ?? '', 'raise secrets.providers.pass.noOutputTimeoutMs');
});

test('whatever it prints, on stdout or stderr, breaks the silence', async () => {
  const settings = { timeoutMs: 2000, noOutputTimeoutMs: 1000 };
  const chatter = (to: string) =>
    program('sh', `while :; do echo x ${to}; sleep 0.02; done`, settings).context;
  const errors = await Promise.all(['', '>&2'].map((to) => refusal(KEY, chatter(to))));
  for (const error of errors) assert.match(error.message, 'took more than 2000 ms');
});

test('a program may print up to a limit, stdout and stderr together', async () => {
  const body = 'printf 12345 >&2; printf 12345';
  const within = program('sh', body, { jsonOnly: false, maxOutputBytes: 10 });
  assert.is(await resolveSecret(KEY, within.context), '12345');
  const above = program('sh', body, { jsonOnly: false, maxOutputBytes: 9 });
  const error = await refusal(KEY, above.context);
  assert.match(error.message, `${above.command} printed more than 9 bytes`);
  const endless = program('sh', `while :; do echo ${PLANTED}; done`);
  await refusal(KEY, endless.context);
});

test('one that breaks a limit is killed with all that it started', async () => {
  await withServer(async (server, port) => {
    const both = connections(server, 2);
    const { context } = program('node', family(port, { apart: false }), { maxOutputBytes: 1 });
    const refused = refusal(KEY, context);
    const sockets = await both;
    for (const socket of sockets) socket.write('speak');
    assert.match((await refused).message, 'printed more than 1 bytes');
    await ended(sockets);
  });
});

test('an abort kills it with all that it started, and its reason is thrown', async () => {
  await withServer(async (server, port) => {
    const both = connections(server, 2);
    const stop = new AbortController();
    const { context } = program(
      'node',
      family(port, { apart: false }),
      {},
      { signal: stop.signal },
    );
    const thrown = resolveSecret(KEY, context).catch((error: unknown) => error);
    const sockets = await both;
    const reason = new Error('stopped');
    stop.abort(reason);
    assert.is(await thrown, reason);
    await ended(sockets);
  });
});

test('a detached process that kept the output open is not waited for', async () => {
  await withServer(async (server, port) => {
    const both = connections(server, 2);
    const stop = new AbortController();
    const { context } = program('node', family(port, { apart: true }), {}, { signal: stop.signal });
    const thrown = resolveSecret(KEY, context).catch((error: unknown) => error);
    const sockets = await both;
    stop.abort();
    assert.is(await thrown, stop.signal.reason);
    let said = '';
    for (const socket of sockets) {
      socket.on('data', (part) => {
        said += part;
      });
      socket.write('speak');
    }
    await ended(sockets);
    assert.is(said, 'EPIPE');
  });
});

test('leftovers of a program hold up nothing', async () => {
  const { context } = program('sh', 'printf value', { jsonOnly: false });
  assert.is(await resolveSecret(KEY, context), 'value');
  assert.not.ok(process.getActiveResourcesInfo().includes('Timeout'));
});

test.run();
