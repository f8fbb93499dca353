import { fileURLToPath } from 'node:url';
import { unzipSync, zipSync } from 'fflate';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { docxText } from '../../../../src/engine/memory/extract/docx-text.js';
import { htmlText } from '../../../../src/engine/memory/extract/html-text.js';
import { extractText } from '../../../../src/engine/memory/extract/index.js';
import type { Extraction } from '../../../../src/engine/memory/extract/limits.js';
import type { ExtractedFormat } from '../../../../src/engine/support/document-format.js';
import { cpuMs } from '../../../../stress/fuzz/cpu-time.js';
import { docx, paragraph, pdf, pdfBomb } from '../../../support/documents.js';
import { folderOf } from '../../../support/temp-folder.js';

const test = suite('extracting text');

/** Has the library for PDF files in its node_modules. */
const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));

function extract(
  format: ExtractedFormat,
  content: string | Buffer,
  options: { readonly libraryDir?: string; readonly timeoutMs?: number } = {},
): Promise<Extraction> {
  const bytes = Buffer.from(content);
  return extractText({ format, bytes, libraryDir: ROOT, signal: undefined, ...options });
}

const faultOf = (extraction: Extraction): string => (extraction.ok ? 'none' : extraction.fault);

test('a web page: headings, lists and tables, without scripts and navigation', async () => {
  const page = `<!doctype html><title>T</title><style>p{}</style><nav>Menu</nav>
    <h2>The <em>harbour</em></h2><p>Boats &amp; cranes.<script>evil()</script></p>
    <ul><li>first<li><a href="https://x.example">second</a></ul>
    <table><tr><td>one</td><td>two</td></tr></table>`;
  const text = '# T\n\n## The harbour\n\nBoats & cranes.\n\n- first\n- second\n\n| one | two |';
  assert.equal(await extract('html', page), { ok: true, text });
});

test('a web page: its title, and a line of its own for what browsers show on one', () => {
  const terms = '<dl><dt>Port<dd>left</dl><details><summary>More</summary>Text</details>';
  const form = '<form><label>Name</label><select><option>a</select><p>In a form.</p></form>';
  const page = (body: string) =>
    htmlText(Buffer.from(`<html><head><title>Ships</title></head><body>${body}</body></html>`));
  assert.equal(page(terms), { ok: true, text: '# Ships\n\nPort\nleft\nMore\nText' });
  assert.equal(page(form), { ok: true, text: '# Ships\n\nIn a form.' });
  const lists = '<ul><li>a<ol><li>b</ol><li>c</ul><menu><li>d<li>e</menu>';
  assert.equal(page(lists), { ok: true, text: '# Ships\n\n- a\n  1. b\n- c\n\nd\ne' });
});

test('a web page: a row of a table is one line, and what a table only lays out is read cell by cell', async () => {
  const rows = '<tr><th>Ship<th>Crew</tr><tr><td><p>Ada</p><td>two<br>and a half</tr><tr><td></tr>';
  const data = '| Ship | Crew |\n| Ada | two and a half |';
  assert.equal(htmlText(Buffer.from(`<table>${rows}</table>`)), { ok: true, text: data });
  const layout = '<table><tr><td><h2>Menu</h2><td><h2>News</h2><p>One.<p>Two.</table>';
  const text = '## Menu\n\n## News\n\nOne.\n\nTwo.';
  assert.equal(htmlText(Buffer.from(layout)), { ok: true, text });
  const inside = layout.replaceAll('<td>', '<td><div>');
  assert.equal(htmlText(Buffer.from(inside)), { ok: true, text });
  const wide = '<table><tr><td colspan="1000000000" rowspan="1000000000">x<td>y</table>';
  assert.equal(htmlText(Buffer.from(wide)), { ok: true, text: '| x | y |' });
  const startedAt = cpuMs();
  const tall = await extract('html', `<table>${'<tr><td>x<td>y</tr>'.repeat(100_000)}</table>`);
  assert.ok(tall.ok && tall.text.length > 900_000 && cpuMs() - startedAt < 5000);
});

test('a Word document: moved text once, with line ends and hyphens', () => {
  const runs = [
    '<w:moveFrom><w:r><w:t>moved</w:t></w:r></w:moveFrom>',
    '<w:r><w:t>one</w:t><w:cr/><w:t>two</w:t><w:noBreakHyphen/><w:t>three</w:t></w:r>',
    '<w:moveTo><w:r><w:t> moved</w:t></w:r></w:moveTo>',
  ];
  const text = 'one\ntwo-three moved\n';
  assert.equal(docxText(docx(`<w:p>${runs.join('')}</w:p>`)), { ok: true, text });
});

test('a Word document: with numbered parts, and with formulas', () => {
  const formula = '<m:oMath><m:r><m:t>E=mc²</m:t></m:r></m:oMath>';
  const titles = '<w:style w:styleId="Titel"><w:name w:val="Title"/></w:style>';
  const body = `<w:p>${formula}</w:p>${paragraph('Roof', 'Titel')}`;
  const file = unzipSync(docx(body, { 'word/styles.xml': `<w:styles>${titles}</w:styles>` }));
  const renamed = Object.fromEntries(
    Object.entries(file).map(([name, bytes]) => [name.replace('.xml', '2.xml'), bytes]),
  );
  assert.equal(docxText(zipSync(renamed)), { ok: true, text: 'E=mc²\n\n# Roof\n' });
});

test('a web page in another character set', async () => {
  for (const declared of [
    '<meta charset="iso-8859-1">',
    '<meta http-equiv="Content-Type" content="text/html; charset = ISO-8859-1">',
    '<?xml version="1.0" encoding="ISO-8859-1"?>',
  ]) {
    // As in browsers, ISO-8859-1 is windows-1252, where these are quotation marks and a euro sign.
    const bytes = Buffer.from(`${declared}<p>\x93Größe\x94 5\x80</p>`, 'latin1');
    assert.equal(await extract('html', bytes), { ok: true, text: '“Größe” 5€' });
  }
});

test('a mark of UTF-8 counts more than what a web page declares, which is never UTF-16', async () => {
  const pages = [
    '<meta charset="utf-16"><p>Café</p>',
    '<meta charset="unicode"><p>Café</p>',
    '\ufeff<meta charset="windows-1252"><p>Café</p>',
  ];
  for (const page of pages) {
    assert.equal(htmlText(Buffer.from(page)), { ok: true, text: 'Café' });
  }
});

test('a mark of UTF-16 counts, in either order of bytes', () => {
  const page = Buffer.from('\ufeff<p>Café</p>', 'utf16le');
  assert.equal(htmlText(page), { ok: true, text: 'Café' });
  assert.equal(htmlText(page.swap16()), { ok: true, text: 'Café' });
});

test('a Word document: headings by style, lists, tables, without deleted text', async () => {
  const styles =
    '<w:styles><w:style w:styleId="berschrift2"><w:name w:val="heading 2"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style></w:styles>';
  const body = [
    paragraph('Plan', 'Heading1'),
    paragraph('Budget', 'berschrift2'),
    paragraph('Costs &lt; 5 &amp; more'),
    '<w:p><w:pPr><w:numPr/></w:pPr><w:r><w:t>item</w:t></w:r></w:p>',
    `<w:tbl><w:tr><w:tc>${paragraph('a')}</w:tc><w:tc>${paragraph('b')}</w:tc></w:tr></w:tbl>`,
    '<w:p><w:del><w:r><w:delText>gone</w:delText><w:t>gone</w:t></w:r></w:del></w:p>',
  ];
  const extraction = await extract('docx', docx(body.join(''), { 'word/styles.xml': styles }));
  const text = '# Plan\n\n## Budget\n\nCosts < 5 & more\n\n- item\n| a | b |\n';
  assert.equal(extraction, { ok: true, text });
});

const textRun = (text: string): string => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
/** A text box as Word writes it: for programs of today, and again for older ones. */
const box = (inner: string): string =>
  `<w:r><mc:AlternateContent><mc:Choice><w:txbxContent>${inner}</w:txbxContent></mc:Choice><mc:Fallback><w:txbxContent>${inner}</w:txbxContent></mc:Fallback></mc:AlternateContent></w:r>`;
const row = (...cells: readonly string[]): string =>
  `<w:tr>${cells.map((cell) => `<w:tc>${cell}</w:tc>`).join('')}</w:tr>`;

test('a Word document: a text box, once, below the paragraph that it is in', async () => {
  const table = `<w:tbl>${row(paragraph('left'), paragraph('right'))}</w:tbl>`;
  const inner = paragraph('in the box', 'Heading2') + table;
  const heading = '<w:pPr><w:pStyle w:val="Heading1"/></w:pPr>';
  const body = `<w:p>${heading}${textRun('Before ')}${box(inner)}${textRun('and after')}</w:p>`;
  const extraction = await extract('docx', docx(body + paragraph('Next')));
  const text = '# Before and after\n\n## in the box\n\n| left | right |\n\nNext\n';
  assert.equal(extraction, { ok: true, text });
});

test('a Word document: a level of its own makes a paragraph a heading, and a tab is a space', () => {
  const heading = '<w:p><w:pPr><w:outlineLvl w:val="1"/></w:pPr><w:r><w:t>Berths</w:t></w:r></w:p>';
  const body = '<w:p><w:r><w:t>North</w:t><w:tab/><w:t>twelve</w:t></w:r></w:p>';
  assert.equal(docxText(docx(heading + body)), { ok: true, text: '## Berths\n\nNorth twelve\n' });
});

test('a Word document: text boxes and tables in a cell are text of this cell', async () => {
  const nested = `<w:tbl>${row(paragraph('inner'), paragraph('table'))}</w:tbl>`;
  const cells = [
    `${paragraph('outer one')}${nested}${paragraph('outer after')}`,
    `<w:p>${textRun('outer two')}${box(paragraph('boxed'))}</w:p>`,
  ];
  const extraction = await extract('docx', docx(`<w:tbl>${row(...cells)}</w:tbl>`));
  const text = '| outer one inner table outer after | boxed outer two |\n';
  assert.equal(extraction, { ok: true, text });
});

test('a PDF: a line at the start of each page', async () => {
  const file = pdf(['The lighthouse (old)', 'is red.'], ['Second page']);
  const text = '--- Page 1 ---\nThe lighthouse (old)\nis red.\n\n--- Page 2 ---\nSecond page\n\n';
  assert.equal(await extract('pdf', file), { ok: true, text });
});

test('without the library for PDF files', async () => {
  const extraction = await extract('pdf', pdf(['x']), { libraryDir: '/nowhere' });
  assert.equal(extraction, { ok: false, fault: 'library' });
});

test('files whose content does not match their name are refused', async () => {
  assert.is(faultOf(await extract('pdf', 'no PDF')), 'invalid');
  assert.is(faultOf(await extract('docx', 'no zip')), 'invalid');
  assert.is(faultOf(await extract('docx', docx('').subarray(0, 90))), 'invalid');
  const detail = 'there is no word/document.xml';
  const zip = zipSync({ 'a.txt': Buffer.from('a') });
  assert.equal(docxText(zip), { ok: false, fault: 'invalid', detail });
});

test('a zip bomb, a PDF bomb and ten megabytes in one line end within the limits', async () => {
  const bomb = docx(paragraph(' '.repeat(130 * 1024 * 1024)));
  assert.is(faultOf(await extract('docx', bomb)), 'memory');
  const large = await extract('pdf', pdfBomb(100 * 1024 * 1024), { timeoutMs: 2000 });
  assert.ok(['memory', 'text', 'time'].includes(faultOf(large)), faultOf(large));
  const line = `<p>${'word and more '.repeat(750_000)}</p>`;
  assert.is(faultOf(await extract('html', line)), 'text');
});

test('entities of a document type are not expanded', async () => {
  const doctype = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>';
  const body = `${doctype}<w:document><w:body>${paragraph('&b;')}</w:body></w:document>`;
  const extraction = await extract('docx', docx('', { 'word/document.xml': body }));
  assert.equal(extraction, { ok: true, text: '&b;\n' });
});

test('a page or Word document that is nested too deeply is refused instead of losing its text', async () => {
  const nested = (depth: number) => `${'<div>'.repeat(depth)}The gate is green.`;
  assert.equal(await extract('html', nested(900)), { ok: true, text: 'The gate is green.' });
  for (const depth of [1100, 5000]) {
    assert.is(faultOf(await extract('html', nested(depth))), 'depth', String(depth));
  }
  const icons = '<b><svg></b><svg/>'.repeat(1000);
  assert.equal(await extract('html', `${icons}Green.`), { ok: true, text: 'Green.' });
  const startedAt = cpuMs();
  assert.is(faultOf(htmlText(Buffer.from(nested(200_000)))), 'depth');
  assert.is(faultOf(docxText(docx('<w:p>'.repeat(200_000)))), 'depth');
  assert.is(faultOf(htmlText(Buffer.from('<div><svg></div>'.repeat(200_000)))), 'depth');
  assert.ok(cpuMs() - startedAt < 3000);
  const tables = '<table><tr><td>'.repeat(2000);
  assert.is(faultOf(await extract('html', `${tables}The gate is green.`)), 'depth');
});

test('a killed process is not blamed on the file', async () => {
  for (const [signal, expected] of [
    ['SIGKILL', { ok: false, fault: 'interrupted', detail: 'SIGKILL' }],
    ['SIGSEGV', { ok: false, fault: 'process', detail: 'SIGSEGV' }],
    ['SIGABRT', { ok: false, fault: 'memory' }],
  ] as const) {
    const library = folderOf({
      'node_modules/unpdf/package.json': '{"name":"unpdf","type":"module","exports":"./index.js"}',
      'node_modules/unpdf/index.js': `process.kill(process.pid, '${signal}'); await new Promise(() => {});`,
    });
    assert.equal(await extract('pdf', pdf(['x']), { libraryDir: library.path }), expected);
  }
});

test('a process that takes too long is killed', async () => {
  const long = '<p>One more line.</p>'.repeat(300_000);
  assert.is(faultOf(await extract('html', long, { timeoutMs: 300 })), 'time');
});

test.run();
