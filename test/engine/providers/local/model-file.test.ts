import { execFileSync } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tinyModel } from '../../../../scripts/tiny-gguf/tiny-model.js';
import { checkModelFile } from '../../../../src/engine/providers/local/model.js';
import { tempFolder } from '../../../support/temp-folder.js';

const test = suite('checking a model file');

/** Magic, version, tensor count, key count. */
const HEADER_BYTES = 24;
const folder = tempFolder();
const check = (bytes: Buffer): void => checkModelFile(folder.write('model.gguf', bytes));

test('a whole file passes', () => {
  check(tinyModel());
});

test('a file that ends within its header or before its last tensor is incomplete', () => {
  for (const bytes of [HEADER_BYTES - 1, HEADER_BYTES, 100, 1000, 3000, 100_000]) {
    assert.throws(
      () => check(tinyModel().subarray(0, bytes)),
      /it is damaged or incomplete/u,
      `${bytes} bytes`,
    );
  }
});

test('something else, and a version that the library does not read, are named as what they are', () => {
  assert.throws(() => check(Buffer.from('<ht')), /it is not a GGUF file/u);
  const other = Buffer.from(tinyModel());
  other.writeUInt32LE(9, 4);
  assert.throws(() => check(other), /its GGUF version is 9/u);
  const short = other.subarray(0, HEADER_BYTES - 1);
  assert.throws(() => check(short), /it is damaged or incomplete/u);
});

test('a pipe is not waited for', () => {
  execFileSync('mkfifo', [folder.at('pipe.gguf')]);
  assert.throws(() => checkModelFile(folder.at('pipe.gguf')), /it is not a file/u);
});

test('a length or a type that cannot be is found before the library allocates for it', () => {
  // Of the name of the first key, and the type of its value.
  const nameBytes = Number(tinyModel().readBigUInt64LE(HEADER_BYTES));
  const typeAt = HEADER_BYTES + 8 + nameBytes;
  for (const [at, value] of [
    [HEADER_BYTES, 3_000_000_000],
    [HEADER_BYTES + 4, 0x7fff_ffff],
    [typeAt, 99],
  ] as const) {
    const model = Buffer.from(tinyModel());
    model.writeUInt32LE(value, at);
    assert.throws(() => check(model), /it is damaged or incomplete/u);
  }
});

test.run();
