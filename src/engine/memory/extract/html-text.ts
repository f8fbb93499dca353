import { convert, type HtmlToTextOptions } from 'html-to-text';
import { type Extraction, limitedText } from './limits.js';

/** Not read by anyone, or the same on every page of a site. */
const LEFT_OUT = ['script', 'style', 'noscript', 'template', 'svg', 'nav', 'iframe', 'form'];

const heading = (level: number): NonNullable<HtmlToTextOptions['selectors']>[number] => ({
  selector: `h${level}`,
  format: 'markedHeading',
  options: { mark: '#'.repeat(level), leadingLineBreaks: 2, trailingLineBreaks: 2 },
});

const OPTIONS: HtmlToTextOptions = {
  wordwrap: false,
  formatters: {
    markedHeading: (element, walk, builder, options) => {
      builder.openBlock({ leadingLineBreaks: options['leadingLineBreaks'] });
      builder.addInline(`${options['mark']} `);
      walk(element.children, builder);
      builder.closeBlock({ trailingLineBreaks: options['trailingLineBreaks'] });
    },
  },
  selectors: [
    ...[1, 2, 3, 4, 5, 6].map(heading),
    ...LEFT_OUT.map((selector) => ({ selector, format: 'skip' })),
    { selector: 'a', options: { ignoreHref: true } },
    { selector: 'img', format: 'skip' },
    { selector: 'ul', options: { itemPrefix: '- ' } },
    { selector: 'table', format: 'dataTable', options: { uppercaseHeaderCells: false } },
  ],
  // Deeper elements are left out instead of ending the process.
  limits: { maxInputLength: Number.MAX_SAFE_INTEGER, maxDepth: 500, ellipsis: '' },
};

const CHARSET = /<meta[^>]{1,200}charset=["']?([\w-]{1,40})/iu;
const HEAD_BYTES = 4096;

/** The readable text of a web page, with its headings as Markdown. */
export function htmlText(bytes: Uint8Array): Extraction {
  return limitedText(convert(decoded(bytes), OPTIONS));
}

function decoded(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString('latin1');
  const mark = byteOrder(bytes);
  try {
    return new TextDecoder(mark ?? CHARSET.exec(head)?.[1] ?? 'utf-8').decode(bytes);
  } catch {
    // An unknown name of a character set.
    return new TextDecoder().decode(bytes);
  }
}

function byteOrder([first, second]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
}
