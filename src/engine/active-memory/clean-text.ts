import { BLOCK_TAG } from './block.js';

/*
 * Each pattern ends at its closing mark or at the end of the text, and what is open in length is bounded:
 * a text full of openings is still read once.
 */
/** What agents put around text from elsewhere, as mails and pages. */
const EXTERNAL =
  /<<<\s{0,9}EXTERNAL_UNTRUSTED_[^>]{0,200}>>>.*?(?:<<<\s{0,9}END_EXTERNAL_UNTRUSTED_[^>]{0,200}>>>|$(?![\s\S]))/gisu;
const FENCE = /^[ \t]*(?<fence>```+|~~~+).*?(?:^[ \t]*\k<fence>|$(?![\s\S]))/gmsu;
/** What agents and memories put into a prompt by themselves. */
const INSERTED = new RegExp(
  `<(?<tag>${BLOCK_TAG}|active_memory|relevant[-_]memories|memory[-_]context|memories|memory|system-reminder|environment_context|user_instructions)\\b[^>]{0,500}>.*?(?:</\\k<tag>\\s{0,9}>|$(?![\\s\\S]))`,
  'gisu',
);
/** What stands before a block, wherever an answer repeats it. */
const LABEL = /Untrusted context \(recalled notes[^\n]*/giu;
/** Lines about a message instead of in it: `[message_id: 7]`, `Sender (untrusted metadata):`. */
const METADATA_LINE =
  /^[ \t]*(?:\[(?:message[_ ]?id|from|sender|chat|channel|timestamp|date|reply[_ ]?to|media)\b[^\]\n]*\][ \t]*|[\w ]{1,40}\(untrusted[^)\n]*\):?[ \t]*|System:[ \t]*\[[^\]\n]*\].*)$/gimu;

/** A message as the person wrote it: without what was put around or into it. */
export function ownWordsOf(text: string): string {
  return withoutRecalls(text)
    .replaceAll(EXTERNAL, ' ')
    .replaceAll(FENCE, ' ')
    .replaceAll(METADATA_LINE, ' ')
    .trim();
}

/** A text without what was recalled into it before: memory must not feed on itself. */
export function withoutRecalls(text: string): string {
  return text.replaceAll(INSERTED, ' ').replaceAll(LABEL, ' ').trim();
}

/** All of a text on one line. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').trim();
}

/** At most so many UTF-16 units: cut at the end of a word where there is one, never inside a character. */
export function clipWords(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const cut = text.slice(0, wholeCharacters(text, Math.max(0, maxChars - ELLIPSIS.length)));
  const inside = /\S$/u.test(cut) && /^\S/u.test(text.slice(cut.length));
  const words = inside ? cut.replace(/\s+\S*$/u, '') : cut.trimEnd();
  return `${words === '' ? cut : words}${ELLIPSIS}`;
}

const ELLIPSIS = '…';

/** The same length, or one less where a surrogate pair would be cut apart. */
export function wholeCharacters(text: string, length: number): number {
  const code = text.charCodeAt(length);
  return code >= 0xdc00 && code <= 0xdfff ? length - 1 : length;
}
