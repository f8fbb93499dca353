import { availableParallelism } from 'node:os';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { usableCores } from '../../../../src/engine/providers/local/vendor.js';
import { folderOf } from '../../../support/temp-folder.js';

const test = suite('cores that may be used');

for (const [limit, cores] of [
  ['50000 100000\n', 1],
  ['100000 100000\n', 1],
  ['250000 100000\n', Math.min(2, availableParallelism())],
  ['max 100000\n', availableParallelism()],
  ['99900000 100000\n', availableParallelism()],
] as const) {
  test(`cpu.max ${limit.trim()} leaves ${cores}`, () => {
    assert.is(usableCores(folderOf({ 'cpu.max': limit }).path), cores);
  });
}

test('without a control group all of them count', () => {
  assert.is(usableCores(folderOf({}).path), availableParallelism());
});

test.run();
