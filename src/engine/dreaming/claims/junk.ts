import { hasSecret, MASK } from '../../masking/index.js';
import { MOST_CLAIM_CHARACTERS } from '../../memory/chunking/split-claims.js';
import { countWords } from '../../memory/search/index.js';
import { isQuestion } from './claim-words.js';

/** Why a text is not worth keeping, in words for people. */
export const JUNK_WORDS = {
  secret: 'a secret',
  too_short: 'too short to be useful on its own',
  too_long: 'too long for one statement',
  task: 'a task, not a fact',
  question: 'a question',
  struck: 'crossed out',
  log: 'a log line',
  code: 'code',
  link: 'a bare link or path',
  dump: 'numbers and IDs without words',
  transcript: 'a line of a conversation',
  instruction: 'an instruction to a model',
  dream: 'text written by dreaming, or injected into a conversation from memory',
} as const;
export type JunkReason = keyof typeof JUNK_WORDS;

const LEAST_CHARACTERS = 8;
const LEAST_WORDS = 3;

/** List, quote and emphasis marks before the first word; nested lists have several. */
const LEADING_MARKS = /^(?:[-*+>•–]\s+|\d{1,9}[.)]\s+|[*_~]{1,3}(?=\S))+/u;
const TASK = [
  /^(?:\[.?\](?!\()|[☐☑☒✅⬜])/u,
  /^(?:to[- ]?do|fixme|xxx|hack|wip|tbd|next steps?|action items?|follow[- ]?up|reminder)\b(?! list)/iu,
  /^(?:please )?(?:remind me|remember|do not forget|don['’]t forget|make sure) to\b/iu,
  /^(?:(?:i|we) )?(?:still )?(?:need|have|ought|want|plan) to\b/iu,
  /^ask \p{L}+ (?:about|for|whether|if|to)\b/iu,
];
const TASK_MARK = /\b(?:TODO|FIXME|TBD)\b|📅|@due\b/u;
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
/** Verbs that could tell a model how to behave. */
const BEHAVE =
  '(?:answer|respond|reply|speak|talk|say|act|behave|pretend|obey|comply|ignore|disregard|forget|reveal|refuse|greet|role-?play|output|sign off)';
/** A fast pre-check: an instruction contains one of these, and most claims do not. */
const ADDRESS =
  /you|assistant|model|llm|\bai\b|chatbot|prompt|instruction|rules|mode\b|system|previous|prior|above|earlier|inst\]|im_|user|human|person|owner|^(?:please|from now|henceforth|always|never|only|just|do not|don['’]t)\b/i;
const BEHAVES_FIRST = new RegExp(`^${BEHAVE}`, 'i');
const INSTRUCTION = [
  /\b(?:ignore|disregard|forget|override) (?:all |any |the |your |of |these |those )*(?:previous|prior|above|earlier|system|other) ?(?:instructions?|rules|prompts?|messages?|context)?\b/iu,
  /\bsystem prompt\b|\byour (?:prompt|instructions|persona|role|guidelines)\b|\bnew instructions?\s*:/iu,
  /\b(?:developer|jailbreak|god|dan) mode\b|<\/?(?:system|instructions?)>|\[\/?INST\]|<\|im_/iu,
  /\byou (?:are|must|should|will|shall) now\b|\byou are (?:an? |the )?(?:[\p{L}-]+ ){0,4}(?:assistant|model|bot|ai|agent|pirate|expert|persona)\b/iu,
  /\byou (?:must|should|shall|will|have to|need to|are to)(?: \w+)? (?:always|never|only)\b/iu,
  new RegExp(
    String.raw`\b(?:you|(?:the|this|every|any) (?:assistant|model|llm|ai|chatbot)|assistants|ai agents) (?:must|should|shall|will|has to|have to|needs? to|(?:are|is) to)(?: (?:not|never|always|only|just))* ${BEHAVE}\b`,
    'iu',
  ),
  new RegExp(
    String.raw`^(?:please )?(?:(?:from now on|henceforth)[,:]? )?(?:(?:always|never|only|just|do not|don['’]t) )*(?:${BEHAVE})\b`,
    'iu',
  ),
  /^from now on[,:]? (?:you|always|never|call me|only|use)\b/iu,
  /\b(?:do not|don['’]t|never) (?:tell|inform|mention (?:this|it) to|show) (?:the )?(?:user|human|person|owner)\b/iu,
];

/** Names that announce a secret value, however plain it looks: `Wi-Fi password: sunflower`. */
const SECRET_WORD = /pass|pwd|secret|token|key|phrase|words|code|pin|combination|number|cv[cv]/i;
const NAMED_SECRET =
  /\b(?:password|passwd|pass ?phrase|passcode|pwd|secret|api[- ]?key|access key|private key|token)\b["'`*]{0,3}\s{0,2}(?:[:=]|=>|is:)\s{0,2}["'`*]{0,3}[^\s"'`*]{4,64}["'`*]{0,3}[.!]?$/iu;
const SPOKEN_SECRET = [
  /\b(?:seed|recovery|mnemonic|backup) (?:phrase|words|codes?)\b[^:=]{0,30}?(?:[:=]|\b(?:is|are)\b)\s{0,3}\S+[ -]\S+/iu,
  /\b(?:alarm|door|gate|safe|lock|entry|voicemail|locker|garage|keypad|bike lock|unlock|access)(?:'s)? (?:code|combination|pin|number)\b\D{0,30}\d{3,}/iu,
  /\b(?:cvv|cvc2?|security code)\b\D{0,20}\d{3,4}\b/iu,
  /\bpass(?:word|phrase|code)\b[^.;]{0,30}? (?:is|was|to) ["'`“][^"'`”\s]{4,}["'`”]/iu,
];
/** A line from the middle of a key: long, mixed case with digits, not a path or an address. */
const KEY_LINE =
  /(?<![\w+/=:.-])(?=[\w+]{0,64}\d)(?=[\w+]{0,64}[a-z])(?=[\w+]{0,64}[A-Z])[A-Za-z\d+]{32,}/u;
/** A setting or variable is named without its value. */
const NO_VALUE =
  /[:=]\s*["'`*]{0,3}(?:\$|<|\{|[A-Z]+_[A-Z_]+|required|optional|none|yes|no|see\b)/u;

/** A text with a larger share of code punctuation is code. */
const MOST_MARKS = 0.12;
/** A text with a smaller share of letters is a dump. */
const LEAST_LETTERS = 0.5;

/**
 * Why a claim is never promoted; undefined if it can be. When in doubt, it is junk: promoted claims are read
 * in every conversation (facts §9, row 7).
 */
export function junkReason(text: string): JunkReason | undefined {
  if (containsSecret(text)) return 'secret';
  if (DREAM.test(text)) return 'dream';
  if (text.length > MOST_CLAIM_CHARACTERS * 2) return 'too_long';
  if (isStruck(text)) return 'struck';
  if (LINK.test(text)) return 'link';
  const unmarked = text.replace(LEADING_MARKS, '');
  if (matches(TASK, unmarked) || TASK_MARK.test(text)) return 'task';
  if (SPEAKER.test(text)) return 'transcript';
  if (isInstruction(unmarked)) return 'instruction';
  if (LOG.test(text) || STACK.test(text)) return 'log';
  if (isCode(text)) return 'code';
  if (isDump(text)) return 'dump';
  if (text.length < LEAST_CHARACTERS || isTooFewWords(text)) return 'too_short';
  if (isQuestion(text)) return 'question';
  return undefined;
}

/** Whether a text is crossed out as a whole: `~~The port is 7443.~~`. */
export function isStruck(text: string): boolean {
  return /^[^\p{L}\p{N}~]*~~[^~]+~~[^\p{L}\p{N}~]*$/u.test(text);
}

/**
 * Whether a text contains a secret, or did before it was masked. Such claims are not even recorded, because
 * every conversation reads what dreaming writes. This is stricter than masking: losing a fact costs less
 * than leaking a secret.
 */
export function containsSecret(text: string): boolean {
  if (text.includes(MASK) || hasSecret(text) || KEY_LINE.test(text)) return true;
  if (!SECRET_WORD.test(text)) return false;
  return matches(SPOKEN_SECRET, text) || (NAMED_SECRET.test(text) && !NO_VALUE.test(text));
}

function matches(forms: readonly RegExp[], text: string): boolean {
  return forms.some((form) => form.test(text));
}

function isInstruction(text: string): boolean {
  return (ADDRESS.test(text) || BEHAVES_FIRST.test(text)) && matches(INSTRUCTION, text);
}

function isCode(text: string): boolean {
  // Inline code in a sentence does not make it code.
  const prose = text.replaceAll(/`[^`]*`/gu, '');
  if (prose.trim() === '') return true;
  if (CODE_WORD.test(prose)) return true;
  return (prose.match(CODE_MARKS)?.length ?? 0) / prose.length > MOST_MARKS;
}

function isDump(text: string): boolean {
  const dense = text.replaceAll(/[\s`*_]+/gu, '');
  const letters = dense.replaceAll(/\P{L}+/gu, '');
  return letters.length / Math.max(1, dense.length) < LEAST_LETTERS;
}

const CJK_TEXT = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u;

function isTooFewWords(text: string): boolean {
  return !CJK_TEXT.test(text) && countWords(text) < LEAST_WORDS;
}
