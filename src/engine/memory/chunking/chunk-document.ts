import { documentFormatOf, pageOfLine } from '../../support/document-format.js';
import { lineAt, type TextLines } from '../sources/index.js';
import type { Chunk, DocumentKind } from '../types.js';
import {
  type Block,
  enterHeading,
  type Heading,
  isBlank,
  shortTitle,
  splitBlocks,
  titlesOf,
} from './blocks.js';
import { type ChunkingOptions, chunkBlocks } from './chunk-markdown.js';

/** Splits a document that is not a conversation, by its format. */
export function chunkDocument(
  { path, kind }: { readonly path: string; readonly kind: DocumentKind },
  lines: TextLines,
  options: ChunkingOptions,
): Chunk[] {
  const format = kind === 'markdown' ? undefined : documentFormatOf(path);
  return chunkBlocks(lines, blocksIn(format)(lines), options);
}

/** Where a line of a document is. */
export interface Section {
  /** The titles of the headings above it, outermost first; with its own if it is one. */
  readonly headingPath: readonly string[];
  /** The line of the nearest of them, 0-based; undefined if that is not one of the lines. */
  readonly headingAt: number | undefined;
}

/**
 * The section of each line of a document, or of one of its chunks.
 *
 * @param chunk where the chunk is, and its heading path: that of its first block, with the headings it starts with
 */
export function sectionsOf(
  path: string,
  lines: TextLines,
  chunk?: Pick<Chunk, 'headingPath' | 'startLine'>,
): Section[] {
  const isStart = chunk === undefined || chunk.startLine === 1;
  const blocks = blocksIn(documentFormatOf(path))(lines, isStart);
  const above = chunk?.headingPath;
  const trail = above === undefined ? [] : trailAbove(blocks, above);
  const sections: Section[] = [];
  let current: Section = { headingPath: above ?? [], headingAt: undefined };
  for (const block of blocks) {
    // A chunk that starts with other headings than its own starts inside of code.
    if (trail === undefined || block.kind !== 'heading') continue;
    while (sections.length < block.start) sections.push(current);
    enterHeading(trail, block);
    // The line with the title: the first of an underlined title, the second of one between two lines.
    current = { headingPath: titlesOf(trail), headingAt: Math.max(block.start, block.end - 2) };
  }
  while (sections.length < lines.count) sections.push(current);
  return sections;
}

/** The titles of the headings on some lines, 0-based; each chunk below repeats them. */
export function titlesOn(
  sections: Iterable<Section>,
  isOn: (line: number) => boolean,
): ReadonlySet<string> {
  const titles = new Set<string>();
  for (const { headingAt, headingPath } of new Set(sections)) {
    if (headingAt !== undefined && isOn(headingAt)) titles.add(headingPath.at(-1) ?? '');
  }
  return titles;
}

/** The headings above a chunk, without those it starts with; undefined if these are not the last ones of its path. */
function trailAbove(blocks: readonly Block[], above: readonly string[]): Heading[] | undefined {
  const own: Heading[] = [];
  for (const block of blocks[0]?.kind === 'front-matter' ? blocks.slice(1) : blocks) {
    if (block.kind !== 'heading') break;
    enterHeading(own, block);
  }
  const titles = titlesOf(own);
  const outer = above.slice(0, above.length - titles.length);
  if (titles.some((title, at) => title !== above[outer.length + at])) return undefined;
  // Their levels are not known, but they are above the first one that is.
  const lowest = own[0]?.level ?? Number.POSITIVE_INFINITY;
  return outer.map((title, at) => ({ title, level: Math.min(at + 1, lowest - outer.length + at) }));
}

function blocksIn(
  format: ReturnType<typeof documentFormatOf>,
): (lines: TextLines, isStart?: boolean) => Block[] {
  switch (format) {
    case 'txt':
      return plainBlocks;
    case 'org':
      return orgBlocks;
    case 'rst':
      return rstBlocks;
    case 'pdf':
      return pageBlocks;
    // Their text is extracted as Markdown.
    case 'html':
    case 'docx':
    case undefined:
      return splitBlocks;
  }
}

/**
 * Plain text: paragraphs between blank lines. Every line that is not blank belongs to exactly one block, as in the
 * other formats.
 */
export function plainBlocks(lines: TextLines): Block[] {
  return blocksOf(lines, () => undefined);
}

const ORG_HEADING = /^(\*+)[ \t]+(\S.*)$/u;
const ORG_TITLE = /^#\+title:[ \t]*(\S.*)$/iu;
const ORG_KEYWORD = /^(?:TODO|DONE|NEXT|WAITING|CANCELLED)[ \t]+/u;
const ORG_PRIORITY = /^\[#[A-Z0-9]\][ \t]*/u;
const ORG_TAGS = /(?<![ \t])[ \t]+:[\w@#%:]{1,200}:[ \t]*$/u;
const ORG_BLOCK = /^[ \t]*#\+begin_(\w{1,40})/iu;
const LIST_ITEM = /^[ \t]*(?:[-+*•]|\d{1,9}[.)]|#\.)[ \t]/u;

/**
 * Org mode: headings with their levels, without keywords, priorities and tags; `#+title:` is above all of them. Blocks
 * (`#+begin_…`) and list items stay whole.
 */
export function orgBlocks(lines: TextLines): Block[] {
  return blocksOf(lines, (at) => {
    const line = lineAt(lines, at);
    const heading = ORG_HEADING.exec(line);
    if (heading !== null) {
      const title = (heading[2] ?? '')
        .replace(ORG_KEYWORD, '')
        .replace(ORG_PRIORITY, '')
        .replace(ORG_TAGS, '');
      return headingBlock(at, at + 1, 1 + (heading[1]?.length ?? 1), title);
    }
    const title = ORG_TITLE.exec(line)?.[1];
    if (title !== undefined) return headingBlock(at, at + 1, 1, title);
    const name = ORG_BLOCK.exec(line)?.[1]?.toLowerCase();
    if (name !== undefined) return { kind: 'code', start: at, end: orgBlockEnd(lines, at, name) };
    return undefined;
  });
}

function orgBlockEnd(lines: TextLines, start: number, name: string): number {
  for (let at = start + 1; at < lines.count; at++) {
    const line = lineAt(lines, at).trim().toLowerCase();
    if (line === `#+end_${name}`) return at + 1;
    // An unclosed block ends with its section.
    if (line.startsWith('*') && ORG_HEADING.test(lineAt(lines, at))) return at;
  }
  return lines.count;
}

/** A line of one repeated character; shorter ones only count if the title is as short. */
const ADORNMENT = /^([!-/:-@[-`{-~])\1*[ \t]*$/u;
const LONG_ADORNMENT = 4;
const INDENTED = /^[ \t]/u;
const RST_MARKUP = /^\.\.(?:[ \t]|$)/u;

/**
 * reStructuredText: section titles, whose levels follow from the order of their adornments. Directives and literal
 * blocks stay whole, and so do list items.
 */
export function rstBlocks(lines: TextLines): Block[] {
  const styles: string[] = [];
  const levelOf = (style: string): number => {
    if (!styles.includes(style)) styles.push(style);
    return styles.indexOf(style) + 1;
  };
  return blocksOf(lines, (at) => {
    const adornment = adornmentOf(lines, at);
    if (adornment !== undefined) {
      const isFramed =
        isTitle(lines, at + 1, adornment.length) &&
        adornmentOf(lines, at + 2)?.mark === adornment.mark;
      if (isFramed) {
        const level = levelOf(`${adornment.mark}${adornment.mark}`);
        return headingBlock(at, at + 3, level, lineAt(lines, at + 1));
      }
      // A transition, or a table.
      return { kind: 'prose', start: at, end: paragraphEnd(lines, at) };
    }
    const below = adornmentOf(lines, at + 1);
    if (
      below !== undefined &&
      isTitle(lines, at, below.length) &&
      !INDENTED.test(lineAt(lines, at))
    ) {
      return headingBlock(at, at + 2, levelOf(below.mark), lineAt(lines, at));
    }
    if (RST_MARKUP.test(lineAt(lines, at))) {
      return { kind: 'code', start: at, end: indentedEnd(lines, at) };
    }
    return undefined;
  });
}

function adornmentOf(lines: TextLines, at: number) {
  if (isBlank(lines, at)) return undefined;
  const line = lineAt(lines, at);
  const mark = ADORNMENT.exec(line)?.[1];
  return mark === undefined ? undefined : { mark, length: line.trimEnd().length };
}

function isTitle(lines: TextLines, at: number, length: number): boolean {
  if (isBlank(lines, at) || adornmentOf(lines, at) !== undefined) return false;
  return length >= LONG_ADORNMENT || length >= lineAt(lines, at).trim().length;
}

/** The indented lines that follow, with the blank ones between them. */
function indentedEnd(lines: TextLines, start: number): number {
  let end = start + 1;
  for (let at = end; at < lines.count; at++) {
    if (isBlank(lines, at)) continue;
    if (!INDENTED.test(lineAt(lines, at))) break;
    end = at + 1;
  }
  return end;
}

/** The text of a PDF: each page is a section. */
export function pageBlocks(lines: TextLines): Block[] {
  return blocksOf(lines, (at) => {
    const page = pageOfLine(lineAt(lines, at));
    return page === undefined ? undefined : headingBlock(at, at + 1, 1, `Page ${page}`);
  });
}

/**
 * One block after the other: what a format recognises, else a list item or a paragraph up to the next block.
 *
 * @param special the block that starts at a line, if it is one of the format's own
 */
function blocksOf(lines: TextLines, special: (at: number) => Block | undefined): Block[] {
  const blocks: Block[] = [];
  for (let at = 0; at < lines.count; ) {
    if (isBlank(lines, at)) {
      at += 1;
      continue;
    }
    let block = special(at);
    if (block === undefined) {
      const start = at;
      const kind = isItem(lines, at) ? 'list-item' : 'prose';
      for (at += 1; !isBlank(lines, at) && !isItem(lines, at); at++) {
        block = special(at);
        if (block !== undefined) break;
      }
      blocks.push({ kind, start, end: at });
    }
    if (block === undefined) continue;
    blocks.push(block);
    at = block.end;
  }
  return blocks;
}

/** A list item with its mark further right is not recognised. */
const LONGEST_MARK = 100;

function isItem(lines: TextLines, at: number): boolean {
  return LIST_ITEM.test(lineAt(lines, at).slice(0, LONGEST_MARK));
}

function paragraphEnd(lines: TextLines, start: number): number {
  let at = start + 1;
  while (!isBlank(lines, at)) at += 1;
  return at;
}

/** Chunks distinguish six levels. */
const MOST_LEVELS = 6;

function headingBlock(start: number, end: number, level: number, title: string): Block {
  return {
    kind: 'heading',
    start,
    end,
    level: Math.min(level, MOST_LEVELS),
    title: shortTitle(title),
  };
}
