import { deflateSync } from 'node:zlib';
import { strToU8, zipSync } from 'fflate';

/** A PDF with these lines of text on its pages. */
export function pdf(...pages: readonly (readonly string[])[]): Buffer {
  return pdfOf(
    pages.map((lines) => {
      const commands = lines.map(
        (line) => `(${line.replaceAll(/[()\\]/gu, String.raw`\$&`)}) Tj T*`,
      );
      return Buffer.from(`BT /F1 12 Tf 14 TL 50 700 Td ${commands.join(' ')} ET`, 'latin1');
    }),
  );
}

/** A PDF whose only page inflates to that many bytes of text. */
export function pdfBomb(bytes: number): Buffer {
  const show = Buffer.from('(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa) Tj ');
  return pdfOf([Buffer.concat([Buffer.from('BT /F1 12 Tf '), Buffer.alloc(bytes, show)])]);
}

function pdfOf(contents: readonly Buffer[]): Buffer {
  const first = 4;
  const kids = contents.map((_, at) => `${first + 2 * at} 0 R`).join(' ');
  const objects: Buffer[] = [
    Buffer.from('<< /Type /Catalog /Pages 2 0 R >>'),
    Buffer.from(`<< /Type /Pages /Kids [${kids}] /Count ${contents.length} >>`),
    Buffer.from('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'),
  ];
  for (const [at, content] of contents.entries()) {
    const packed = deflateSync(content);
    const resources = '/Resources << /Font << /F1 3 0 R >> >>';
    const page = `/Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] ${resources}`;
    objects.push(Buffer.from(`<< ${page} /Contents ${first + 2 * at + 1} 0 R >>`));
    const head = `<< /Length ${packed.length} /Filter /FlateDecode >>\nstream\n`;
    objects.push(Buffer.concat([Buffer.from(head), packed, Buffer.from('\nendstream')]));
  }
  let file = Buffer.from('%PDF-1.4\n');
  const offsets = objects.map((object, at) => {
    const offset = file.length;
    file = Buffer.concat([
      file,
      Buffer.from(`${at + 1} 0 obj\n`),
      object,
      Buffer.from('\nendobj\n'),
    ]);
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}`;
  const end = `trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`;
  return Buffer.concat([file, Buffer.from(table + end)]);
}

const DOCX_ROOT =
  '<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>';

/** A Word document with this body, as WordprocessingML. */
export function docx(body: string, parts: Readonly<Record<string, string>> = {}): Buffer {
  const files = { 'word/document.xml': `${DOCX_ROOT}${body}</w:body></w:document>`, ...parts };
  const entries = Object.entries(files).map(([name, text]) => [name, strToU8(text)]);
  return Buffer.from(zipSync(Object.fromEntries(entries)));
}

/** A paragraph of a Word document. */
export function paragraph(text: string, style?: string): string {
  const properties = style === undefined ? '' : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`;
  return `<w:p>${properties}<w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;
}
