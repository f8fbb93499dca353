import { countWords } from '../../memory/search/words.js';
import { MOST_CLAIM_CHARACTERS } from './split-claims.js';

/** Why a text is nothing to keep. */
export type JunkReason =
  | 'too_short'
  | 'too_long'
  | 'task'
  | 'question'
  | 'log'
  | 'code'
  | 'link'
  | 'dump'
  | 'transcript'
  | 'instruction'
  | 'dream';

/** For people. */
export const JUNK_WORDS: Readonly<Record<JunkReason, string>> = {
  too_short: 'too short to say something by itself',
  too_long: 'too long for one statement',
  task: 'a task, not a fact',
  question: 'a question',
  log: 'a line of a log',
  code: 'code',
  link: 'a bare link or path',
  dump: 'numbers and ids without words',
  transcript: 'a line of a conversation',
  instruction: 'an instruction to a model',
  dream: "dreaming's own writing, or text that memory put into a conversation",
};

const LEAST_CHARACTERS = 8;
const LEAST_WORDS = 3;

const TASK = /^(?:\[[ xX~/-]\]|(?:todo|fixme|xxx|hack|wip|tbd|next steps?|action items?)\b)/iu;
const TASK_MARK = /\b(?:TODO|FIXME|TBD)\b/u;
const LOG =
  /^(?:\[?\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}|\[?\d{2}:\d{2}:\d{2}|(?:\[)?(?:trace|debug|info|warn(?:ing)?|error|fatal)\b[\]:\s]*(?:\[|\d|[a-z._-]+:))/iu;
const STACK = /^(?:at \S+ \(|Traceback \(|\s*File "[^"]+", line \d+|npm (?:ERR!|warn)|\+ |\$ |> )/u;
const CODE_WORD =
  /^(?:const|let|var|import|export|function|class|return|def|async|public|private|SELECT|INSERT|UPDATE|CREATE)\b.*[;={}()]/u;
const CODE_MARKS = /[{}<>;=()[\]|\\$&^]/gu;
const LINK = /^(?:[a-z][a-z0-9+.-]*:\/\/\S+|[~.]?(?:\/[\w.@-]+){2,}\/?)$/iu;
const SPEAKER = /^(?:user|assistant|system|human|ai|tool)\s*:/iu;
const DREAM =
  /svc[-:](?:memory-promotion|dreaming|active-memory)|memory\/dreaming\/|__dreaming_|<\/?(?:relevant|recalled|injected)?[-_]?memor(?:y|ies)\b/iu;
const INSTRUCTION =
  /\b(?:ignore|disregard|forget) (?:all |any |the |your )*(?:previous|prior|above|earlier|system)\b|\bsystem prompt\b|\byou (?:are|must|should) now\b|<\/?(?:system|instructions?)>/iu;

/** More marks of code than this share of a text, and it is code. */
const MOST_MARKS = 0.12;
/** Less letters than this share, and it is a dump. */
const LEAST_LETTERS = 0.5;

/**
 * Why a claim is never promoted; undefined for one that may be. It errs towards leaving out: what is
 * kept is read in every conversation (facts §9, row 7).
 */
export function junkReason(text: string): JunkReason | undefined {
  if (DREAM.test(text)) return 'dream';
  if (text.length > MOST_CLAIM_CHARACTERS * 2) return 'too_long';
  if (LINK.test(text)) return 'link';
  if (TASK.test(text) || TASK_MARK.test(text)) return 'task';
  if (SPEAKER.test(text)) return 'transcript';
  if (INSTRUCTION.test(text)) return 'instruction';
  if (LOG.test(text) || STACK.test(text)) return 'log';
  if (isCode(text)) return 'code';
  if (isDump(text)) return 'dump';
  if (text.length < LEAST_CHARACTERS || isTooFewWords(text)) return 'too_short';
  if (/[?？]["'”’)\]]*$/u.test(text)) return 'question';
  return undefined;
}

function isCode(text: string): boolean {
  // What stands between backticks is spoken of, not written as code.
  const prose = text.replaceAll(/`[^`]*`/gu, '');
  if (prose.trim() === '') return true;
  if (CODE_WORD.test(prose)) return true;
  return (prose.match(CODE_MARKS)?.length ?? 0) / prose.length > MOST_MARKS;
}

function isDump(text: string): boolean {
  const dense = text.replaceAll(/[\s`*_]+/gu, '');
  const letters = dense.match(/\p{L}/gu)?.length ?? 0;
  return letters / Math.max(1, dense.length) < LEAST_LETTERS;
}

const CJK_TEXT = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u;

function isTooFewWords(text: string): boolean {
  return !CJK_TEXT.test(text) && countWords(text) < LEAST_WORDS;
}
