import { statSync } from 'node:fs';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type ExtState,
  extStateFile,
  readExtState,
  updateExtState,
} from '../../../../../src/engine/memory/backends/ext/ext-state.js';
import { tempFolder } from '../../../../support/temp-folder.js';

const test = suite('the state of an external index');

const FULL: ExtState = {
  detected: {
    key: 'k',
    features: {
      release: '2.8.3',
      patternFlag: '--mask',
      manyCollections: true,
      json: ['--json'],
      vectorSearch: true,
    },
  },
  collections: [{ name: 'a', root: '/a', pattern: '**/*.md' }],
  updated: { atMs: 5, tookMs: 6, files: 7, tree: 't', withoutVectors: null },
  embedded: { atMs: 8, failures: 1 },
  rest: { key: 'k', failures: 1, untilMs: 9, code: 'BACKEND_FAILED', message: 'm', hint: 'h' },
};

test('state is read back as it was written, and is private to its owner', () => {
  const dir = tempFolder().at('agents/main/qmd');
  updateExtState(dir, () => FULL);
  assert.equal(readExtState(dir), FULL);
  assert.is(statSync(extStateFile(dir)).mode & 0o777, 0o600);
});

test('any broken file can be read', () => {
  const folder = tempFolder();
  const broken = fc.oneof(
    fc.string(),
    fc.json(),
    fc
      .tuple(fc.constantFrom(...Object.keys(FULL)), fc.jsonValue())
      .map(([field, value]) => JSON.stringify({ ...FULL, [field]: value })),
    fc.nat(JSON.stringify(FULL).length).map((length) => JSON.stringify(FULL).slice(0, length)),
  );
  fc.assert(
    fc.property(broken, (text) => {
      folder.write('state.json', text);
      const { collections, updated, rest } = readExtState(folder.path);
      assert.ok(
        collections.every(({ name, root }) => typeof name + typeof root === 'stringstring'),
      );
      assert.ok(updated === undefined || Number.isFinite(updated.atMs));
      assert.ok(rest === undefined || Number.isFinite(rest.untilMs));
    }),
  );
});

test('a pause without an end or a reason is ignored', () => {
  const folder = tempFolder();
  for (const broken of [{ untilMs: '9' }, { untilMs: null }, { failures: {} }, { hint: 7 }]) {
    folder.write('state.json', JSON.stringify({ ...FULL, rest: { ...FULL.rest, ...broken } }));
    assert.is(readExtState(folder.path).rest, undefined, JSON.stringify(broken));
  }
});

test('a broken part does not affect the others', () => {
  const folder = tempFolder();
  folder.write('state.json', JSON.stringify({ ...FULL, updated: 7 }));
  assert.equal(readExtState(folder.path), { ...FULL, updated: undefined });
});

test.run();
