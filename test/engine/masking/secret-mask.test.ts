import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  createSecretMask,
  environmentSecrets,
  LEAST_KNOWN_CHARS,
  MASK,
} from '../../../src/engine/masking/index.js';

const test = suite('masking secrets');

const bare = createSecretMask();

/** Texts and what is left of them, without knowing any value. */
const LOOKS: Readonly<Record<string, string>> = {
  'key sk-proj-abc123DEF456ghi789 refused': 'key ******** refused',
  'ghp_0123456789abcdefghijABCDEFGHIJ012345 and gho_0123456789abcdefghij': '******** and ********',
  github_pat_11ABCDEFG0123456789_abcdef: MASK,
  'AKIAIOSFODNN7EXAMPLE is not authorized': '******** is not authorized',
  hf_abcdefghijKLMNOP0123: MASK,
  'Authorization: Bearer abc.def-123': 'Authorization: Bearer ********',
  'authorization: basic dXNlcjpwYXNzd29yZA==': 'authorization: basic ********',
  'at https://ada:hunter2@emb.example/v1': 'at https://********@emb.example/v1',
  'at http://p@ss:w@rd@host:8080/x?y': 'at http://********@host:8080/x?y',
  'GET /v1beta/models?key=abc&alt=json': 'GET /v1beta/models?key=********&alt=json',
  '{"api_key": "0123456789abcdef0123"}': '{"api_key": "********"}',
  'Incorrect API key provided: 0a1b2c3d4e5f6a7b8c9d.': 'Incorrect API key provided: ********',
  'client_secret=Zm9vYmFyYmF6cXV4MTIz': 'client_secret=********',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc_-1': MASK,
  'x\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\ny': 'x\n********\ny',
};

for (const [text, left] of Object.entries(LOOKS)) {
  test(`a secret is known by its looks: ${JSON.stringify(text)}`, () => {
    assert.is(bare.text(text), left);
    assert.is(bare.text(left), left);
  });
}

const HARMLESS = [
  'memory/2026-02-03.md#L3-L6',
  '/home/ada/.svc/memory/workspace-0123456789abcdef.sqlite',
  'embedding provider openai: 401 Incorrect API key provided. (invalid_api_key)',
  'check the key from models.providers.corp.apiKey; test it with "svc provider test corp"',
  'cannot resolve file vault:/providers/openai: /home/ada/secrets.json does not exist',
  'set models.providers.corp.apiKey to "env:CORP_KEY"',
  'tokenizer: unicode61 remove_diacritics 2',
  'hf:nomic-ai/nomic-embed-text-v1.5-GGUF:Q8_0',
  'secret: /run/secrets/openai-2026-02-03',
  '300000 tokens, max 8192 tokens per request',
  'Basic configuration of the bearer of this letter',
  'https://emb.corp.example:8443/v1/embeddings',
  'disk-2026-02-03-nightly-backup',
  'ada@example.org',
];

for (const text of HARMLESS) {
  test(`an ordinary text stays as it is: ${text}`, () => {
    assert.is(bare.text(text), text);
  });
}

test('a value that was learnt is masked in each form in which it is written', () => {
  const value = 'p"ss wörd/42';
  const mask = createSecretMask();
  assert.is(mask.text(`was ${value}`), `was ${value}`);
  mask.learn(`${value}\n`);
  for (const form of [
    value,
    JSON.stringify(value).slice(1, -1),
    // As PHP and .NET write them.
    String.raw`p\"ss wörd\/42`,
    'p%22ss%20w%c3%b6rd%2f42',
    encodeURIComponent(value),
    Buffer.from(value).toString('base64'),
  ]) {
    assert.not.match(mask.text(`is ${form}!`), form);
    assert.match(mask.text(`is ${form}!`), MASK);
  }
});

test('a value that is learnt after texts were masked is masked from then on', () => {
  const mask = createSecretMask(['correct horse']);
  assert.is(mask.text('correct horse, battery staple'), `${MASK}, battery staple`);
  mask.learn('battery staple');
  assert.is(mask.text('correct horse, battery staple'), `${MASK}, ${MASK}`);
});

test('in HTML, a value is masked however its signs are written', () => {
  const mask = createSecretMask([`a<b>&"c'd/e+f=`]);
  for (const form of [
    'a&lt;b&gt;&amp;&quot;c&#39;d/e+f=',
    'a&lt;b&gt;&amp;&#34;c&#039;d&#47;e&#43;f&#61;',
    'a&#x3C;b&#x3e;&#x26;&#x22;c&apos;d&#x2F;e&#x2b;f&#x3D;',
  ]) {
    assert.is(mask.text(`<p>${form}</p>`), `<p>${MASK}</p>`);
  }
});

test('a key that a text cuts off is masked, and none that begins alike is left in part', () => {
  const mask = createSecretMask([
    '0a1b2c3d4e5f6a7b8c9d0e1f2a3b',
    '0a1b2c3d4e5f6a7bXYZ-XYZ-XYZ-XYZ',
  ]);
  assert.is(mask.text('refused 0a1b2c3d4e5f6a7b8c9d…'), `refused ${MASK}…`);
  assert.is(mask.text('refused "0a1b2c3d4e5f6a7bXYZ-X"'), `refused "${MASK}"`);
  assert.is(mask.text('0a1b2c3d4e5f6a7bXYZ-XYZ-XYZ-XYZ.'), `${MASK}.`);
  assert.is(mask.text('0a1b2c3d4e5f6a7'), '0a1b2c3d4e5f6a7');
  const path = createSecretMask(['/home/ada/.ssh/keys/id_ed25519', 'ten words, 1 after the other']);
  assert.is(path.text('/home/ada/.ssh/config'), '/home/ada/.ssh/config');
  assert.is(path.text('ten words, 1 after another'), 'ten words, 1 after another');
});

test('each line of a long secret is masked by itself; a word is not', () => {
  const mask = createSecretMask(['first line of a secret\nsecond line of a secret\nend', 'none']);
  assert.is(mask.text('> second line of a secret <'), `> ${MASK} <`);
  assert.is(mask.text('there is none, in the end'), 'there is none, in the end');
});

test('of a URL, the password is masked on its own too', () => {
  const mask = createSecretMask(['postgres://ada:pass%20word-1@db.internal/svc?sslmode=require']);
  for (const form of ['pass%20word-1', 'pass word-1'])
    assert.is(mask.text(`a ${form} b`), `a ${MASK} b`);
  assert.is(mask.text('db.internal:5432/svc'), 'db.internal:5432/svc');
  const other = createSecretMask(['postgres://ada@db/svc?password=horse-battery']);
  assert.is(other.text('horse-battery'), MASK);
});

test('a known secret has at least eight characters, and a known line of one sixteen', () => {
  const mask = createSecretMask(['eightchr', 'seven7c', 'one-with-16-char\nand-with-only15']);
  assert.is(mask.text('eightchr, seven7c'), `${MASK}, seven7c`);
  assert.is(mask.text('one-with-16-char, and-with-only15'), `${MASK}, and-with-only15`);
});

test('of two secrets the longer one is masked whole', () => {
  const mask = createSecretMask(['correct horse', 'correct horse battery']);
  assert.is(mask.text('correct horse battery staple'), `${MASK} staple`);
});

test('data keeps its shape, and its fields are judged by their names', () => {
  const mask = createSecretMask(['correct horse']);
  const date = new Date(0);
  const given = {
    kind: 'reference',
    list: ['a correct horse', 5, null, true],
    headers: { authorization: '0123456789abcdef' },
    query: Object.assign(Object.create(null), { token: '0123456789abcdef' }),
    apiKey: 'env:OPENAI_API_KEY',
    password: 'must be changed on Monday',
    commit: '0123456789abcdef',
    date,
  };
  assert.equal(mask.data(given), {
    kind: 'reference',
    list: [`a ${MASK}`, 5, null, true],
    headers: { authorization: MASK },
    query: { token: MASK },
    apiKey: 'env:OPENAI_API_KEY',
    password: 'must be changed on Monday',
    commit: '0123456789abcdef',
    date,
  });
  assert.is(mask.data(undefined), undefined);
});

test('the argument after an option for a secret is masked, in data and in its text', () => {
  const mask = createSecretMask();
  const command = [
    '/bin/x',
    '--token',
    'argvsecret123456',
    '--api-key=k3y-9988776655',
    '--tokens',
    '12',
  ];
  const masked = ['/bin/x', '--token', '********', '--api-key=********', '--tokens', '12'];
  assert.equal(mask.data({ command }), { command: masked });
  assert.equal(mask.data(['token', 'word-123456']), ['token', 'word-123456'], 'it is no option');
  const compact = JSON.stringify(command);
  const nested = compact.replaceAll(',', `,\n${' '.repeat(48)}`);
  for (const text of [compact, JSON.stringify(command, undefined, 2), nested]) {
    assert.equal(JSON.parse(mask.text(text)), masked);
  }
  const within = mask.text(JSON.stringify(JSON.stringify(command.slice(0, 3))));
  assert.equal(JSON.parse(JSON.parse(within)), masked.slice(0, 3));
});

test('no text holds a learnt value, and masking twice changes nothing more', () => {
  const secret = fc.string({ minLength: LEAST_KNOWN_CHARS, maxLength: 40, unit: 'grapheme' });
  fc.assert(
    fc.property(fc.array(secret, { maxLength: 4 }), fc.string(), fc.string(), (secrets, a, b) => {
      const long = secrets.map((value) => value.trim()).filter((value) => value.length >= 8);
      // A placeholder of a secret is not a secret.
      fc.pre(long.every((value) => !/^\**$/u.test(value)));
      const mask = createSecretMask(long);
      const masked = mask.text([a, ...long, b].join('\u0000'));
      for (const value of long) assert.not.ok(masked.includes(value), value);
      assert.is(mask.text(masked), masked);
    }),
  );
});

test('variables are secrets by their names, and those that name a place are not', () => {
  const values = environmentSecrets({
    OPENAI_API_KEY: 'a',
    AWS_SECRET_ACCESS_KEY: 'b',
    AWS_BEARER_TOKEN_BEDROCK: 'c',
    DB_PASSWORD: 'd',
    TOKEN: 'e',
    AWS_WEB_IDENTITY_TOKEN_FILE: '/x',
    SSH_AUTH_SOCK: '/y',
    KEYBOARD: 'qwerty',
    TOKENIZER: 'z',
    GH_TOKEN: undefined,
  });
  assert.equal(values, ['a', 'b', 'c', 'd', 'e']);
});

test.run();
