import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  createSecretMask,
  hasSecret,
  MASK,
  redactedStart,
  redactSecrets,
} from '../../../src/engine/masking/index.js';

const test = suite('redacting what is kept');

/** As people paste them into a conversation; the part in guillemets must not stay. */
const SECRETS: readonly string[] = [
  'use «sk-proj-abc123DEF456ghi789jkl0» for now',
  'key=«sk_live_51H8abcdefGHIJKL0123»',
  'key «sk-ant-api03-AbCdEf0123456789-_xyz»',
  'token «ghp_0123456789abcdefghijABCDEFGHIJ012345», thanks',
  '«github_pat_11ABCDEFG0123456789_abcdef»',
  '«glpat-ABCdef0123456789abcd»',
  '«AKIAIOSFODNN7EXAMPLE» is the id',
  'aws_secret_access_key = «wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY»',
  '«AIzaSyA0123456789abcdefghijklmnopqrstu»',
  '«xoxb-123456789012-abcdefABCDEF»',
  'https://hooks.slack.com/services/«T00000000/B00000000/XXXXXXXXXXXX0123»',
  '«hf_abcdefghijKLMNOP0123»',
  '«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»',
  'the laptop uses «svc_mcp_abcdefghijklmnopqrstuvwxyzABCDEF»',
  '«npm_0123456789abcdefghijABCDEFGHIJ0123»',
  '«SG.abcdefghijklmnop0123.ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789»',
  '«eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc_-1»',
  'bot «123456789:AAabcdefghijklmnopqrstuvwxyz0123456»',
  'Authorization: Bearer «abc.def-123»',
  'curl -H "authorization: basic «dXNlcjpwYXNzd29yZA==»"',
  'psql postgres://ada:«hunter2»@db.example/app',
  'mongodb+srv://ada:«p%40ss-w0rd»@cluster0.example.net/?retryWrites=true',
  'redis://:«s3cr3t»@cache:6379/0',
  'Server=db;Database=app;User Id=sa;Password=«Str0ng!Pass»;Encrypt=true',
  'DefaultEndpointsProtocol=https;AccountName=x;AccountKey=«AbCd0123456789efghIJKLmnopQRSTuvwxYZ0123456789==»;',
  'GET /v1?api_key=«0123abcd»&alt=json',
  '{"apiKey": "«0123456789abcdef0123»"}',
  "export DB_PASSWORD='«hunter2-and-more»'",
  'DATABASE_PASSWORD: «correct8horse»',
  'my password is «Tr0ub4dor&3»',
  'client_secret=«Zm9vYmFyYmF6cXV4MTIz»',
  'svc login --token «abcdef123456»',
  'x\n-----BEGIN OPENSSH PRIVATE KEY-----\n«b3BlbnNzaC1rZXktdjEAAAAA\nAAABAAAAMwAAAAtzc2g»\n-----END OPENSSH PRIVATE KEY-----\ny',
  'cut off: -----BEGIN RSA PRIVATE KEY-----\n«MIIEowIBAAKCAQEA»',
  'a key: «AGE-SECRET-KEY-1QQPQZ0123456789ABCDEFGHIJKL»',
  'grok «xai-0123456789abcdefGHIJKL»',
  'perplexity «pplx-0123456789abcdefGHIJKL»',
  'tavily «tvly-dev-0123456789abcdefGHIJKL»',
  'grafana «glsa_0123456789abcdefGHIJKL_0a1b2c3d»',
  'signed with «whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw»',
  'nvidia «nvapi-0123456789abcdefGHIJKL»',
  'vault «hvs.CAESIJ0123456789abcdefGHIJKL»',
  'shopify «shpca_0123456789abcdef0123456789abcdef»',
  'databricks «dapi0123456789abcdef0123456789abcdef-2»',
  'gitlab «glptt-ABCdef0123456789abcd»',
  'terraform «aB3dE5fG7hJ9kL.atlasv1.aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xYaB3dE5fG7hJ9»',
  'azure «abc8Q~aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY»',
  'atlassian «ATATT3xFfGF0aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY=1A2B3C4D»',
  'discord «MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs»',
  'fly auth token FlyV1 «fm2_aB3dE5fG7hJ9+kL1mN2pQ4rS/6tU8vW0xY=»',
  'airtable «pataB3dE5fG7hJ9kL.0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef»',
  'mailchimp «0123456789abcdef0123456789abcdef-us12»',
  "curl https://example.org -H 'Cookie: «session=0123abcd; csrf=4567efgh»'",
  'curl -s -u admin:«S3cret99» https://example.org',
  'mysqldump -h db -u root -p«S3cret99» shop > shop.sql',
  '| Database password | «hunter2-more» |\n| Port | 5432 |',
  '| `DB_PASSWORD`|`«hunter2-more»`|',
  'The password:\n«hunter2-more»',
  'Wi-Fi password:\r\n  - «hunter2-more»\r\n',
  'machine example.org login ada password «s3cret»',
  '//registry.example.org/:_auth=«YWRhOnMzY3JldDk5»',
  '{"auths": {"example.org": {"auth": "«YWRhOnMzY3JldDk5»"}}}',
  'SMTP_PASS=«S3cret99x»',
  'SECRET_KEY_BASE=«0123456789abcdef0123»',
  'das Passwort ist «Sommer2024»',
  'mot de passe : «Soleil2024»',
  'password：«S3cret99x»',
  'password:\u00a0«S3cret99x»',
  'The API key for prod is «aB3dE5fG7hJ9kL1m»',
  'passcode: «99x8827»',
  'recovery code: «abcd-1234-efgh»',
  'The router password is «hunter2»',
  'Router password: `«blue-kettle-91»`',
  '**Password:** «Str0ng!Pass»',
  'The PIN of the debit card is «4711»',
  'card PIN «4711»',
  'PIN code: «004711»',
  'Bearer «abcdefghijklmnopqrst»',
];

for (const sample of SECRETS) {
  const text = sample.replaceAll(/[«»]/gu, '');
  test(`nothing stays of the secret in ${JSON.stringify(text.slice(0, 40))}`, () => {
    const secret = /«([^»]*)»/u.exec(sample)?.[1] ?? '';
    const redacted = redactSecrets(text);
    assert.not(redacted.includes(secret), redacted);
    for (let at = 0; at + 8 <= secret.length; at += 4) {
      assert.not(redacted.includes(secret.slice(at, at + 8)), redacted);
    }
    assert.ok(redacted.includes(MASK));
    assert.is(redactSecrets(redacted), redacted, 'a second time changes nothing');
    assert.ok(hasSecret(text));
    assert.not(hasSecret(redacted));
    assert.is(createSecretMask().text(text), redacted, 'logs and errors mask the same');
  });
}

/** What conversations about software are full of, and is no secret. */
const ORDINARY: readonly string[] = [
  'the token is stored in a cookie, and the password is required',
  'max_tokens: 4096, temperature: 0.2',
  'const password: string = process.env.DB_PASSWORD',
  'apiKey: env.OPENAI_API_KEY and token: $TOKEN',
  'commit 3f2a9c0d1e4b5a6978877665544332211aabbccd fixes it',
  'see https://example.org/a/b?page=2&sort=asc#top and file:///etc/hosts',
  'mail ada@example.org about sk-learn and the pk of the table',
  'ssh user@host -p 2222, then git@github.com:org/repo.git',
  'uuid 123e4567-e89b-12d3-a456-426614174000',
  'secret: vault:kv/app#key',
  'Bearer of bad news, basic questions, token count',
  'the skeleton key-value store, primary key, foreign key',
  'the token GITHUB_PERSONAL_ACCESS_TOKEN is read from token: settings.auth.accessToken',
  'docker run -u 1000:1000 image, and curl -u user:password is the form',
  '| `cohere` | `COHERE_API_KEY` | `rerank-v3.5` |',
  '| Token | Changed |\n| --- | --- |\n| db_password | 2026-11-20 |\n| api key | 10.0.0.12 |',
  'credentials:\n  aws-1-production:\n    token:\n      - name: one1\n',
  'mysql -P 3306 -ppassword -p3306 and mysqldump -p',
  'render_pass = Pass2(first), $this->credentials->getKey2(), two_pass: result_v2',
  'das Passwort ist erforderlich, le mot de passe est obligatoire',
  'cookie: a small file, Cookies: none',
  'pin the version: 1234 is out of date, the pins are 5678 apart',
];

for (const text of ORDINARY) {
  test(`ordinary words stay: ${text.slice(0, 40)}`, () => {
    assert.is(redactSecrets(text), text);
    assert.not(hasSecret(text));
  });
}

test('a value after the name of a secret is one by its length, digits and kinds of characters', () => {
  const isSecretSetting = (value: string): boolean => hasSecret(`password: ${value}`);
  const secrets = ['abcdefghijklmnop', '1234567890123456', 'abcde1', 'Abc-de', 'aB-1'];
  const words = ['abcdefghijklmno', '123456789.12345', 'abcdef', 'abcd1', 'aB-c'];
  assert.equal(secrets.filter(isSecretSetting), secrets);
  assert.equal(words.filter(isSecretSetting), []);
});

test('a secret is found wherever it stands', () => {
  const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
  fc.assert(
    fc.property(
      fc.lorem(),
      fc.lorem(),
      fc.constantFrom(' ', '\n', '"', '=', '(', ','),
      (a, b, glue) => {
        assert.not(redactSecrets(`${a}${glue}${secret}${glue}${b}`).includes(secret));
      },
    ),
  );
});

/** Texts on which patterns that look back or ahead without bound take minutes. */
const HOSTILE: readonly string[] = [
  'a',
  'a.',
  'token=',
  'token: ',
  'password ',
  'sk-',
  'sk_',
  'eyJ',
  'eyJaaaaaaaa.',
  '://',
  'x://a:b',
  '&key=',
  '?',
  'Bearer ',
  '-----BEGIN ',
  '-----BEGIN RSA PRIVATE KEY-----',
  '--token',
  '--a',
  'SG.',
  '1',
  '=',
  'api_key',
  '_-',
  'hooks.slack.com/services/',
  '1234567890:AA',
  'PIN of a ',
  'pin ',
  'whsec_',
  'M',
  'aB3dE5fG7hJ9kL.atlasv1.',
  'a8Q~',
  'curl -u ',
  'mysql -p',
  'token | ',
  'token:\n',
  'cookie: a=',
  'login a password ',
  '"auth": "',
  'password for of ',
];

test('a text of any form is gone through in proportion to its length', () => {
  // With a pattern that is quadratic one of these alone outlasts the time limit of all tests.
  for (const unit of HOSTILE) {
    const text = unit.repeat(Math.ceil(4_000_000 / unit.length));
    assert.ok(
      redactSecrets(text).length <= text.length + MASK.length * (text.length / unit.length),
    );
  }
});

test('the beginning of a text never ends with half a secret, however long the text is', () => {
  const secret = `ghp_${'A1b2'.repeat(9)}`;
  for (const most of [80, 5000]) {
    for (const end of ['', ' ', ` ${'text '.repeat(9000)}`, ` ${secret}`.repeat(2000)]) {
      const start = redactedStart(`${'x'.repeat(most - 20)} ${secret}${end}`, most);
      assert.not.match(start, 'ghp_');
      assert.ok(start.length <= most);
    }
  }
  const secrets = ` ${secret}`.repeat(2000);
  assert.not.match(redactedStart(secrets, 9000), 'ghp_', 'masks are shorter than secrets');
  assert.is(redactedStart('short', 80), 'short');
  const text = 'word '.repeat(10_000);
  assert.is(redactedStart(text, 300), text.slice(0, 300));
});

test.run();
