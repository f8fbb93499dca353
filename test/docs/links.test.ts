import { dirname, join, normalize } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { allPages, anchorsOf, isThere, linksOf, type Page } from './pages.js';

const pages = allPages();

function faultOfLink(page: Page, target: string): string | undefined {
  if (/^https?:/.test(target)) return undefined;
  const [file = '', anchor] = target.split('#', 2);
  const path = file === '' ? page.path : normalize(join(dirname(page.path), file));
  if (!isThere(path)) return `${page.path}: there is no ${path}`;
  if (anchor === undefined) return undefined;
  const text = pages.find((other) => other.path === path)?.text;
  if (text === undefined) return `${page.path}: ${target} points into a file that is no page`;
  return anchorsOf(text).includes(anchor) ? undefined : `${page.path}: no heading for ${target}`;
}

for (const page of pages) {
  test(`every link of ${page.path} has a target`, () => {
    const faults = linksOf(page.text).flatMap((target) => faultOfLink(page, target) ?? []);
    assert.equal(faults, []);
  });
}

test('every page of docs/ is linked from docs/index.md', () => {
  const index = pages.find((page) => page.path === 'docs/index.md');
  const linked = linksOf(index?.text ?? '').map((target) => normalize(join('docs', target)));
  const missing = pages
    .map((page) => page.path)
    .filter((path) => path.startsWith('docs/') && path !== index?.path && !linked.includes(path));
  assert.equal(missing, []);
});

test('no page names a folder of the machine it was written on', () => {
  const machine = /(?:^|[\s"'`(=])\/(?:work|tmp|root)\b|\/home\/(?!ada\b)/;
  const found = pages.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, at) => (machine.test(line) ? `${path}:${at + 1}: ${line}` : [])),
  );
  assert.equal(found, []);
});

test.run();
