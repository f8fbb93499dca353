import { chmodSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createSecretMask } from '../../../src/engine/masking/index.js';
import { checkSecrets } from '../../../src/engine/secrets/check-secrets.js';
import { failureOf } from '../../support/failure.js';
import { inWorld } from '../config/support.js';

const test = suite('checking the secrets of a configuration');

const LONG = 'a-secret-of-more-than-24-characters';

test('each secret is listed with its location, source and result, in order', async () => {
  await inWorld(
    async ({ context, write, at }) => {
      chmodSync(write('vault.json', JSON.stringify({ a: LONG })), 0o600);
      write(
        'project/svc.json',
        `{
  "models": { "providers": { "corp": {
    "apiKey": "env:CORP_KEY",
    "headers": { "x-a": "plain-text", "x-b": "\${MISSING}" },
    "baseUrl": "https://ada:pw@corp.example/v1"
  } } },
  "flows": {
    "notify": { "url": "https://n.example", "secret": { "source": "file", "provider": "vault", "id": "/a" } },
    "runtimes": { "acp": { "command": ["x"], "env": { "A": "env:TAKEN_AS_IT_IS" } } }
  },
  "secrets": { "providers": { "vault": { "source": "file", "path": ${JSON.stringify(at('vault.json'))} } } }
}`,
      );
      const known: string[] = [];
      const { file, secrets } = await checkSecrets(
        { ...context, onSecret: (v) => known.push(v) },
        { configFile: at('project/svc.json') },
      );
      assert.is(file, at('project/svc.json'));
      assert.equal(
        secrets.map(({ path, location, source, spoken, resolves, length }) => [
          `${location.line}:${location.column}`,
          path,
          source,
          spoken,
          resolves,
          length,
        ]),
        [
          ['3:15', 'models.providers.corp.apiKey', 'env', 'env CORP_KEY', true, 'short'],
          ['4:25', 'models.providers.corp.headers.x-a', 'plain', 'plain text', true, 'short'],
          ['4:46', 'models.providers.corp.headers.x-b', 'env', 'env MISSING', false, null],
          [
            '5:16',
            'models.providers.corp.baseUrl',
            'plain',
            'plain text in an address',
            true,
            'tiny',
          ],
          ['8:55', 'flows.notify.secret', 'file', 'file vault:/a', true, 'long'],
          ['9:60', 'flows.runtimes.acp.env.A', 'plain', 'plain text', true, 'short'],
        ],
      );
      const error = secrets[2]?.error;
      assert.is(error?.code, 'SECRET_UNRESOLVED');
      assert.match(error?.hint ?? '', /set MISSING in the environment/);
      for (const value of ['corp-key', 'plain-text', 'ada:pw', LONG]) {
        assert.ok(known.includes(value), value);
        assert.not.ok(JSON.stringify(secrets).includes(value), value);
      }
    },
    { CORP_KEY: 'corp-key' },
  );
});

test('without a file there are none, and a file with faults is an error', async () => {
  await inWorld(async ({ context, write }) => {
    assert.equal(await checkSecrets(context), { file: undefined, secrets: [], warnings: [] });
    write('project/svc.json', '{"models": 5}');
    assert.is((await failureOf(() => checkSecrets(context))).code, 'CONFIG_INVALID');
  });
});

test('a secret used in many places is resolved once, and listed in each', async () => {
  await inWorld(async ({ context, write }) => {
    const providers = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [`p${at}`, { apiKey: 'env:SAME' }]),
    );
    const configFile = write('project/svc.json', JSON.stringify({ models: { providers } }));
    const mask = createSecretMask();
    const env = { SAME: 'the-same-secret' };
    const { secrets } = await checkSecrets(
      { ...context, env, onSecret: mask.learn },
      { configFile },
    );
    assert.is(secrets.length, 40);
    assert.ok(secrets.every(({ resolves }) => resolves));
    assert.is(mask.text('the-same-secret'), '********');
  });
});

test.run();
