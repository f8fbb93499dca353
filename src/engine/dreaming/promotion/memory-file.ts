import type { ClaimKey } from '../claims/claim-words.js';
import { formatProvenance, type Provenance, parseProvenance } from './provenance.js';

/** One entry that dreaming wrote into `MEMORY.md`. */
export interface PromotedEntry extends Provenance {
  /** What stands after the list mark now; somebody may have edited it. */
  readonly text: string;
  /** Its two lines with their ends, as they stand in the file. */
  readonly block: string;
}

/** What a sweep does to `MEMORY.md`. */
export type MemoryEdit =
  | { readonly kind: 'add'; readonly entry: Provenance; readonly text: string }
  | {
      readonly kind: 'replace';
      readonly prior: ClaimKey;
      readonly entry: Provenance;
      readonly text: string;
    }
  | { readonly kind: 'retire'; readonly prior: ClaimKey };

/** What was written, exactly, so that it can be taken back. */
export type MemoryOperation =
  /** A title or a heading that the entries needed, with its blank lines. */
  | { readonly kind: 'frame'; readonly inserted: string }
  | { readonly kind: 'add'; readonly key: ClaimKey; readonly inserted: string }
  | {
      readonly kind: 'replace';
      readonly key: ClaimKey;
      readonly before: string;
      readonly after: string;
    }
  | {
      readonly kind: 'retire';
      readonly key: ClaimKey;
      readonly before: string;
      /** The text right above it, some lines; where it goes back to. */
      readonly above: string;
    };

/** A new text of the file, and how it came about. */
export interface EditedMemory {
  readonly text: string;
  readonly operations: readonly MemoryOperation[];
}

const TITLE = '# Long-Term Memory';

/** The entries that dreaming wrote and that are still there, in order. */
export function promotedEntries(text: string): PromotedEntry[] {
  const entries: PromotedEntry[] = [];
  const lines = linesOf(text);
  for (const [at, line] of lines.entries()) {
    const provenance = parseProvenance(bare(line));
    const item = lines[at + 1];
    if (provenance === undefined || item === undefined || !item.startsWith('- ')) continue;
    entries.push({ ...provenance, text: bare(item).slice(2), block: line + item });
  }
  return entries;
}

/** The text without what dreaming wrote: what a person keeps there. */
export function handWritten(text: string): string {
  return promotedEntries(text).reduce((rest, { block }) => rest.replace(block, () => ''), text);
}

/**
 * Applies edits. Everything that is not an entry of dreaming's stays byte for byte; new entries go below
 * the heading of their day, at the end of the file when there is none yet.
 *
 * @param day of the sweep, `YYYY-MM-DD`
 */
export function editMemory(text: string, edits: readonly MemoryEdit[], day: string): EditedMemory {
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const operations: MemoryOperation[] = [];
  let edited = text;
  for (const edit of edits) {
    if (edit.kind === 'add') {
      const framed = withHeading(edited, day, end, operations);
      const at = endOfSection(framed, headingOf(day));
      // A person's editor may have taken the end of the last line away.
      const inserted = `${/[^\n]$/u.test(framed.slice(0, at)) ? end : ''}${blockOf(edit, end)}`;
      edited = insertAt(framed, at, inserted);
      operations.push({ kind: 'add', key: edit.entry.key, inserted });
      continue;
    }
    const prior = promotedEntries(edited).find(({ key }) => key === edit.prior);
    if (prior === undefined) continue;
    if (edit.kind === 'replace') {
      const after = blockOf(edit, prior.block.endsWith('\n') ? end : '');
      edited = edited.replace(prior.block, () => after);
      operations.push({ kind: 'replace', key: edit.entry.key, before: prior.block, after });
    } else {
      const above = textAbove(edited, prior.block);
      edited = edited.replace(prior.block, () => '');
      operations.push({ kind: 'retire', key: prior.key, before: prior.block, above });
    }
  }
  return { text: edited, operations };
}

/** An operation that could not be taken back, and why. */
export interface KeptOperation {
  readonly key: ClaimKey;
  readonly why: 'edited' | 'gone';
}

/**
 * Takes operations back in a text that may have been edited since: the last first, each only where it
 * stands as it was written. What a person changed is theirs and stays.
 */
export function undoEdits(
  text: string,
  operations: readonly MemoryOperation[],
): { readonly text: string; readonly kept: readonly KeptOperation[] } {
  const kept: KeptOperation[] = [];
  let edited = text;
  for (const operation of operations.toReversed()) {
    const undone = undoOne(edited, operation);
    if (undone !== undefined) edited = undone;
    else if (operation.kind !== 'frame') {
      const isThere = promotedEntries(edited).some(({ key }) => key === operation.key);
      kept.push({ key: operation.key, why: isThere ? 'edited' : 'gone' });
    }
  }
  return { text: edited, kept };
}

function undoOne(text: string, operation: MemoryOperation): string | undefined {
  switch (operation.kind) {
    case 'frame':
      return withoutFrame(text, operation.inserted);
    case 'add':
      return replaceOnce(text, operation.inserted, '');
    case 'replace':
      return replaceOnce(text, operation.after, operation.before);
    case 'retire': {
      const { above, before } = operation;
      if (above === '') return before + text;
      return replaceOnce(text, above, above + before) ?? withLineEnd(text) + before;
    }
  }
}

/** A frame goes only when nothing is left in it. */
function withoutFrame(text: string, inserted: string): string | undefined {
  const at = text.lastIndexOf(inserted);
  if (at === -1) return undefined;
  const below = text.slice(at + inserted.length).trimStart();
  if (below !== '' && !below.startsWith('#')) return undefined;
  return text.slice(0, at) + text.slice(at + inserted.length);
}

function replaceOnce(text: string, part: string, by: string): string | undefined {
  const at = text.indexOf(part);
  return at === -1 ? undefined : text.slice(0, at) + by + text.slice(at + part.length);
}

function headingOf(day: string): string {
  return `## Promoted From Short-Term Memory (${day})`;
}

/** The text with the day's heading in it, and the title when there was nothing at all. */
function withHeading(
  text: string,
  day: string,
  end: string,
  operations: MemoryOperation[],
): string {
  const heading = headingOf(day);
  if (linesOf(text).some((line) => bare(line) === heading)) return text;
  const title = text.trim() === '' ? `${TITLE}${end}` : '';
  const gap = text === '' || text.endsWith(end + end) ? '' : text.endsWith('\n') ? end : end + end;
  const inserted = `${title === '' ? gap : `${gap}${title}${end}`}${heading}${end}${end}`;
  operations.push({ kind: 'frame', inserted });
  return text + inserted;
}

/** Where the entries below a heading end: behind the last of them, or behind the heading's blank line. */
function endOfSection(text: string, heading: string): number {
  let at = 0;
  let end: number | undefined;
  let isItem = false;
  for (const line of linesOf(text)) {
    at += line.length;
    if (bare(line) === heading) end = at;
    else if (end === undefined) continue;
    else if (line.startsWith('#')) return end;
    else if (isItem || (bare(line) === '' && end === at - line.length)) end = at;
    isItem = parseProvenance(bare(line)) !== undefined;
  }
  return end ?? text.length;
}

function insertAt(text: string, at: number, inserted: string): string {
  return text.slice(0, at) + inserted + text.slice(at);
}

function blockOf({ entry, text }: { entry: Provenance; text: string }, end: string): string {
  return `${formatProvenance(entry)}${end === '' ? '\n' : end}- ${safeItem(text)}${end}`;
}

/** On one line, and unable to begin or end a comment. */
function safeItem(text: string): string {
  return text
    .replaceAll(/\s+/gu, ' ')
    .replaceAll('<!--', '&lt;!--')
    .replaceAll('-->', '--&gt;')
    .trim();
}

/** Enough of what stands above a block to find the place again. */
const CONTEXT_CHARACTERS = 400;

function textAbove(text: string, block: string): string {
  const at = text.indexOf(block);
  return text.slice(Math.max(0, at - CONTEXT_CHARACTERS), at);
}

function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/gu) ?? [];
}

function bare(line: string): string {
  return line.replace(/\r?\n$/u, '');
}

function withLineEnd(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
