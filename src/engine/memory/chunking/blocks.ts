import { CodeFences, opensCode } from '../../support/code-fences.js';
import { firstChars } from '../../support/text.js';
import { frontMatterEnd, lineAt, type TextLines } from '../sources/index.js';

type BlockKind = 'code' | 'front-matter' | 'heading' | 'list-item' | 'prose' | 'table';

/** Lines that belong together. Lines are 0-based here, end excluded. */
export interface Block {
  readonly kind: BlockKind;
  readonly start: number;
  readonly end: number;
  /** For headings: 1 to 6. */
  readonly level?: number;
  /** For headings: the text without marks. */
  readonly title?: string;
}

/** A heading with a title; see {@link Block}. */
export type Heading = Pick<Block, 'level' | 'title'>;

/** Adds a heading to those above a line, without those that it ends. */
export function enterHeading(trail: Heading[], heading: Heading): void {
  const level = heading.level ?? 1;
  while ((trail.at(-1)?.level ?? 0) >= level) trail.pop();
  trail.push(heading);
}

/** The titles of headings, without empty ones. */
export function titlesOf(trail: readonly Heading[]): readonly string[] {
  return trail.map(({ title }) => title ?? '').filter((title) => title !== '');
}

const ATX_HEADING = /^ {0,3}(#{1,6})(?:[ \t]+([^ \t].*)?)?$/;
const CLOSING_MARKS = /(?<![ \t])[ \t]+#+[ \t]*$/;
const SETEXT_UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/;
const LIST_ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/;
const TABLE_ROW = /^\s*\|/;
const TABLE_RULE = /^\s*(?:\|\s*)?:?-+:?\s*(?:\|\s*:?-+:?\s*)*(?:\|\s*)?$/;
const INDENTED = /^(?: {2,}|\t)/;

/**
 * Splits Markdown lines into blocks (CommonMark, recognised line by line; GitHub's tables; YAML or TOML front matter).
 * Every line that is not blank belongs to exactly one block; blank lines between blocks belong to none.
 *
 * @param isStart whether the note starts with these lines, maybe with front matter
 */
export function splitBlocks(lines: TextLines, isStart = true): Block[] {
  const blocks: Block[] = [];
  const closing = isStart ? frontMatterEnd(lines) : undefined;
  let at = closing === undefined ? 0 : closing + 1;
  if (at > 0) blocks.push({ kind: 'front-matter', start: 0, end: at });
  while (at < lines.count) {
    if (isBlank(lines, at)) {
      at += 1;
      continue;
    }
    const block = blockAt(lines, at);
    blocks.push(block);
    at = block.end;
  }
  return blocks;
}

/** Whether a line is blank; lines after the last one are. */
export function isBlank(lines: TextLines, at: number): boolean {
  return lines.marks[at] === 0 || at >= lines.count;
}

/** First characters of headings, fences, list items, table rows and setext underlines. */
const MARKS = new Set([...'#`~-*+|=:0123456789'].map((mark) => mark.charCodeAt(0)));

function blockAt(lines: TextLines, start: number): Block {
  if (!isMarked(lines, start)) return proseOrSetextHeading(lines, start);
  const line = lineAt(lines, start);
  if (opensCode(line)) return { kind: 'code', start, end: endOfCode(lines, start) };
  const heading = ATX_HEADING.exec(line);
  if (heading !== null) {
    const level = heading[1]?.length ?? 1;
    const title = plainTitle((heading[2] ?? '').replace(CLOSING_MARKS, ''));
    return { kind: 'heading', start, end: start + 1, level, title };
  }
  if (isTableStart(lines, start)) return { kind: 'table', start, end: endOfTable(lines, start) };
  if (LIST_ITEM.test(line)) return { kind: 'list-item', start, end: endOfListItem(lines, start) };
  return proseOrSetextHeading(lines, start);
}

/** Whether a line could be anything but prose. */
function isMarked(lines: TextLines, at: number): boolean {
  return MARKS.has(lines.marks[at] ?? 0) || lines.pipes[at] === 1;
}

function endOfCode(lines: TextLines, start: number): number {
  const fences = new CodeFences();
  for (let at = start; at < lines.count; at++) {
    if (!fences.isCode(lineAt(lines, at))) return at;
    if (fences.closing === undefined) return at + 1;
  }
  return lines.count;
}

function isTableStart(lines: TextLines, start: number): boolean {
  if (lines.pipes[start] !== 1) return false;
  if (TABLE_ROW.test(lineAt(lines, start))) return true;
  return lines.pipes[start + 1] === 1 && TABLE_RULE.test(lineAt(lines, start + 1));
}

function endOfTable(lines: TextLines, start: number): number {
  let at = start + 1;
  while (lines.pipes[at] === 1) at += 1;
  return at;
}

/** An item ends at the next item, or at a blank line that is not followed by an indented one. */
function endOfListItem(lines: TextLines, start: number): number {
  let at = start + 1;
  while (at < lines.count) {
    if (isBlank(lines, at)) {
      if (isBlank(lines, at + 1) || !INDENTED.test(lineAt(lines, at + 1))) return at;
    } else if (startsOtherBlock(lines, at)) {
      const line = lineAt(lines, at);
      if (!opensCode(line) || !INDENTED.test(line)) return at;
      at = endOfCode(lines, at);
      continue;
    }
    at += 1;
  }
  return at;
}

function startsOtherBlock(lines: TextLines, at: number): boolean {
  if (!MARKS.has(lines.marks[at] ?? 0)) return false;
  const line = lineAt(lines, at);
  return LIST_ITEM.test(line) || ATX_HEADING.test(line) || opensCode(line);
}

function proseOrSetextHeading(lines: TextLines, start: number): Block {
  const underline = SETEXT_UNDERLINE.exec(lineAt(lines, start + 1))?.[1];
  if (underline !== undefined && !startsOtherBlock(lines, start + 1)) {
    const level = underline.startsWith('=') ? 1 : 2;
    const title = plainTitle(lineAt(lines, start));
    return { kind: 'heading', start, end: start + 2, level, title };
  }
  let at = start + 1;
  while (!isBlank(lines, at) && !startsOtherBlock(lines, at) && !isTableStart(lines, at)) at += 1;
  return { kind: 'prose', start, end: at };
}

/**
 * A heading's text without emphasis and link targets. Lengths are bounded, so that a line of a million
 * brackets is not slow.
 */
function plainTitle(text: string): string {
  const plain = text
    .replace(/!?\[([^\]]{0,300})\]\([^)]{0,500}\)/g, '$1')
    .replace(/[*`]+|<[^<>]{0,300}>/g, '');
  return shortTitle(plain);
}

const LONGEST_TITLE = 300;

/** The title of a heading, cut where it is too long: each chunk below it repeats it. */
export function shortTitle(text: string): string {
  return firstChars(text.trim(), LONGEST_TITLE);
}
