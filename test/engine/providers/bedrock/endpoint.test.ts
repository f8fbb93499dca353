import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { resolvePlace } from '../../../../src/engine/providers/bedrock/client.js';
import { AWS_KEYS, startBedrockFake } from '../../../fakes/bedrock.js';
import { bedrockAdapter } from './subject.js';

const FRANKFURT = 'https://bedrock-runtime.eu-central-1.amazonaws.com';

test('the region: AWS_REGION, AWS_DEFAULT_REGION, baseUrl, us-east-1', () => {
  const both = { AWS_REGION: 'us-west-2', AWS_DEFAULT_REGION: 'us-west-1' };
  assert.is(resolvePlace(FRANKFURT, both).region, 'us-west-2');
  assert.is(resolvePlace(FRANKFURT, { ...both, AWS_REGION: '' }).region, 'us-west-1');
  assert.is(resolvePlace(FRANKFURT, {}).region, 'eu-central-1');
  assert.is(resolvePlace(undefined, {}).region, 'us-east-1');
  assert.is(resolvePlace(`${FRANKFURT}.cn`, {}).region, 'eu-central-1');
});

test('the ordinary host of a region is that region and nothing else', () => {
  assert.equal(resolvePlace(FRANKFURT, { AWS_REGION: 'us-west-2' }), {
    region: 'us-west-2',
    endpoint: undefined,
    fips: false,
    dualstack: false,
    aws: true,
  });
});

test('an address of AWS other than the ordinary one is used, with its own region', () => {
  for (const host of [
    'vpce-0a1b.bedrock-runtime.eu-west-1.vpce.amazonaws.com',
    'bedrock-runtime-fips.eu-west-1.amazonaws.com',
    'bedrock-runtime.eu-west-1.api.aws',
  ]) {
    const place = resolvePlace(`https://${host}`, {
      AWS_REGION: 'us-west-2',
      AWS_USE_FIPS_ENDPOINT: 'true',
    });
    assert.is(place.region, 'eu-west-1');
    assert.is(place.endpoint, `https://${host}`);
    assert.not(place.fips);
    assert.ok(place.aws);
  }
});

test('a host that only looks like one of AWS is not trusted', () => {
  const place = resolvePlace('https://bedrock-runtime.eu-west-1.amazonaws.com.example.org', {});
  assert.is(place.region, 'us-east-1');
  assert.not(place.aws);
});

test('the endpoint variables of the SDK count where baseUrl gives no address', () => {
  const env = { AWS_ENDPOINT_URL: 'http://b', AWS_ENDPOINT_URL_BEDROCK_RUNTIME: 'http://a' };
  assert.is(resolvePlace(undefined, env).endpoint, 'http://a');
  assert.is(resolvePlace(FRANKFURT, env).endpoint, 'http://a');
  assert.is(resolvePlace(FRANKFURT, env).region, 'eu-central-1');
  assert.is(resolvePlace('http://c', env).endpoint, 'http://c');
  const ignored = { ...env, AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true' };
  assert.is(resolvePlace(undefined, ignored).endpoint, undefined);
});

test('requests are signed for the region', async () => {
  const fake = await startBedrockFake({ region: 'ap-south-1' });
  const env = { ...AWS_KEYS, AWS_REGION: 'ap-south-1', AWS_SESSION_TOKEN: 'test-session' };
  const adapter = bedrockAdapter({ baseUrl: fake.origin }, env);
  assert.is((await adapter.probe()).dimensions, 1024);
  assert.is(fake.requests[0]?.headers['x-amz-security-token'], 'test-session');
  await adapter.close();
  await fake.close();
});

test('a path prefix is kept, and configured headers are sent, signed', async () => {
  const fake = await startBedrockFake();
  const headers = { 'x-tenant': 'seven' };
  const adapter = bedrockAdapter({ baseUrl: `${fake.origin}/gateway`, headers });
  await adapter.probe().catch(() => undefined);
  const request = fake.requests[0];
  assert.match(request?.path ?? '', /^\/gateway\/model\/amazon\.titan-embed-text-v2%3A0\/invoke$/);
  assert.is(request?.headers['x-tenant'], 'seven');
  assert.match(request?.headers.authorization ?? '', /SignedHeaders=[^,]*x-tenant/);
  await adapter.close();
  await fake.close();
});

test('another region has the same vectors, another service may differ', async () => {
  const identity = (baseUrl: string | undefined, env: Readonly<Record<string, string>> = {}) =>
    bedrockAdapter({ baseUrl }, { ...AWS_KEYS, ...env }).identity;
  assert.equal(identity(FRANKFURT), identity(undefined, { AWS_REGION: 'us-gov-west-1' }));
  assert.not.equal(identity('http://127.0.0.1:1/x'), identity(undefined));
});

test('an invalid region or address is reported before anything is sent', () => {
  const make = (env: Readonly<Record<string, string>>) => () =>
    bedrockAdapter({}, { ...AWS_KEYS, ...env });
  assert.throws(make({ AWS_REGION: 'us east' }), /AWS_REGION must be a region/);
  assert.throws(make({ AWS_ENDPOINT_URL: 'nowhere' }), /invalid endpoint nowhere/);
});

test.run();
