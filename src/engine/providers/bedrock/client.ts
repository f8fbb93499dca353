import http from 'node:http';
import https from 'node:https';
import { BedrockRuntimeClient, InvokeModelCommand } from '@aws-sdk/client-bedrock-runtime';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { unlessAborted } from '../../support/async.js';
import type { EngineContext } from '../../support/context.js';
import { jsonAt } from '../http/status-fault.js';
import { VendorFault } from '../vendor-fault.js';

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
) {
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
  client.middlewareStack.add(
    (next) => async (args) => {
      Object.assign(Object(jsonAt(args.request, 'headers')), headers);
      return next(args);
    },
    { step: 'build', name: 'configuredHeaders' },
  );
  return {
    /** Address of requests, without trailing slash. */
    endpoint: addressOf(client, place),
    /** @returns the model's answer @throws the SDK's error, or the signal's reason */
    invoke: async (
      modelId: string,
      body: Readonly<Record<string, unknown>>,
      signal: AbortSignal,
    ): Promise<string> => {
      signal.throwIfAborted();
      const command = new InvokeModelCommand({
        modelId,
        contentType: 'application/json',
        accept: 'application/json',
        body: JSON.stringify(body),
      });
      const send = () => client.send(command, { abortSignal: signal });
      const sent = send().catch((error: unknown) => {
        // The clock of this machine is wrong, and the SDK now knows by how much.
        if (jsonAt(error, '$metadata', 'clockSkewCorrected') === true) return send();
        throw error;
      });
      // The SDK ignores the signal while it gets credentials, and has its own error for it.
      const answer = await unlessAborted(sent, signal).catch((error: unknown) => {
        signal.throwIfAborted();
        throw error;
      });
      return new TextDecoder().decode(answer.body);
    },
  };
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

interface BedrockPlace {
  /** Part of the host and the signature. */
  readonly region: string;
  /** A custom address; undefined for the region's host. */
  readonly endpoint: string | undefined;
  /** Use the `-fips` hosts; never with a custom address. */
  readonly fips: boolean;
  /** Use the hosts with IPv6; never with a custom address. */
  readonly dualstack: boolean;
  /** Whether the address belongs to AWS itself. */
  readonly aws: boolean;
}

const DEFAULT_REGION = 'us-east-1';
const REGION = /^[a-z\d]+(?:-[a-z\d]+)*$/u;

/** The default host of a region, and all hosts of AWS: FIPS, dual stack, VPC endpoints. */
const STANDARD_HOST = /^bedrock-runtime\.[a-z\d-]+\.amazonaws\.(?:com(?:\.cn)?|eu)$/u;
const AWS_HOST =
  /(?:^|\.)bedrock-runtime(?:-fips)?\.(?<region>[a-z\d-]+)\.(?:vpce\.)?(?:amazonaws\.(?:com(?:\.cn)?|eu)|api\.aws)$/u;

/**
 * The region, in the spec's order (§2.3): `AWS_REGION`, `AWS_DEFAULT_REGION`, the region in the
 * host of `baseUrl`, `us-east-1`. The default host of a region only selects that region. Any other
 * address, from `baseUrl` or `AWS_ENDPOINT_URL_BEDROCK_RUNTIME`, is used as it is; a host of AWS
 * only accepts signatures for its own region.
 *
 * @throws VendorFault if region or address are invalid
 */
export function resolvePlace(baseUrl: string | undefined, env: EngineContext['env']): BedrockPlace {
  const addressFacts = awsHost(baseUrl);
  const address =
    baseUrl === undefined || addressFacts?.standard === true ? endpointFromEnv(env) : baseUrl;
  const used = awsHost(address);
  const endpoint = used?.standard === true ? undefined : address;
  const fromEnv = env['AWS_REGION'] || env['AWS_DEFAULT_REGION'];
  const defaultRegion = endpoint === undefined ? undefined : used?.region;
  const region = defaultRegion ?? (fromEnv || (used ?? addressFacts)?.region || DEFAULT_REGION);
  // The SDK would print what it cannot parse.
  if (!REGION.test(region)) throw unusable(`AWS_REGION must be a region (got "${region}")`);
  if (endpoint !== undefined && !URL.canParse(endpoint))
    throw unusable(`invalid endpoint ${endpoint}`);
  return {
    region,
    endpoint,
    fips: endpoint === undefined && isOn(env['AWS_USE_FIPS_ENDPOINT']),
    dualstack: endpoint === undefined && isOn(env['AWS_USE_DUALSTACK_ENDPOINT']),
    aws: endpoint === undefined || used !== undefined,
  };
}

function unusable(message: string): VendorFault {
  const hint = 'check AWS_REGION, AWS_DEFAULT_REGION, baseUrl and AWS_ENDPOINT_URL_BEDROCK_RUNTIME';
  return new VendorFault('setup', message, { hint });
}

function endpointFromEnv(env: EngineContext['env']): string | undefined {
  if (isOn(env['AWS_IGNORE_CONFIGURED_ENDPOINT_URLS'])) return undefined;
  return env['AWS_ENDPOINT_URL_BEDROCK_RUNTIME'] || env['AWS_ENDPOINT_URL'] || undefined;
}

function awsHost(url: string | undefined): { region: string; standard: boolean } | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined;
  const { hostname } = new URL(url);
  const region = AWS_HOST.exec(hostname)?.groups?.['region'];
  return region === undefined ? undefined : { region, standard: STANDARD_HOST.test(hostname) };
}

function isOn(value: string | undefined): boolean {
  return value?.toLowerCase() === 'true';
}
