import type { NoteLink } from '../types.js';
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
  const { text } = lines;
  if (!text.includes('[[') && !text.includes('](') && !text.includes(']:')) return undefined;
  const links: NoteLink[] = [];
  const isCode = fencedCode(lines);
  for (let at = 0; at < lines.count && links.length < MOST_LINKS; at++) {
    if (isCode(at)) continue;
    const line = lineAt(lines, at);
    if (line.includes('[')) collectLinks(line, at + 1, links);
  }
  return links.length === 0 ? undefined : links.slice(0, MOST_LINKS);
}

/** Whether a line is fenced code or a fence; for one line after the other. */
function fencedCode(lines: TextLines): (at: number) => boolean {
  let fence: string | undefined;
  return (at) => {
    const mark = lines.marks[at];
    if (mark !== BACKTICK && mark !== TILDE) return fence !== undefined;
    const line = lineAt(lines, at);
    const marks = FENCE.exec(line)?.[1];
    const wasCode = fence !== undefined;
    if (fence === undefined) fence = marks;
    else if (marks?.startsWith(fence) === true && CLOSING.test(line)) fence = undefined;
    return wasCode || fence !== undefined;
  };
}

const BACKTICK = 96;
const TILDE = 126;
const FENCE = /^\s*(`{3,}|~{3,})/u;
const CLOSING = /^\s*(?:`+|~+)\s*$/u;
const DEFINITION = /^ {0,3}\[[^\]]{1,300}\]:[ \t]*/u;

function collectLinks(line: string, number: number, links: NoteLink[]): void {
  const definition = DEFINITION.exec(line);
  if (definition !== null) {
    // Closed here, so that it may end with the line.
    const target = destinationAt(`${line})`, definition[0].length)?.target;
    addMarkdownLink(target, number, links);
    return;
  }
  const code = line.includes('`') ? codeSpans(line) : undefined;
  for (let at = 0; at < line.length; ) {
    const character = line[at];
    if (character === '\\') at += 2;
    else if (character === '`') at = code?.get(at) ?? at + 1;
    else at = linkAt(line, at, number, links);
  }
}

/** Adds the link at a position, if there is one. @returns where to read on */
function linkAt(line: string, at: number, number: number, links: NoteLink[]): number {
  if (line.startsWith('[[', at)) {
    const end = wikiEnd(line, at + 2);
    if (end === undefined) return at + 1;
    addWikiLink(line.slice(at + 2, end), number, links);
    return end + 2;
  }
  if (!line.startsWith('](', at)) return at + 1;
  const found = destinationAt(line, at + 2);
  addMarkdownLink(found?.target, number, links);
  return found?.end ?? at + 2;
}

/** Where code that starts at a run of backticks ends: after the next run of the same length, or after the run itself. */
function codeSpans(line: string): ReadonlyMap<number, number> {
  const ends = new Map<number, number>();
  const next = new Map<number, number>();
  for (const { 0: run, index } of [...line.matchAll(/`+/gu)].reverse()) {
    const end = index + run.length;
    ends.set(index, next.get(run.length) ?? end);
    next.set(run.length, end);
  }
  return ends;
}

/** Where the text of `[[text]]` ends; undefined if it is not such a link. */
function wikiEnd(line: string, start: number): number | undefined {
  const within = line.slice(start, start + LONGEST);
  const end = within.indexOf(']]');
  return end <= 0 || within.lastIndexOf('[', end) !== -1 ? undefined : start + end;
}

function addWikiLink(text: string, line: number, links: NoteLink[]): void {
  // In tables, `|` is written as `\|`.
  const [name = ''] = text.split(/\\?\|/u, 1);
  const [target = '', heading = ''] = splitOnce(name, '#');
  if (target.trim() !== '') links.push(linkOf('wiki', target.trim(), heading.trim(), line));
}

interface Destination {
  readonly target: string;
  /** The position after it. */
  readonly end: number;
}

/** The target at a position: `<with spaces>`, or up to a blank or the closing parenthesis. */
function destinationAt(line: string, start: number): Destination | undefined {
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
  const [path = '', heading = ''] = splitOnce(target, '#').map(decoded);
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

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A percent sign that is only that.
    return text;
  }
}
