import type { EngineContext } from '../../support/context.js';
import { VendorFault } from '../vendor-fault.js';

export interface BedrockPlace {
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
  const named = awsHost(baseUrl);
  const address =
    baseUrl === undefined || named?.standard === true ? endpointFromEnv(env) : baseUrl;
  const used = awsHost(address);
  const endpoint = used?.standard === true ? undefined : address;
  const fromEnv = env['AWS_REGION'] || env['AWS_DEFAULT_REGION'];
  const own = endpoint === undefined ? undefined : used?.region;
  const region = own ?? (fromEnv || (used ?? named)?.region || DEFAULT_REGION);
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
