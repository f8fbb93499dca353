import { crypto } from '../../support/crypto.js';
import { groupBy } from '../../support/lists.js';
import { oneLine } from '../../support/text.js';
import { lineAt, type TextLines, textLines } from '../sources/index.js';
import { type LineRange, mergedRanges } from '../types.js';

/** A line of at least this many bytes is recognised anywhere; a shorter one only next to its neighbour. */
export const DISTINCTIVE_BYTES = 24;
const MARK_CHARS = 8;

/** Hashes of an entry of the list. */
interface ForgottenContents {
  readonly documents: readonly string[];
  readonly lines: readonly (readonly string[])[];
  /** What they are salted with, if not with the list's. */
  readonly salt?: string | undefined;
}

/**
 * What stays out of memory, in any file. Lines are recognised by their words: long ones anywhere, short ones
 * next to the neighbour they had, or when they were all that was forgotten.
 */
export class Forgotten {
  private readonly hashes: readonly SaltedHashes[];

  constructor(salt: string, entries: readonly ForgottenContents[]) {
    const bySalt = groupBy(entries, (entry) => entry.salt ?? salt);
    this.hashes = [...bySalt].map(([own, salted]) => new SaltedHashes(own, salted));
  }

  get isEmpty(): boolean {
    return this.hashes.length === 0;
  }

  /** Whether a whole file is forgotten. @param sha256 of its bytes, hexadecimal */
  hidesDocument(sha256: string): boolean {
    return this.hashes.some((hashes) => hashes.hasDocument(sha256));
  }

  /** The same for media, with the hash to index it under. */
  coverFile(sha256: string): { readonly hash: string; readonly isForgotten: boolean } {
    const isForgotten = this.hidesDocument(sha256);
    return { hash: isForgotten ? sha256 + wholeMark() : sha256, isForgotten };
  }

  /** The forgotten lines of a text, counted from 0. */
  linesIn(lines: TextLines): ReadonlySet<number> {
    const found = new Set<number>();
    for (const hashes of this.hashes) for (const line of hashes.linesIn(lines)) found.add(line);
    return found;
  }

  /** A text without the forgotten lines; empty when nothing is left. */
  removeFrom(text: string): string {
    if (this.isEmpty) return text;
    const lines = textLines(text);
    const found = this.linesIn(lines);
    if (found.size === 0) return this.isForgottenTurn(text) ? '' : text;
    const kept = Array.from({ length: lines.count }, (_, at) => lineAt(lines, at));
    const left = kept.filter((_, at) => !found.has(at)).join('\n');
    return hasWords(left) && !this.isForgottenTurn(left) ? left : '';
  }

  /**
   * Whether a text that was recorded without its neighbours has a forgotten line, however short. Headings only count
   * as elsewhere: many notes have the same.
   */
  isInRecord(text: string): boolean {
    if (this.isEmpty) return false;
    const lines = textLines(text.replaceAll(HEADINGS, ''));
    return this.removeFrom(text) !== text || this.hashes.some((hashes) => hashes.hasLineOf(lines));
  }

  /** A turn that another host forgot: there it was one line, as in the index. */
  private isForgottenTurn(text: string): boolean {
    return text.includes('\n') && this.linesIn(textLines(oneLine(text))).size > 0;
  }

  /**
   * Empties the forgotten lines of a document; their number stays.
   *
   * @param sha256 of the file's bytes, hexadecimal
   * @returns also a mark of what was left out, empty for nothing
   */
  cover(lines: TextLines, sha256: string) {
    if (this.hidesDocument(sha256)) return { lines: textLines(''), mark: wholeMark() };
    const found = this.linesIn(lines);
    if (found.size === 0) return { lines, mark: '' };
    const kept = Array.from({ length: lines.count }, (_, at) =>
      found.has(at) ? '' : lineAt(lines, at),
    );
    return { lines: textLines(`${kept.join('\n')}\n`), mark: markOf([...found].join()) };
  }
}

class SaltedHashes {
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

  hasDocument(sha256: string): boolean {
    return this.documents.size > 0 && this.contains(lineHash(this.salt, sha256));
  }

  contains(document: string): boolean {
    return this.documents.has(document);
  }

  /** Whether a line of a passage is recognized. It may be short: of several, it must be next to a neighbour. */
  recognizes(passage: readonly string[], at: number): boolean {
    const [before = '', line = '', after = ''] = [passage[at - 1], passage[at], passage[at + 1]];
    return (
      this.alone.has(line) ||
      this.pairs.has(before + line) ||
      this.pairs.has(line + after) ||
      (passage.length === 1 && this.known.has(line))
    );
  }

  /** Whether it has any of these lines, even a short one. */
  hasLineOf(lines: TextLines): boolean {
    return wordLines(this.salt, lines).some(({ hash, earlierHash, bareHash }) =>
      [hash, earlierHash, bareHash].some((one) => this.known.has(one)),
    );
  }

  linesIn(lines: TextLines): ReadonlySet<number> {
    const found = new Set<number>();
    if (this.known.size === 0) return found;
    let before: WordLine | undefined;
    for (const line of wordLines(this.salt, lines)) {
      for (const form of ['hash', 'earlierHash', 'bareHash'] as const) {
        if (!this.known.has(line[form])) continue;
        const bytes = form === 'bareHash' ? line.bareBytes : line.bytes;
        if (bytes >= DISTINCTIVE_BYTES || this.alone.has(line[form])) found.add(line.at);
        if (before !== undefined && this.pairs.has(before[form] + line[form])) {
          found.add(before.at).add(line.at);
        }
      }
      before = line;
    }
    return found;
  }
}

/** How much of an entry is forgotten by others, too. */
export function overlapOf(
  { documents, lines }: ForgottenContents,
  others: readonly ForgottenContents[],
): 'all' | 'none' | 'some' {
  const hashes = new SaltedHashes('', others);
  const isIn = [
    ...documents.map((document) => hashes.contains(document)),
    ...lines.flatMap((passage) => passage.map((_, at) => hashes.recognizes(passage, at))),
  ];
  if (!isIn.includes(true)) return 'none';
  return isIn.includes(false) ? 'some' : 'all';
}

export const NOTHING_FORGOTTEN = new Forgotten('', []);

/** The hashes of a passage's lines, for an entry of the list. */
export function hashesOf(salt: string, text: string): readonly string[] {
  return wordLines(salt, textLines(text)).map((line) => line.hash);
}

/** 0-based lines as 1-based ranges. */
export function rangesOf(lines: Iterable<number>): readonly LineRange[] {
  return mergedRanges(Array.from(lines, (at) => ({ startLine: at + 1, endLine: at + 1 })));
}

/** Whether a text contains any words. */
export function hasWords(text: string): boolean {
  return text.split('\n').some((line) => wordsOf(line) !== '');
}

function markOf(what: string): string {
  return `.${crypto().hash('sha256', what, 'hex').slice(0, MARK_CHARS)}`;
}

function wholeMark(): string {
  return markOf('whole');
}

/** Whether an indexed file is forgotten as a whole. @param hash its hash in the index, with marks */
export function isForgottenWhole(hash: string): boolean {
  return hash.includes(wholeMark());
}

/** 132 bits: no collisions. */
const HASH_CHARS = 22;

/** What can change in a line without making it a different one: list marks, quotes, headings, whitespace. */
const MARKS = /^[\s>#*+-]+/u;
/**
 * Before the words of a forgotten line: check boxes, and other bullets. Numbers count as words: in "3. October", one does
 * not number a list.
 */
const ITEM_MARKS = /^[\s>#*+•–-]*(?:\[[ xX]\]\s[\s>#*+•–-]*)*/u;
/** Of the lines that a statement was on, and what a report says of it. */
const CITATION = / \([^()]*#L\d+(?:-L\d+)?\)[^()]*$/u;
/** Of an entry in the archive that newer notes contradict. */
const UNTIL = /^Until \d{4}-\d{2}-\d{2}: /u;
const HEADINGS = /^#{1,6} .*$/gmu;
const BLANKS = /\s+/gu;

/** A salted hash of a line's words, so that the same line differs between lists. */
export function lineHash(salt: string, words: string): string {
  return crypto().hash('sha256', `${salt}\0${words}`, 'base64url').slice(0, HASH_CHARS);
}

/** A line's words in comparable form; empty without any. */
export function wordsOf(line: string): string {
  return line.replace(MARKS, '').replaceAll(BLANKS, ' ').trimEnd().normalize('NFC');
}

/** A line that contains words. */
interface WordLine {
  /** 0-based. */
  readonly at: number;
  readonly hash: string;
  /** Its hash in lists of svc 0.1, which knew fewer marks. */
  readonly earlierHash: string;
  /** Length of its words in UTF-8 bytes. */
  readonly bytes: number;
  /** The same without what dreaming adds: a day before it in the archive, and a citation after it in reports. */
  readonly bareHash: string;
  readonly bareBytes: number;
}

/** The lines of a text that contain words, in order. */
function wordLines(salt: string, lines: TextLines): WordLine[] {
  const found: WordLine[] = [];
  for (let at = 0; at < lines.count; at++) {
    const earlier = wordsOf(lineAt(lines, at));
    const words = earlier.replace(ITEM_MARKS, '');
    if (words === '') continue;
    const hash = lineHash(salt, words);
    const earlierHash = earlier === words ? hash : lineHash(salt, earlier);
    const bytes = Buffer.byteLength(words);
    const bare = words.replace(UNTIL, '').replace(CITATION, '');
    const [bareHash, bareBytes] =
      bare === words ? [hash, bytes] : [lineHash(salt, bare), Buffer.byteLength(bare)];
    found.push({ at, hash, earlierHash, bytes, bareHash, bareBytes });
  }
  return found;
}
