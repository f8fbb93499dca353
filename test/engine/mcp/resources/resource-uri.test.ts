import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { resourcePart, resourceUri } from '../../../../src/engine/mcp/resources.js';

const test = suite('addresses of memory files');

test('read like the path', () => {
  assert.is(resourceUri('memory/2026-02-03.md'), 'memory://workspace/memory/2026-02-03.md');
  assert.is(resourceUri('memory/a b#c.md'), 'memory://workspace/memory/a%20b%23c.md');
  assert.is(resourceUri('../../notes/x.md'), 'memory://up2/notes/x.md');
  assert.is(resourceUri('C:/notes/x.md'), 'memory://absolute/C%3A/notes/x.md');
});

const names = fc
  .string({ minLength: 1, unit: 'grapheme' })
  .filter((name) => !name.includes('/') && name !== '.' && name !== '..');
const paths = fc
  .tuple(fc.nat(3), fc.array(names, { minLength: 1, maxLength: 4 }))
  .map(([ups, parts]) => '../'.repeat(ups) + parts.join('/'));

test('lead back to every path, also after a reader of addresses had them', () => {
  fc.assert(
    fc.property(paths, (path) => {
      const uri = resourceUri(path);
      assert.equal(resourcePart(uri), { path, from: 1 });
      assert.is(resourcePart(new URL(uri).href)?.path, path);
      assert.equal(resourcePart(`${uri}?from=201`), { path, from: 201 });
    }),
  );
});

test('are made of names that no address can hold, too', () => {
  assert.is(resourceUri('a\uD800.md'), 'memory://workspace/a%EF%BF%BD.md');
});

test('of another kind, or broken, lead nowhere', () => {
  const others = [
    '',
    'file:///etc/passwd',
    'memory://workspace/',
    'memory://other/x.md',
    'memory://up0/x.md',
    'memory://workspace/%E0%A4%A',
  ];
  for (const uri of others) assert.is(resourcePart(uri), undefined, uri);
});

test.run();
