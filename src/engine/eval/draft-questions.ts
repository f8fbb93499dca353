import { existsSync } from 'node:fs';
import { SvcError } from '../errors/index.js';
import type { MemoryBackend } from '../memory/backends/memory-backend.js';
import { countWords, formatCitation, STOP_WORDS } from '../memory/search/index.js';
import { letOthersRun } from '../support/async.js';
import { CodeFences } from '../support/code-fences.js';
import { PRIVATE_MODE } from '../support/files.js';
import { type FileLines, fileReader } from './ask-memory.js';
import { writeEvalFile } from './baseline.js';
import type { EvalDraftsOutput } from './output-schemas.js';
import { seededRandom, shuffled } from './random.js';
import { wordsOf } from './score-question.js';

/** A drafted question, one line in a file of questions. */
export type Draft = EvalDraftsOutput['drafts'][number];

/** Word count of a sentence that a question can be drafted from. */
const FEWEST_WORDS = 5;
const MOST_WORDS = 40;

/**
 * Drafts at most `count` questions from notes for a person to rephrase: from headings, and from sentences
 * with the rarest words. Files take turns, so that every file is covered. The same seed and notes give the
 * same drafts. Skips transcripts and media.
 */
export async function draftQuestions(
  backend: MemoryBackend,
  options: { readonly count: number; readonly seed: number; readonly signal: AbortSignal },
): Promise<readonly Draft[]> {
  const { signal } = options;
  const random = seededRandom(options.seed);
  const files = fileReader(backend);
  const documents = (await backend.list({ signal })).filter(({ kind }) => kind === 'markdown');
  const passages: Passage[][] = [];
  for (const { path } of documents) {
    // Reading a file is synchronous: without a pause, Ctrl-C would wait for the last one.
    await letOthersRun(signal);
    const lines = await files(path);
    if (lines !== null) passages.push(passagesOfFile(path, lines));
  }
  const rarity = rarityOf(passages.flat());
  const drafts = passages.map((ofFile) => draftsOf(shuffled(ofFile, random), rarity));
  return takeTurns(shuffled(drafts, random), options.count);
}

/** Drafts from one file, best first, alternating headings and sentences. */
function draftsOf(passages: readonly Passage[], rarity: Rarity): readonly Draft[] {
  const headings = passages.flatMap((passage) => {
    const question = questionOfHeading(passage.heading);
    return question === undefined ? [] : [draft(question, passage, 'heading')];
  });
  const sentences = passages
    .flatMap((passage) => salientSentence(passage, rarity) ?? [])
    .toSorted((a, b) => b.salience - a.salience)
    .map(({ path, line, text }) => {
      const range = { path, startLine: line, endLine: line };
      return draft(questionOfSentence(text, rarity), range, 'sentence');
    });
  const longer = Math.max(headings.length, sentences.length);
  return Array.from({ length: longer }, (_, at) => [headings[at], sentences[at]])
    .flat()
    .filter((line) => line !== undefined);
}

function draft(
  question: string,
  range: Pick<Passage, 'endLine' | 'path' | 'startLine'>,
  tag: string,
): Draft {
  return { question, expect: [formatCitation(range)], tags: [tag] };
}

function takeTurns(byFile: readonly (readonly Draft[])[], count: number): readonly Draft[] {
  const chosen = new Map<string, Draft>();
  const most = Math.max(0, ...byFile.map(({ length }) => length));
  for (let round = 0; round < most && chosen.size < count; round++) {
    for (const drafts of byFile) {
      const line = drafts[round];
      if (line === undefined || chosen.size >= count) continue;
      const text = line.question.toLowerCase();
      if (!chosen.has(text)) chosen.set(text, line);
    }
  }
  return [...chosen.values()];
}

/** How rare a word is among the passages. */
type Rarity = (word: string) => number;

function rarityOf(passages: readonly Passage[]): Rarity {
  const counts = new Map<string, number>();
  for (const { sentences } of passages) {
    const words = new Set(sentences.flatMap(({ text }) => wordsOf(text)));
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return (word) => Math.log((passages.length + 1) / ((counts.get(word.toLowerCase()) ?? 0) + 0.5));
}

/** The sentence with the rarest words. */
function salientSentence({ path, sentences }: Passage, rarity: Rarity) {
  const [best] = sentences
    .filter(({ text }) => {
      const words = countWords(text);
      return words >= FEWEST_WORDS && words <= MOST_WORDS;
    })
    .map((sentence) => {
      const words = [...new Set(wordsOf(sentence.text))];
      // Only its rarest words count, so that length does not matter.
      const rarest = words
        .map((word) => rarity(word))
        .sort((a, b) => b - a)
        .slice(0, FEWEST_WORDS);
      const salience = rarest.reduce((sum, value) => sum + value, 0) / FEWEST_WORDS;
      return { path, ...sentence, salience };
    })
    .sort((a, b) => b.salience - a.salience);
  return best;
}

export function draftLines(drafts: readonly Draft[]): string {
  return drafts.map((draft) => `${JSON.stringify(draft)}\n`).join('');
}

/**
 * Writes drafts to a file that only its owner can read, because they contain text of notes.
 *
 * @param replaces whether to overwrite an existing file
 * @throws SvcError EVAL_WRITE_FAILED
 */
export function writeDraftFile(file: string, drafts: readonly Draft[], replaces: boolean): void {
  if (!replaces && existsSync(file)) {
    throw new SvcError('EVAL_WRITE_FAILED', `${file} already exists`, {
      hint: 'choose another name, or overwrite it with --force',
    });
  }
  writeEvalFile(file, draftLines(drafts), PRIVATE_MODE);
}

/** Titles without a topic. */
const EMPTY_TITLE = /^(?:notes?|misc|other|todo|summary|overview|introduction|usage|examples?)$/iu;
const ONLY_DATE = /^[\d\s.,/:-]*(?:\p{L}+[\d\s.,/:-]*)?$/u;
const MOST_SUBJECT_WORDS = 7;
const KEYWORDS = 5;

/** A question that the passage under a heading answers; undefined for a title without a topic. */
export function questionOfHeading(heading: readonly string[]): string | undefined {
  const title = heading.at(-1)?.replace(/(?<![\s:.])[\s:.]+$/u, '');
  if (title === undefined || title.length < 3 || EMPTY_TITLE.test(title)) return undefined;
  if (/\d/u.test(title) && ONLY_DATE.test(title)) return undefined;
  if (title.endsWith('?')) return title;
  const howTo = /^how to (?<what>.+)$/iu.exec(title)?.groups?.['what'];
  if (howTo !== undefined) return `How do I ${howTo}?`;
  if (/^(?:who|what|when|where|why|which|how)\b/iu.test(title)) return `${title}?`;
  if (/^\p{L}+ing\b/u.test(title)) return `How does ${withLowerCaseStart(title)} work?`;
  return `What do the notes say about ${withLowerCaseStart(title)}?`;
}

/** A question that a sentence answers ("What is …?", "Why: …?"), or its rarest words as a keyword query. */
export function questionOfSentence(sentence: string, rarity: Rarity): string {
  const text = sentence.replace(/(?<![\s.!…])[\s.!…]+$/u, '');
  if (text.endsWith('?')) return text;
  const because = /^(?<what>.{12,}?),? because\b/iu.exec(text)?.groups?.['what'];
  if (because !== undefined) return `Why: ${withLowerCaseStart(because)}?`;
  const is = /^(?<subject>.+?) (?<verb>is|are|was|were) /u.exec(text)?.groups;
  const subject = is?.['subject'] ?? '';
  const verb = is?.['verb'];
  if (verb !== undefined && isSubject(subject))
    return `What ${verb} ${withLowerCaseStart(subject)}?`;
  return keywords(text, rarity);
}

function isSubject(text: string): boolean {
  const words = text.split(' ');
  const [first = ''] = words;
  const points = /^(?:it|this|that|there|they|he|she|we|i|you|which|what|here|if|when)$/iu;
  return words.length <= MOST_SUBJECT_WORDS && !points.test(first) && !/[,;:()]/u.test(text);
}

/** The rarest words, in order. */
function keywords(text: string, rarity: Rarity): string {
  const words = text.match(/[\p{L}\p{N}]+(?:[-.:/_][\p{L}\p{N}]+)*/gu) ?? [];
  const topical = [...new Set(words)].filter((word) => !STOP_WORDS.has(word.toLowerCase()));
  const rarest = topical.toSorted((a, b) => rarity(b) - rarity(a)).slice(0, KEYWORDS);
  return topical.filter((word) => rarest.includes(word)).join(' ');
}

/** Lowercases the first letter, unless the word looks like a name or an abbreviation. */
function withLowerCaseStart(text: string): string {
  const [first = ''] = text.split(' ');
  const isPlain = /^\p{Lu}\p{Ll}*$/u.test(first) && STOP_WORDS.has(first.toLowerCase());
  const isTitle = /^\p{Lu}\p{Ll}+$/u.test(first) && text.includes(' ');
  return isPlain || isTitle ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}

interface Sentence {
  readonly text: string;
  /** 1-based. */
  readonly line: number;
}

/** The text under one heading, up to the next. */
export interface Passage {
  readonly path: string;
  /** Titles from the outermost to its own; empty before the first heading. */
  readonly heading: readonly string[];
  readonly startLine: number;
  readonly endLine: number;
  readonly sentences: readonly Sentence[];
}

const HEADING = /^(?<marks>#{1,6})\s+(?<title>\S.*)$/u;
const CLOSING_MARKS = /(?<!#)#+$/u;
/** Table rows, HTML, link definitions and rules: nothing to ask about. */
const NO_PROSE = /^\s*(?:\||<|\[[^\]]*\]:|---+\s*$|\*\*\*+\s*$)/u;
const LIST_MARK = /^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?/u;
const SENTENCE_END = /(?<=[.!?…])\s+(?=[\p{Lu}\p{N}"“])/u;

/** The passages and sentences of a Markdown file, without code and tables. */
export function passagesOfFile(path: string, lines: NonNullable<FileLines>): Passage[] {
  const passages: Passage[] = [];
  let open: { heading: string[]; startLine: number; sentences: Sentence[] } | undefined;
  let last = 0;
  const fences = new CodeFences();
  let above: { level: number; title: string }[] = [];
  const close = (): void => {
    if (open !== undefined && open.sentences.length > 0) {
      passages.push({ path, ...open, endLine: last });
    }
  };
  for (const [line, text] of lines) {
    const isCode = fences.isCode(text);
    const groups = isCode ? undefined : HEADING.exec(text)?.groups;
    if (groups !== undefined) {
      close();
      const level = groups['marks']?.length ?? 1;
      const title = withoutMarks((groups['title'] ?? '').replace(CLOSING_MARKS, ''));
      above = [...above.filter((heading) => heading.level < level), { level, title }];
      open = { heading: above.map(({ title }) => title), startLine: line, sentences: [] };
      last = line;
      continue;
    }
    if (text.trim() === '') continue;
    open ??= { heading: [], startLine: line, sentences: [] };
    last = line;
    if (isCode || NO_PROSE.test(text)) continue;
    for (const part of withoutMarks(text.replace(LIST_MARK, '')).split(SENTENCE_END)) {
      open.sentences.push({ text: part.trim(), line });
    }
  }
  close();
  return passages;
}

function withoutMarks(text: string): string {
  return text
    .replaceAll(/!?\[([^\]]{0,300})\]\([^)]{0,500}\)/gu, '$1')
    .replaceAll(/[*_`~]+/gu, '')
    .replaceAll(/\s+/gu, ' ')
    .trim();
}
