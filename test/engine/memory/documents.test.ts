import { mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { extractedFolder } from '../../../src/engine/memory/extract/index.js';
import { PDF_VERSION } from '../../../src/engine/memory/extract/pdf-library.js';
import type { DocumentFormat } from '../../../src/engine/support/document-format.js';
import { docx, paragraph, pdf } from '../../support/documents.js';
import { failureOf } from '../../support/failure.js';
import { backendOn, pathsOf, targetOf } from '../../support/memory.js';
import { ROOT } from '../../support/run-svc.js';
import { folderOf, tempFolder } from '../../support/temp-folder.js';

const test = suite('other documents');

/** A folder of libraries with the one for PDF files, as if installed. */
function pdfLibraries(): string {
  const dir = tempFolder();
  dir.write('pdf.json', JSON.stringify({ folder: 'pdf-0', version: PDF_VERSION, bytes: 1 }));
  mkdirSync(dir.at('pdf-0'));
  symlinkSync(join(ROOT, 'node_modules'), dir.at('pdf-0/node_modules'));
  return dir.path;
}

const selected = (...documents: readonly DocumentFormat[]) => ({
  documents,
  librariesDir: pdfLibraries(),
});

test('only the formats of the setting are indexed, and a changed setting takes effect', async () => {
  const ws = folderOf({ 'a.md': 'lantern', 'b.txt': 'lantern', 'c.org': '* Lantern\nred' });
  const state = tempFolder();
  const indexFile = state.at('index.sqlite');
  const found = async (...formats: readonly DocumentFormat[]) => {
    const backend = backendOn(targetOf(ws.path, { indexFile, ...selected(...formats) }));
    const response = await backend.search({ query: 'lantern', minScore: 0 });
    return pathsOf(response).toSorted();
  };
  assert.equal(await found(), ['a.md']);
  assert.equal(await found('txt', 'org'), ['a.md', 'b.txt', 'c.org']);
  assert.equal(await found('org'), ['a.md', 'c.org']);
});

test('a configured file is read as its format once the setting includes it', async () => {
  const ws = folderOf({ 'notes.org': '* Harbour\nThe lantern.\n' });
  const indexFile = tempFolder().at('index.sqlite');
  const found = async (...formats: readonly DocumentFormat[]) => {
    const options = { layout: 'agent', extraPaths: ['notes.org'], indexFile } as const;
    const backend = backendOn(targetOf(ws.path, { ...options, ...selected(...formats) }));
    const [result] = (await backend.search({ query: 'lantern', minScore: 0 })).results;
    return [result?.kind, result?.headingPath];
  };
  assert.equal(await found(), ['markdown', []]);
  assert.equal(await found('org'), ['text', ['Harbour']]);
});

test('a page that a PDF does not have is answered with a command for the shell, whatever its name', async () => {
  const ws = folderOf({});
  writeFileSync(ws.at('annual report.pdf'), pdf(['Intro.']));
  const backend = backendOn(targetOf(ws.path, selected('pdf')));
  const { hint } = await failureOf(backend.get({ target: 'annual report.pdf#p9' }));
  assert.is(hint, `run "svc memory get 'annual report.pdf'" to read it from its start`);
});

test('a PDF is cited by page, and read by page and by line', async () => {
  const ws = folderOf({});
  writeFileSync(ws.at('guide.pdf'), pdf(['Intro.'], ['The lantern is', 'red.'], ['Last.']));
  const backend = backendOn(targetOf(ws.path, { ...selected('pdf'), tokens: 16, overlap: 0 }));
  const [result] = (await backend.search({ query: 'lantern', minScore: 0 })).results;
  assert.is(result?.kind, 'extracted');
  assert.match(result?.citation ?? '', /^guide\.pdf#p\d(?:-p\d)?$/u);
  const page = await backend.get({ target: 'guide.pdf#p2' });
  assert.equal(
    [page.startLine, page.endLine, page.text.trimEnd()],
    [4, 7, '--- Page 2 ---\nThe lantern is\nred.'],
  );
  assert.is((await backend.get({ target: 'guide.pdf#L5' })).text, 'The lantern is');
  assert.is((await failureOf(backend.get({ target: 'guide.pdf#p9' }))).code, 'RANGE_INVALID');
  for (const [target, meant] of [
    ['guide.pdf#p3-p2', 'guide.pdf#p2-p3'],
    ['guide.pdf#L5-L2', 'guide.pdf#L2-L5'],
  ] as const) {
    const { code, message, hint } = await failureOf(backend.get({ target }));
    assert.is(code, 'RANGE_INVALID');
    assert.match(message, 'must not be after the last');
    assert.is(hint, `did you mean ${meant}?`);
  }
});

test('a text is extracted once: not again for a rebuild, a copy or a new name', async () => {
  const ws = folderOf({ 'page.html': '<h1>Harbour</h1><p>The lantern.' });
  const target = targetOf(ws.path, { ...selected('html') });
  const backend = backendOn(target);
  await backend.sync({});
  const folder = extractedFolder(target.indexFile);
  const [kept = ''] = readdirSync(folder);
  const { ino } = statSync(join(folder, kept));
  ws.write('copy.html', '<h1>Harbour</h1><p>The lantern.');
  await backend.sync({ force: true });
  assert.equal([readdirSync(folder), statSync(join(folder, kept)).ino], [[kept], ino]);
  assert.equal((await backend.search({ query: 'lantern', minScore: 0 })).results[0]?.headingPath, [
    'Harbour',
  ]);
  ws.write('page.html', '<p>Other');
  ws.write('copy.html', '<p>Other');
  await backend.sync({});
  assert.is(readdirSync(folder).length, 1);
  assert.not.equal(readdirSync(folder), [kept]);
});

test('unreadable files are reported by name, and everything else is indexed', async () => {
  const ws = folderOf({ 'a.md': 'lantern', 'bad.pdf': 'no PDF', 'bad.docx': 'no zip' });
  writeFileSync(ws.at('good.docx'), docx(paragraph('Lantern', 'Heading1') + paragraph('red')));
  const backend = backendOn(targetOf(ws.path, { ...selected('pdf', 'docx') }));
  const { skipped, added } = await backend.sync({});
  assert.is(added, 2);
  assert.equal(
    skipped.map(({ path, reason }) => [path, reason]),
    [
      ['bad.docx', 'wrong_format'],
      ['bad.pdf', 'wrong_format'],
    ],
  );
});

test('without the library for PDF files, the report shows how to install it', async () => {
  const ws = folderOf({});
  writeFileSync(ws.at('a.pdf'), pdf(['x']));
  const options = { documents: ['pdf'], librariesDir: tempFolder().at('libraries') } as const;
  const { skipped } = await backendOn(targetOf(ws.path, options)).sync({});
  assert.match(skipped[0]?.detail ?? '', /svc memory documents install pdf/u);
});

test('a file that failed is only extracted again by a forced sync', async () => {
  const ws = folderOf({ 'page.html': '<p>The lantern is red.</p>' });
  const target = targetOf(ws.path, { ...selected('html') });
  const backend = backendOn(target);
  await backend.sync({});
  const folder = extractedFolder(target.indexFile);
  const [name = ''] = readdirSync(folder);
  const failed = gzipSync(JSON.stringify({ ok: false, fault: 'time' }));
  writeFileSync(join(folder, name), failed);
  ws.write('a.md', 'boat');
  rmSync(target.indexFile);
  assert.is((await backend.sync({})).skipped[0]?.reason, 'too_large');
  assert.equal((await backend.sync({ force: true })).skipped, []);
  const found = await backend.search({ query: 'lantern', minScore: 0 });
  assert.equal(pathsOf(found), ['page.html']);
});

test('forgotten lines of a document stay out of memory, and its extracted text is not kept', async () => {
  const ws = folderOf({
    'page.html': '<p>The lantern is red and large.</p><p>The boat is blue.</p>',
  });
  const target = targetOf(ws.path, { ...selected('html') });
  const backend = backendOn(target);
  await backend.sync({});
  const forgetting = await backend.forgetting();
  const plan = await forgetting.plan({ target: 'page.html#L1' });
  assert.is((await failureOf(forgetting.hide(plan, { fromFile: true }))).code, 'FORGET_FAILED');
  await forgetting.hide(plan, { fromFile: false });
  await backend.sync({});
  const found = await backend.search({ query: 'lantern', minScore: 0, exact: true });
  assert.equal(pathsOf(found), []);
  assert.not.match((await backend.get({ target: 'page.html' })).text, /lantern/u);
  assert.equal(readdirSync(extractedFolder(target.indexFile)), []);
});

test('the pages of a citation are forgotten, and not the whole file', async () => {
  const ws = folderOf({});
  writeFileSync(ws.at('a.pdf'), pdf(['The lantern is red.'], ['The boat is blue.']));
  const backend = backendOn(targetOf(ws.path, { ...selected('pdf') }));
  const plan = await (await backend.forgetting()).plan({ target: 'a.pdf#p2' });
  const [passage] = plan.passages;
  assert.equal([passage?.whole, passage?.startLine], [false, 4]);
  assert.not.match(passage?.text ?? '', /lantern/u);
});

test.run();
