import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { credentialChain } from '../../../../src/engine/providers/bedrock/credentials.js';
import { VendorFault } from '../../../../src/engine/providers/vendor-fault.js';
import {
  type AwsCredentialsFakeOptions,
  startAwsCredentialsFake,
} from '../../../fakes/aws-credentials.js';
import type { FakeVendor } from '../../../fakes/fake-vendor.js';
import { type TempFolder, tempFolder } from '../../../support/temp-folder.js';

const test = suite<{ home: TempFolder }>('order of AWS credential sources');

const before = { ...process.env };
test.before.each((context) => {
  context.home = tempFolder();
});
test.after.each(() => {
  process.env = { ...before };
});

/** Starts the services and looks through the chain; the SDK reads their addresses by itself. */
async function find(
  home: TempFolder,
  env: Readonly<Record<string, string>>,
  services: AwsCredentialsFakeOptions,
): Promise<{ key: string | undefined; fault: VendorFault | undefined; fake: FakeVendor }> {
  const fake = await startAwsCredentialsFake(services);
  const all = {
    HOME: home.path,
    ...env,
    ...(env['AWS_CONTAINER_CREDENTIALS_FULL_URI'] === undefined
      ? {}
      : { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${fake.origin}/container` }),
  };
  process.env = {
    ...process.env,
    ...all,
    AWS_ENDPOINT_URL_STS: fake.origin,
    AWS_ENDPOINT_URL_SSO: fake.origin,
    AWS_EC2_METADATA_SERVICE_ENDPOINT: fake.origin,
  };
  try {
    const { accessKeyId } = await credentialChain(all, 'us-east-1')();
    return { key: accessKeyId, fault: undefined, fake };
  } catch (error) {
    if (error instanceof VendorFault) return { key: undefined, fault: error, fake };
    throw error;
  } finally {
    await fake.close();
  }
}

const START_URL = 'https://example.awsapps.com/start';

/** A profile that logs in through SSO, with a token of the cache that ends at this time. */
function writeSso(home: TempFolder, profile: string, expiresAt: string): void {
  const section = profile === 'default' ? 'default' : `profile ${profile}`;
  home.write(
    '.aws/config',
    `[${section}]\nsso_start_url = ${START_URL}\nsso_region = us-east-1\nsso_account_id = 123456789012\nsso_role_name = reader\n`,
  );
  const name = createHash('sha1').update(START_URL).digest('hex');
  const token = { startUrl: START_URL, region: 'us-east-1', accessToken: 'sso-token', expiresAt };
  home.write(`.aws/sso/cache/${name}.json`, JSON.stringify(token));
}

const KEYS = { AWS_ACCESS_KEY_ID: 'FROMENV', AWS_SECRET_ACCESS_KEY: 'secret' } as const;

function webIdentity(home: TempFolder): Readonly<Record<string, string>> {
  return {
    AWS_WEB_IDENTITY_TOKEN_FILE: home.write('web-token', 'web-token'),
    AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/reader',
  };
}

const CONTAINER = { AWS_CONTAINER_CREDENTIALS_FULL_URI: 'here' } as const;
const ALL = { sts: true, sso: true, container: true, instance: true } as const;
const LATER = '2099-01-01T00:00:00Z';
const FILE_KEYS = 'aws_access_key_id = FROMFILE\naws_secret_access_key = secret\n';

test('access keys in the environment override everything, even a named profile', async ({
  home,
}) => {
  writeSso(home, 'work', LATER);
  const env = { ...KEYS, ...webIdentity(home), ...CONTAINER, AWS_PROFILE: 'work' };
  const { key, fake } = await find(home, env, ALL);
  assert.is(key, 'FROMENV');
  assert.is(fake.requests.length, 0);
});

test('line breaks after access keys in the environment do not count', async () => {
  const env = {
    AWS_ACCESS_KEY_ID: 'A\r\n',
    AWS_SECRET_ACCESS_KEY: 'B\n',
    AWS_SESSION_TOKEN: 'C\n',
  };
  assert.equal(await credentialChain(env, 'us-east-1')(), {
    accessKeyId: 'A',
    secretAccessKey: 'B',
    sessionToken: 'C',
  });
});

test('then SSO, of the profile that is named', async ({ home }) => {
  writeSso(home, 'work', LATER);
  home.write('.aws/credentials', `[default]\n${FILE_KEYS}`);
  const env = { ...webIdentity(home), ...CONTAINER };
  assert.is((await find(home, { ...env, AWS_PROFILE: 'work' }, ALL)).key, 'FROMSSO');
  assert.is((await find(home, env, ALL)).key, 'FROMSTS', 'the default profile has no SSO');
});

test('then web identity, before shared files', async ({ home }) => {
  home.write('.aws/credentials', `[default]\n${FILE_KEYS}`);
  assert.is((await find(home, { ...webIdentity(home), ...CONTAINER }, ALL)).key, 'FROMSTS');
});

test('then shared files, by default or where the environment says', async ({ home }) => {
  home.write('.aws/credentials', `[default]\n${FILE_KEYS}`);
  assert.is((await find(home, CONTAINER, ALL)).key, 'FROMFILE');
  const other = home.write('elsewhere', `[work]\n${FILE_KEYS.replace('FROMFILE', 'FROMOTHER')}`);
  const env = { AWS_SHARED_CREDENTIALS_FILE: other, AWS_PROFILE: 'work' };
  assert.is((await find(home, env, ALL)).key, 'FROMOTHER');
});

test('then the container, and only without one the instance', async ({ home }) => {
  assert.is((await find(home, CONTAINER, ALL)).key, 'FROMCONTAINER');
  assert.is((await find(home, {}, ALL)).key, 'FROMINSTANCE');
  assert.is((await find(home, CONTAINER, { instance: true })).key, undefined);
});

test('instance metadata is not asked when it is switched off', async ({ home }) => {
  const { fault, fake } = await find(home, { AWS_EC2_METADATA_DISABLED: 'true' }, ALL);
  assert.is(fault?.details.kind, 'auth');
  assert.is(fault?.message, 'no AWS credentials found');
  assert.is(fake.requests.length, 0);
});

test('a file that is written later is seen', async ({ home }) => {
  assert.is((await find(home, {}, {})).key, undefined);
  home.write('.aws/credentials', `[default]\n${FILE_KEYS}`);
  assert.is((await find(home, {}, {})).key, 'FROMFILE');
});

test('an expired login does not hide later sources', async ({ home }) => {
  writeSso(home, 'default', '2020-01-01T00:00:00Z');
  assert.is((await find(home, webIdentity(home), ALL)).key, 'FROMSTS');
});

test('an expired login is reported if nothing else is found', async ({ home }) => {
  writeSso(home, 'work', '2020-01-01T00:00:00Z');
  const { fault } = await find(home, { AWS_PROFILE: 'work' }, {});
  assert.is(fault?.details.kind, 'auth');
  assert.match(fault?.message ?? '', 'SSO of profile work: The SSO session');
  assert.is(fault?.message.match(/has expired/g)?.length, 1, 'once');
  assert.match(fault?.details.hint ?? '', 'aws sso login --profile work');
});

test('each configured source that fails is reported, without secrets', async ({ home }) => {
  home.write(
    '.aws/config',
    '[default]\ncredential_process = /bin/sh -c "echo hidden >&2; exit 1"\n',
  );
  const { fault } = await find(home, webIdentity(home), {});
  assert.is(
    fault?.message,
    'no AWS credentials; web identity: The web identity token is refused.; profile default: its credential_process failed',
  );
  assert.not.match(inspect(fault, { depth: 10 }), 'hidden');
});

test('a missing profile is reported', async ({ home }) => {
  const { fault } = await find(home, { AWS_PROFILE: 'typo' }, {});
  assert.match(fault?.message ?? '', 'profile typo');
});

test('an unreachable service is retried', async ({ home }) => {
  const env = { ...CONTAINER, AWS_ROLE_SESSION_NAME: 'svc' };
  const chain = credentialChain(
    { HOME: home.path, ...env, AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://127.0.0.1:9/x' },
    'us-east-1',
  );
  try {
    await chain();
    assert.unreachable();
  } catch (error) {
    assert.ok(error instanceof VendorFault);
    assert.is(error.details.kind, 'network');
  }
});

test.run();
