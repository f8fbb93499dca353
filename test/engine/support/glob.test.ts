import fc from 'fast-check';
import picomatch from 'picomatch';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createGlob, isGlob, LONGEST_GLOB } from '../../../src/engine/support/glob.js';

const test = suite('globs');

function matches(glob: string, path: string, dot = true): boolean {
  return createGlob(glob, { dot })(path);
}

test('stars, question marks and classes stay within a name', () => {
  assert.ok(matches('memory/2026-*.md', 'memory/2026-01-02.md'));
  assert.not(matches('memory/*.md', 'memory/deep/x.md'));
  assert.ok(matches('?.md', 'ü.md') && matches('?.md', '🦓.md'));
  assert.not(matches('a?b', 'a/b'));
  assert.ok(matches('[a-c]x', 'bx') && !matches('[!a-c]x', 'bx') && matches('[^a-c]x', 'dx'));
  assert.not(matches('a[!x]b', 'a/b'));
  assert.ok(matches('[]]', ']') && matches('[a-]', '-') && matches('[', '['));
});

test('two stars match any number of folders, including none', () => {
  for (const path of ['x.md', 'a/x.md', 'a/b/x.md']) assert.ok(matches('**/*.md', path), path);
  for (const path of ['a/b', 'a/b/c']) assert.ok(matches('a/**', path), path);
  assert.ok(matches('a/**/z', 'a/z') && matches('a/**/z', 'a/b/c/z'));
  assert.not(matches('a/**/z', 'a/bz'));
  assert.not(matches('a**z', 'a/z'));
  assert.not(matches('a/**', 'a') || matches('{a,b/c}/**', 'a'));
});

test('braces list alternatives, a leading ! negates, a backslash escapes', () => {
  for (const path of ['notes/a.md', 'wiki/b.md', 'wiki/deep/c.md']) {
    assert.ok(matches('{notes,wiki,}/{*.md,**/*.md}', path), path);
  }
  assert.ok(matches('{a,{b,c}}d', 'cd') && matches('{a', '{a') && matches('a,b', 'a,b'));
  assert.ok(matches('{a/**,b/**}', 'a/x/y') && matches('{a/**,b/**}', 'b/x/y'));
  assert.ok(matches('!*.md', 'a.txt') && !matches('!*.md', 'a.md') && matches('!!*.md', 'a.md'));
  assert.ok(matches('\\*', '*') && !matches('\\*', 'a') && matches('[\\]]', ']'));
});

test('names that begin with a dot match only if enabled', () => {
  for (const glob of ['*', '?x', '[.]x', '**', '**/.x']) assert.ok(matches(glob, '.x'), glob);
  for (const glob of ['*', '?x', '[.]x', '**']) assert.not(matches(glob, '.x', false), glob);
  assert.ok(matches('.*', '.x', false) && !matches('**/x', '.git/x', false));
});

test('invalid and misleading patterns are refused', () => {
  for (const glob of ['', 'x'.repeat(LONGEST_GLOB + 1), '+(a|b)', '!(a).md', '@(a)']) {
    assert.throws(() => createGlob(glob, { dot: true }), RangeError, glob);
  }
});

test('distinguishes a pattern from a name', () => {
  for (const glob of ['*', 'a?', '[ab]', '{a,b}', '!a']) assert.ok(isGlob(glob), glob);
  for (const name of ['a.md', 'a\\*b', 'notes (old).md', '']) assert.not(isGlob(name), name);
});

test('matches what picomatch matches', () => {
  const pieces = fc.constantFrom(
    'a',
    'b',
    '*',
    '?',
    '/',
    '[ab]',
    '{a,b}',
    '{a,b/c}',
    '**/',
    '/**',
    '\\*',
  );
  const glob = fc.array(pieces, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(''));
  const name = fc.array(fc.constantFrom('a', 'b', 'c', '*', 'a.b'), { minLength: 1, maxLength: 3 });
  const path = fc.array(
    name.map((parts) => parts.join('')),
    { minLength: 1, maxLength: 3 },
  );
  fc.assert(
    fc.property(glob, path, fc.boolean(), (pattern, names, dot) => {
      // A folder itself is no file, so whether "a/", "a//b" or "a/**" takes it is of no interest; and two stars
      // that are not all of a name are one star, where picomatch goes into folders before a brace.
      fc.pre(!/\/\/|^\/|\/$|\*\*[^/]|[^/]\*\*/u.test(pattern));
      const file = names.join('/');
      const folder = pattern.endsWith('/**') ? pattern.slice(0, -'/**'.length) : undefined;
      fc.pre(folder === undefined || !picomatch(folder, { dot })(file));
      assert.is(
        matches(pattern, file, dot),
        picomatch(pattern, { dot })(file),
        `${pattern} ${file}`,
      );
    }),
    { numRuns: 2000 },
  );
});

test('a hostile pattern is decided quickly, even for paths longer than any real one', () => {
  for (const piece of ['*a', '**/', '{a,a}', '{a,*}', '{*,**}*', '[a]*', '?*', '{{*a,*},*a}*']) {
    const isMatch = createGlob(
      `${piece.repeat(Math.floor(LONGEST_GLOB / piece.length) - 1)}b`.slice(0, LONGEST_GLOB),
      { dot: true },
    );
    // With backtracking it would never end: every character more multiplies the time.
    assert.not(isMatch(`${'a'.repeat(10_000)}c`), piece);
  }
});

test.run();
