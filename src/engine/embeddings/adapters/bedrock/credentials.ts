import {
  fromHttp,
  fromIni,
  fromInstanceMetadata,
  fromSSO,
  fromTokenFile,
} from '@aws-sdk/credential-providers';
import type { EngineContext } from '../../../context.js';
import { messageOf } from '../../../errors/index.js';
import { jsonAt } from '../../http/status-fault.js';
import { type CredentialFailure, nothingFound } from './credential-failure.js';
import { SILENT } from './silent-logger.js';

/** What requests are signed with; temporary ones say when they end. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly expiration?: Date;
}

/** One place to look: undefined where nothing is set up, an error where what is set up fails. */
interface Step {
  readonly name: string;
  readonly find: () => Promise<AwsCredentials | undefined>;
}

/** For the container's or the machine's own service; both answer at once or never. */
const METADATA = { timeout: 1000, maxRetries: 0, logger: SILENT } as const;

/**
 * AWS's credential chain in the spec's order (§5): access keys in the environment, SSO, web
 * identity, shared files, container or instance metadata. The SDK's own default chain has another:
 * files before web identity, and `AWS_PROFILE` before access keys. A place that is set up and
 * fails does not end the search, but is told when nothing else is found.
 *
 * The SDK itself reads from `process.env` where its helpers have no option for it: the addresses
 * of STS, SSO and instance metadata, the home folder of the SSO token cache, and what a profile
 * refers to (`credential_source = Environment`).
 *
 * @param region for STS
 * @returns looks anew at each call; @throws VendorFault `auth`, or `network` where that may pass
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
    // A login or a new key must count in a process that runs for days.
    ignoreCache: true,
    logger: SILENT,
    parentClientConfig: { region, logger: SILENT },
  };
  // One for all calls: it keeps the last credentials for when the service is away for a moment.
  const instance = fromInstanceMetadata(METADATA);
  return [
    { name: 'environment', find: async () => fromEnvironment(env) },
    { name: `SSO of profile ${profile}`, find: () => ifSetUp(fromSSO(files), isOpenToNext) },
    { name: 'web identity', find: () => fromWebIdentity(env, region) },
    {
      name: `profile ${profile}`,
      find: () => ifSetUp(fromIni(files), (error) => !env['AWS_PROFILE'] && isNoProfile(error)),
    },
    { name: 'container or instance', find: () => fromMetadata(env, instance) },
  ];
}

/** Where the shared files are; left to the SDK where the environment does not say. */
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
  const accessKeyId = env['AWS_ACCESS_KEY_ID'];
  const secretAccessKey = env['AWS_SECRET_ACCESS_KEY'];
  const sessionToken = env['AWS_SESSION_TOKEN'];
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
    parentClientConfig: { region, logger: SILENT },
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
  // On any other machine nobody answers, which is no failure of anything that was set up.
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

/** The SDK marks with it that a provider has nothing to do here, and unmarked that it failed. */
function isOpenToNext(error: unknown): boolean {
  return jsonAt(error, 'tryNextLink') === true;
}

function isNoProfile(error: unknown): boolean {
  return /^Could not resolve credentials using profile/u.test(messageOf(error));
}
