import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SecretInput } from '../../../src/engine/config/index.js';
import {
  describeSecret,
  resolveSecret,
  resolveSecrets,
  type SecretOutcome,
} from '../../../src/engine/secrets/index.js';
import { tempFolder } from '../../support/temp-folder.js';
import {
  assertShowsNothing,
  contextOf,
  PATIENT,
  PLANTED,
  program,
  ref,
  refusal,
  replying,
  secretFile,
  writeProgram,
} from './support.js';

const test = suite('resolving secrets');

const PLAIN: SecretInput = { kind: 'plain', value: 'env:NOT_A_REFERENCE' };

function valuesOf(outcomes: readonly SecretOutcome[]): readonly string[] {
  return outcomes.map((outcome) => (outcome.ok ? outcome.value : outcome.error.message));
}

test('plain text is returned as it is, and each resolved value is masked from then on', async () => {
  const masked: string[] = [];
  const onSecret = (value: string): void => void masked.push(value);
  const context = { ...contextOf({}, { env: { API_KEY: PLANTED } }), onSecret };
  assert.is(await resolveSecret(PLAIN, context), 'env:NOT_A_REFERENCE');
  const other = { kind: 'plain', value: 'other' } as const;
  assert.equal(valuesOf(await resolveSecrets([other], context)), ['other']);
  assert.is(await resolveSecret(ref('env', 'default', 'API_KEY'), context), PLANTED);
  assert.equal(masked, ['env:NOT_A_REFERENCE', 'other', PLANTED]);
});

test('messages name a secret without its value', () => {
  const spoken = [
    PLAIN,
    ref('env', 'default', 'OPENAI_API_KEY'),
    ref('env', 'ci', 'OPENAI_API_KEY'),
    ref('file', 'vault', '/providers/openai'),
    ref('exec', 'pass', 'api/key'),
  ].map(describeSecret);
  assert.equal(spoken, [
    'plain text',
    'env OPENAI_API_KEY',
    'env ci:OPENAI_API_KEY',
    'file vault:/providers/openai',
    'exec pass:api/key',
  ]);
});

test('a variable is read without any provider', async () => {
  const context = contextOf({}, { env: { API_KEY: PLANTED } });
  assert.is(await resolveSecret(ref('env', 'default', 'API_KEY'), context), PLANTED);
});

test('the alias that needs no entry is the one of secrets.defaults.env', async () => {
  const context = contextOf({ defaults: { env: 'ci' } }, { env: { API_KEY: PLANTED } });
  assert.is(await resolveSecret(ref('env', 'ci', 'API_KEY'), context), PLANTED);
  const error = await refusal(ref('env', 'default', 'API_KEY'), context);
  assert.match(error.message, 'there is no secret provider "default"');
});

test('a variable that is missing or empty is an error that says so', async () => {
  const context = contextOf({}, { env: { EMPTY: '' } });
  const missing = await refusal(ref('env', 'default', 'API_KEY'), context);
  assert.is(missing.message, 'cannot resolve env API_KEY: the variable is not set');
  assert.is(missing.hint, 'set API_KEY in the environment that svc runs in');
  assert.equal(missing.details, { source: 'env', provider: 'default', id: 'API_KEY' });
  const empty = await refusal(ref('env', 'default', 'EMPTY'), context);
  assert.is(empty.message, 'cannot resolve env EMPTY: the variable is empty');
});

test('a blank value is not a secret, whatever its source', async () => {
  const file = secretFile(JSON.stringify({ blank: ' \n' }));
  const context = contextOf(file.context.settings, { env: { BLANK: '\t' } });
  for (const reference of [ref('env', 'default', 'BLANK'), ref('file', 'vault', '/blank')]) {
    assert.match((await refusal(reference, context)).message, /: the value is blank$/u);
  }
});

test('whitespace around a value is not part of the secret, whatever its source', async () => {
  const padded = ` ${PLANTED}\r\n`;
  const file = secretFile(JSON.stringify({ key: padded }));
  const heard: string[] = [];
  const context = contextOf(file.context.settings, {
    env: { API_KEY: padded },
    onSecret: (value) => heard.push(value),
  });
  const inputs = [ref('env', 'default', 'API_KEY'), ref('file', 'vault', '/key')];
  for (const input of inputs) assert.is(await resolveSecret(input, context), PLANTED);
  assert.equal(valuesOf(await resolveSecrets(inputs, context)), [PLANTED, PLANTED]);
  assert.equal([...new Set(heard)], [PLANTED]);
});

test('an allowlist lets through what it names, and an empty one nothing', async () => {
  const env = { API_KEY: PLANTED, OTHER: PLANTED };
  const some = contextOf({ providers: { ci: { source: 'env', allowlist: ['API_KEY'] } } }, { env });
  assert.is(await resolveSecret(ref('env', 'ci', 'API_KEY'), some), PLANTED);
  const error = await refusal(ref('env', 'ci', 'OTHER'), some);
  assert.match(error.message, 'does not include this variable');
  assert.is(error.hint, 'add "OTHER" to secrets.providers.ci.allowlist');
  const none = contextOf({ providers: { default: { source: 'env', allowlist: [] } } }, { env });
  await refusal(ref('env', 'default', 'API_KEY'), none);
});

test('an alias without an entry, or of another source, is an error that names those that fit', async () => {
  const { context } = secretFile('{}');
  const unknown = await refusal(ref('file', 'safe', '/a'), context);
  assert.match(unknown.message, 'there is no secret provider "safe"');
  assert.is(
    unknown.hint,
    'add secrets.providers.safe with source "file", or use another provider: vault',
  );
  const other = await refusal(ref('exec', 'vault', 'a'), context);
  assert.match(other.message, 'the secret provider "vault" has the source "file", not "exec"');
  assert.is(other.hint, 'use "source": "file" in the reference');
  await refusal(ref('exec', 'default', 'a'), context);
  await refusal(ref('file', 'default', '/a'), context);
});

test('an alias that every object has is no provider', async () => {
  const error = await refusal(ref('file', 'constructor', '/a'), contextOf({}));
  assert.match(error.message, 'there is no secret provider "constructor"');
});

test('several secrets are returned in order, each with its own outcome', async () => {
  const file = secretFile(JSON.stringify({ a: 'one', n: 1 }));
  const { command } = program('node', replying('({ ids }) => ({ protocolVersion: 1 })'));
  const context = contextOf(
    {
      providers: {
        ...file.context.settings.providers,
        pass: { source: 'exec', command, ...PATIENT },
      },
    },
    { env: { API_KEY: 'two' } },
  );
  const outcomes = await resolveSecrets(
    [
      ref('exec', 'pass', 'x'),
      ref('file', 'vault', '/a'),
      PLAIN,
      ref('file', 'vault', '/n'),
      ref('env', 'default', 'API_KEY'),
      ref('env', 'default', 'MISSING'),
      ref('file', 'vault', '/a'),
    ],
    context,
  );
  assert.equal(valuesOf(outcomes), [
    'cannot resolve exec pass:x: the program returned no value for it',
    'one',
    'env:NOT_A_REFERENCE',
    `cannot resolve file vault:/n: the value in ${file.path} is not a non-empty string`,
    'two',
    'cannot resolve env MISSING: the variable is not set',
    'one',
  ]);
  assert.equal(await resolveSecrets([], context), []);
});

test('a program runs once for all its IDs, each requested once', async () => {
  const { folder, context } = program(
    'node',
    `require('node:fs').appendFileSync('calls', 'x');
     ${replying('(request) => ({ protocolVersion: 1, values: Object.fromEntries(request.ids.map((id) => [id, JSON.stringify(request)])) })')}`,
  );
  const inputs = ['b', 'a', 'b'].map((id) => ref('exec', 'pass', id));
  const request = '{"protocolVersion":1,"provider":"pass","ids":["b","a"]}';
  assert.equal(valuesOf(await resolveSecrets(inputs, context)), [request, request, request]);
  assert.is(readFileSync(folder.at('calls'), 'utf8'), 'x');
});

test('a provider that fails fails all its references, and no others', async () => {
  const { command } = program('sh', `echo ${PLANTED} >&2; exit 3`);
  const context = contextOf(
    { providers: { pass: { source: 'exec', command, ...PATIENT } } },
    { env: { API_KEY: PLANTED } },
  );
  const outcomes = await resolveSecrets(
    [ref('exec', 'pass', 'a'), ref('env', 'default', 'API_KEY'), ref('exec', 'pass', 'b')],
    context,
  );
  assert.equal(valuesOf(outcomes), [
    `cannot resolve exec pass:a: ${command} exited with code 3`,
    PLANTED,
    `cannot resolve exec pass:b: ${command} exited with code 3`,
  ]);
  for (const outcome of outcomes) if (!outcome.ok) assertShowsNothing(outcome.error);
});

test('no more references than allowed are asked of one provider; doubles count once', async () => {
  const env = { A: '1', B: '2', C: '3' };
  const context = contextOf({ resolution: { maxRefsPerProvider: 2 } }, { env });
  const ask = (...ids: readonly string[]) =>
    resolveSecrets(
      ids.map((id) => ref('env', 'default', id)),
      context,
    );
  assert.equal(valuesOf(await ask('A', 'B', 'A')), ['1', '2', '1']);
  for (const outcome of await ask('A', 'B', 'C')) {
    assert.not(outcome.ok);
    assert.match(
      outcome.ok ? '' : outcome.error.message,
      'asked for 3 secrets at once; the limit is 2',
    );
    assert.match(outcome.ok ? '' : (outcome.error.hint ?? ''), 'maxRefsPerProvider 3');
  }
});

test('a request to a program has no more bytes than allowed', async () => {
  const { command } = program(
    'node',
    replying('() => ({ protocolVersion: 1, values: { abc: "v" } })'),
  );
  const bytes = '{"protocolVersion":1,"provider":"pass","ids":["abc"]}'.length;
  const context = (maxBatchBytes: number) =>
    contextOf({
      providers: { pass: { source: 'exec', command, ...PATIENT } },
      resolution: { maxBatchBytes },
    });
  assert.is(await resolveSecret(ref('exec', 'pass', 'abc'), context(bytes)), 'v');
  const error = await refusal(ref('exec', 'pass', 'abc'), context(bytes - 1));
  assert.match(error.message, `has ${bytes} bytes; the limit is ${bytes - 1}`);
  assert.match(error.hint ?? '', `secrets.resolution.maxBatchBytes ${bytes}`);
});

/** Three programs that note when they begin and end; each waits until `together` have begun. */
async function overlapWith(maxProviderConcurrency: number, together: number): Promise<number> {
  const folder = tempFolder();
  const body = `
    const { appendFileSync, readFileSync } = require('node:fs');
    appendFileSync('log', '+');
    const begun = () => readFileSync('log', 'utf8').split('+').length - 1;
    const wait = setInterval(() => {
      if (begun() < ${together}) return;
      clearInterval(wait);
      appendFileSync('log', '-');
      process.stdout.write('value');
    }, 5);`;
  const command = writeProgram(folder, 'program', 'node', body);
  const entry = { source: 'exec', command, jsonOnly: false, ...PATIENT } as const;
  const context = contextOf({
    providers: { a: entry, b: entry, c: entry },
    resolution: { maxProviderConcurrency },
  });
  const inputs = ['a', 'b', 'c'].map((alias) => ref('exec', alias, 'id'));
  assert.equal(valuesOf(await resolveSecrets(inputs, context)), ['value', 'value', 'value']);
  let running = 0;
  let most = 0;
  for (const mark of readFileSync(folder.at('log'), 'utf8')) {
    running += mark === '+' ? 1 : -1;
    most = Math.max(most, running);
  }
  return most;
}

test('providers run concurrently, up to the limit', async () => {
  assert.is(await overlapWith(1, 1), 1);
  assert.is(await overlapWith(2, 2), 2);
  assert.is(await overlapWith(3, 3), 3);
});

test('after an abort no provider runs, and its reason is thrown', async () => {
  const reason = new Error('stopped');
  const signal = AbortSignal.abort(reason);
  const { folder, command } = program('sh', 'touch ran');
  const { path } = secretFile('{"a":"b"}');
  const context = contextOf(
    { providers: { pass: { source: 'exec', command }, vault: { source: 'file', path } } },
    { signal },
  );
  for (const input of [ref('exec', 'pass', 'a'), ref('file', 'vault', '/a')]) {
    const thrown = await resolveSecret(input, context).catch((error: unknown) => error);
    assert.is(thrown, reason);
    const together = await resolveSecrets([input], context).catch((error: unknown) => error);
    assert.is(together, reason);
  }
  assert.throws(() => readFileSync(folder.at('ran')));
});

test.run();
