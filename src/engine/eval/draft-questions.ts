import type { MemoryBackend } from '../memory/backends/memory-backend.js';
import { formatCitation } from '../memory/search/citation.js';
import { countWords } from '../memory/search/words.js';
import { FileReader } from './file-lines.js';
import { seededRandom, shuffled } from './random.js';
import { type Passage, passagesOfFile } from './read-passages.js';
import { questionOfHeading, questionOfSentence } from './word-question.js';

/** A question to be looked over by a person; a line of a file of questions. */
export interface Draft {
  readonly question: string;
  readonly expect: readonly string[];
  readonly tags: readonly string[];
}

/** How questions are drafted. */
export interface DraftOptions {
  /** How many are wanted; there may be fewer. */
  readonly count: number;
  /** The same seed over the same notes gives the same drafts. */
  readonly seed: number;
  readonly signal: AbortSignal;
}

/** A sentence shorter than this says too little to be asked for. */
const FEWEST_WORDS = 5;
const MOST_WORDS = 40;

/**
 * Drafts questions from what memory holds, for a person to put into their own words: from headings,
 * and from the sentences that hold the rarest words. Files take turns, so that none is left out while
 * another has several. Transcripts and pictures are passed over.
 */
export async function draftQuestions(
  backend: MemoryBackend,
  { count, seed, signal }: DraftOptions,
): Promise<readonly Draft[]> {
  const random = seededRandom(seed);
  const files = new FileReader(backend);
  const documents = (await backend.list({ signal })).filter(({ kind }) => kind === 'markdown');
  const passages: Passage[][] = [];
  for (const { path } of documents) {
    signal.throwIfAborted();
    const lines = await files.linesOf(path);
    if (lines !== null) passages.push(passagesOfFile(path, lines));
  }
  const rarity = rarityOf(passages.flat());
  const drafts = passages.map((ofFile) => draftsOf(shuffled(ofFile, random), rarity));
  return takingTurns(shuffled(drafts, random), count);
}

/** The best drafts of one file first: a heading and a sentence by turns. */
function draftsOf(passages: readonly Passage[], rarity: Rarity): readonly Draft[] {
  const headings = passages.flatMap((passage) => {
    const question = questionOfHeading(passage.heading);
    return question === undefined ? [] : [draft(question, passage, 'heading')];
  });
  const sentences = passages
    .map((passage) => ({ passage, best: salientSentence(passage, rarity) }))
    .filter(({ best }) => best !== undefined)
    .toSorted((a, b) => (b.best?.salience ?? 0) - (a.best?.salience ?? 0))
    .flatMap(({ passage, best }) => {
      if (best === undefined) return [];
      const { startLine, endLine } = best;
      const question = questionOfSentence(best.text, (word) => rarity.of(word));
      return [draft(question, { ...passage, startLine, endLine }, 'sentence')];
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
  return { question, expect: [formatCitation(range.path, range)], tags: [tag] };
}

function takingTurns(byFile: readonly (readonly Draft[])[], count: number): readonly Draft[] {
  const taken = new Map<string, Draft>();
  const most = Math.max(0, ...byFile.map(({ length }) => length));
  for (let round = 0; round < most && taken.size < count; round++) {
    for (const drafts of byFile) {
      const line = drafts[round];
      if (line === undefined || taken.size >= count) continue;
      const asked = line.question.toLowerCase();
      if (!taken.has(asked)) taken.set(asked, line);
    }
  }
  return [...taken.values()];
}

/** How rare words are among the passages. */
interface Rarity {
  of(word: string): number;
}

function rarityOf(passages: readonly Passage[]): Rarity {
  const counts = new Map<string, number>();
  for (const { sentences } of passages) {
    const words = new Set(sentences.flatMap(({ text }) => wordsOf(text)));
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return {
    of: (word) => Math.log((passages.length + 1) / ((counts.get(word.toLowerCase()) ?? 0) + 0.5)),
  };
}

function salientSentence(
  { sentences }: Passage,
  rarity: Rarity,
): (Passage['sentences'][number] & { readonly salience: number }) | undefined {
  const weighed = sentences
    .filter(({ text }) => {
      const words = countWords(text);
      return words >= FEWEST_WORDS && words <= MOST_WORDS;
    })
    .map((sentence) => {
      const words = [...new Set(wordsOf(sentence.text))];
      // The mean of its rarest words: a long sentence is not salient for being long.
      const rarest = words
        .map((word) => rarity.of(word))
        .sort((a, b) => b - a)
        .slice(0, FEWEST_WORDS);
      const salience = rarest.reduce((sum, value) => sum + value, 0) / FEWEST_WORDS;
      return { ...sentence, salience };
    });
  return weighed.reduce<(typeof weighed)[number] | undefined>(
    (best, one) => (best === undefined || one.salience > best.salience ? one : best),
    undefined,
  );
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
