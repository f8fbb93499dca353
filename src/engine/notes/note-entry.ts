import { type Block, splitBlocks } from '../memory/chunking/blocks.js';
import { wordsOf } from '../memory/forgotten/index.js';
import {
  lineAt,
  linesWithoutOwnWriting,
  type TextLines,
  textLines,
} from '../memory/sources/index.js';
import { gapAfter, lineEndAfter } from '../memory-files/insertion.js';
import { CodeFences, closingFence } from '../support/code-fences.js';
import { eolOf, folded } from '../support/text.js';

/** Text as it will be in a note, in lines without line ends. */
export type NoteEntry = readonly [string, ...string[]];

const LIST_ITEM = /^\s{0,3}(?:[-*+]|\d{1,9}[.)])\s/u;

/**
 * The lines to add for a text: one line becomes a list item, several stay as they are. Undefined for a text without
 * words.
 *
 * @param tags without `#`
 */
export function noteEntry(text: string, tags: readonly string[]): NoteEntry | undefined {
  const lines = text
    .replaceAll(/\r\n?/gu, '\n')
    .split('\n')
    .map((line) => line.trimEnd());
  const from = lines.findIndex((line) => line !== '');
  const [first, ...rest] = lines.slice(from, lines.findLastIndex((line) => line !== '') + 1);
  if (first === undefined || lines.every((line) => wordsOf(line) === '')) return undefined;
  const marks = tags.map((tag) => `#${tag}`).join(' ');
  if (rest.length === 0) {
    const item = LIST_ITEM.test(first) ? first : `- ${first.trimStart()}`;
    return [marks === '' ? item : `${item} ${marks}`];
  }
  const closing = closingFence([first, ...rest]);
  return [
    first,
    ...rest,
    ...(closing === undefined ? [] : [closing]),
    ...(marks === '' ? [] : ['', marks]),
  ];
}

/** The first line (1-based) of an entry that a text already has, whatever its list marks and spaces. */
export function findEntryLine(text: string, entry: NoteEntry): number | undefined {
  const wanted = entry.map(wordsOf).filter((words) => words !== '');
  const known = linesWithWords(text);
  const found = known.find((_, from) =>
    wanted.every((words, offset) => isSameLine(known[from + offset]?.words, words, entry)),
  );
  return found === undefined ? undefined : found.at + 1;
}

/** A line of the text can have more tags than an entry of one line. */
function isSameLine(known: string | undefined, words: string, entry: NoteEntry): boolean {
  if (known === undefined || entry.length > 1) return known === words;
  const [line, wanted] = [splitTags(known), splitTags(words)];
  return line.words === wanted.words && wanted.tags.every((tag) => line.tags.includes(tag));
}

function linesWithWords(text: string): readonly { readonly at: number; readonly words: string }[] {
  const lines = textLines(text);
  return Array.from({ length: lines.count }, (_, at) => {
    return { at, words: wordsOf(lineAt(lines, at)) };
  }).filter(({ words }) => words !== '');
}

/** What a line says, and the tags at its end. */
function splitTags(line: string): { readonly words: string; readonly tags: readonly string[] } {
  const words = line.split(' ');
  const last = words.findLastIndex((word) => !/^#[^\s#]+$/u.test(word));
  return { words: words.slice(0, last + 1).join(' '), tags: words.slice(last + 1) };
}

/** A text in which an item of a list that equals an entry has its tags as well; undefined without one. */
export function tagEqualLine(text: string, entry: NoteEntry): PlacedEntry | undefined {
  const { words, tags } = splitTags(wordsOf(entry[0]));
  if (entry.length > 1 || tags.length === 0) return undefined;
  const lines = text.split('\n');
  const fences = new CodeFences();
  const at = lines.findIndex(
    (line) =>
      !fences.isCode(line) && LIST_ITEM.test(line) && splitTags(wordsOf(line)).words === words,
  );
  const line = lines[at];
  if (line === undefined) return undefined;
  const had = splitTags(wordsOf(line)).tags;
  const tagged = [line.trimEnd(), ...tags.filter((tag) => !had.includes(tag))].join(' ');
  const end = `${line.endsWith('\r') ? '\r' : ''}${at < lines.length - 1 ? '\n' : ''}`;
  const before = lines.slice(0, at).join('\n') + (at > 0 ? '\n' : '');
  return {
    text: before + tagged + end + lines.slice(at + 1).join('\n'),
    frames: [],
    inserted: tagged + end,
    replaced: line + (at < lines.length - 1 ? '\n' : ''),
    startLine: at + 1,
    endLine: at + 1,
  };
}

/** A text with an entry, and exactly what was inserted. */
export interface PlacedEntry {
  readonly text: string;
  /** The title and the heading that it needed, in the order they were inserted. */
  readonly frames: readonly string[];
  readonly inserted: string;
  /** What was there instead: a line without its new tags, or nothing. */
  readonly replaced: string;
  /** First and last line of the entry, 1-based. */
  readonly startLine: number;
  readonly endLine: number;
}

interface Place {
  readonly heading?: string | undefined;
  readonly title: string;
  readonly created?: readonly string[];
}

/**
 * Adds an entry at the end of a text, or of the section below a heading, which is added if it is missing. Everything
 * else stays byte for byte.
 *
 * @param title for an empty text
 * @param created headings that were added like this; at the end of the text, an entry without a heading is above them
 */
export function placeEntry(
  before: string,
  entry: NoteEntry,
  { heading, title, created = [] }: Place,
): PlacedEntry {
  const end = eolOf(before);
  const frames: string[] = [];
  let text = before;
  const append = (frame: string): void => {
    frames.push(frame);
    text += frame;
  };
  if (before.trim() === '') append(`# ${title}${end}${end}`);
  let at = endAboveSections(text, created);
  if (heading !== undefined) {
    if (sectionEnd(text, heading) === undefined) {
      append(`${gapAfter(text, end)}## ${heading}${end}${end}`);
    }
    at = sectionEnd(text, heading) ?? text.length;
  }
  const above = text.slice(0, at);
  const isListed = LIST_ITEM.test(entry[0]) && LIST_ITEM.test(lastLine(above));
  const gapAbove = isListed ? lineEndAfter(above, end) : gapAfter(above, end);
  const below = text.slice(at);
  const gapBelow = below === '' || /^\r?\n/u.test(below) ? '' : end;
  const inserted = `${gapAbove}${entry.join(end)}${end}${gapBelow}`;
  const startLine = (above + gapAbove).split('\n').length;
  return {
    text: above + inserted + below,
    frames,
    inserted,
    replaced: '',
    startLine,
    endLine: startLine + entry.length - 1,
  };
}

/** After the last line with text above the sections of these headings that are the last of a text. */
function endAboveSections(text: string, created: readonly string[]): number {
  const lines = textLines(text);
  const blocks = splitBlocks(lines);
  const sections = blocks.filter(({ level }) => level !== undefined && level <= 2);
  const others = sections.findLastIndex(
    ({ start }) => !created.includes(lineAt(lines, start).trim()),
  );
  const first = sections[others + 1];
  if (first === undefined) return text.length;
  const above = blocks[blocks.indexOf(first) - 1];
  if (above === undefined) return 0;
  const end = lines.starts[above.end] ?? text.length;
  return above.level === undefined ? end : afterEmptyLine(text, end);
}

function afterEmptyLine(text: string, at: number): number {
  return at + (/^\r?\n/u.exec(text.slice(at))?.[0].length ?? 0);
}

function lastLine(text: string): string {
  return text.trimEnd() === '' || /\n\r?\n$/u.test(text)
    ? ''
    : text.slice(text.lastIndexOf('\n', text.length - 2) + 1);
}

/** Where the section of a heading ends, after its last line with text; undefined without this heading. */
function sectionEnd(text: string, heading: string): number | undefined {
  const lines = textLines(text);
  // What is inserted into a block of dreaming is lost when the block is written again.
  const blocks = splitBlocks(linesWithoutOwnWriting(lines));
  const after = ({ end }: Block): number => lines.starts[end] ?? text.length;
  const headings = blocks.filter(({ title }) => title !== undefined);
  const wanted = folded(heading.trim());
  const plain = folded(splitBlocks(textLines(`# ${heading}`))[0]?.title ?? '');
  const start =
    headings.find((block) => folded(writtenTitle(lines, block)) === wanted) ??
    headings.find(({ title = '' }) => plain !== '' && folded(title) === plain);
  if (start === undefined) return undefined;
  const below = blocks.slice(blocks.indexOf(start) + 1);
  const next = below.findIndex(({ level }) => level !== undefined && level <= (start.level ?? 0));
  const last = (next === -1 ? below : below.slice(0, next)).at(-1);
  if (last !== undefined) return after(last);
  return afterEmptyLine(text, after(start));
}

/** With its emphasis and links, which {@link Block} leaves out. */
function writtenTitle(lines: TextLines, { start }: Block): string {
  return lineAt(lines, start)
    .replace(/^ {0,3}#{1,6}[ \t]+/u, '')
    .replace(/(?<=[ \t])#+[ \t]*$/u, '')
    .trim();
}
