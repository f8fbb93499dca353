import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SvcError } from '../../../../src/engine/errors/index.js';
import { createPathFilter } from '../../../../src/engine/memory/search/path-glob.js';

const test = suite('path patterns');

const PATHS = [
  'MEMORY.md',
  'memory/2026-01-02.md',
  'memory/deep/x.md',
  '.hidden/y.md',
  '../out/z.md',
];
function kept(glob: string): string[] {
  const isKept = createPathFilter(glob);
  return PATHS.filter((path) => isKept(path));
}

test('a pattern with a slash is compared with the whole path', () => {
  assert.equal(kept('memory/**'), ['memory/2026-01-02.md', 'memory/deep/x.md']);
  assert.equal(kept('memory/*'), ['memory/2026-01-02.md']);
  assert.equal(kept('memory/2026-*.md'), ['memory/2026-01-02.md']);
  assert.equal(kept('../out/*'), ['../out/z.md']);
});

test('a folder matches what is below it', () => {
  for (const folder of ['memory', 'memory/', './memory', './memory/']) {
    assert.equal(kept(folder), ['memory/2026-01-02.md', 'memory/deep/x.md'], folder);
  }
  assert.equal(kept('memory/deep'), ['memory/deep/x.md']);
  assert.equal(kept('deep'), ['memory/deep/x.md']);
  assert.equal(kept('mem'), []);
  assert.equal(kept('deep/'), []);
  assert.throws(() => kept('/home/ada/notes/memory'), /must be relative to the workspace/);
});

test('a path as in search results matches itself, whatever is in its name', () => {
  for (const path of ['memory/[x]/{a}.md', 'memory/!b*.md', '[x].md', '../[c]/?.md']) {
    assert.ok(createPathFilter(path)(path), path);
  }
  assert.ok(createPathFilter('memory/[x]')('memory/[x]/y.md'));
  assert.ok(createPathFilter('[x]')('memory/[x]/y.md'));
  assert.not.ok(createPathFilter('memory/[x]')('memory/y/y.md'));
});

test('accents match in either form of Unicode', () => {
  const [composed, decomposed] = ['memory/caf\u00e9.md', 'memory/cafe\u0301.md'];
  for (const glob of [composed, decomposed, 'caf?.md']) {
    const isKept = createPathFilter(glob);
    assert.equal(
      [composed, decomposed].map((path) => isKept(path)),
      [true, true],
      glob,
    );
  }
});

test('a pattern without a slash is compared with file names, in any folder', () => {
  assert.equal(kept('x.md'), ['memory/deep/x.md']);
  assert.equal(kept('[xy].md'), ['memory/deep/x.md', '.hidden/y.md']);
  assert.equal(kept('MEMORY.md'), ['MEMORY.md']);
});

test('a pattern may exclude', () => {
  assert.equal(kept('!memory/**'), ['MEMORY.md', '.hidden/y.md', '../out/z.md']);
});

test('invalid patterns are usage errors, odd ones match nothing', () => {
  for (const glob of ['', 'x'.repeat(70_000), '+(a|b).md']) {
    try {
      createPathFilter(glob);
      assert.unreachable();
    } catch (error) {
      assert.ok(error instanceof SvcError && error.code === 'USAGE');
    }
  }
  for (const glob of ['[', '(', '{a', '\\', '!(', '***/', '\0']) assert.equal(kept(glob), [], glob);
});

test.run();
