import { hash } from 'node:crypto';
import { closeSync, ftruncateSync, openSync, renameSync, symlinkSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  MAX_DOCUMENT_BYTES,
  readDocument,
} from '../../../../src/engine/memory/sources/read-document.js';
import {
  lineAt,
  type TextLines,
  textLines,
} from '../../../../src/engine/memory/sources/text-lines.js';
import { isOpenedAt } from '../../../../src/engine/support/files.js';
import { backendOn, targetOf } from '../../../support/memory.js';
import { folderOf, tempFolder } from '../../../support/temp-folder.js';

const test = suite('reading documents');

function linesOf(content: string | Uint8Array): readonly string[] {
  const folder = folderOf({ 'a.md': content });
  const outcome = readDocument(folder.at('a.md'), 'a.md');
  if (!outcome.ok) throw new Error(outcome.skip.reason);
  return stringsOf(outcome.document.lines);
}

function stringsOf(lines: TextLines): readonly string[] {
  return Array.from({ length: lines.count }, (_, index) => lineAt(lines, index));
}

test('line ends of Windows and Unix give the same lines', () => {
  assert.equal(linesOf('# A\r\n\r\ntext\r\n'), ['# A', '', 'text']);
  assert.equal(linesOf('# A\n\ntext\n'), ['# A', '', 'text']);
  assert.equal(linesOf('a\r\nb\nc'), ['a', 'b', 'c']);
});

test('a byte order mark is not text, in any encoding', () => {
  const text = '# Ärger 記\n🎉';
  assert.equal(linesOf(`\ufeff${text}`), ['# Ärger 記', '🎉']);
  const little = Buffer.from(`\ufeff${text}`, 'utf16le');
  assert.equal(linesOf(little), ['# Ärger 記', '🎉']);
  assert.equal(linesOf(Buffer.from(little).swap16()), ['# Ärger 記', '🎉']);
});

test('a document is identified by the bytes of its file, in any encoding', () => {
  const little = Buffer.from('\ufeffamber', 'utf16le');
  for (const bytes of [little, Buffer.from(little).swap16(), Buffer.from('amber')]) {
    const outcome = readDocument(folderOf({ 'a.md': bytes }).at('a.md'), 'a.md');
    assert.ok(outcome.ok && outcome.document.hash === hash('sha256', bytes));
  }
});

test('UTF-16 cut in the middle of a character is read to there', () => {
  const big = Buffer.from('\ufeffab', 'utf16le').swap16();
  assert.equal(linesOf(big.subarray(0, 5)), ['a']);
  assert.equal(linesOf(Buffer.from([0xff, 0xfe])), ['']);
  assert.equal(linesOf(Buffer.from([0xfe, 0xff, 0x00])), ['']);
});

test('invalid UTF-8 and NUL leave the rest readable', () => {
  assert.equal(linesOf(Buffer.from([0x61, 0xff, 0x62, 0x00, 0x63, 0x0a, 0xc3])), [
    'a\ufffdb c',
    '\ufffd',
  ]);
});

test('an empty file is one empty line', () => {
  assert.equal(linesOf(''), ['']);
  assert.equal(stringsOf(textLines('\n')), ['']);
  assert.equal(stringsOf(textLines('a\n\n')), ['a', '']);
});

test('a link in the file’s place is not followed', () => {
  const folder = folderOf({ 'secret.md': 'secret' });
  symlinkSync('secret.md', folder.at('a.md'));
  assert.equal(readDocument(folder.at('a.md'), 'shown.md'), {
    ok: false,
    skip: { path: 'shown.md', reason: 'symlink' },
  });
});

test('a missing file and a folder are skipped, not failures', () => {
  const folder = folderOf({ 'dir/a.md': '' });
  const gone = readDocument(folder.at('none.md'), 'none.md');
  assert.equal(gone, { ok: false, skip: { path: 'none.md', reason: 'vanished' } });
  const dir = readDocument(folder.at('dir'), 'dir');
  assert.is(dir.ok ? '' : dir.skip.reason, 'unreadable');
});

test('text of every odd encoding is found by its words, and its lines are numbered right', async () => {
  const lines = (name: string): string => `# Title\n\nthe needle of ${name}\n`;
  const ws = folderOf({
    'crlf.md': lines('crlf').replaceAll('\n', '\r\n'),
    'bom.md': `\ufeff${lines('bom')}`,
    'utf16.md': Buffer.from(`\ufeff${lines('utf16')}`, 'utf16le'),
    'latin1.md': Buffer.from(`# Tïtle\n\nthe needle of latin1\n`, 'latin1'),
    'nul.md': '# Title\n\nthe\0needle of nul\n',
  });
  const backend = backendOn(targetOf(ws.path));
  const { results } = await backend.search({ query: 'needle', maxResults: 10 });
  assert.equal(results.map((result) => result.path).sort(), [
    'bom.md',
    'crlf.md',
    'latin1.md',
    'nul.md',
    'utf16.md',
  ]);
  for (const result of results) {
    assert.equal([result.startLine, result.endLine], [1, 3], result.path);
    const { text } = await backend.get({ target: result.path, from: 3, lines: 1 });
    assert.is(text, `the needle of ${result.path.replace('.md', '')}`);
  }
  const titled = results.filter((result) => result.path !== 'latin1.md');
  assert.ok(titled.every((result) => result.headingPath[0] === 'Title'));
});

test('a file over the limit is reported with its size, and the rest is indexed', async () => {
  const ws = folderOf({ 'small.md': 'alpha' });
  for (const [name, bytes] of [
    ['at-65.md', MAX_DOCUMENT_BYTES + 1024 * 1024],
    ['at-200.md', 200e6],
  ] as const) {
    const file = openSync(ws.at(name), 'w');
    ftruncateSync(file, bytes);
    closeSync(file);
  }
  const { skipped, added } = await backendOn(targetOf(ws.path)).sync({});
  assert.is(added, 1);
  assert.equal(skipped, [
    { path: 'at-200.md', reason: 'too_large', detail: '191 MB, limit 64 MB' },
    { path: 'at-65.md', reason: 'too_large', detail: '65 MB, limit 64 MB' },
  ]);
});

test('50 MB in a single line are indexed, searched and got', async () => {
  const ws = tempFolder();
  ws.write('big.md', `${'lorem ipsum dolor '.repeat(2_900_000)}needle at the end`);
  const backend = backendOn(targetOf(ws.path));
  const { results } = await backend.search({ query: 'needle' });
  assert.equal(
    results.map(({ path, startLine, endLine }) => [path, startLine, endLine]),
    [['big.md', 1, 1]],
  );
  assert.match(results[0]?.snippet ?? '', /needle at the end/);
  const got = await backend.get({ target: 'big.md' });
  assert.ok(got.text.length <= 200_000);
  assert.is(got.truncated, true);
  backend.close();
});

test('a file behind a folder that was swapped for a link is not read', () => {
  const folder = folderOf({ 'outside/a.md': 'secret', 'notes/b.md': 'note' });
  symlinkSync('outside', folder.at('swapped'));
  const outcome = readDocument(folder.at('swapped/a.md'), 'swapped/a.md');
  assert.equal(outcome, { ok: false, skip: { path: 'swapped/a.md', reason: 'symlink' } });
  assert.ok(readDocument(folder.at('notes/b.md'), 'notes/b.md').ok);
});

test('whether an open file is at a path', () => {
  const folder = folderOf({ 'notes/a.md': '1', 'notes/b.md': '2' });
  const descriptor = openSync(folder.at('notes/a.md'), 'r');
  assert.ok(isOpenedAt(descriptor, folder.at('notes/a.md')));
  // As a disk without cases takes it.
  assert.ok(isOpenedAt(descriptor, folder.at('notes/A.md')));
  if (process.platform === 'linux') {
    assert.not(isOpenedAt(descriptor, folder.at('notes/b.md')));
  }
  // As editors save.
  renameSync(folder.at('notes/b.md'), folder.at('notes/a.md'));
  assert.ok(isOpenedAt(descriptor, folder.at('notes/a.md')));
  closeSync(descriptor);
});

test.run();
