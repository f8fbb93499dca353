import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { seededRandom } from '../src/engine/eval/random.js';

/** The generated corpus. */
export interface NotesCorpus {
  readonly files: number;
  readonly bytes: number;
}

const FILE_BYTES = 8192;
const FILES_A_FOLDER = 100;
const SYLLABLES = [
  'ba',
  'ce',
  'di',
  'fo',
  'gu',
  'la',
  'me',
  'ni',
  'po',
  'ru',
  'sa',
  'te',
  'vi',
  'zo',
];
/** Vocabulary with Zipf frequencies, so that rare words are only in large corpora. */
const VOCABULARY = 200_000;

/**
 * Writes Markdown notes of about 8 kB until the folder has the given size. All passages differ, so that each
 * has its own vector. A larger corpus starts with the notes of a smaller one.
 */
export function writeNotes(dir: string, targetBytes: number): NotesCorpus {
  let files = 0;
  let bytes = 0;
  for (const { path, text } of notesOf(targetBytes)) {
    if (files % FILES_A_FOLDER === 0) mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
    files += 1;
    bytes += text.length;
  }
  return { files, bytes };
}

/** The same notes, one after the other. */
export function* notesOf(targetBytes: number): Generator<{ path: string; text: string }> {
  const random = seededRandom(7);
  let files = 0;
  for (let bytes = 0; bytes < targetBytes; files++) {
    const text = noteText(files, random);
    bytes += text.length;
    yield { path: `part-${Math.floor(files / FILES_A_FOLDER)}/note-${files}.md`, text };
  }
}

/** Queries of three words, from common to rare. */
export function questionsOf(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) =>
    [wordAt(at + 2), wordAt(90 + at * 7), wordAt(900 + at * 41)].join(' '),
  );
}

/** The most common words, most common first. */
export function wordsOf(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => wordAt(at));
}

/** Possible onsets of words: one, two or four letters. */
export function openingsOf(letters: 1 | 2 | 4): readonly string[] {
  if (letters === 4) return SYLLABLES.flatMap((a) => SYLLABLES.map((b) => a + b));
  return SYLLABLES.map((syllable) => syllable.slice(0, letters));
}

function noteText(number: number, random: () => number): string {
  const parts = [`# Note ${number} on ${words(random, 3)}\n`];
  let length = 0;
  while (length < FILE_BYTES) {
    const heading = `\n## ${words(random, 4)}\n\n`;
    const sentences = Array.from({ length: 6 }, () => `${words(random, 14)}.`).join(' ');
    const points = Array.from({ length: 4 }, () => `- ${words(random, 9)}\n`).join('');
    const part = `${heading}${sentences}\n\n${points}`;
    parts.push(part);
    length += part.length;
  }
  return parts.join('');
}

function words(random: () => number, count: number): string {
  return Array.from({ length: count }, () => wordAt(Math.floor(VOCABULARY ** random()) - 1)).join(
    ' ',
  );
}

/** Spells a number in two to five syllables. */
function wordAt(number: number): string {
  let rest = number + SYLLABLES.length;
  let word = '';
  while (rest > 0) {
    word += SYLLABLES[rest % SYLLABLES.length];
    rest = Math.floor(rest / SYLLABLES.length);
  }
  return word;
}
