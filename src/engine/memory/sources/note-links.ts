import { CodeFences } from '../../support/code-fences.js';
import { percentDecoded } from '../../support/text.js';
import type { NoteLink } from '../types.js';
import { codeEnd } from './inline-code.js';
import { lineAt, type TextLines } from './text-lines.js';

/** More links of one note are left out. */
const MOST_LINKS = 1000;
/** Longer targets are not links. Bounds what is read after each bracket. */
const LONGEST = 500;

/**
 * The links of a note to other notes, in order: `[[Target#Heading|label]]`, `[label](target.md)` and
 * `[label]: target.md`, outside of code. Undefined without any. Linear in the length of the text.
 */
export function noteLinks(lines: TextLines): readonly NoteLink[] | undefined {
  const { text, marks, ends } = lines;
  if (!text.includes('[[') && !text.includes('](') && !text.includes(']:')) return undefined;
  const links: NoteLink[] = [];
  const isCode = fencedCode(lines);
  let bracket = text.indexOf('[');
  for (let at = 0; at < lines.count && links.length < MOST_LINKS; at++) {
    const end = ends[at] ?? 0;
    if (isCode(at) || bracket === -1 || bracket >= end) continue;
    const line = lineAt(lines, at);
    if (marks[at] !== BRACKET || !addDefinition(line, at + 1, links)) {
      collectLinks(line, at + 1, links);
    }
    bracket = text.indexOf('[', end);
  }
  return links.length === 0 ? undefined : links.slice(0, MOST_LINKS);
}

/** Whether a line is fenced code or a fence; for one line after the other. */
function fencedCode(lines: TextLines): (at: number) => boolean {
  const fences = new CodeFences();
  return (at) => {
    const mark = lines.marks[at];
    const isPlain = mark !== BACKTICK && mark !== TILDE && fences.closing === undefined;
    return !isPlain && fences.isCode(lineAt(lines, at));
  };
}

const BRACKET = 91;
const BACKSLASH = 92;
const BACKTICK = 96;
const TILDE = 126;
const DEFINITION = /^ {0,3}\[[^\]]{1,300}\]:[ \t]*/u;

/** @returns whether the line is a definition */
function addDefinition(line: string, number: number, links: NoteLink[]): boolean {
  const definition = DEFINITION.exec(line);
  if (definition === null) return false;
  // Closed here, so that it may end with the line.
  const target = destinationAt(`${line})`, definition[0].length)?.target;
  addMarkdownLink(target, number, links);
  return true;
}

function collectLinks(line: string, number: number, links: NoteLink[]): void {
  const unclosed = new Set<number>();
  const special = /[\\`]|\[\[|\]\(/gu;
  while (special.test(line)) {
    const end = special.lastIndex;
    const last = line.charCodeAt(end - 1);
    if (last === BACKSLASH) special.lastIndex = end + 1;
    else if (last === BACKTICK) special.lastIndex = codeEnd(line, end - 1, unclosed);
    else special.lastIndex = addLinkAt(line, end, number, links);
  }
}

/** Adds the link after `[[` or `](`, if there is one. @returns where to read on */
function addLinkAt(line: string, start: number, number: number, links: NoteLink[]): number {
  if (line.charCodeAt(start - 1) === BRACKET) {
    const end = wikiLinkEnd(line, start);
    // A third bracket may start the link.
    if (end === undefined) return start - 1;
    addWikiLink(line.slice(start, end), number, links);
    return end + 2;
  }
  const found = destinationAt(line, start);
  addMarkdownLink(found?.target, number, links);
  return found?.end ?? start;
}

/** Where the text of `[[text]]` ends; undefined if it is not such a link. */
function wikiLinkEnd(line: string, start: number): number | undefined {
  const within = line.slice(start, start + LONGEST);
  const end = within.indexOf(']]');
  return end <= 0 || within.lastIndexOf('[', end) !== -1 ? undefined : start + end;
}

function addWikiLink(text: string, line: number, links: NoteLink[]): void {
  // In tables, `|` is written as `\|`.
  const bar = text.indexOf('|');
  const name = bar === -1 ? text : text.slice(0, text[bar - 1] === '\\' ? bar - 1 : bar);
  const [target = '', heading = ''] = splitOnce(name, '#');
  if (target.trim() !== '') links.push(linkOf('wiki', target.trim(), heading.trim(), line));
}

/** The target at a position: `<with spaces>`, or up to a blank or the closing parenthesis. */
function destinationAt(line: string, start: number) {
  const within = line.slice(start, start + LONGEST);
  if (within.startsWith('<')) {
    const close = within.indexOf('>');
    return close === -1 ? undefined : { target: within.slice(1, close), end: start + close + 1 };
  }
  let open = 0;
  for (let at = 0; at < within.length; at++) {
    const character = within[at];
    if (character === '(') open += 1;
    else if (character === ')') open -= 1;
    const isEnd = open < 0 || character === ' ' || character === '\t';
    if (isEnd && within.includes(')', at)) {
      return { target: within.slice(0, at), end: start + at };
    }
    if (isEnd) return undefined;
  }
  return undefined;
}

/** `https:`, `mailto:`, and `C:` of Windows. */
const SCHEME = /^[a-z][a-z0-9+.-]*:/iu;

function addMarkdownLink(target: string | undefined, line: number, links: NoteLink[]): void {
  if (target === undefined || target === '' || SCHEME.test(target)) return;
  const [path = '', heading = ''] = splitOnce(target, '#').map(percentDecoded);
  // An anchor in the note itself, an address without a scheme, or a folder.
  if (path === '' || path.startsWith('//') || path.endsWith('/')) return;
  links.push(linkOf('markdown', path, heading, line));
}

function linkOf(kind: NoteLink['kind'], target: string, heading: string, line: number): NoteLink {
  return heading === '' ? { kind, line, target } : { kind, line, target, heading };
}

function splitOnce(text: string, separator: string): readonly string[] {
  const at = text.indexOf(separator);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
