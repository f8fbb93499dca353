import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { rootCertificates } from 'node:tls';
import {
  gatewayAddress,
  isRecord,
  type LoadedConfig,
  type ResolvedRoute,
} from '../config/index.js';
import { messageOf, SvcError } from '../errors/index.js';
import type { JsonObject } from '../flows/index.js';
import { resolveSecret } from '../secrets/index.js';
import type { EngineContext } from '../support/context.js';
import { singleQuoted, suggestName } from '../support/text.js';
import { jsonFault } from './body.js';
import { IDEMPOTENCY_HEADER } from './guards.js';

/** A call of a configured route. */
export interface RouteCall {
  readonly routeId: string;
  readonly action: string;
  /** The other fields of the body. */
  readonly data: JsonObject;
  readonly idempotencyKey: string | undefined;
  /** Scheme, host and port of the listener. */
  readonly baseUrl: string;
  readonly signal: AbortSignal;
}

/** The answer to a call. */
export interface CalledRoute {
  readonly url: string;
  readonly status: number;
  readonly answer: JsonObject;
  /** The same call as a shell command, without the secret. */
  readonly curl: string;
}

/**
 * Performs an action over HTTP with the secret of the route.
 *
 * @throws SvcError WEBHOOK_ROUTE_UNKNOWN, SECRET_UNRESOLVED, WEBHOOK_UNREACHABLE; or the signal's reason
 */
export async function callRoute(
  call: RouteCall,
  loaded: LoadedConfig,
  context: EngineContext,
): Promise<CalledRoute> {
  const route = routeOf(call.routeId, loaded);
  const { env, onSecret } = context;
  const { signal, idempotencyKey } = call;
  const settings = loaded.resolved.secrets;
  const secret = await resolveSecret(route.secret, { env, settings, signal, onSecret });
  const url = new URL(encodeURI(route.path), call.baseUrl).href;
  const body = JSON.stringify({ action: call.action, ...call.data });
  const headers = {
    'content-type': 'application/json',
    ...(idempotencyKey === undefined ? {} : { [IDEMPOTENCY_HEADER]: idempotencyKey }),
  };
  const curl = curlCommand({ url, headers, body });
  const authorization = `Bearer ${Buffer.from(secret, 'utf8').toString('latin1')}`;
  const certificate = certificateOf(loaded, context);
  const sent = { url, headers: { ...headers, authorization }, body, certificate, signal };
  const { status, text } = await sendRequest(sent).catch((error: unknown) => {
    signal.throwIfAborted();
    throw unreachable(url, messageOf(error), error);
  });
  return { url, status, answer: readAnswer(text, url, status), curl };
}

function routeOf(id: string, { resolved }: LoadedConfig): ResolvedRoute {
  const { routes } = resolved.plugins.entries.webhooks.config;
  const route = Object.hasOwn(routes, id) ? routes[id] : undefined;
  if (route !== undefined) return route;
  const near = suggestName(id, Object.keys(routes));
  throw new SvcError('WEBHOOK_ROUTE_UNKNOWN', `webhook route ${id} not found`, {
    hint:
      near === undefined
        ? 'run "svc webhook routes" to list them'
        : `did you mean ${near}? Run "svc webhook routes" to list all`,
  });
}

function certificateOf(loaded: LoadedConfig, context: EngineContext): Buffer | undefined {
  const { tls } = gatewayAddress(loaded, context);
  try {
    return tls === undefined ? undefined : readFileSync(tls.cert);
  } catch {
    // Another user may run the listener, and the system may trust its certificate.
    return undefined;
  }
}

function readAnswer(text: string, url: string, status: number): JsonObject {
  try {
    const answer: unknown = JSON.parse(text);
    if (isJsonObject(answer)) return answer;
  } catch {
    // Reported below.
  }
  throw unreachable(url, `the answer (status ${status}) is not from a webhook listener`);
}

/** For values from JSON.parse: what is in such an object is JSON as well. */
function isJsonObject(parsed: unknown): parsed is JsonObject {
  return isRecord(parsed);
}

function unreachable(url: string, why: string, cause?: unknown): SvcError {
  return new SvcError('WEBHOOK_UNREACHABLE', `cannot call ${url}: ${why}`, {
    hint: 'start the listener with "svc webhook serve", or pass its address with --url',
    ...(cause === undefined ? {} : { cause }),
  });
}

/** Reads a file as text; undefined reads stdin. */
type ReadText = (file: string | undefined) => string;

/**
 * The fields of a body from the command line: JSON, `@FILE` or `-`.
 *
 * @throws SvcError USAGE if it is not a JSON object, or the file cannot be read
 */
export function readCallData(given: string | undefined, read: ReadText): JsonObject {
  if (given === undefined) return {};
  const text = isFrom(given) ? readGiven(given, read) : given;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw notAnObject();
  }
  if (!isJsonObject(value)) throw notAnObject();
  // It would be sent as another value than was given.
  const fault = jsonFault(text);
  if (fault !== undefined) throw faulty(fault);
  return value;
}

function isFrom(given: string): boolean {
  return given === '-' || given.startsWith('@');
}

function readGiven(given: string, read: ReadText): string {
  try {
    return read(given === '-' ? undefined : given.slice(1));
  } catch (error) {
    throw new SvcError('USAGE', `--data: ${messageOf(error)}`, {
      hint: 'pass JSON, or a readable file after the @',
      cause: error,
    });
  }
}

function faulty(fault: string): SvcError {
  return new SvcError('USAGE', `--data ${fault}`, { hint: 'the listener would reject it' });
}

function notAnObject(): SvcError {
  return new SvcError('USAGE', '--data must be a JSON object', {
    hint: 'pass the fields of the action, such as \'{"goal":"Build 1.2.3"}\'',
  });
}

interface Posted {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const SECRET_VARIABLE = 'SVC_WEBHOOK_SECRET';

/** The same request as a curl command, with a variable in place of the secret. */
function curlCommand({ url, headers, body }: Posted): string {
  const given = Object.entries(headers).map(
    ([name, value]) => `-H ${singleQuoted(`${name}: ${value}`)}`,
  );
  return [
    'curl -sS',
    `-H "authorization: Bearer $${SECRET_VARIABLE}"`,
    ...given,
    `--data ${singleQuoted(body)}`,
    singleQuoted(url),
  ].join(' ');
}

interface SentRequest extends Posted {
  /** PEM of the listener's certificate; undefined if the system has to trust it. */
  readonly certificate: Buffer | undefined;
  readonly signal: AbortSignal;
}

/** More than any answer. */
const MOST_ANSWER_BYTES = 64 * 1024 * 1024;

async function sendRequest(sent: SentRequest) {
  const answer = await answerOf(sent);
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer) {
    const part = Buffer.from(chunk);
    bytes += part.length;
    if (bytes > MOST_ANSWER_BYTES) throw new Error('the answer is too large');
    chunks.push(part);
  }
  return { status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') };
}

function answerOf({
  url,
  headers,
  body,
  certificate,
  signal,
}: SentRequest): Promise<IncomingMessage> {
  const target = new URL(url);
  const isTls = target.protocol === 'https:';
  const options: RequestOptions = {
    method: 'POST',
    headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    signal,
    // The listener is on this machine, whatever its address: no proxy is needed.
    agent: false,
    ...(isTls && certificate !== undefined ? trusting(certificate) : {}),
  };
  return new Promise((resolve, reject) => {
    const request = isTls ? httpsRequest(target, options) : httpRequest(target, options);
    // As bytes: Node.js joins a string with the headers, which would encode them as UTF-8 twice.
    request.on('response', resolve).on('error', reject).end(Buffer.from(body));
  });
}

/**
 * Trusts the configured certificate, whatever name it is for: the listener is reached by its address.
 */
function trusting(pem: Buffer): RequestOptions {
  const own = new X509Certificate(pem).fingerprint256;
  return {
    ca: [...rootCertificates, pem.toString('utf8')],
    checkServerIdentity: (_host, peer) =>
      peer.fingerprint256 === own
        ? undefined
        : new Error('the certificate is not the one in gateway.tls'),
  };
}
