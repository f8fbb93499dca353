/** What a run of Markdown lines is, as far as cutting it matters. */
export type BlockKind = 'code' | 'front-matter' | 'heading' | 'list-item' | 'prose' | 'table';

/** Consecutive lines that keep their meaning only together. Lines are 0-based here, end excluded. */
export interface Block {
  readonly kind: BlockKind;
  readonly start: number;
  readonly end: number;
  /** For headings: 1 to 6. */
  readonly level?: number;
  /** For headings: the text without its marks. */
  readonly title?: string;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const ATX_HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/;
const SETEXT_UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/;
const LIST_ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/;
const TABLE_ROW = /^\s*\|/;
const TABLE_RULE = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;
const INDENTED = /^(?: {2,}|\t)/;

/**
 * Splits Markdown lines into blocks (CommonMark's shapes, recognised line by line; GitHub's tables;
 * YAML or TOML front matter). Every line that is not blank belongs to exactly one block; blank lines
 * between blocks belong to none.
 */
export function splitBlocks(lines: readonly string[]): Block[] {
  const blocks: Block[] = [];
  let at = 0;
  const frontMatterEnd = endOfFrontMatter(lines);
  if (frontMatterEnd > 0) {
    blocks.push({ kind: 'front-matter', start: 0, end: frontMatterEnd });
    at = frontMatterEnd;
  }
  while (at < lines.length) {
    if (isBlank(lines[at])) {
      at += 1;
      continue;
    }
    const block = blockAt(lines, at);
    blocks.push(block);
    at = block.end;
  }
  return blocks;
}

function isBlank(line: string | undefined): boolean {
  return line === undefined || firstMark(line) === 0;
}

/** The code of a line's first character that is no blank; 0 for a blank line. */
function firstMark(line: string): number {
  for (let at = 0; at < line.length; at++) {
    const code = line.charCodeAt(at);
    if (code !== 32 && (code < 9 || code > 13)) return code;
  }
  return 0;
}

/** Characters that a heading, fence, list item, table row or setext underline can begin with. */
const MARKS = new Set([...'#`~-*+|=:0123456789'].map((mark) => mark.charCodeAt(0)));

function endOfFrontMatter(lines: readonly string[]): number {
  const fence = lines[0]?.trimEnd();
  if (fence !== '---' && fence !== '+++') return 0;
  for (let at = 1; at < lines.length; at++) {
    if (lines[at]?.trimEnd() === fence) return at + 1;
  }
  return 0;
}

function blockAt(lines: readonly string[], start: number): Block {
  const line = lines[start] ?? '';
  const fence = FENCE.exec(line)?.[1];
  if (fence !== undefined) {
    return { kind: 'code', start, end: endOfFence(lines, start, fence, ' {0,3}') };
  }
  const heading = ATX_HEADING.exec(line);
  if (heading !== null) {
    const level = heading[1]?.length ?? 1;
    return { kind: 'heading', start, end: start + 1, level, title: plainTitle(heading[2] ?? '') };
  }
  if (isTableStart(lines, start)) return { kind: 'table', start, end: endOfTable(lines, start) };
  if (LIST_ITEM.test(line)) return { kind: 'list-item', start, end: endOfListItem(lines, start) };
  return proseOrSetextHeading(lines, start);
}

function endOfFence(
  lines: readonly string[],
  start: number,
  fence: string,
  indent: string,
): number {
  const closing = new RegExp(`^${indent}${fence.charAt(0)}{${fence.length},}\\s*$`);
  for (let at = start + 1; at < lines.length; at++) {
    if (closing.test(lines[at] ?? '')) return at + 1;
  }
  return lines.length;
}

function isTableStart(lines: readonly string[], start: number): boolean {
  const line = lines[start] ?? '';
  if (!line.includes('|')) return false;
  const next = lines[start + 1] ?? '';
  if (TABLE_ROW.test(line)) return true;
  return next.includes('|') && TABLE_RULE.test(next);
}

function endOfTable(lines: readonly string[], start: number): number {
  let at = start + 1;
  while (!isBlank(lines[at]) && (lines[at] ?? '').includes('|')) at += 1;
  return at;
}

/** An item runs to the next item, or to a blank line that no indented line follows. */
function endOfListItem(lines: readonly string[], start: number): number {
  let at = start + 1;
  while (at < lines.length) {
    const line = lines[at] ?? '';
    if (isBlank(line)) {
      if (!INDENTED.test(lines[at + 1] ?? '') || isBlank(lines[at + 1])) return at;
    } else if (startsOtherBlock(line)) {
      const fence = FENCE.exec(line.trimStart())?.[1];
      if (fence === undefined || !INDENTED.test(line)) return at;
      at = endOfFence(lines, at, fence, '\\s*');
      continue;
    }
    at += 1;
  }
  return at;
}

function startsOtherBlock(line: string): boolean {
  if (!MARKS.has(firstMark(line))) return false;
  return LIST_ITEM.test(line) || ATX_HEADING.test(line) || FENCE.test(line.trimStart());
}

function proseOrSetextHeading(lines: readonly string[], start: number): Block {
  let at = start + 1;
  while (at < lines.length) {
    const line = lines[at] ?? '';
    if (isBlank(line) || startsOtherBlock(line) || isTableStart(lines, at)) break;
    const underline = at === start + 1 ? SETEXT_UNDERLINE.exec(line)?.[1] : undefined;
    if (underline !== undefined) {
      const level = underline.startsWith('=') ? 1 : 2;
      return { kind: 'heading', start, end: at + 1, level, title: plainTitle(lines[start] ?? '') };
    }
    at += 1;
  }
  return { kind: 'prose', start, end: at };
}

/** A heading's text for people: no emphasis marks, no link targets. */
function plainTitle(text: string): string {
  return text
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[*`]+|<[^>]*>/g, '')
    .trim();
}
