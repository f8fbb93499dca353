import { type UnzipFileInfo, unzipSync } from 'fflate';
import { Parser, type ParserOptions } from 'htmlparser2';
import { type Extraction, limitedText, MOST_TEXT_CHARS } from './limits.js';
import { isNestedTooDeeply } from './nesting.js';

/** Word on the web numbers its parts: `word/document2.xml`. */
const BODY = /^word\/document\d{0,3}\.xml$/u;
const STYLES = /^word\/styles\d{0,3}\.xml$/u;

/** Markup takes several times as much as its text. */
const MOST_XML_BYTES = 16 * MOST_TEXT_CHARS;

/** The text of a Word document, with its headings and lists as Markdown. */
export function docxText(bytes: Uint8Array): Extraction {
  let tooLarge = false;
  const wanted = ({ name, originalSize }: UnzipFileInfo): boolean => {
    if (!BODY.test(name) && !STYLES.test(name)) return false;
    // Nothing larger than it claims to be is unpacked either.
    tooLarge ||= originalSize > MOST_XML_BYTES;
    return !tooLarge;
  };
  const parts = unzipSync(bytes, { filter: wanted });
  if (tooLarge) return { ok: false, fault: 'memory' };
  const textOf = (part: RegExp): string | undefined => {
    const name = Object.keys(parts).find((one) => part.test(one));
    return name === undefined ? undefined : new TextDecoder().decode(parts[name]);
  };
  const body = textOf(BODY);
  const styles = textOf(STYLES) ?? '';
  if (body === undefined)
    return { ok: false, fault: 'invalid', detail: 'there is no word/document.xml' };
  if (isNestedTooDeeply(body, XML) || isNestedTooDeeply(styles, XML))
    return { ok: false, fault: 'depth' };
  const text = new BodyReader(headingStyles(styles));
  parseXml(body, text);
  return limitedText(text.lines.join('\n'));
}

interface XmlHandler {
  onopentag(name: string, attributes: Readonly<Record<string, string>>): void;
  ontext?(text: string): void;
  onclosetag(name: string): void;
}

/** Entities of a document type are not expanded, only those of XML. */
const XML: ParserOptions = { xmlMode: true, decodeEntities: true };

function parseXml(xml: string, handler: XmlHandler): void {
  new Parser(handler, XML).end(xml);
}

/** The levels of paragraph styles, whose ids are in the language of the author. */
function headingStyles(xml: string): ReadonlyMap<string, number> {
  const levels = new Map<string, number>();
  let id = '';
  parseXml(xml, {
    onopentag: (name, attributes) => {
      const value = attributes['w:val'] ?? '';
      if (name === 'w:style') id = attributes['w:styleId'] ?? '';
      else if (name === 'w:outlineLvl') levels.set(id, Number(value) + 1);
      else if (name === 'w:name' && /^title$/iu.test(value)) levels.set(id, 1);
    },
    onclosetag: () => undefined,
  });
  return levels;
}

const HEADING_ID = /^Heading(\d)$/u;
const MOST_LEVELS = 6;

interface Paragraph {
  /** The mark of a heading or of a list item. */
  prefix: string;
  text: string;
}

class BodyReader implements XmlHandler {
  readonly lines: string[] = [];
  private readonly styles: ReadonlyMap<string, number>;
  /** The open paragraphs: a text box is in a paragraph, and has its own. */
  private readonly paragraphs: Paragraph[] = [];
  /** What text boxes hold, until the paragraph around them ends. */
  private boxLines: string[] = [];
  /** A table in a cell becomes text of this cell: Markdown has no nested tables. */
  private rowDepth = 0;
  private cells: string[] = [];
  private cell = '';
  private isText = false;
  /** Text that was deleted or moved away while changes were tracked, and what only older programs show. */
  private hidden = 0;

  constructor(styles: ReadonlyMap<string, number>) {
    this.styles = styles;
  }

  onopentag(name: string, attributes: Readonly<Record<string, string>>): void {
    const value = attributes['w:val'] ?? '';
    switch (name) {
      case 'w:p':
        this.paragraphs.push({ prefix: '', text: '' });
        break;
      case 'w:pStyle':
        this.mark(headingMark(this.styles.get(value) ?? Number(HEADING_ID.exec(value)?.[1])));
        break;
      case 'w:outlineLvl':
        this.mark(headingMark(Number(value) + 1));
        break;
      case 'w:numPr':
        if (this.paragraphs.at(-1)?.prefix === '') this.mark('- ');
        break;
      case 'w:t':
      case 'm:t':
        this.isText = this.hidden === 0;
        break;
      case 'w:tab':
        this.add(' ');
        break;
      case 'w:noBreakHyphen':
        this.add('-');
        break;
      case 'w:br':
      case 'w:cr':
        this.add('\n');
        break;
      case 'w:tr':
        this.rowDepth += 1;
        break;
      case 'w:del':
      case 'w:moveFrom':
      case 'mc:Fallback':
        this.hidden += 1;
        break;
    }
  }

  ontext(text: string): void {
    if (this.isText) this.add(text);
  }

  onclosetag(name: string): void {
    switch (name) {
      case 'w:t':
      case 'm:t':
        this.isText = false;
        break;
      case 'w:p':
        this.endParagraph();
        break;
      case 'w:tc':
        if (this.rowDepth !== 1) break;
        this.cells.push(this.cell.trim());
        this.cell = '';
        break;
      case 'w:tr':
        this.endRow();
        break;
      case 'w:tbl':
        if (this.rowDepth === 0 && this.hidden === 0) this.write(['']);
        break;
      case 'w:del':
      case 'w:moveFrom':
      case 'mc:Fallback':
        this.hidden -= 1;
        break;
    }
  }

  private mark(prefix: string): void {
    const paragraph = this.paragraphs.at(-1);
    if (paragraph !== undefined) paragraph.prefix = prefix;
  }

  private add(text: string): void {
    const paragraph = this.paragraphs.at(-1);
    if (paragraph !== undefined) paragraph.text += text;
  }

  private endParagraph(): void {
    const { prefix, text: written } = this.paragraphs.pop() ?? { prefix: '', text: '' };
    const text = written.trim();
    if (text !== '' && this.rowDepth > 0) {
      this.cell += `${text.replaceAll('\n', ' ')} `;
    } else if (text !== '') {
      this.write([...`${prefix}${text}`.split('\n'), ...(prefix === '- ' ? [] : [''])]);
    }
    if (this.paragraphs.length > 0 || this.boxLines.length === 0) return;
    const { boxLines } = this;
    this.boxLines = [];
    this.write(boxLines);
  }

  private endRow(): void {
    this.rowDepth -= 1;
    if (this.rowDepth > 0) return;
    if (this.cells.some((cell) => cell !== '')) this.write([`| ${this.cells.join(' | ')} |`]);
    this.cells = [];
  }

  private write(lines: readonly string[]): void {
    const target = this.paragraphs.length === 0 ? this.lines : this.boxLines;
    for (const line of lines) target.push(line);
  }
}

function headingMark(level: number): string {
  return level >= 1 && level <= 9 ? `${'#'.repeat(Math.min(level, MOST_LEVELS))} ` : '';
}
