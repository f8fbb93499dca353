import { BedrockRuntimeClient, InvokeModelCommand } from '@aws-sdk/client-bedrock-runtime';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import type { AwsCredentials } from './credentials.js';
import type { BedrockPlace } from './endpoint.js';
import { SILENT } from './silent-logger.js';

/** How requests are allowed: signed, or with a Bedrock API key. */
export type BedrockAuth =
  | { readonly kind: 'bearer'; readonly token: string }
  | { readonly kind: 'sigv4'; readonly credentials: () => Promise<AwsCredentials> };

/** One call of a model. */
export interface Invocation {
  readonly modelId: string;
  /** The model's own JSON. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

/** Bedrock's runtime service at one place. */
export interface BedrockClient {
  /** The address that requests go to, without a slash at the end. */
  readonly endpoint: string;
  /** The model's answer as text. @throws what the SDK throws, or the signal's reason */
  invoke(invocation: Invocation): Promise<string>;
  close(): void;
}

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * The SDK's client, told everything that it would otherwise look up in `process.env` or in the
 * shared files. It speaks HTTP/1.1 instead of its own HTTP/2, which gateways and proxies with an
 * address of their own rarely understand, and tries once: the pacer sends again.
 *
 * @param headers go out with every request, and are signed with it
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
    requestHandler: new NodeHttpHandler({ connectionTimeout: CONNECT_TIMEOUT_MS, logger: SILENT }),
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
      const answer = await orAborted(sent, signal);
      return Buffer.from(answer.body).toString('utf8');
    },
    close: () => client.destroy(),
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

/** The address by AWS's own rules: partitions, FIPS, dual stack. */
function addressOf(client: BedrockRuntimeClient, place: BedrockPlace): string {
  const { url } = client.config.endpointProvider({
    Region: place.region,
    UseFIPS: place.fips,
    UseDualStack: place.dualstack,
    ...(place.endpoint === undefined ? {} : { Endpoint: place.endpoint }),
  });
  return url.href.replace(/\/$/u, '');
}

/** The SDK looks at a signal while it sends, but not while it gets credentials. */
async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stopListening = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    stopListening = () => signal.removeEventListener('abort', onAbort);
  });
  try {
    return await Promise.race([work, aborted]);
  } catch (error) {
    // Whoever noticed first, the SDK in words of its own.
    signal.throwIfAborted();
    throw error;
  } finally {
    stopListening();
  }
}
