import * as z from 'zod/mini';
import type { Source } from '../../memory/index.js';
import { STOP_WORDS } from '../../memory/search/index.js';
import { DREAM_REPORTS } from '../../memory/sources/index.js';
import { isCalendarDay } from '../../support/day.js';
import { type ClaimKey, claimKey } from '../claims/claim-words.js';

/** What was decided about a claim. */
export const CLAIM_FATES = ['open', 'promoted', 'rejected'] as const;

/** Values without line breaks, stored one per line. */
const list = z.codec(z.string(), z.array(z.string()), {
  decode: (joined) => (joined === '' ? [] : joined.split('\n')),
  encode: (values) => values.join('\n'),
});

/** A claim as it is stored: a row of `entries`, whose columns have these names in snake case. */
export const recallEntry = z.object({
  key: claimKey,
  text: z.string(),
  /** Where it was last found. */
  source: z.enum(['memory', 'sessions']),
  /** Workspace-relative, forward slashes. */
  path: z.string(),
  startLine: z.number(),
  endLine: z.number(),
  /** Searches it answered. */
  recallCount: z.number(),
  /** Daily notes the light phase found it in. */
  dailyCount: z.number(),
  /** Signals added by backfills. */
  groundedCount: z.number(),
  /** Sum and maximum of the scores of all signals; each score is 0 to 1. */
  totalScore: z.number(),
  maxScore: z.number(),
  firstSignalMs: z.number(),
  lastSignalMs: z.number(),
  /** Hashes of the questions it answered, 12 hexadecimal digits each; the newest 32. */
  queryHashes: list,
  /** Days (`YYYY-MM-DD`) with a signal, ascending, the newest 16. */
  days: list,
  /** Concepts it mentions, at most 8. */
  tags: list,
  /** How often a phase selected it, and when it last did. */
  lightHits: z.number(),
  lightLastMs: z.nullable(z.number()),
  remHits: z.number(),
  remLastMs: z.nullable(z.number()),
  fate: z.enum(CLAIM_FATES),
  /** When that was decided; null while open. */
  fateMs: z.nullable(z.number()),
  /** The sweep that promoted it. */
  fateSweep: z.nullable(z.string()),
});

/** A claim and the evidence that it is worth keeping (facts §7.3). */
export type RecallEntry = Readonly<z.infer<typeof recallEntry>>;

/** Where a claim was found. */
export type ClaimPlace = Pick<RecallEntry, 'endLine' | 'path' | 'source' | 'startLine'>;

/** The fate of a claim that nothing was decided about. */
export const OPEN = { fate: 'open', fateMs: null, fateSweep: null } as const;

export function signalCount(
  entry: Pick<RecallEntry, 'dailyCount' | 'groundedCount' | 'recallCount'>,
): number {
  return entry.recallCount + entry.dailyCount + entry.groundedCount;
}

/** Mean score of the signals of a claim, 0 to 1. */
export function averageScore(entry: RecallEntry): number {
  const count = signalCount(entry);
  return count === 0 ? 0 : Math.min(1, Math.max(0, entry.totalScore / count));
}

/** Whether a search or a backfill vouched for a claim: notes alone, however often, do not. */
export function isAsked(entry: Pick<RecallEntry, 'groundedCount' | 'recallCount'>): boolean {
  return entry.recallCount + entry.groundedCount > 0;
}

/** Whether a claim was undecided at a moment: one promoted since then still counts as open. */
export function wasOpenAt({ fate, fateMs }: RecallEntry, ms: number): boolean {
  return fate === 'open' || (fate === 'promoted' && (fateMs ?? 0) >= ms);
}

/** The day of the note or conversation in which a claim was last found, `YYYY-MM-DD`. */
export function signalDay({ path, days }: Pick<RecallEntry, 'days' | 'path'>): string {
  return dailyNoteDay(path) ?? days.at(-1) ?? '';
}

/** The day in a daily note's name; undefined for other documents. */
export function dailyNoteDay(path: string): string | undefined {
  const day = /(\d{4}-\d{2}-\d{2})\.md$/u.exec(path)?.[1];
  return day !== undefined && isCalendarDay(day) ? day : undefined;
}

/** A reason to remember a claim. */
export interface ClaimSignal extends ClaimPlace {
  readonly kind: 'recall' | 'daily' | 'grounded';
  /** Of the text. */
  readonly key: ClaimKey;
  readonly text: string;
  /** 0 to 1. */
  readonly score: number;
  readonly atMs: number;
  /** `YYYY-MM-DD` of that moment in the time zone of dreaming. */
  readonly day: string;
  /** The question behind it, if there is one. */
  readonly queryHash?: string | undefined;
}

/** A claim keeps this many questions and days, the newest (facts §7.3). */
const MOST_QUERIES = 32;
const MOST_DAYS = 16;

/** A claim's entry with one more signal; a new entry for a new claim. */
export function withSignal(known: RecallEntry | undefined, signal: ClaimSignal): RecallEntry {
  const entry = known ?? newEntry(signal);
  const isLatest = signal.atMs >= entry.lastSignalMs;
  const { kind, text, source, path, startLine, endLine, score, queryHash } = signal;
  return {
    ...entry,
    // The latest location is the most likely to be found again.
    ...(isLatest && { text, source, path, startLine, endLine }),
    recallCount: entry.recallCount + (kind === 'recall' ? 1 : 0),
    dailyCount: entry.dailyCount + (kind === 'daily' ? 1 : 0),
    groundedCount: entry.groundedCount + (kind === 'grounded' ? 1 : 0),
    totalScore: entry.totalScore + score,
    maxScore: Math.max(entry.maxScore, score),
    firstSignalMs: Math.min(entry.firstSignalMs, signal.atMs),
    lastSignalMs: Math.max(entry.lastSignalMs, signal.atMs),
    queryHashes:
      queryHash === undefined || entry.queryHashes.includes(queryHash)
        ? entry.queryHashes
        : [...entry.queryHashes, queryHash].slice(-MOST_QUERIES),
    days: [...new Set([...entry.days, signal.day])].sort().slice(-MOST_DAYS),
  };
}

function newEntry(signal: ClaimSignal): RecallEntry {
  const { key, text, source, path, startLine, endLine, atMs } = signal;
  return {
    key,
    text,
    source,
    path,
    startLine,
    endLine,
    recallCount: 0,
    dailyCount: 0,
    groundedCount: 0,
    totalScore: 0,
    maxScore: 0,
    firstSignalMs: atMs,
    lastSignalMs: atMs,
    queryHashes: [],
    days: [],
    tags: conceptTagsOf(text),
    lightHits: 0,
    lightLastMs: null,
    remHits: 0,
    remLastMs: null,
    ...OPEN,
  };
}

/** A claim keeps this many concepts (facts §7.3). */
const MOST_TAGS = 8;

/** Length of a concept in characters. */
const LEAST_TAG_LENGTH = 3;
const LEAST_CJK_TAG_LENGTH = 2;
const MOST_TAG_LENGTH = 32;

// Names with punctuation inside: paths, IDs, kebab-case, snake_case, versions.
const COMPOUND = /(?<![\p{L}\p{N}])[\p{L}\p{N}]+(?:[-_./:@][\p{L}\p{N}]+)+/gu;
const CJK = /\p{sc=Han}|\p{sc=Hiragana}|\p{sc=Katakana}/u;
const UNSPACED =
  /\p{sc=Han}|\p{sc=Hiragana}|\p{sc=Katakana}|\p{sc=Thai}|\p{sc=Lao}|\p{sc=Khmer}|\p{sc=Myanmar}/u;
// With the apostrophe of "don't", as the segmenter has it.
const WORD = /[\p{L}\p{N}\p{M}]+(?:['’][\p{L}\p{M}]+)*/gu;
const LETTER = /\p{L}/u;
const LATIN_MARKS = /(?<=\p{sc=Latin})\p{M}+/gu;
/** Longer texts are not claims, and the segmenter takes quadratic time on text without spaces. */
const MOST_READ = 1000;

/**
 * The concepts a claim mentions, in lower case: compound names first, then words, each once, at most 8.
 * Scripts without spaces are split by the platform's segmenter (ICU).
 */
export function conceptTagsOf(text: string): string[] {
  const normal = text.slice(0, MOST_READ).normalize('NFKC');
  const tags = new Set<string>();
  for (const [compound] of normal.matchAll(COMPOUND)) addTag(tags, compound);
  const rest = normal.replaceAll(COMPOUND, ' ');
  for (const word of wordsIn(rest)) addTag(tags, word);
  return [...tags].slice(0, MOST_TAGS);
}

/** Uses the segmenter only for scripts without spaces: it is several times slower than a pattern. */
function wordsIn(text: string): readonly string[] {
  if (!UNSPACED.test(text)) return text.match(WORD) ?? [];
  return [...new Intl.Segmenter('en', { granularity: 'word' }).segment(text)]
    .filter(({ isWordLike }) => isWordLike === true)
    .map(({ segment }) => segment);
}

function addTag(tags: Set<string>, word: string): void {
  // Elsewhere, marks are part of a letter, as in バ and й.
  const unmarked = word.normalize('NFD').replaceAll(LATIN_MARKS, '');
  const tag = unmarked.normalize('NFC').toLowerCase();
  const length = [...tag].length;
  if (
    length < (CJK.test(tag) ? LEAST_CJK_TAG_LENGTH : LEAST_TAG_LENGTH) ||
    length > MOST_TAG_LENGTH
  )
    return;
  if (LETTER.test(tag) && !STOP_WORDS.has(tag)) tags.add(tag);
}

const DATED = /^(?:memory\/(?:.+\/)?)?\d{4}-\d{2}-\d{2}\.md$/su;

/**
 * Whether a document is short-term memory: a daily note (`memory/**\/YYYY-MM-DD.md` or the bare name) or
 * a conversation, but not a report written by dreaming (facts §7.3).
 */
export function isShortTermPath(source: Source, path: string): boolean {
  if (source === 'sessions') return true;
  const isDaily = DATED.test(path) && dailyNoteDay(path) !== undefined;
  return isDaily && !path.startsWith(`${DREAM_REPORTS}/`);
}
