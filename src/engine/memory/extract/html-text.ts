import { convert, type DomNode, type FormatCallback, type HtmlToTextOptions } from 'html-to-text';
import { type Extraction, limitedText } from './limits.js';
import { isNestedTooDeeply } from './nesting.js';

/** Not read by anyone, or the same on every page of a site. A form stays: some servers put all of a page into one. */
const SKIPPED_ELEMENTS =
  'script style noscript template svg nav iframe button label select textarea'.split(' ');

/** Those that html-to-text takes for parts of a line. */
const BLOCKS =
  'address caption center dd details dialog dt fieldset figcaption hgroup legend li search summary'.split(
    ' ',
  );

const LINE = { leadingLineBreaks: 1, trailingLineBreaks: 1 };

/** What a table for the layout of a page has in its cells. */
const STRUCTURE = new Set(
  'h1 h2 h3 h4 h5 h6 table ul ol dl pre blockquote section article main header footer form'.split(
    ' ',
  ),
);

function hasStructure({ children }: DomNode): boolean {
  return children?.some((child) => STRUCTURE.has(child.name ?? '') || hasStructure(child)) === true;
}

function hasText({ data = '', children = [] }: DomNode): boolean {
  return data.trim() !== '' || children.some(hasText);
}

/** A row is one line, as in Markdown. Columns that are aligned would tear the texts of cells apart. */
const row: FormatCallback = ({ children }, walk, builder) => {
  const cells = children.filter(({ name }) => name === 'td' || name === 'th');
  if (cells.some(hasStructure)) {
    for (const cell of cells) {
      builder.openBlock(LINE);
      walk(cell.children, builder);
      builder.closeBlock(LINE);
    }
    return;
  }
  if (!cells.some(hasText)) return;
  builder.openBlock(LINE);
  for (const cell of cells) {
    builder.addInline('| ');
    walk(cell.children, builder);
    builder.addInline(' ');
  }
  builder.addInline('|');
  const blockTransform = (text: string): string => text.replaceAll(/ ?\n+ ?/gu, ' ');
  builder.closeBlock({ ...LINE, blockTransform });
};

const heading = (
  selector: string,
  level: number,
): NonNullable<HtmlToTextOptions['selectors']>[number] => ({
  selector,
  format: 'markedHeading',
  options: { mark: '#'.repeat(level), leadingLineBreaks: 2, trailingLineBreaks: 2 },
});

const OPTIONS: HtmlToTextOptions = {
  wordwrap: false,
  // With the title, which is above the body.
  baseElements: { selectors: ['html'] },
  formatters: {
    row,
    markedHeading: (element, walk, builder, options) => {
      builder.openBlock({ leadingLineBreaks: options['leadingLineBreaks'] });
      builder.addInline(`${options['mark']} `);
      walk(element.children, builder);
      builder.closeBlock({ trailingLineBreaks: options['trailingLineBreaks'] });
    },
  },
  selectors: [
    heading('title', 1),
    ...[1, 2, 3, 4, 5, 6].map((level) => heading(`h${level}`, level)),
    ...BLOCKS.map((selector) => ({ selector, format: 'block', options: LINE })),
    ...SKIPPED_ELEMENTS.map((selector) => ({ selector, format: 'skip' })),
    { selector: 'a', options: { ignoreHref: true } },
    { selector: 'img', format: 'skip' },
    { selector: 'ul', options: { itemPrefix: '- ' } },
    { selector: 'table', format: 'block' },
    { selector: 'tr', format: 'row' },
  ],
  limits: { maxInputLength: Number.MAX_SAFE_INTEGER },
};

const CHARSET =
  /(?:<meta[^>]{1,200}charset|^<\?xml[^>]{1,200}encoding)\s{0,9}=\s{0,9}["']?([\w:.-]{1,40})/iu;
const HEAD_BYTES = 4096;

/** The readable text of a web page, with its headings as Markdown. */
export function htmlText(bytes: Uint8Array): Extraction {
  const page = decode(bytes);
  if (isNestedTooDeeply(page)) return { ok: false, fault: 'depth' };
  return limitedText(convert(page, OPTIONS));
}

function decode(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString('latin1');
  const decoder = new TextDecoder(markedEncoding(bytes) ?? declaredEncoding(head));
  // In one go, releases of Node.js read windows-1252 as Latin-1, without its quotation marks (nodejs/node#60888).
  return decoder.decode(bytes, { stream: true }) + decoder.decode();
}

function markedEncoding([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
}

/** A declaration that can be read as ASCII is not in UTF-16, whatever it declares; browsers take UTF-8, too. */
function declaredEncoding(head: string): string {
  try {
    const { encoding } = new TextDecoder(CHARSET.exec(head)?.[1]);
    return encoding.startsWith('utf-16') ? 'utf-8' : encoding;
  } catch {
    // An unknown name of a character set.
    return 'utf-8';
  }
}
