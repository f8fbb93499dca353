import {
  fromHttp,
  fromIni,
  fromInstanceMetadata,
  fromSSO,
  fromTokenFile,
} from '@aws-sdk/credential-providers';
import { messageOf } from '../../errors/index.js';
import type { EngineContext } from '../../support/context.js';
import { jsonAt, messageIn } from '../http/status-fault.js';
import { VendorFault } from '../vendor-fault.js';
import { type AwsCredentials, requestHandler, SILENT } from './client.js';

/** One step of the chain: undefined if nothing is configured there, an error if that fails. */
interface Step {
  readonly name: string;
  readonly find: () => Promise<AwsCredentials | undefined>;
}

/** Metadata services of containers and instances answer at once or never. */
const METADATA = { timeout: 1000, maxRetries: 0, logger: SILENT } as const;

/**
 * AWS's credential chain in the spec's order (§5): access keys in the environment, SSO, web
 * identity, shared files, container or instance metadata. The SDK's default chain differs: files
 * before web identity, and `AWS_PROFILE` before access keys. A configured step that fails does not
 * end the search, but is reported if nothing else is found.
 *
 * The SDK reads `process.env` where its helpers have no option: addresses of STS, SSO and instance
 * metadata, the home folder of the SSO token cache, and what a profile refers to
 * (`credential_source = Environment`).
 *
 * @param region for STS
 * @returns searches at each call; @throws VendorFault `auth`, or `network` for a temporary failure
 */
export function credentialChain(
  env: EngineContext['env'],
  region: string,
): () => Promise<AwsCredentials> {
  const steps = chainSteps(env, region);
  return async () => {
    const failures: CredentialFailure[] = [];
    for (const { name, find } of steps) {
      try {
        const found = await find();
        if (found !== undefined) return found;
      } catch (error) {
        failures.push({ step: name, error });
      }
    }
    throw nothingFound(failures, env['AWS_PROFILE']);
  };
}

function chainSteps(env: EngineContext['env'], region: string): readonly Step[] {
  const profile = env['AWS_PROFILE'] || 'default';
  const files = {
    profile,
    ...sharedFiles(env),
    // A new login or key must take effect in a long-running process.
    ignoreCache: true,
    logger: SILENT,
    parentClientConfig: { region, logger: SILENT, requestHandler: requestHandler() },
  };
  // Shared by all calls: it keeps the last credentials in case the service is briefly unavailable.
  const instance = fromInstanceMetadata(METADATA);
  return [
    { name: 'environment', find: async () => fromEnvironment(env) },
    { name: `SSO of profile ${profile}`, find: () => ifSetUp(fromSSO(files), isOpenToNext) },
    { name: 'web identity', find: () => fromWebIdentity(env, region) },
    {
      name: `profile ${profile}`,
      find: () =>
        ifSetUp(
          fromIni(files),
          (error) => !env['AWS_PROFILE'] && NO_PROFILE.test(messageOf(error)),
        ),
    },
    { name: 'container or instance', find: () => fromMetadata(env, instance) },
  ];
}

/** Undefined leaves the default to the SDK. */
function sharedFiles(env: EngineContext['env']): { filepath?: string; configFilepath?: string } {
  const home = env['HOME'] || env['USERPROFILE'];
  const below = (name: string): string | undefined =>
    home === undefined ? undefined : `${home}/.aws/${name}`;
  const filepath = env['AWS_SHARED_CREDENTIALS_FILE'] || below('credentials');
  const configFilepath = env['AWS_CONFIG_FILE'] || below('config');
  return {
    ...(filepath === undefined ? {} : { filepath }),
    ...(configFilepath === undefined ? {} : { configFilepath }),
  };
}

function fromEnvironment(env: EngineContext['env']): AwsCredentials | undefined {
  // A line break at the end comes from the file that a variable was read from.
  const accessKeyId = env['AWS_ACCESS_KEY_ID']?.trim();
  const secretAccessKey = env['AWS_SECRET_ACCESS_KEY']?.trim();
  const sessionToken = env['AWS_SESSION_TOKEN']?.trim();
  if (!accessKeyId || !secretAccessKey) return undefined;
  return { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) };
}

async function fromWebIdentity(
  env: EngineContext['env'],
  region: string,
): Promise<AwsCredentials | undefined> {
  const webIdentityTokenFile = env['AWS_WEB_IDENTITY_TOKEN_FILE'];
  const roleArn = env['AWS_ROLE_ARN'];
  const roleSessionName = env['AWS_ROLE_SESSION_NAME'] || 'svc';
  if (!webIdentityTokenFile || !roleArn) return undefined;
  return fromTokenFile({
    webIdentityTokenFile,
    roleArn,
    roleSessionName,
    logger: SILENT,
    parentClientConfig: { region, logger: SILENT, requestHandler: requestHandler() },
  })();
}

async function fromMetadata(
  env: EngineContext['env'],
  instance: () => Promise<AwsCredentials>,
): Promise<AwsCredentials | undefined> {
  const relative = env['AWS_CONTAINER_CREDENTIALS_RELATIVE_URI'];
  const full = env['AWS_CONTAINER_CREDENTIALS_FULL_URI'];
  if (relative) return fromHttp({ ...METADATA, awsContainerCredentialsRelativeUri: relative })();
  if (full) return fromHttp({ ...METADATA, awsContainerCredentialsFullUri: full })();
  const disabled = env['AWS_EC2_METADATA_DISABLED'];
  if (disabled && disabled.toLowerCase() !== 'false') return undefined;
  // Outside of AWS nothing answers, which is not a failure.
  return ifSetUp(instance, () => true);
}

async function ifSetUp(
  find: () => Promise<AwsCredentials>,
  isNotSetUp: (error: unknown) => boolean,
): Promise<AwsCredentials | undefined> {
  try {
    return await find();
  } catch (error) {
    if (isNotSetUp(error)) return undefined;
    throw error;
  }
}

/** Set by the SDK if a step does not apply, as opposed to failing. */
function isOpenToNext(error: unknown): boolean {
  return jsonAt(error, 'tryNextLink') === true;
}

const NO_PROFILE = /^Could not resolve credentials using profile/u;

interface CredentialFailure {
  readonly step: string;
  readonly error: unknown;
}

/**
 * The fault of a chain without result: `auth`, or `network` if the failures look temporary. The
 * causes are not attached, since they may contain secrets.
 *
 * @param profile AWS_PROFILE
 */
function nothingFound(
  failures: readonly CredentialFailure[],
  profile: string | undefined,
): VendorFault {
  const texts = failures.map(({ step, error }) => `${step}: ${shortReason(error)}`);
  // A profile's login fails twice: as its own step and as part of the shared files.
  const reasons = texts.filter(
    (text, i) => !texts.slice(0, i).some((other) => sameReason(other, text)),
  );
  const passing = failures.some(({ error }) => mayPass(error));
  return new VendorFault(
    passing ? 'network' : 'auth',
    reasons.length === 0 ? 'no AWS credentials found' : `no AWS credentials; ${reasons.join('; ')}`,
    { hint: passing ? "check this machine's connection to AWS" : hintFor(failures, profile) },
  );
}

function hintFor(failures: readonly CredentialFailure[], profile: string | undefined): string {
  return failures.some(({ step }) => step.startsWith('SSO'))
    ? `aws sso login${profile ? ` --profile ${profile}` : ''} to renew the login`
    : 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE, or AWS_BEARER_TOKEN_BEDROCK';
}

function sameReason(a: string, b: string): boolean {
  return a.slice(a.indexOf(': ')) === b.slice(b.indexOf(': '));
}

function shortReason(error: unknown): string {
  const text = messageOf(error);
  // The command and its output may contain secrets.
  if (text.startsWith('Command failed')) return 'its credential_process failed';
  return messageIn(text) ?? 'failed';
}

/** Whether a failure is temporary rather than wrong settings. */
function mayPass(error: unknown): boolean {
  const status = jsonAt(error, '$metadata', 'httpStatusCode');
  if (typeof status === 'number') return status >= 500 || status === 429;
  const text = `${String(jsonAt(error, 'code'))} ${messageOf(error)}`;
  return /ECONN|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|TimeoutError/u.test(text);
}
