import { hash } from 'node:crypto';
import { lineAt, type TextLines, textLines } from '../sources/text-lines.js';
import type { LineRange } from '../types.js';
import { lineHash, type SpokenLine, spokenLines, wordsOf } from './line-hashes.js';

/** A line of this many bytes is the same line wherever it stands; a shorter one needs its neighbour. */
const TELLING_BYTES = 24;
const MARK_CHARS = 8;

/** What was forgotten at once, by name; see forget-list.ts. */
interface ForgottenContents {
  readonly documents: readonly string[];
  readonly lines: readonly (readonly string[])[];
}

/** A text without what is forgotten of it. */
export interface CoveredText {
  /** As many lines as before; those that are forgotten are empty. */
  readonly lines: TextLines;
  /** Tells what was left out; empty when nothing was. */
  readonly mark: string;
}

/**
 * What is to stay out of memory, whichever file it stands in. A line is known by its words: a long
 * one anywhere, a short one beside the neighbour it had, or when it was all that was forgotten.
 */
export class Forgotten {
  private readonly salt: string;
  private readonly documents: ReadonlySet<string>;
  private readonly known = new Set<string>();
  private readonly alone = new Set<string>();
  private readonly pairs = new Set<string>();

  constructor(salt: string, entries: readonly ForgottenContents[]) {
    this.salt = salt;
    this.documents = new Set(entries.flatMap(({ documents }) => documents));
    for (const lines of entries.flatMap((entry) => entry.lines)) {
      const [first] = lines;
      if (first !== undefined && lines.length === 1) this.alone.add(first);
      for (const [at, line] of lines.entries()) {
        this.known.add(line);
        const next = lines[at + 1];
        if (next !== undefined) this.pairs.add(line + next);
      }
    }
  }

  get isEmpty(): boolean {
    return this.known.size === 0 && this.documents.size === 0;
  }

  /** Whether a file of these bytes is forgotten as a whole. @param sha256 of its bytes, hexadecimal */
  hidesDocument(sha256: string): boolean {
    return this.documents.size > 0 && this.documents.has(lineHash(this.salt, sha256));
  }

  /** The same for a file that is no text, with the hash that it is to be indexed under. */
  coverFile(sha256: string): { readonly hash: string; readonly isForgotten: boolean } {
    const isForgotten = this.hidesDocument(sha256);
    return { hash: isForgotten ? sha256 + markOf('whole') : sha256, isForgotten };
  }

  /** The forgotten lines of a text, counted from 0. */
  linesIn(lines: TextLines): ReadonlySet<number> {
    const found = new Set<number>();
    if (this.known.size === 0) return found;
    let before: SpokenLine | undefined;
    for (const line of spokenLines(this.salt, lines)) {
      if (this.known.has(line.hash)) {
        if (line.bytes >= TELLING_BYTES || this.alone.has(line.hash)) found.add(line.at);
        if (before !== undefined && this.pairs.has(before.hash + line.hash)) {
          found.add(before.at).add(line.at);
        }
      }
      before = line;
    }
    return found;
  }

  /** A text without the lines that are forgotten; empty when nothing of it is left. */
  leftOf(text: string): string {
    if (this.known.size === 0) return text;
    const lines = textLines(text);
    const found = this.linesIn(lines);
    if (found.size === 0) return text;
    const kept = Array.from({ length: lines.count }, (_, at) => lineAt(lines, at));
    const left = kept.filter((_, at) => !found.has(at)).join('\n');
    return saysSomething(left) ? left : '';
  }

  /**
   * Empties the forgotten lines of a document.
   *
   * @param sha256 of the file's bytes, hexadecimal
   */
  cover(lines: TextLines, sha256: string): CoveredText {
    if (this.isEmpty) return { lines, mark: '' };
    if (this.hidesDocument(sha256)) return { lines: textLines(''), mark: markOf('whole') };
    const found = this.linesIn(lines);
    if (found.size === 0) return { lines, mark: '' };
    const kept = Array.from({ length: lines.count }, (_, at) =>
      found.has(at) ? '' : lineAt(lines, at),
    );
    return { lines: textLines(`${kept.join('\n')}\n`), mark: markOf([...found].join()) };
  }
}

/** Nothing is forgotten. */
export const NOTHING_FORGOTTEN = new Forgotten('', []);

/** The hashes of a passage's lines, for an entry of the list. */
export function hashesOf(salt: string, text: string): readonly string[] {
  return spokenLines(salt, textLines(text)).map((line) => line.hash);
}

/** Lines, counted from 0, as ranges counted from 1. */
export function rangesOf(lines: Iterable<number>): readonly LineRange[] {
  const ranges: { startLine: number; endLine: number }[] = [];
  for (const line of [...lines].toSorted((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last !== undefined && last.endLine === line) last.endLine = line + 1;
    else ranges.push({ startLine: line + 1, endLine: line + 1 });
  }
  return ranges;
}

/** Whether a text says anything at all. */
export function saysSomething(text: string): boolean {
  return text.split('\n').some((line) => wordsOf(line) !== '');
}

function markOf(what: string): string {
  return `.${hash('sha256', what, 'hex').slice(0, MARK_CHARS)}`;
}
