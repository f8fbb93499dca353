import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checkConfigText } from '../../../src/engine/config/check.js';
import { resolveConfig } from '../../../src/engine/config/resolve-config.js';
import { configSchema } from '../../../src/engine/config/schema/index.js';
import { walkKeys } from '../../../src/engine/config/schema/walk.js';

const test = suite('any content of a file');

const PATHS = [...walkKeys(configSchema)].map(({ path }) => path);

/** Data that reaches deep into the schema, with anything at its end. */
const nearlyRight: fc.Arbitrary<unknown> = fc
  .tuple(fc.constantFrom(...PATHS), fc.jsonValue(), fc.string())
  .map(([path, value, key]) =>
    path.reduceRight<unknown>(
      (below, segment) => ({ [segment === '*' ? key : segment]: below }),
      value,
    ),
  );

function check(text: string): void {
  const { faults, warnings, input } = checkConfigText('/svc.json', text);
  const lines = text.split('\n').length;
  for (const { location, message } of [...faults, ...warnings]) {
    assert.ok(location.line >= 1 && location.line <= lines && location.column >= 1);
    assert.ok(message.length > 0);
  }
  // Either there is something wrong, or it can be used.
  if (faults.length > 0) assert.is(input, undefined);
  else resolveConfig(input ?? {});
}

test('any JSON is checked without a crash', () => {
  fc.assert(fc.property(fc.json(), check), { numRuns: 300 });
});

test('any data close to the schema is checked without a crash', () => {
  const text = nearlyRight.map((value) => JSON.stringify(value, null, 1));
  fc.assert(fc.property(text, check), { numRuns: 1000 });
});

test('an object with a length, in the place of a text or a list, is checked without a crash', () => {
  for (const length of [{}, [], 'x', null, 3]) {
    const thing = { length };
    check(JSON.stringify({ agents: { list: [{ id: thing, workspace: thing }] } }));
    check(JSON.stringify({ flows: { runtimes: { acp: { command: thing } } } }));
    check(
      JSON.stringify({
        plugins: { entries: { 'active-memory': { config: { agents: [thing] } } } },
      }),
    );
    check(JSON.stringify({ models: { providers: { a: { apiKey: thing } } } }));
    check(JSON.stringify({ agents: { defaults: { memorySearch: { sources: thing } } } }));
    check(JSON.stringify({ secrets: { providers: { a: { source: 'exec', args: thing } } } }));
  }
});

test('any text is checked without a crash', () => {
  const unit = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    '"',
    ':',
    ',',
    '/',
    '*',
    '\n',
    'a',
    '1',
    '\\',
    '😀',
  );
  fc.assert(fc.property(fc.oneof(fc.string(), fc.string({ unit })), check), { numRuns: 500 });
});

for (const key of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
  test(`the key ${key} is like any other unknown key`, () => {
    for (const text of [`{"${key}": {"x": 1}}`, `{"memory": {"${key}": 1}}`]) {
      const { faults } = checkConfigText('f', text);
      assert.equal(
        faults.map(({ code }) => code),
        ['unknown-key'],
      );
    }
    assert.not.ok('x' in {});
  });
}

test('__proto__ is refused as a custom name, too', () => {
  const provider = '{"baseUrl": "https://a.example"}';
  const text = `{"models": {"providers": {"__proto__": ${provider}}}}`;
  assert.equal(
    checkConfigText('f', text).faults.map(({ code, path }) => [code, path]),
    [['unknown-key', 'models.providers.__proto__']],
  );
});

test.run();
