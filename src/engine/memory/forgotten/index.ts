/* What is kept out of memory: the list of forgotten text, and how that text is recognized. */

import { statSync } from 'node:fs';
import { join } from 'node:path';
import type * as z from 'zod/mini';
import {
  handlesExhausted,
  isHandleShortage,
  SvcError,
  systemErrorCode,
  systemReason,
} from '../../errors/index.js';
import type { DeepReadonly } from '../../errors/output-schema.js';
import type { StatePaths } from '../../support/context.js';
import { crypto } from '../../support/crypto.js';
import { ifReadable, PRIVATE_MODE, readRegularFile } from '../../support/files.js';
import { writeJsonFile } from '../../support/json-file.js';
import { groupBy } from '../../support/lists.js';
import { realTarget } from '../../support/paths.js';
import { replaceFile } from '../../support/replace-file.js';
import { oneLine } from '../../support/text.js';
import { lineAt, type TextLines, textLines } from '../sources/index.js';
import { type LineRange, mergedRanges } from '../types.js';
import type { forgetListSchema } from './forget-list-schema.js';

export type ForgetList = DeepReadonly<z.infer<typeof forgetListSchema>>;
export type ForgetEntry = ForgetList['entries'][number];
/** A changed file and its backup. */
export type ChangedFile = ForgetEntry['files'][number];

const SALT_BYTES = 16;

/** Where forgetting stores what must outlive an index; absolute paths. */
export interface ForgetPlaces {
  readonly listFile: string;
  readonly backupDir: string;
}

export function newSalt(): string {
  return crypto().randomBytes(SALT_BYTES).toString('base64url');
}

/** An empty list with a new salt. */
export function emptyForgetList(): ForgetList {
  return { version: 1, salt: newSalt(), next: 1, entries: [] };
}

/**
 * Reads the list; undefined when there is none.
 *
 * @throws SvcError FORGET_LIST_INVALID, since an index without it would bring everything back
 */
export async function readForgetList(file: string): Promise<ForgetList | undefined> {
  let text: string;
  try {
    text = readRegularFile(file).toString('utf8');
  } catch (error) {
    const code = systemErrorCode(error);
    // A dangling link is a list that cannot be reached, such as one on a disk that is not mounted.
    const isMissing = code === 'ENOENT' && realTarget(file) !== undefined;
    if (isMissing || code === 'ENOTDIR') return undefined;
    if (isHandleShortage(error)) throw handlesExhausted(error);
    throw new SvcError(
      'FORGET_LIST_INVALID',
      `cannot read the forget list ${file}: ${systemReason(error)}`,
      { hint: 'check the permissions of the file and its folder', cause: error },
    );
  }
  // Not loaded when nothing was ever forgotten. Where it cannot be loaded, the list is not to blame.
  const { forgetListSchema } = await import('./forget-list-schema.js');
  try {
    return forgetListSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new SvcError('FORGET_LIST_INVALID', 'the forget list is damaged: unexpected content', {
      hint: `restore ${file} from a backup; deleting it brings back everything that was forgotten`,
      cause: error,
    });
  }
}

/** What lists keep out of memory together. @throws SvcError FORGET_LIST_INVALID */
export async function readForgotten(...places: readonly ForgetPlaces[]): Promise<Forgotten> {
  const lists = await Promise.all(places.map(({ listFile }) => readForgetList(listFile)));
  const entries = lists.flatMap((list) =>
    (list?.entries ?? []).map((entry) => ({ ...entry, salt: entry.salt ?? list?.salt })),
  );
  return new Forgotten('', entries);
}

/** Writes the list, readable only by its owner. @throws SvcError FORGET_FAILED; the old list is kept then */
export function writeForgetList(file: string, list: ForgetList): void {
  try {
    writeJsonFile(file, list);
  } catch (error) {
    throw new SvcError(
      'FORGET_FAILED',
      `cannot write the forget list ${file}: ${systemReason(error)}`,
      {
        hint: 'check the permissions of its folder and the free disk space',
        cause: error,
      },
    );
  }
}

/** Changes whenever the list changes; empty if there is none. */
export function forgetMark({ listFile }: Pick<ForgetPlaces, 'listFile'>): string {
  // Whoever reads the list reports why it cannot be read.
  const stats = ifReadable(() => statSync(listFile));
  return stats === undefined ? '' : `${stats.size}-${stats.mtimeMs}`;
}

/** Whether all stores follow the list as it is now. Otherwise, forgetting was killed, or it came from another host. */
export function isFollowed(places: ForgetPlaces): boolean {
  const mark = forgetMark(places);
  return mark === '' || ifReadable(() => String(readRegularFile(followedFile(places)))) === mark;
}

/** Notes that all stores follow the list. @param mark of the list that they read */
export function noteFollowed(places: ForgetPlaces, mark: string): void {
  // If it cannot be written, the list is applied again.
  if (mark !== '') ifReadable(() => replaceFile(followedFile(places), mark, PRIVATE_MODE));
}

function followedFile({ listFile }: ForgetPlaces): string {
  return `${listFile}.followed`;
}

/**
 * Where forgetting stores its data for one index. Not in the cache: deleting an index must not undo forgetting.
 *
 * @param indexName an agent's id, or the name derived from a folder
 */
export function forgetPlaces(
  { stateDir }: Pick<StatePaths, 'stateDir'>,
  indexName: string,
): ForgetPlaces {
  const folder = join(stateDir, 'forgotten');
  return { listFile: join(folder, `${indexName}.json`), backupDir: join(folder, indexName) };
}

/** A line of at least this many bytes is recognised anywhere; a shorter one only next to its neighbour. */
export const DISTINCTIVE_BYTES = 24;
const MARK_CHARS = 8;

/** Hashes of a {@link ForgetEntry}. */
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
    return { hash: isForgotten ? sha256 + markOf('whole') : sha256, isForgotten };
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
    return this.documents.size > 0 && this.documents.has(lineHash(this.salt, sha256));
  }

  linesIn(lines: TextLines): ReadonlySet<number> {
    const found = new Set<number>();
    if (this.known.size === 0) return found;
    let before: WordLine | undefined;
    for (const line of wordLines(this.salt, lines)) {
      for (const form of ['hash', 'earlierHash'] as const) {
        if (!this.known.has(line[form])) continue;
        if (line.bytes >= DISTINCTIVE_BYTES || this.alone.has(line[form])) found.add(line.at);
        if (before !== undefined && this.pairs.has(before[form] + line[form])) {
          found.add(before.at).add(line.at);
        }
      }
      before = line;
    }
    return found;
  }
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

/** 132 bits: no collisions. */
const HASH_CHARS = 22;

/** What can change in a line without making it a different one: list marks, quotes, headings, whitespace. */
const MARKS = /^[\s>#*+-]+/u;
/**
 * Before the words of a forgotten line: check boxes, and other bullets. Numbers count as words: in "3. October", one does
 * not number a list.
 */
const ITEM_MARKS = /^[\s>#*+•–-]*(?:\[[ xX]\]\s[\s>#*+•–-]*)*/u;
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
    found.push({ at, hash, earlierHash, bytes: Buffer.byteLength(words) });
  }
  return found;
}
