import { symlinkSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  resolveSecret,
  resolveSecrets,
  type SecretContext,
} from '../../../src/engine/secrets/index.js';
import { contextOf, PATIENT, PLANTED, program, ref, refusal, replying } from './support.js';

const test = suite('secrets of programs');

const KEY = ref('exec', 'pass', 'api/key');

type Settings = Parameters<typeof program>[2];

/** A program that prints this whatever it is asked. */
function printing(text: string | Uint8Array, settings: Settings = {}): SecretContext {
  const { folder, context } = program('sh', 'cat > request; cat reply', settings);
  folder.write('reply', text);
  return context;
}

function reply(rest: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ protocolVersion: 1, ...rest });
}

test('a program is asked in JSON on stdin and answers in JSON on stdout', async () => {
  const { context } = program(
    'node',
    replying(
      '(request) => ({ protocolVersion: 1, values: { "api/key": JSON.stringify(request) } })',
    ),
  );
  assert.equal(JSON.parse(await resolveSecret(KEY, context)), {
    protocolVersion: 1,
    provider: 'pass',
    ids: ['api/key'],
  });
});

test('it runs in its own folder', async () => {
  const { context, folder } = program('sh', 'pwd -P', { jsonOnly: false });
  assert.is(await resolveSecret(KEY, context), folder.path);
});

test('its environment is only passEnv, overridden by env', async () => {
  const { context } = program(
    'node',
    'delete process.env.__CF_USER_TEXT_ENCODING; console.log(JSON.stringify(JSON.stringify(process.env)))',
    {
      jsonOnly: false,
      passEnv: ['HOME', 'LANG', 'UNSET'],
      env: { LANG: 'C', REGION: 'eu' },
    },
    { env: { HOME: '/home/ada', LANG: 'de', API_KEY: PLANTED, NODE_OPTIONS: '--bad' } },
  );
  assert.equal(JSON.parse(await resolveSecret(KEY, context)), {
    HOME: '/home/ada',
    LANG: 'C',
    REGION: 'eu',
  });
});

test('its arguments are passed unchanged, without a shell', async () => {
  const args = ['$HOME', '; exit 1', '`ls`', 'two words', '*', '', '--flag="x"'];
  const { context } = program(
    'node',
    'console.log(JSON.stringify(JSON.stringify(process.argv.slice(2))))',
    { jsonOnly: false, args },
  );
  assert.equal(JSON.parse(await resolveSecret(KEY, context)), args);
});

test('a program with several names is called by the configured one', async () => {
  const { folder } = program('sh', '');
  symlinkSync('/bin/sh', folder.at('named'));
  const context = contextOf({
    providers: {
      pass: {
        source: 'exec',
        command: folder.at('named'),
        args: ['-c', 'printf %s "$0"'],
        jsonOnly: false,
        allowSymlinkCommand: true,
        allowInsecurePath: true,
        ...PATIENT,
      },
    },
  });
  assert.is(await resolveSecret(KEY, context), folder.at('named'));
});

test('a program that answers without reading stdin is accepted', async () => {
  // More than the system takes for a reader that never comes.
  const ids = Array.from({ length: 4096 }, (_, at) => `${'i'.repeat(250)}${at}`);
  const { folder, command } = program('sh', 'exec 0<&-; cat reply');
  folder.write('reply', reply({ values: Object.fromEntries(ids.map((id) => [id, 'v'])) }));
  const context = contextOf({
    providers: { pass: { source: 'exec', command, maxOutputBytes: 4_194_304, ...PATIENT } },
    resolution: { maxRefsPerProvider: ids.length, maxBatchBytes: 4_194_304 },
  });
  const inputs = ids.map((id) => ref('exec', 'pass', id));
  const outcomes = await resolveSecrets(inputs, context);
  assert.equal([...new Set(outcomes.map((outcome) => outcome.ok && outcome.value))], ['v']);
});

test('an invalid reply is an error that does not quote it', async () => {
  for (const [text, words] of [
    ['', 'the program printed nothing'],
    [' \n', 'the program printed nothing'],
    [PLANTED, 'the output of the program is not a JSON object'],
    [`"${PLANTED}"`, 'the output of the program is not a JSON object'],
    [`["${PLANTED}"]`, 'the output of the program is not a JSON object'],
    [`{"${PLANTED}`, 'the output of the program is not a JSON object'],
    [`{"values":{"api/key":"${PLANTED}"}}`, 'has no "protocolVersion": 1'],
    [`{"protocolVersion":2,"values":{"api/key":"${PLANTED}"}}`, 'has no "protocolVersion": 1'],
    [`{"protocolVersion":"1","values":{"api/key":"${PLANTED}"}}`, 'has no "protocolVersion": 1'],
    [reply({}), 'returned no value for it'],
    [reply({ values: { other: PLANTED } }), 'returned no value for it'],
    [reply({ values: PLANTED }), 'is not an object'],
    [reply({ values: [PLANTED] }), 'is not an object'],
    [reply({ values: { 'api/key': PLANTED }, errors: [PLANTED] }), 'is not an object'],
    [reply({ values: { 'api/key': '' } }), 'is not a non-empty string'],
    [reply({ values: { 'api/key': 1 } }), 'is not a non-empty string'],
    [reply({ values: { 'api/key': null } }), 'is not a non-empty string'],
    [reply({ values: { 'api/key': { value: PLANTED } } }), 'is not a non-empty string'],
    [Buffer.concat([Buffer.from(`"${PLANTED}`), Buffer.from([0xff, 0x22])]), 'is not UTF-8 text'],
  ] as const) {
    const error = await refusal(KEY, printing(text));
    assert.match(error.message, words, String(text));
    assert.match(
      error.hint ?? '',
      '/secrets with {"protocolVersion":1,"provider":"pass","ids":["api/key"]} on stdin',
    );
  }
});

test('an error that the program reports goes before a value, and its words are not shown', async () => {
  for (const [reported, words] of [
    [{ message: PLANTED }, 'the program returned an error for it'],
    [{ code: PLANTED, message: PLANTED }, 'the program returned an error for it'],
    [PLANTED, 'the program returned an error for it'],
    [null, 'the program returned an error for it'],
    [{ code: 'NOT_FOUND', message: PLANTED }, 'the program does not know this id'],
    [{ code: 'AMBIGUOUS_DUPLICATE_KEY' }, 'the program has several values for it'],
  ] as const) {
    const text = reply({ values: { 'api/key': PLANTED }, errors: { 'api/key': reported } });
    assert.match((await refusal(KEY, printing(text))).message, words);
  }
  const other = reply({ values: { 'api/key': PLANTED }, errors: { other: {} } });
  assert.is(await resolveSecret(KEY, printing(other)), PLANTED);
});

test('the hint names the id that has no value, not the first one', async () => {
  const context = printing(reply({ values: { a: PLANTED }, errors: { c: {} } }));
  const inputs = ['a', 'b', 'c'].map((id) => ref('exec', 'pass', id));
  const outcomes = await resolveSecrets(inputs, context);
  const hints = outcomes.map((outcome) => ('error' in outcome ? outcome.error.hint : undefined));
  assert.match(hints[1] ?? '', /"ids":\["b"\]/u);
  assert.match(hints[2] ?? '', /"ids":\["c"\]/u);
});

test('an id that every object has is not found in every reply', async () => {
  const context = printing(reply({ values: { toString: PLANTED }, errors: {} }));
  const error = await refusal(ref('exec', 'pass', 'constructor'), context);
  assert.match(error.message, 'returned no value for it');
  assert.is(await resolveSecret(ref('exec', 'pass', 'toString'), context), PLANTED);
});

test('a failed program is reported with its exit code or signal, without its stderr', async () => {
  const failing = program('sh', `echo ${PLANTED}; echo ${PLANTED} >&2; exit 7`);
  const exit = await refusal(KEY, failing.context);
  assert.match(exit.message, `${failing.command} exited with code 7`);
  const killed = program('sh', 'kill -TERM $$');
  const signal = await refusal(KEY, killed.context);
  assert.match(signal.message, `${killed.command} was killed by SIGTERM`);
});

test('without jsonOnly what is printed is the value of the one id', async () => {
  for (const [text, value] of [
    [`${PLANTED}\n`, PLANTED],
    [`\n  ${PLANTED} \r\n\n`, PLANTED],
    [`"${PLANTED}"`, PLANTED],
    ['"with \\"quotes\\""', 'with "quotes"'],
    ['"no JSON', '"no JSON'],
    ['123456', '123456'],
    ['null', 'null'],
    [reply({ values: { 'api/key': PLANTED } }), PLANTED],
  ] as const) {
    assert.is(await resolveSecret(KEY, printing(text, { jsonOnly: false })), value);
  }
  for (const [text, words] of [
    ['', 'printed nothing'],
    ['""', 'printed an empty value'],
    [`{"key":"${PLANTED}"}`, 'has no "protocolVersion": 1'],
    [reply({ errors: { 'api/key': {} } }), 'returned an error'],
  ] as const) {
    assert.match((await refusal(KEY, printing(text, { jsonOnly: false }))).message, words);
  }
});

test('without jsonOnly several ids still take a reply in JSON', async () => {
  const inputs = [ref('exec', 'pass', 'a'), ref('exec', 'pass', 'b')];
  const json = printing(reply({ values: { a: '1', b: '2' } }), { jsonOnly: false });
  const found = await resolveSecrets(inputs, json);
  assert.equal(
    found.map((outcome) => outcome.ok && outcome.value),
    ['1', '2'],
  );
  const raw = await resolveSecrets(inputs, printing(PLANTED, { jsonOnly: false }));
  for (const outcome of raw) {
    assert.not(outcome.ok);
    assert.match(outcome.ok ? '' : outcome.error.message, 'one value for 2 ids');
  }
});

test.run();
