import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { configTemplate } from '../../../src/engine/config/init-config.js';
import { maskConfigText, maskConfigValues } from '../../../src/engine/config/masked-text.js';

const test = suite('masking the text of a configuration');

test('plain secrets are replaced with stars; references and other values stay', () => {
  const text = `{
  // corp
  "models": { "providers": { "corp": {
    "apiKey": "plain-secret", "baseUrl": "https://ada:pw@corp.example/v1",
    "headers": { "x-team": "blue" } } } },
  "flows": { "notify": { "secret": "env:NOTIFY" }, "runtimes": { "acp": { "env": { "A": "b\\"c" } } } },
  "plugins": { "entries": { "webhooks": { "config": { "routes": { "a": {
    "sessionKey": "agent:main", "secret": { "source": "exec", "provider": "pass", "id": "a/b" } } } } } } }
}`;
  assert.is(
    maskConfigText(text),
    text
      .replace('plain-secret', '*'.repeat(12))
      .replace('ada:pw', '******')
      .replace('blue', '****')
      .replace('b\\"c', '****'),
  );
});

test('the examples of a new configuration are shown as they are', () => {
  assert.is(maskConfigText(configTemplate()), configTemplate());
});

test('misspelt keys and broken lines show no secret', () => {
  assert.is(maskConfigText('{"apiKy": "abc"}'), '{"apiKy": "***"}');
  assert.is(maskConfigText('{"pasword": ["ab", "c"]}'), '{"pasword": ["**", "*"]}');
  const mistyped = '{"memory": {"backend": "extt", "citatons": "auto"}}';
  assert.is(maskConfigText(mistyped), mistyped);
  assert.is(maskConfigText('{"apikey": "abc"}'), '{"apikey": "***"}');
  assert.is(maskConfigText('{"api_key": abc, "n": 1}'), '{"api_key": ***, "*"* *}');
  assert.is(maskConfigText('{"apiKey": "abc\n}'), '{"apiKey": "***\n}');
  assert.is(maskConfigText('{"secret": "env:A" "b": 1}'), '{"secret": "env:A" "b": 1}');
  assert.is(maskConfigText('{"apiKey" "abc"}'), '{"apiKey" "***"}');
  assert.is(maskConfigText('token: abc def\nname: x'), 'token: *** ***\nname: x');
});

test('numbers that may be secrets and token-like words of comments are replaced', () => {
  assert.is(maskConfigText('{"storage": {"url": 1234}}'), '{"storage": {"url": ****}}');
  assert.is(maskConfigText('{"pin": 12345678, "n": 5}'), '{"pin": ********, "n": 5}');
  assert.is(
    maskConfigText('{} // was "aaaabbbbccccdddd1" /* "1aaaabbbbccccdddd" */'),
    '{} // was "*****************" /* "*****************" */',
  );
});

test('all values of invalid JSON can be replaced', () => {
  assert.is(maskConfigValues('{"a": word, "b": 12 }'), '{"a": ****, "b": 12 }');
  assert.is(maskConfigValues('{"a" {"b": "pass word"}}'), '{"*" {"b": "**** ****"}}');
  assert.is(
    maskConfigValues('{"memory": {"backend": "builtin"}}'),
    '{"memory": {"backend": "builtin"}}',
  );
});

test('the text keeps its length and its lines, whatever it is', () => {
  const piece = fc.oneof(
    fc.string(),
    fc.constantFrom('"apiKey":', '"', '{', '}', '\n', '\r\n', ' sk-abcdefgh12345678 ', '[', '//'),
    fc.constantFrom('https://a:b@c/', '"headers":{"a":"', '"secret": "', '\u{1F511}'),
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const text = pieces.join('');
      const masked = maskConfigText(text);
      assert.is(masked.length, text.length);
      assert.equal(
        masked.split(/\r\n|\r|\n/u).map((line) => line.length),
        text.split(/\r\n|\r|\n/u).map((line) => line.length),
      );
    }),
  );
});

test('text that is nested too deeply is masked line by line', () => {
  const text = `${'['.repeat(100_000)}\n"apiKey": "abc"`;
  assert.match(maskConfigText(text), /"apiKey": "\*\*\*"$/);
});

test.run();
