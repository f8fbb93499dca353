import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ERROR_CODES, WARNING_CODES } from '../../src/engine/errors/index.js';
import { DEPENDENCIES } from './command-line.js';
import { AVOIDED } from './glossary.js';
import { allPages, codeSpansOf } from './pages.js';

const pages = allPages();
const errorsPage = pages.find((page) => page.path === 'docs/errors.md')?.text ?? '';

/** The first cells of the tables below a heading. */
function codesUnder(heading: string): readonly string[] {
  const part = errorsPage.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return [...part.matchAll(/^\| `([A-Z_]+)`/gm)].map(([, code = '']) => code);
}

test('docs/errors.md lists exactly the error codes of the registry', () => {
  assert.equal(codesUnder('Error codes'), Object.keys(ERROR_CODES).sort());
});

test('docs/errors.md gives the exit code, the meaning and a hint of every error', () => {
  for (const [code, { exit, summary }] of Object.entries(ERROR_CODES)) {
    const row = `| \`${code}\` | ${exit} | ${summary} | `;
    const [, hint = ''] = errorsPage.split(row);
    assert.match(hint, /^[A-Z][^\n|]+\. \|\n/u, code);
  }
});

test('the meaning of every code is one plain sentence', () => {
  const errors = Object.entries(ERROR_CODES).map(([code, { summary }]) => [code, summary] as const);
  for (const [code, summary] of [...errors, ...Object.entries(WARNING_CODES)]) {
    assert.match(summary, /^(?:[A-Z`]|svc )[^\n]{10,118}\.$/u, code);
    assert.not.match(summary, /\. [A-Z]/u, code);
  }
});

test('neither codes nor hints use words that are hard to read', () => {
  const found = errorsPage
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .filter((line) => AVOIDED.some(([found]) => found.test(line)));
  assert.equal(found, []);
});

test('docs/errors.md lists exactly the warning codes of the registry', () => {
  assert.equal(codesUnder('Warning codes'), Object.keys(WARNING_CODES));
});

test('every code that a page names exists', () => {
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
