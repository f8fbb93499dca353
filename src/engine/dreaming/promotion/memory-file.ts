import * as z from 'zod/mini';
import { splitBlocks } from '../../memory/chunking/blocks.js';
import type { LineRange } from '../../memory/index.js';
import { lineAt, PROMOTION_MARK, textLines } from '../../memory/sources/index.js';
import {
  gapAfter,
  lineEndAfter,
  MEMORY_TITLE,
  withLineEndsOf,
  withoutFrame,
  withoutInsertion,
} from '../../memory-files/insertion.js';
import { eolOf, percentDecoded } from '../../support/text.js';
import { type ClaimKey, claimKey, isClaimKey } from '../claims/claim-words.js';
import { dailyNoteDay } from '../scoring/recall-entry.js';

/** An entry in `MEMORY.md` that dreaming wrote. */
export interface PromotedEntry extends Provenance {
  /** Its current text, which a person may have edited. */
  readonly text: string;
  /** Its two lines in the file, with line ends. */
  readonly block: string;
}

/** A change a sweep makes to `MEMORY.md`. */
export type MemoryEdit =
  | { readonly kind: 'add'; readonly entry: Provenance; readonly text: string }
  | {
      readonly kind: 'replace';
      readonly prior: ClaimKey;
      readonly entry: Provenance;
      readonly text: string;
    }
  | { readonly kind: 'retire'; readonly prior: ClaimKey; readonly because: Retirement };

/** Why an entry leaves `MEMORY.md`. */
export type Retirement =
  /** To keep the file within its budget. */
  | { readonly why: 'space' }
  /** A statement of that day (`YYYY-MM-DD`) says otherwise. */
  | { readonly why: 'superseded'; readonly by: ClaimKey; readonly until: string };

/** An entry that left `MEMORY.md`. */
export interface RetiredEntry {
  readonly entry: PromotedEntry;
  readonly because: Retirement;
}

/** Exactly what was written, so that it can be undone; to `MEMORY.md`, or to the archive if it has a path. */
export type MemoryOperation = Readonly<z.infer<typeof memoryOperation>>;
export const memoryOperation = z.discriminatedUnion('kind', [
  /** A title or heading that the entries needed, with the blank lines around it. */
  z.object({ kind: z.literal('frame'), inserted: z.string(), path: z.optional(z.string()) }),
  z.object({ kind: z.literal('add'), key: claimKey, inserted: z.string() }),
  z.object({ kind: z.literal('replace'), key: claimKey, before: z.string(), after: z.string() }),
  /** `above` is the text right above the removed entry, which marks where it was. */
  z.object({ kind: z.literal('retire'), key: claimKey, before: z.string(), above: z.string() }),
  /** A retired entry in the archive. */
  z.object({ kind: z.literal('archive'), key: claimKey, inserted: z.string(), path: z.string() }),
]);

/** The new text of the file and the operations that produced it. */
export type EditedMemory = Readonly<ReturnType<typeof editMemory>>;

/** The entries written by dreaming, in order. */
export function promotedEntries(text: string): PromotedEntry[] {
  const entries: PromotedEntry[] = [];
  const lines = linesOf(text);
  for (const [at, line] of lines.entries()) {
    const provenance = parseProvenance(withoutLineEnd(line));
    const item = lines[at + 1];
    if (provenance === undefined || item === undefined || !item.startsWith('- ')) continue;
    entries.push({ ...provenance, text: withoutLineEnd(item).slice(2), block: line + item });
  }
  return entries;
}

/** The first entry of a claim. Found by its mark: a change of many entries would read all of them for each. */
function entryOf(text: string, key: ClaimKey): PromotedEntry | undefined {
  const mark = `${PROMOTION_MARK}${key} `;
  for (let at = text.indexOf(mark); at !== -1; at = text.indexOf(mark, at + 1)) {
    if (at > 0 && text[at - 1] !== '\n') continue;
    const itemAt = text.indexOf('\n', at) + 1;
    const end = text.indexOf('\n', itemAt) + 1;
    const [entry] = promotedEntries(text.slice(at, end === 0 ? undefined : end));
    if (entry !== undefined) return entry;
  }
  return undefined;
}

/** The text without the entries written by dreaming. */
export function handWritten(text: string): string {
  return promotedEntries(text).reduce((rest, { block }) => rest.replace(block, () => ''), text);
}

/**
 * Applies edits. Text that dreaming did not write is unchanged byte for byte. New entries go below the
 * heading of the day (`YYYY-MM-DD`), which is added at the end of the file if needed.
 */
export function editMemory(text: string, edits: readonly MemoryEdit[], day: string) {
  const end = eolOf(text);
  const operations: MemoryOperation[] = [];
  const retired: RetiredEntry[] = [];
  let edited = text;
  for (const edit of edits) {
    if (edit.kind === 'add') {
      const framed = withHeading(edited, day, end, operations);
      const at = endOfSection(framed, headingOf(day));
      const above = framed.slice(0, at);
      const inserted = lineEndAfter(above, end) + blockOf(edit, end);
      edited = above + inserted + framed.slice(at);
      operations.push({ kind: 'add', key: edit.entry.key, inserted });
      continue;
    }
    const prior = entryOf(edited, edit.prior);
    if (prior === undefined) continue;
    if (edit.kind === 'replace') {
      const after = blockOf(edit, prior.block.endsWith('\n') ? end : '');
      edited = edited.replace(prior.block, () => after);
      operations.push({ kind: 'replace', key: edit.entry.key, before: prior.block, after });
      const { key: by } = edit.entry;
      const because = { why: 'superseded', by, until: dayOfEntry(edit.entry) } as const;
      retired.push({ entry: prior, because });
    } else {
      const before = withEmptySection(edited, prior.block);
      const above = textAbove(edited, before);
      edited = edited.replace(before, () => '');
      operations.push({ kind: 'retire', key: prior.key, before, above });
      retired.push({ entry: prior, because: edit.because });
    }
  }
  return { text: edited, operations, retired };
}

/** An operation that could not be undone, and why. */
export interface KeptOperation {
  readonly key: ClaimKey;
  readonly why: 'edited' | 'gone';
}

/**
 * Undoes operations, last first, in a text that may have been edited since. Entries that a person changed
 * are kept.
 */
export function undoEdits(text: string, operations: readonly MemoryOperation[]) {
  const kept: KeptOperation[] = [];
  let edited = text;
  for (const operation of operations.toReversed()) {
    const undone = undoOne(edited, withLineEnds(operation, text));
    if (undone !== undefined) edited = undone;
    else if (operation.kind !== 'frame') {
      const isThere = promotedEntries(edited).some(({ key }) => key === operation.key);
      kept.push({ key: operation.key, why: isThere ? 'edited' : 'gone' });
    }
  }
  return { text: edited, kept };
}

function withLineEnds(operation: MemoryOperation, text: string): MemoryOperation {
  const adapt = (part: string): string => withLineEndsOf(text, part);
  switch (operation.kind) {
    case 'replace':
      return {
        ...operation,
        before: adapt(operation.before),
        after: adapt(operation.after),
      };
    case 'retire':
      return { ...operation, before: adapt(operation.before), above: adapt(operation.above) };
    default:
      return { ...operation, inserted: adapt(operation.inserted) };
  }
}

function undoOne(text: string, operation: MemoryOperation): string | undefined {
  switch (operation.kind) {
    case 'frame':
      return withoutFrame(text, operation.inserted);
    case 'add':
    case 'archive':
      return withoutInsertion(text, operation.inserted);
    case 'replace':
      return replaceOnce(text, operation.after, operation.before);
    case 'retire': {
      const { above, before, key } = operation;
      // A killed undo may have put it back already; other entries may then follow the heading that left with it.
      if (text.includes(`${PROMOTION_MARK}${key}`)) return text;
      return replaceOnce(text, above, above + before) ?? text + lineEndAfter(text, '\n') + before;
    }
  }
}

function replaceOnce(text: string, part: string, by: string): string | undefined {
  const at = text.indexOf(part);
  return at === -1 ? undefined : text.slice(0, at) + by + text.slice(at + part.length);
}

const HEADING_ABOVE =
  /(?<=^|\n)## Promoted From Short-Term Memory \(\d{4}-\d{2}-\d{2}\)\r?\n\r?\n$/u;
const NOTHING_BELOW = /^\s*(?:$|#{1,2} )/u;

/** A block, with the heading above it if nothing else is in its section: empty ones would add up. */
function withEmptySection(text: string, block: string): string {
  const at = text.indexOf(block);
  const [heading = ''] = HEADING_ABOVE.exec(text.slice(0, at)) ?? [];
  return NOTHING_BELOW.test(text.slice(at + block.length)) ? heading + block : block;
}

function headingOf(day: string): string {
  return `## Promoted From Short-Term Memory (${day})`;
}

/** Adds the day's heading if it is missing, and a title to an empty file. */
function withHeading(
  text: string,
  day: string,
  end: string,
  operations: MemoryOperation[],
): string {
  const heading = headingOf(day);
  if (linesOf(text).some((line) => withoutLineEnd(line) === heading)) return text;
  const title = text.trim() === '' ? `# ${MEMORY_TITLE}${end}` : '';
  const gap = gapAfter(text, end);
  // Two operations: undo keeps the title if a person wrote below it.
  const frames =
    title === ''
      ? [`${gap}${heading}${end}${end}`]
      : [`${gap}${title}${end}`, `${heading}${end}${end}`];
  for (const inserted of frames) operations.push({ kind: 'frame', inserted });
  return text + frames.join('');
}

/** Where to insert below a heading: after its last entry and what a person wrote right below that, which continues it. */
function endOfSection(text: string, heading: string): number {
  const written = linesOf(text);
  const at = written.findIndex((line) => withoutLineEnd(line) === heading);
  const below = written.slice(0, at + 1).join('').length;
  const lines = textLines(text.slice(below));
  const blocks = splitBlocks(lines, false);
  let end = blocks[0]?.start ?? lines.count;
  for (const { kind, ...block } of blocks) {
    if (kind === 'heading') break;
    const isEntry = parseProvenance(lineAt(lines, block.start - 1)) !== undefined;
    if (isEntry || block.start === end) end = block.end;
  }
  return end === lines.count ? text.length : below + (lines.starts[end] ?? 0);
}

/** @param because only for an entry of the archive */
export function blockOf(
  { entry, text }: { readonly entry: Provenance; readonly text: string },
  end: string,
  because?: Retirement & { readonly on: string },
): string {
  return `${formatProvenance(entry, because)}${end === '' ? '\n' : end}- ${safeItem(text)}${end}`;
}

/** One line that cannot open or close a comment. */
function safeItem(text: string): string {
  return escapeComments(text.replaceAll(/\s+/gu, ' ')).trim();
}

/** A text that can neither open nor close a comment. */
export function escapeComments(text: string): string {
  return text.replaceAll('<!--', '&lt;!--').replaceAll('-->', '--&gt;');
}

/** Enough text above a block to find its place again. */
const CONTEXT_CHARACTERS = 400;

/** Whole lines: the end of one would not be recognized when the line is forgotten. */
function textAbove(text: string, block: string): string {
  const at = text.indexOf(block);
  const from = at - CONTEXT_CHARACTERS;
  return text.slice(from <= 0 ? 0 : text.lastIndexOf('\n', from) + 1, at);
}

function linesOf(text: string): string[] {
  return text.match(/[^\n]+\n?|\n/gu) ?? [];
}

function withoutLineEnd(line: string): string {
  return line.replace(/\r?\n$/u, '');
}

/** The day of an entry's note, or of the sweep that promoted it from a conversation. */
export function dayOfEntry({ path, sweepId }: Pick<Provenance, 'path' | 'sweepId'>): string {
  return dailyNoteDay(path) ?? sweepDay(sweepId);
}

/** The day (UTC) of a sweep, from its ID. */
export function sweepDay(sweepId: string): string {
  return sweepId.replace(/^(\d{4})(\d{2})(\d{2}).*$/u, '$1-$2-$3');
}

/** Where a promoted entry came from and why, as recorded in its comment in `MEMORY.md`. */
export interface Provenance {
  readonly key: ClaimKey;
  readonly sweepId: string;
  /** Workspace-relative path of the note. */
  readonly path: string;
  readonly lines: LineRange;
  readonly score: number;
  readonly recalls: number;
}

const COMMENT =
  /^<!-- svc:memory-promotion:([0-9a-f]{16}) sweep=(\S+) from=(\S+)#L(\d+)(?:-L(\d+))? score=([\d.]+) recalls=(\d+)(?: retired=\S+ why=\S+(?: by=\S+)?)? -->$/u;

/** The comment line above an entry. */
export function formatProvenance(
  provenance: Provenance,
  because?: Retirement & { readonly on: string },
): string {
  const { startLine, endLine } = provenance.lines;
  const lines = startLine === endLine ? `L${startLine}` : `L${startLine}-L${endLine}`;
  return [
    `${PROMOTION_MARK}${provenance.key}`,
    `sweep=${provenance.sweepId}`,
    `from=${encodePath(provenance.path)}#${lines}`,
    `score=${provenance.score.toFixed(2)}`,
    `recalls=${provenance.recalls}`,
    ...(because === undefined ? [] : [`retired=${because.on}`, `why=${because.why}`]),
    ...(because?.why === 'superseded' ? [`by=${because.by}`] : []),
    '-->',
  ].join(' ');
}

/** Undefined for any other line. */
export function parseProvenance(line: string): Provenance | undefined {
  const [, key = '', sweepId = '', path = '', start = '', end = start, score = '', recalls = ''] =
    COMMENT.exec(line) ?? [];
  if (!isClaimKey(key)) return undefined;
  return {
    key,
    sweepId,
    path: percentDecoded(path),
    lines: { startLine: Number(start), endLine: Number(end) },
    score: Number(score),
    recalls: Number(recalls),
  };
}

/** Encodes spaces, `>` and `--`, so that no file name can end the comment. */
function encodePath(path: string): string {
  return path.replaceAll(/[%\s#<>"]|--/gu, (part) =>
    encodeURIComponent(part).replaceAll('-', '%2D'),
  );
}
