import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { rootCertificates } from 'node:tls';
import { gatewayAddress, type LoadedConfig, type ResolvedRoute } from '../config/index.js';
import {
  isWithoutTls,
  messageOf,
  networkWords,
  SvcError,
  systemErrorCode,
  WITHOUT_TLS_REASON,
} from '../errors/index.js';
import { resolveSecrets } from '../secrets/index.js';
import type { EngineContext } from '../support/context.js';
import { unlessSystemError } from '../support/files.js';
import { escapedPath } from '../support/request-path.js';
import { isRecord, parsedJson, singleQuoted, suggestName } from '../support/text.js';
import type { CallOutput } from './output-schemas.js';
import { accessOf, secretsOf } from './routes.js';
import type { Verifier } from './verify/schemes.js';

/** A request that a route of this configuration accepts. */
export interface SignedRequest {
  readonly route: ResolvedRoute;
  readonly body: string;
  /** Of the delivery, where the sender signs it. */
  readonly id: string;
  /** Besides those that prove who sends it. */
  readonly headers: Readonly<Record<string, string>>;
  /** Scheme, host and port of the listener, and the path below which a proxy serves it. */
  readonly baseUrl: string;
  readonly signal: AbortSignal;
  /** How long the listener may be silent. */
  readonly silenceMs?: number;
}

/** A listener whose disk or server is slow takes a few seconds. */
const SILENCE_MS = 30_000;

/**
 * Sends a request, signed with the first secret of the route that can be read.
 *
 * @throws SvcError SECRET_UNRESOLVED, WEBHOOK_UNREACHABLE; or the signal's reason
 */
export async function sendSigned(
  { route, body, id, headers, baseUrl, signal, silenceMs = SILENCE_MS }: SignedRequest,
  loaded: LoadedConfig,
  context: EngineContext,
): Promise<CallOutput> {
  const { verifier, secret } = await openVerifier(route, loaded, context, signal);
  const url = addressOf(route, baseUrl);
  // Node.js would send the secret to port 80.
  if (new URL(url).port === '0') {
    throw unreachable(url, 'no listener is running that has chosen a port');
  }
  const proof = verifier.sign(Buffer.from(body), { id, nowMs: context.clock.now() });
  const certificate = certificateOf(loaded, context);
  const allHeaders = { ...proof, ...headers };
  const sent = { url, headers: allHeaders, body, certificate: certificate?.pem, signal, silenceMs };
  const { status, text } = await postRequest(sent).catch((error: unknown) => {
    signal.throwIfAborted();
    const code = systemErrorCode(error) ?? '';
    if (isOtherScheme(url, code, certificate !== undefined)) throw otherScheme(url, error);
    throw unreachable(url, networkWords(code, messageOf(error)).message, error);
  });
  const curl = curlCommand({ url, headers: allHeaders, body }, secret, certificate?.file);
  return { url, status, answer: readAnswer(text, url, status), curl };
}

/** A proxy may serve the listener below a path. */
function addressOf({ path }: ResolvedRoute, baseUrl: string): string {
  const url = new URL(baseUrl);
  url.pathname = `${url.pathname.replace(/\/$/u, '')}${escapedPath(path)}`;
  return url.href;
}

/**
 * The verifier of a configured route, with those of its secrets that can be read here.
 *
 * @throws SvcError SECRET_UNRESOLVED; or the signal's reason
 */
export async function openVerifier(
  route: ResolvedRoute,
  { resolved }: LoadedConfig,
  { env, onSecret }: EngineContext,
  signal: AbortSignal,
): Promise<{ readonly verifier: Verifier; readonly secret: string }> {
  const settings = resolved.secrets;
  const outcomes = await resolveSecrets(secretsOf(route), { env, settings, signal, onSecret });
  const access = accessOf(route, outcomes);
  if (!access.ok) throw access.error;
  return access;
}

/** @throws SvcError WEBHOOK_ROUTE_UNKNOWN */
export function configuredRoute(id: string, { resolved }: LoadedConfig): ResolvedRoute {
  return routeIn(resolved.plugins.entries.webhooks.config.routes, id);
}

/** The route with an id. @throws SvcError WEBHOOK_ROUTE_UNKNOWN */
export function routeIn<Route>(routes: Readonly<Record<string, Route>>, id: string): Route {
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

function certificateOf(loaded: LoadedConfig, context: EngineContext) {
  const file = gatewayAddress(loaded, context).tls?.cert;
  if (file === undefined) return undefined;
  // Another user may run the listener, and the system may trust its certificate.
  const pem = unlessSystemError(() => readFileSync(file));
  return pem === undefined ? undefined : { file, pem };
}

function readAnswer(text: string, url: string, status: number): CallOutput['answer'] {
  const answer = parsedJson(text);
  if (!isRecord(answer)) {
    throw unreachable(url, `the answer (status ${status}) is not from a webhook listener`);
  }
  if (status === NOT_FOUND && !('routeId' in answer)) throw notServed(url);
  return answer;
}

const NOT_FOUND = 404;

/** The listener may have started before the route was added, or cannot read its secret. */
function notServed(url: string): SvcError {
  return new SvcError('WEBHOOK_UNREACHABLE', `cannot call ${url}: the listener does not serve it`, {
    hint: 'restart the listener, or reload it with SIGHUP, after changing the configuration; "svc webhook routes" shows whether it is off or skipped, and why',
  });
}

function unreachable(url: string, why: string, cause?: unknown): SvcError {
  return new SvcError('WEBHOOK_UNREACHABLE', `cannot call ${url}: ${why}`, {
    hint: 'start the listener with "svc webhook serve", or pass its address with --url',
    ...(cause === undefined ? {} : { cause }),
  });
}

/** A listener with TLS closes connections without it. */
function isOtherScheme(url: string, code: string, hasTls: boolean): boolean {
  return isHttps(url) ? isWithoutTls(code) : hasTls && code === 'ECONNRESET';
}

function isHttps(url: string): boolean {
  return url.startsWith('https:');
}

function otherScheme(url: string, cause: unknown): SvcError {
  const [why, hint] = isHttps(url)
    ? [WITHOUT_TLS_REASON, 'a listener without gateway.tls has an address with http://']
    : ['it closed the connection', 'a listener with gateway.tls has an address with https://'];
  return new SvcError('WEBHOOK_UNREACHABLE', `cannot call ${url}: ${why}`, { hint, cause });
}

interface RequestParts {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const SECRET_VARIABLE = 'SVC_WEBHOOK_SECRET';

/**
 * The same request as a curl command, with a variable in place of the secret.
 *
 * @param certificate file of the listener's own certificate
 */
function curlCommand(
  { url, headers, body }: RequestParts,
  secret: string,
  certificate: string | undefined,
): string {
  const isOwn = isHttps(url) && certificate !== undefined;
  const carried = Buffer.from(secret, 'utf8').toString('latin1');
  const headerArguments = Object.entries(headers).map(([name, value]) => {
    if (value.startsWith('Basic ')) return `-u "$${SECRET_VARIABLE}"`;
    return value.endsWith(carried)
      ? `-H "${name}: ${value.slice(0, value.length - carried.length)}$${SECRET_VARIABLE}"`
      : `-H ${singleQuoted(`${name}: ${value}`)}`;
  });
  return [
    'curl -sS',
    ...(isOwn ? [`--cacert ${singleQuoted(certificate)}`] : []),
    ...headerArguments,
    `--data ${singleQuoted(body)}`,
    singleQuoted(url),
  ].join(' ');
}

interface PostedRequest extends RequestParts {
  /** PEM of the listener's certificate; undefined if the system has to trust it. */
  readonly certificate: Buffer | undefined;
  readonly signal: AbortSignal;
  readonly silenceMs: number;
}

/** More than any answer. */
const MOST_ANSWER_BYTES = 64 * 1024 * 1024;

async function postRequest(sent: PostedRequest) {
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
  silenceMs,
}: PostedRequest): Promise<IncomingMessage> {
  const target = new URL(url);
  const isTls = isHttps(url);
  const options: RequestOptions = {
    method: 'POST',
    headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    signal,
    timeout: silenceMs,
    // The listener is on this machine, whatever its address: no proxy is needed.
    agent: false,
    ...(isTls && certificate !== undefined ? trusting(certificate) : {}),
  };
  return new Promise((resolve, reject) => {
    const request = isTls ? httpsRequest(target, options) : httpRequest(target, options);
    request.on('timeout', () => request.destroy(new Error(`no answer for ${silenceMs / 1000} s`)));
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
