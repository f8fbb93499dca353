import { networkWords, systemErrorCode } from '../../errors/index.js';
import { anySignal } from '../../support/async.js';
import { parsedJson } from '../../support/text.js';
import {
  jsonAt,
  messageIn,
  numberAt,
  redirectFault,
  statusFault,
  textAt,
  UNSENDABLE,
  unsendableFault,
} from '../http/status-fault.js';
import type { Provider } from '../provider.js';
import { settingNames, withheldHint } from '../provider-error.js';
import { broken } from '../read-vectors.js';
import { plainText } from '../requests/input-text.js';
import { withRetries } from '../requests/pacer.js';
import type { EmbeddingVendor, ProviderSettings, VendorTools } from '../vendor.js';
import { VendorFault, type VendorFaultKind } from '../vendor-fault.js';
import { type BedrockAuth, createClient, resolvePlace } from './client.js';
import { credentialChain } from './credentials.js';
import { type Family, type FamilyCall, findModel, withoutRegion } from './models.js';

/** All regions give the same vectors: another AWS_REGION must not re-embed everything. */
const ANY_REGION = 'https://bedrock-runtime.amazonaws.com';

/**
 * Amazon Bedrock through the AWS SDK. Requests are signed with AWS credentials (spec/memory-search
 * §5) or carry a Bedrock API key.
 *
 * @throws VendorFault if the model's family is unknown or does not support the dimensions, or the
 * region is invalid
 */
export function createBedrockVendor(
  settings: ProviderSettings & { readonly model: string },
  { env }: VendorTools,
  provider: Provider,
): EmbeddingVendor {
  const { model } = settings;
  const { model: modelSetting } = settingNames(settings);
  const found = findModel(provider, model, settings.dimensions, modelSetting);
  const { id: modelId, family, dimensions } = found;
  const place = resolvePlace(settings.baseUrl, env);
  // A signature can be sent anywhere, but the token is the key itself.
  const isOwn = settings.baseUrl === undefined || place.aws;
  const token = env[TOKEN_VARIABLE]?.trim();
  const key =
    settings.credential ??
    (isOwn && token ? { value: token, source: `env ${TOKEN_VARIABLE}` } : undefined);
  const isWithheld = key === undefined && Boolean(token);
  const auth: BedrockAuth =
    key === undefined
      ? { kind: 'sigv4', credentials: credentialChain(env, place.region) }
      : { kind: 'bearer', token: key.value };
  const client = createClient(place, auth, settings.headers);
  const faultPlace = { modelId, modelSetting, region: place.region, tokenSource: key?.source };
  const labels = labelsOf(family, settings, provider.labels?.(model));
  return {
    endpoint: place.aws ? ANY_REGION : client.endpoint,
    sentTo: () => client.endpoint,
    model,
    limits: family.limits,
    documentForm: labels?.document ?? '',
    embed: async ({ inputs, role, signal, timeoutMs, pacing }) => {
      const call: FamilyCall = { texts: inputs.map(plainText), label: labels?.[role], dimensions };
      const body = family.body(call);
      const send = async (): Promise<string> => {
        const timed = anySignal([signal, AbortSignal.timeout(timeoutMs)]);
        try {
          return await client.invoke(modelId, body, timed);
        } catch (error) {
          signal.throwIfAborted();
          const fault = bedrockFault(error, faultPlace);
          if (fault?.details.kind !== 'auth' || !isWithheld) throw fault ?? error;
          throw fault.with({ hint: withheldHint(TOKEN_VARIABLE, settings) });
        }
      };
      const json = parsedJson(await withRetries(pacing, signal, send));
      if (json === undefined) throw broken('it is not JSON');
      const read = family.read(json, call);
      for (const { length } of read.vectors) {
        if (dimensions !== undefined && length !== dimensions) {
          throw broken(`vectors of ${length} dimensions where ${dimensions} were requested`);
        }
      }
      return read;
    },
  };
}

const TOKEN_VARIABLE = 'AWS_BEARER_TOKEN_BEDROCK';

/** The family's labels, or the configured ones that it accepts. */
function labelsOf(
  family: Family,
  { inputTypes }: ProviderSettings,
  accepted: readonly string[] = [],
): Family['labels'] {
  if (family.labels === undefined) return undefined;
  const { document, query } = family.labels;
  const choose = (configured: string | undefined, usual: string): string =>
    configured !== undefined && accepted.includes(configured) ? configured : usual;
  return {
    document: choose(inputTypes.document, document),
    query: choose(inputTypes.query, query),
  };
}

/** Details for hints. */
interface BedrockCallPlace {
  readonly modelId: string;
  readonly modelSetting: string;
  readonly region: string;
  /** Source of the bearer token; undefined for signed requests. */
  readonly tokenSource: string | undefined;
}

/**
 * By the SDK's `error.name`, since different errors share a status. From the error schemas of
 * InvokeModel and AWS's common errors.
 */
const KINDS: Readonly<Record<string, VendorFaultKind>> = {
  AccessDeniedException: 'auth',
  ExpiredTokenException: 'auth',
  IncompleteSignatureException: 'auth',
  InvalidSignatureException: 'auth',
  MissingAuthenticationTokenException: 'auth',
  UnrecognizedClientException: 'auth',
  ServiceQuotaExceededException: 'quota',
  ResourceNotFoundException: 'model',
  ThrottlingException: 'rate',
  ModelNotReadyException: 'overload',
  ModelErrorException: 'overload',
  InternalServerException: 'overload',
  ServiceUnavailableException: 'overload',
  ModelTimeoutException: 'timeout',
};

/** A ValidationException only describes its reason in words. */
const BY_WORDS: readonly (readonly [words: RegExp, kind: VendorFaultKind])[] = [
  [/model identifier is invalid|on-demand throughput|end of its life/iu, 'model'],
  [
    /too many (?:texts|items|inputs?)|maximum item count|maxItems|maxLength|too long/iu,
    'too_large',
  ],
  [/minLength/iu, 'input'],
];

/** Undefined for errors of neither the service nor the network. */
function bedrockFault(error: unknown, place: BedrockCallPlace): VendorFault | undefined {
  if (error instanceof VendorFault) return error;
  if (!(error instanceof Error)) return undefined;
  if (error.name === 'TimeoutError') {
    return new VendorFault('timeout', 'no answer in time', { cause: error });
  }
  const status = numberAt(error, '$metadata', 'httpStatusCode');
  if (status !== undefined && status >= 300) {
    // Without the SDK's error as its cause, whose message may repeat the request and its secrets.
    return serviceFault(error, status, place);
  }
  const code = systemErrorCode(error);
  if (code === undefined) return undefined;
  if (code === UNSENDABLE) return unsendableFault(error);
  const { message, hint } = networkWords(code, firstLine(error.message));
  return new VendorFault('network', message, { code, hint, cause: error });
}

function serviceFault(error: Error, status: number, place: BedrockCallPlace): VendorFault {
  if (status < 400) {
    return redirectFault(status, jsonAt(error, '$response', 'headers', 'location'));
  }
  const message = firstLine(saidIn(error));
  const headers = { 'retry-after': textAt(error, '$response', 'headers', 'retry-after') };
  const byStatus = statusFault(status, headers, { message });
  const kind = kindOf(error.name, message) ?? byStatus.details.kind;
  return byStatus.with({
    kind,
    code: isNamed(error) ? error.name : undefined,
    hint: hintFor(kind, error.name, message, place) ?? byStatus.details.hint,
  });
}

/** Whether the service itself answered; the SDK has names of its own for the answers of proxies and gateways. */
function isNamed({ name }: Error): boolean {
  return name !== NOT_JSON && name !== 'Unknown';
}

const NOT_JSON = 'SyntaxError';
/** The SDK's text where there is none. */
const WITHOUT_MESSAGE = 'UnknownError';

function saidIn(error: Error): string {
  if (error.name === NOT_JSON) return 'the answer is not JSON; a proxy may have sent it';
  if (error.message !== WITHOUT_MESSAGE) return error.message;
  // The fields of the answer are those of the SDK's error.
  return messageIn({ ...error, message: undefined }) ?? '';
}

function kindOf(name: string, message: string): VendorFaultKind | undefined {
  if (name === 'ValidationException') {
    return BY_WORDS.find(([words]) => words.test(message))?.[1] ?? 'request';
  }
  // A daily quota: no run waits that long.
  if (name === 'ThrottlingException' && /per day/iu.test(message)) return 'quota';
  return Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
}

function hintFor(
  kind: VendorFaultKind,
  name: string,
  message: string,
  { modelId, modelSetting, region, tokenSource }: BedrockCallPlace,
): string | undefined {
  if (kind === 'model') {
    return /on-demand throughput/iu.test(message)
      ? `set ${modelSetting} to an inference profile such as ${profileOf(modelId, region)}, or to the ARN of provisioned throughput`
      : `check ${modelSetting} (${modelId}) and that it is available in ${region}; AWS_REGION selects another region`;
  }
  if (kind === 'quota') {
    return `request a higher quota for ${modelId} in ${region} (Service Quotas, Amazon Bedrock)`;
  }
  if (kind !== 'auth') return undefined;
  if (name === 'AccessDeniedException' && /aws-marketplace|PAYMENT_INSTRUMENT/u.test(message)) {
    return `subscribe the account to ${modelId} once, as an administrator in the Bedrock console, and check its payment method`;
  }
  if (name === 'AccessDeniedException') {
    const credentialsName =
      tokenSource === undefined ? 'these credentials' : `the key from ${tokenSource}`;
    return `allow ${credentialsName} bedrock:InvokeModel on ${arnOf(modelId, region)}, and enable the model in the Bedrock console`;
  }
  if (tokenSource !== undefined) return `check the key from ${tokenSource}`;
  if (name === 'ExpiredTokenException') return 'renew the credentials: their session has ended';
  return "check the AWS access key, its secret and this machine's clock";
}

/**
 * The first line only: for a wrong signature, the rest is the whole request including the session
 * token. Other refusals repeat the Authorization header.
 */
function firstLine(message: string): string {
  const [first = ''] = message.trim().split(/\r?\n/u, 1);
  return first.replaceAll(/\b(Bearer |Credential=|Signature=)[^\s,'"]+/gu, '$1…');
}

/** The resource to allow: for profiles also the foundation model in each region. */
function arnOf(modelId: string, region: string): string {
  if (modelId.startsWith('arn:')) return modelId;
  const partition = region.startsWith('cn-')
    ? 'aws-cn'
    : region.startsWith('us-gov-')
      ? 'aws-us-gov'
      : 'aws';
  const base = withoutRegion(modelId);
  if (base === modelId) return `arn:${partition}:bedrock:${region}::foundation-model/${modelId}`;
  return `arn:${partition}:bedrock:${region}:*:inference-profile/${modelId} and arn:${partition}:bedrock:*::foundation-model/${base}`;
}

function profileOf(modelId: string, region: string): string {
  const geography = /^(?:us-gov|us|eu|ap)(?=-)/u.exec(region)?.[0] ?? 'global';
  return `${geography === 'ap' ? 'apac' : geography}.${withoutRegion(modelId)}`;
}
