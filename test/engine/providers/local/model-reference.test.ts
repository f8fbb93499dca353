import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  cacheFileName,
  parseModelReference,
  type RemoteReference,
} from '../../../../src/engine/providers/local/model.js';
import { DEFAULT_MODEL } from '../../../../src/engine/providers/local/runtime/store.js';
import { VendorFault } from '../../../../src/engine/providers/vendor-fault.js';

const test = suite('references of models');

test('unset, it is the default model', () => {
  const reference = parseModelReference(undefined);
  assert.equal(reference, parseModelReference(DEFAULT_MODEL));
  assert.ok(reference.kind === 'hub');
  assert.is(reference.repository, 'ggml-org/embeddinggemma-300m-qat-q8_0-GGUF');
});

test('a path is a file, whatever it ends in', () => {
  assert.equal(parseModelReference('/models/a b.gguf'), {
    kind: 'file',
    path: '/models/a b.gguf',
    name: 'a b.gguf',
  });
});

test('hf: names a file, with a revision where it is another than main', () => {
  assert.equal(parseModelReference('hf://ada/words/sub/w.gguf#v2'), {
    kind: 'hub',
    repository: 'ada/words',
    revision: 'v2',
    file: { path: 'sub/w.gguf' },
    name: 'hf:ada/words/sub/w.gguf#v2',
  });
});

test('a quantization is the same in small letters', () => {
  assert.equal(parseModelReference('hf:ada/words:q8_0'), parseModelReference('hf:ada/words:Q8_0'));
});

for (const wrong of [
  'hf:words',
  'hf:ada/words',
  'hf:ada/words/w.bin',
  'hf:ada/words/../../x.gguf',
  'hf:ada/words/w-00001-of-00003.gguf',
  'https://',
]) {
  test(`${wrong} is refused, with the forms there are`, () => {
    assert.throws(
      () => parseModelReference(wrong),
      (error: unknown) =>
        error instanceof VendorFault &&
        error.details.kind === 'setup' &&
        error.details.hint !== undefined,
    );
  });
}

test('what may be secret in an address is not in its name', () => {
  const reference = parseModelReference('https://ada:pw@host/m.gguf?sig=secret');
  assert.match(reference.name, /^https:\/\/host\/m\.gguf#[0-9a-f]{8}$/u);
});

test('references that differ anywhere are kept in different files', () => {
  const names = [
    'https://a/m.gguf',
    'https://b/m.gguf',
    'https://a/m.gguf?v=2',
    'https://a/x/m.gguf',
    'hf:a/b/m.gguf',
    'hf:a/b/m.gguf#dev',
    'hf:a/b:Q8_0',
    'hf:a/b:Q4_0',
  ].map((text) => cacheFileName(parseModelReference(text) as RemoteReference));
  assert.is(new Set(names).size, names.length);
  for (const name of names) assert.match(name, /^[\w.-]+\.gguf$/u);
});

test.run();
