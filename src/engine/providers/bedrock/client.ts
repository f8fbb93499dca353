import http from 'node:http';
import https from 'node:https';
import { BedrockRuntimeClient, InvokeModelCommand } from '@aws-sdk/client-bedrock-runtime';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { unlessAborted } from '../../support/async.js';
import type { BedrockPlace } from './place.js';

const ignore = (): void => undefined;

/** Keeps the SDK from writing to the console. */
export const SILENT = { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore };

const CONNECT_TIMEOUT_MS = 10_000;

/** Sends the SDK's requests through this process's agents, which support proxies. */
export function requestHandler(): NodeHttpHandler {
  return new NodeHttpHandler({
    connectionTimeout: CONNECT_TIMEOUT_MS,
    logger: SILENT,
    httpAgent: http.globalAgent,
    httpsAgent: https.globalAgent,
  });
}

/** Credentials for signing; temporary ones expire. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly expiration?: Date;
}

/** Signed requests, or a Bedrock API key. */
export type BedrockAuth =
  | { readonly kind: 'bearer'; readonly token: string }
  | { readonly kind: 'sigv4'; readonly credentials: () => Promise<AwsCredentials> };

interface Invocation {
  readonly modelId: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

export interface BedrockClient {
  /** Address of requests, without trailing slash. */
  readonly endpoint: string;
  /** @returns the model's answer @throws the SDK's error, or the signal's reason */
  invoke(invocation: Invocation): Promise<string>;
}

/**
 * The SDK's client, with everything set that it would otherwise read from `process.env` or the
 * shared files. Uses HTTP/1.1, since gateways and proxies rarely support the SDK's HTTP/2, and
 * tries once: the pacer retries.
 *
 * @param headers sent and signed with every request
 */
export function createClient(
  place: BedrockPlace,
  auth: BedrockAuth,
  headers: Readonly<Record<string, string>>,
): BedrockClient {
  const client = new BedrockRuntimeClient({
    region: place.region,
    ...(place.endpoint === undefined ? {} : { endpoint: place.endpoint }),
    ignoreConfiguredEndpointUrls: true,
    useFipsEndpoint: place.fips,
    useDualstackEndpoint: place.dualstack,
    defaultsMode: 'standard',
    retryMode: 'standard',
    maxAttempts: 1,
    userAgentAppId: async () => undefined,
    customUserAgent: 'svc',
    logger: SILENT,
    requestHandler: requestHandler(),
    ...(auth.kind === 'bearer'
      ? { token: { token: auth.token }, authSchemePreference: ['httpBearerAuth'] }
      : { credentials: auth.credentials, authSchemePreference: ['sigv4'] }),
  });
  addHeaders(client, headers);
  return {
    endpoint: addressOf(client, place),
    invoke: async ({ modelId, body, signal }) => {
      signal.throwIfAborted();
      const command = new InvokeModelCommand({
        modelId,
        contentType: 'application/json',
        accept: 'application/json',
        body: JSON.stringify(body),
      });
      const sent = client.send(command, { abortSignal: signal });
      // The SDK ignores the signal while it gets credentials, and has its own error for it.
      const answer = await unlessAborted(sent, signal).catch((error: unknown) => {
        signal.throwIfAborted();
        throw error;
      });
      return Buffer.from(answer.body).toString('utf8');
    },
  };
}

function addHeaders(client: BedrockRuntimeClient, headers: Readonly<Record<string, string>>): void {
  client.middlewareStack.add(
    (next) => async (args) => {
      if (hasHeaders(args.request)) Object.assign(args.request.headers, headers);
      return next(args);
    },
    { step: 'build', name: 'configuredHeaders' },
  );
}

function hasHeaders(request: unknown): request is { readonly headers: object } {
  return (
    typeof request === 'object' &&
    request !== null &&
    'headers' in request &&
    typeof request.headers === 'object' &&
    request.headers !== null
  );
}

/** The address by AWS's rules: partitions, FIPS, dual stack. */
function addressOf(client: BedrockRuntimeClient, place: BedrockPlace): string {
  const { url } = client.config.endpointProvider({
    Region: place.region,
    UseFIPS: place.fips,
    UseDualStack: place.dualstack,
    ...(place.endpoint === undefined ? {} : { Endpoint: place.endpoint }),
  });
  return url.href.replace(/\/$/u, '');
}
