import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AWS_KEYS, startBedrockFake } from '../fakes/bedrock.js';
import type { FakeVendor } from '../fakes/fake-vendor.js';
import { type ForwardProxy, startForwardProxy } from '../fakes/forward-proxy.js';
import { OPENAI_KEY, startOpenAiFake } from '../fakes/openai.js';
import { createCertificate } from '../support/certificate.js';
import { runSvc, type SvcRun } from '../support/run-svc.js';
import { tempFolder } from '../support/temp-folder.js';

interface Context {
  fake: FakeVendor;
  proxy: ForwardProxy;
}

const test = suite<Context>('proxies');

/** A name that leads nowhere but through the proxy. */
const HOST = 'embeddings.example.test';
const BEDROCK_HOST = 'bedrock-runtime.us-east-1.amazonaws.com';
const CREDENTIALS = 'user:p%40ss';

const certificate = createCertificate(tempFolder(), HOST, BEDROCK_HOST);
const tls = {
  key: readFileSync(certificate.key, 'utf8'),
  cert: readFileSync(certificate.cert, 'utf8'),
};

test.before.each(async (context) => {
  context.fake = await startOpenAiFake({ dimensions: 32 });
  const target = context.fake.origin;
  context.proxy = await startForwardProxy({ target, tls, credentials: 'user:p@ss' });
});
test.after.each(async ({ fake, proxy }) => {
  await proxy.close();
  await fake.close();
});

/** Searches a new memory whose provider is at an address. */
async function search(
  baseUrl: string,
  env: Readonly<Record<string, string>>,
  provider: Readonly<Record<string, unknown>> = {},
): Promise<SvcRun> {
  const home = tempFolder();
  home.write('notes/memory/car.md', 'The automobile was serviced in May.\n');
  const remote = { baseUrl, apiKey: OPENAI_KEY };
  const memorySearch = { provider: 'openai', remote, query: { timeoutSeconds: 30 }, ...provider };
  const defaults = { workspace: home.at('notes'), memorySearch };
  home.write('svc.json', JSON.stringify({ agents: { defaults } }));
  const trusted = {
    NODE_EXTRA_CA_CERTS: certificate.cert,
    SVC_CONFIG: home.at('svc.json'),
  };
  const args = ['memory', 'search', 'vehicle', '--json'];
  return runSvc(args, { home: home.path, env: { ...trusted, ...env } });
}

const modeOf = ({ stdout }: SvcRun): unknown => JSON.parse(stdout).mode;

for (const name of ['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY']) {
  test(`requests to a provider go through ${name}, with its user and password`, async ({
    fake,
    proxy,
  }) => {
    const run = await search(`https://${HOST}/v1`, {
      [name]: `http://${CREDENTIALS}@${proxy.address}`,
    });
    assert.is(modeOf(run), 'hybrid', run.stdout + run.stderr);
    assert.equal([...new Set(proxy.targets)], [`${HOST}:443`]);
    assert.ok(fake.requests.length >= 2);
    assert.is(fake.requests[0]?.headers['proxy-authorization'], undefined);
  });
}

for (const scheme of ['http://', '']) {
  test(`spaces around the address of a proxy do not count: "${scheme}"`, async ({ proxy }) => {
    const run = await search(`https://${HOST}/v1`, {
      HTTPS_PROXY: ` ${scheme}${CREDENTIALS}@${proxy.address} `,
    });
    assert.is(modeOf(run), 'hybrid', run.stdout + run.stderr);
    assert.ok(proxy.targets.length > 0);
  });
}

test('an address without a scheme is that of an HTTP proxy', async ({ proxy }) => {
  const run = await search(`https://${HOST}/v1`, {
    HTTPS_PROXY: `${CREDENTIALS}@${proxy.address}`,
  });
  assert.is(modeOf(run), 'hybrid', run.stdout + run.stderr);
});

test('plain HTTP goes through HTTP_PROXY, not through HTTPS_PROXY', async ({ proxy }) => {
  const url = `http://${HOST}/v1`;
  const run = await search(url, { HTTP_PROXY: `http://${CREDENTIALS}@${proxy.address}` });
  assert.is(modeOf(run), 'hybrid', run.stdout + run.stderr);
  assert.equal([...new Set(proxy.targets)], [`http://${HOST}/v1/embeddings`]);
  const other = await search(url, { HTTPS_PROXY: `http://${CREDENTIALS}@${proxy.address}` });
  assert.is(modeOf(other), 'lexical');
  assert.is(new Set(proxy.targets).size, 1);
});

for (const except of ['*', HOST, '.example.test', `${HOST}:443`, `other.test, ${HOST}`]) {
  test(`NO_PROXY ${except} is reached directly`, async ({ proxy }) => {
    for (const name of ['NO_PROXY', 'no_proxy']) {
      const run = await search(`https://${HOST}/v1`, {
        HTTPS_PROXY: `http://${CREDENTIALS}@${proxy.address}`,
        [name]: except,
      });
      // There is no such host.
      assert.is(modeOf(run), 'lexical');
      assert.equal(proxy.targets, []);
    }
  });
}

for (const except of [`${HOST}:8443`, 'ample.test', 'other.test']) {
  test(`NO_PROXY ${except} does not match`, async ({ proxy }) => {
    const run = await search(`https://${HOST}/v1`, {
      HTTPS_PROXY: `http://${CREDENTIALS}@${proxy.address}`,
      NO_PROXY: except,
    });
    assert.is(modeOf(run), 'hybrid', run.stdout + run.stderr);
    assert.ok(proxy.targets.length > 0);
  });
}

for (const host of ['127.0.0.1', '0.0.0.0']) {
  test(`this machine is reached directly: ${host}`, async ({ fake, proxy }) => {
    const run = await search(`http://${host}:${new URL(fake.origin).port}/v1`, {
      HTTP_PROXY: `http://${proxy.address}`,
      HTTPS_PROXY: `http://${proxy.address}`,
    });
    assert.is(modeOf(run), 'hybrid', run.stdout + run.stderr);
    assert.equal(proxy.targets, []);
  });
}

test("Bedrock's SDK goes the same way", async () => {
  const bedrock = await startBedrockFake();
  const proxy = await startForwardProxy({ target: bedrock.origin, tls });
  try {
    const env = { ...AWS_KEYS, HTTPS_PROXY: `http://${proxy.address}` };
    const run = await search('', env, { provider: 'bedrock', remote: {} });
    assert.is(modeOf(run), 'hybrid', run.stdout + run.stderr);
    assert.equal([...new Set(proxy.targets)], [`${BEDROCK_HOST}:443`]);
  } finally {
    await proxy.close();
    await bedrock.close();
  }
});

test('a proxy that refuses is named, without its password', async ({ proxy }) => {
  const run = await search(`https://${HOST}/v1`, {
    HTTPS_PROXY: `http://user:wrong-password@${proxy.address}`,
  });
  assert.is(modeOf(run), 'lexical');
  assert.match(run.stdout, '407');
  assert.match(run.stdout, 'put USER:PASSWORD@ before the host');
  assert.not.match(run.stdout + run.stderr, 'wrong-password');
});

for (const refusal of ['302 Found\r\nLocation: http://portal.test/', '403 Forbidden']) {
  test(`a proxy that answers ${refusal.slice(0, 3)} itself is named, not the endpoint`, async (context) => {
    const target = context.fake.origin;
    const refusing = await startForwardProxy({ target, tls, refusal });
    try {
      const run = await search(`https://${HOST}/v1`, {
        HTTPS_PROXY: `http://${refusing.address}`,
      });
      assert.is(modeOf(run), 'lexical');
      assert.match(run.stdout, `the proxy ${refusing.address} does not connect`);
      assert.match(run.stdout, 'check HTTPS_PROXY');
    } finally {
      await refusing.close();
    }
  });
}

for (const [address, words] of [
  ['http://user:pa55%word@127.0.0.1:9', 'the address of the proxy is not valid'],
  ['http://user:pa55word@127.0.0.1:9', 'the proxy 127.0.0.1:9 cannot be reached'],
] as const) {
  test(`a proxy that cannot be used is named, without its password: ${words}`, async () => {
    for (const scheme of ['http', 'https']) {
      const env = { HTTP_PROXY: address, HTTPS_PROXY: address };
      const run = await search(`${scheme}://${HOST}/v1`, env);
      assert.is(modeOf(run), 'lexical');
      assert.match(run.stdout, words);
      assert.not.match(run.stdout + run.stderr, 'pa55');
    }
  });
}

test.run();
