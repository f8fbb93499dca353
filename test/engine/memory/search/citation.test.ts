import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  documentName,
  formatCitation,
  formatPages,
  parseCitation,
  withSourceFooter,
} from '../../../../src/engine/memory/search/citation.js';
import { codePoint } from '../../../support/code-point.js';

const test = suite('citations');

const ranges = fc
  .record({ startLine: fc.integer({ min: 1, max: 999_999 }), length: fc.nat(500) })
  .map(({ startLine, length }) => ({ startLine, endLine: startLine + length }));

test('a formatted citation is parsed back, whatever the path', () => {
  const paths = fc.oneof(
    fc.string({ unit: codePoint, minLength: 1 }),
    fc.constantFrom('a#L1', 'a#L3-L5.md', 'one\ntwo.md', '#L1#L2', 'ש.md'),
  );
  fc.assert(
    fc.property(paths, ranges, (path, range) => {
      assert.equal(parseCitation(formatCitation({ path, ...range })), { path, range });
    }),
  );
});

test('one line is cited as one', () => {
  assert.is(formatCitation({ path: 'a.md', startLine: 3, endLine: 3 }), 'a.md#L3');
  assert.is(formatCitation({ path: 'a.md', startLine: 3, endLine: 5 }), 'a.md#L3-L5');
});

test('pages of a PDF are cited and parsed back', () => {
  const pages = { firstPage: 3, lastPage: 4 };
  assert.is(formatPages({ path: 'a.pdf' }, { ...pages, lastPage: 3 }), 'a.pdf#p3');
  assert.is(formatPages({ path: 'a.pdf' }, pages), 'a.pdf#p3-p4');
  assert.equal(parseCitation('a.pdf#p3-p4'), { path: 'a.pdf', pages });
});

test('a file of another host is cited with its name', () => {
  const place = { origin: 'host-b', path: 'memory/a.md', startLine: 3, endLine: 6 };
  assert.is(formatCitation(place), 'host-b:memory/a.md#L3-L6');
  assert.is(documentName(place), 'host-b:memory/a.md');
  assert.is(documentName({ path: 'memory/a.md' }), 'memory/a.md');
});

test('GitHub’s short form is read too', () => {
  assert.equal(parseCitation('a.md#L3-5').range, { startLine: 3, endLine: 5 });
});

test('the location format of grep and compilers is read too, but not a time of day', () => {
  assert.equal(parseCitation('memory/a.md:12'), {
    path: 'memory/a.md',
    range: { startLine: 12, endLine: 12 },
  });
  assert.equal(parseCitation('a.jsonl:3-5').range, { startLine: 3, endLine: 5 });
  assert.equal(parseCitation('the meeting at 10:30'), { path: 'the meeting at 10:30' });
});

test('a number beyond any line is still a number', () => {
  const endLine = 999_999_999;
  const huge = '9'.repeat(20);
  assert.equal(parseCitation(`a.md#L1-L${huge}`), {
    path: 'a.md',
    range: { startLine: 1, endLine },
  });
  assert.is(parseCitation(`a.pdf#p${huge}`).pages?.firstPage, endLine);
});

test('anything else is a path', () => {
  for (const text of ['a.md', 'a#b.md', 'a.md#L', '#L3', 'a.md#L3-', 'a.md#Lx', '']) {
    assert.equal(parseCitation(text), { path: text });
  }
});

test('the footer is below the snippet', () => {
  assert.is(withSourceFooter('text', 'a.md#L1'), 'text\n\nSource: a.md#L1');
  assert.is(withSourceFooter('text', undefined), 'text');
});

test.run();
