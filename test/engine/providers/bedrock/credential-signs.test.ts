import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { awsCredentialSource } from '../../../../src/engine/providers/bedrock/index.js';
import { folderOf, tempFolder } from '../../../support/temp-folder.js';

const EMPTY = tempFolder().path;

test('variables count when they can be used', () => {
  const found = (env: Readonly<Record<string, string>>) =>
    awsCredentialSource({ env, homeDir: EMPTY });
  assert.is(found({ AWS_BEARER_TOKEN_BEDROCK: 'x' }), 'env AWS_BEARER_TOKEN_BEDROCK');
  assert.is(found({ AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'y' }), 'env AWS_ACCESS_KEY_ID');
  assert.is(
    found({ AWS_WEB_IDENTITY_TOKEN_FILE: '/x', AWS_ROLE_ARN: 'y' }),
    'env AWS_WEB_IDENTITY_TOKEN_FILE',
  );
  assert.is(
    found({ AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/x' }),
    'env AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
  );
  for (const env of [
    {},
    { AWS_REGION: 'us-east-1' },
    { AWS_BEARER_TOKEN_BEDROCK: ' ' },
    { AWS_ACCESS_KEY_ID: 'x' },
    { AWS_ROLE_ARN: 'x' },
    { AWS_PROFILE: 'work' },
  ]) {
    assert.is(found(env), undefined);
  }
});

const CONFIG = `
[default]
region = eu-central-1

[profile work]
; the company's
sso_session = company
sso_account_id = 123456789012

[profile "two words"]
role_arn=arn:aws:iam::123456789012:role/reader

[sso-session company]
sso_start_url = https://example.awsapps.com/start
`;

test('a profile counts when it says how to get credentials', () => {
  const { path } = folderOf({ '.aws/config': CONFIG });
  assert.is(
    awsCredentialSource({ env: {}, homeDir: path }),
    undefined,
    'a region is no credential',
  );
  assert.is(
    awsCredentialSource({ env: { AWS_PROFILE: 'work' }, homeDir: path }),
    'AWS profile work',
  );
  assert.is(
    awsCredentialSource({ env: { AWS_PROFILE: 'two words' }, homeDir: path }),
    'AWS profile two words',
  );
  assert.is(awsCredentialSource({ env: { AWS_PROFILE: 'typo' }, homeDir: path }), undefined);
});

test('the files may lie elsewhere', () => {
  const folder = folderOf({ keys: '[default]\r\naws_access_key_id = x\r\n' });
  const env = { AWS_SHARED_CREDENTIALS_FILE: folder.at('keys') };
  assert.is(awsCredentialSource({ env, homeDir: EMPTY }), 'AWS profile default');
  assert.is(
    awsCredentialSource({ env: { AWS_CONFIG_FILE: folder.path }, homeDir: EMPTY }),
    undefined,
  );
});

test.run();
