import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ERROR_CODES, WARNING_CODES } from '../../src/engine/errors/index.js';
import { DEPENDENCIES } from './command-line.js';
import { allPages, codeSpansOf } from './pages.js';

const pages = allPages();
const errorsPage = pages.find((page) => page.path === 'docs/errors.md')?.text ?? '';

/** The first cells of the tables below a heading. */
function codesUnder(heading: string): readonly string[] {
  const part = errorsPage.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return [...part.matchAll(/^\| `([A-Z_]+)`/gm)].map(([, code = '']) => code);
}

test('docs/errors.md lists the error codes of the registry, no more and no less', () => {
  assert.equal(codesUnder('Error codes'), Object.keys(ERROR_CODES));
});

test('docs/errors.md gives the exit code of every error', () => {
  for (const [code, { exit }] of Object.entries(ERROR_CODES)) {
    assert.ok(errorsPage.includes(`| \`${code}\` | ${exit} |`), code);
  }
});

test('docs/errors.md lists the warning codes of the registry, no more and no less', () => {
  assert.equal(codesUnder('Warning codes'), Object.keys(WARNING_CODES));
});

test('every code that a page names is one of them', () => {
  const known = new Set([...Object.keys(ERROR_CODES), ...Object.keys(WARNING_CODES)]);
  const prefixes = new Set([...known].map((code) => code.split('_')[0]));
  const unknown = pages.flatMap(({ path, text }) =>
    codeSpansOf(text)
      .filter((span) => /^[A-Z]+_[A-Z_]+$/.test(span) && prefixes.has(span.split('_')[0]))
      .filter((code) => !known.has(code))
      .map((code) => `${path}: ${code}`),
  );
  assert.equal(unknown, []);
});

test('docs/architecture.md gives a reason for every dependency, and for no other', () => {
  const page = pages.find(({ path }) => path === 'docs/architecture.md')?.text ?? '';
  const part = page.split('## Dependencies\n')[1]?.split('\n## ')[0] ?? '';
  const rows = part.split('\n').filter((line) => line.startsWith('| `'));
  const named = rows.flatMap((row) => codeSpansOf(row.split(' | ')[0] ?? ''));
  assert.equal([...named].sort(), [...DEPENDENCIES].sort());
});

test.run();
