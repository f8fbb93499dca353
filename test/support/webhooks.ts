import { connect, type Socket } from 'node:net';
import * as assert from 'uvu/assert';
import { resolveConfig } from '../../src/engine/config/index.js';
import { createSecretMask } from '../../src/engine/masking/index.js';
import type { ServerContext } from '../../src/engine/postgres/index.js';
import type { EngineContext } from '../../src/engine/support/context.js';
import type { WebhookLimits } from '../../src/engine/webhooks/body.js';
import { openWebhooks, type Webhooks } from '../../src/engine/webhooks/open-webhooks.js';
import { receiverOf, type ServedRoute } from '../../src/engine/webhooks/routes.js';
import { createVerifier } from '../../src/engine/webhooks/verify/verifier.js';
import {
  CLIENT_PATIENCE,
  type ClientPatience,
} from '../../src/engine/webhooks/webhook-listener.js';
import { contextOf } from './context.js';
import { testLog } from './services.js';
import { type TempFolder, tempFolder } from './temp-folder.js';

/** The secret of the route of tests. */
export const SECRET = 'a-secret-of-tests-that-nobody-logs-4711';
/** The session of the route of tests. */
export const SESSION = 'agent:main:ci';
/** The path of the route of tests. */
export const PATH = '/plugins/webhooks/ci';

/** The route of tests in a configuration. */
export const CI_ROUTE = {
  sessionKey: SESSION,
  secret: 'env:CI_SECRET',
  description: 'Builds',
} as const;
/** The environment variable with its secret. */
export const CI_ENV = { CI_SECRET: SECRET } as const;

/** A configuration of webhooks with these routes. */
export function webhooksConfig(routes: object = { ci: CI_ROUTE }, more: object = {}): object {
  return { plugins: { entries: { webhooks: { enabled: true, config: { routes, ...more } } } } };
}

/** A route that accepts this secret. */
export function routeOf(id: string, path: string, secret: string = SECRET): ServedRoute {
  const { resolved } = loadedOf(webhooksConfig({ [id]: { sessionKey: 's', secret, path } }));
  const route = resolved.plugins.entries.webhooks.config.routes[id];
  if (route === undefined) throw new Error('no route');
  return { ...receiverOf(id, route), verifier: createVerifier(undefined, [secret]) };
}

/** How a listener of a test differs from an ordinary one. */
export interface TestWebhooksOptions {
  readonly limits?: Partial<WebhookLimits>;
  readonly routes?: object;
  readonly config?: object;
  readonly gateway?: object;
  readonly logging?: object;
  readonly storage?: object;
  readonly servers?: ServerContext['servers'];
  readonly patience?: Partial<ClientPatience>;
  readonly home?: TempFolder;
  readonly env?: Readonly<Record<string, string>>;
}

/** A listener on a free port, on flows of its own. */
export interface TestWebhooks {
  readonly url: string;
  readonly port: number;
  readonly home: TempFolder;
  readonly webhooks: Webhooks;
  /** What was logged. */
  readonly lines: readonly string[];
  /** The same configuration with other webhooks. */
  readonly loaded: (config: object, plugin?: object) => ReturnType<typeof loadedOf>;
  readonly close: () => Promise<void>;
}

/** A configuration as loadConfig returns it, without a file. */
export function loadedOf(input: object) {
  return { file: undefined, input: {}, resolved: resolveConfig(input), warnings: [] };
}

/** Opens a listener; close it at the end. */
export async function testWebhooks(options: TestWebhooksOptions = {}): Promise<TestWebhooks> {
  const { limits = {}, home = tempFolder(), env = {}, patience, servers } = options;
  const { logger, lines } = testLog();
  const routes = { ci: { sessionKey: SESSION, secret: SECRET }, ...options.routes };
  const gateway = { port: 0, ...options.gateway };
  const loaded = (config: object, plugin: object = {}) =>
    loadedOf({
      gateway,
      ...(options.logging === undefined ? {} : { logging: options.logging }),
      ...(options.storage === undefined ? {} : { storage: options.storage }),
      plugins: { entries: { webhooks: { enabled: true, ...plugin, config } } },
    });
  const mask = createSecretMask();
  const context: EngineContext & ServerContext = {
    ...contextOf(home.path, { env }),
    servers,
    onSecret: mask.learn,
  };
  const webhooks = await openWebhooks({
    context,
    loaded: loaded({ routes, limits, ...options.config }),
    log: logger,
    mask,
    signal: new AbortController().signal,
    isStoring: () => true,
    extend: () => undefined,
    patience: { ...CLIENT_PATIENCE, ...patience },
  });
  const url = await webhooks.listen(() => undefined);
  const port = Number(new URL(url).port);
  return { url, port, home, webhooks, lines, loaded, close: () => webhooks.close() };
}

/** How a request of a test differs from an ordinary one. */
export interface TestRequest {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly secret?: string | undefined;
  readonly body?: string | Uint8Array<ArrayBuffer> | null;
}

/** The response to a request of a test. */
export interface TestAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Sends a valid request, with these differences. */
export async function send(url: string, request: TestRequest = {}): Promise<TestAnswer> {
  const { path = PATH, method = 'POST', secret = SECRET, headers = {} } = request;
  const body = request.body === undefined ? '{"action":"list_flows"}' : request.body;
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      'content-type': 'application/json',
      ...('secret' in request && request.secret === undefined
        ? {}
        : { authorization: `Bearer ${secret}` }),
      ...headers,
    },
    ...(method === 'GET' || method === 'HEAD' ? {} : { body }),
  });
  const text = await response.text();
  const json: unknown = text === '' ? {} : JSON.parse(text);
  return { status: response.status, headers: response.headers, body: { ...Object(json) } };
}

/** Sends an action as the body of a request. */
export async function act(
  url: string,
  action: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<TestAnswer> {
  return send(url, { body: JSON.stringify(action), headers });
}

/** A connection that speaks byte by byte. */
export interface RawConnection {
  readonly socket: Socket;
  readonly write: (text: string | Uint8Array) => void;
  /** Everything that was received, once it contains this text or the connection is closed. */
  readonly until: (part: string) => Promise<string>;
  /** Everything, once the connection is closed. */
  readonly closed: Promise<string>;
}

/** Connects to a port of this machine. */
export function rawConnection(port: number, { allowHalfOpen = false } = {}): RawConnection {
  const socket = connect({ host: '127.0.0.1', port, allowHalfOpen });
  let text = '';
  const listeners = new Set<() => void>();
  const notify = (): void => {
    for (const listener of listeners) listener();
  };
  socket.setEncoding('latin1').on('data', (part: string) => {
    text += part;
    notify();
  });
  socket.on('error', () => undefined);
  const closed = new Promise<string>((resolve) => {
    socket.on('close', () => {
      resolve(text);
      notify();
    });
  });
  const until = (part: string): Promise<string> =>
    new Promise((resolve) => {
      const listener = (): void => {
        if (!text.includes(part) && !socket.destroyed) return;
        listeners.delete(listener);
        resolve(text);
      };
      listeners.add(listener);
      listener();
    });
  return { socket, write: (bytes) => void socket.write(bytes), until, closed };
}

/** The head of a valid request, including the empty line after it. */
export function headOf(lines: readonly string[] = []): string {
  return [
    `POST ${PATH} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Content-Type: application/json',
    `Authorization: Bearer ${SECRET}`,
    ...lines,
    '',
    '',
  ].join('\r\n');
}

/** Fails if a text shows the secret of the route of tests. */
export function assertNoSecret(text: string): void {
  assert.not(text.includes(SECRET), 'the secret was printed');
}
