import { isAscii } from '../../support/text.js';

/** Characters of English per token. */
export const ASCII_PER_TOKEN = 4;

/**
 * A rough token count: four ASCII characters per token, two letters of other alphabets, one CJK character,
 * and two tokens per emoji. Within a quarter of common tokenizers, at a thousandth of their time.
 */
export function estimateTokens(text: string): number {
  if (isAscii(text)) return text.length / ASCII_PER_TOKEN;
  let tokens = 0;
  for (const character of text) tokens += tokensOf(character.codePointAt(0) ?? 0);
  return tokens;
}

/** The tokens of a line, whose end counts as one character. */
export function estimateLine(line: string): number {
  return estimateTokens(line) + 1 / ASCII_PER_TOKEN;
}

function tokensOf(codePoint: number): number {
  if (codePoint < 0x80) return 1 / ASCII_PER_TOKEN;
  if (isCjk(codePoint)) return 1;
  if (codePoint > 0xffff || (codePoint >= 0x2600 && codePoint < 0x27c0)) return 2;
  return 0.5;
}

/** The characters of {@link isCjk}, for a character class of a pattern with the flag `u`. */
export const CJK =
  '\\u2e80-\\u9fff\\uac00-\\ud7af\\uf900-\\ufaff\\uff00-\\uffef\\u{20000}-\\u{3ffff}';

/** Han, kana, hangul and full-width characters: scripts written without spaces. */
export function isCjk(codePoint: number): boolean {
  return (
    (codePoint >= 0x2e80 && codePoint <= 0x9fff) ||
    (codePoint >= 0xac00 && codePoint <= 0xd7af) ||
    (codePoint >= 0xf900 && codePoint <= 0xfaff) ||
    (codePoint >= 0xff00 && codePoint <= 0xffef) ||
    (codePoint >= 0x20000 && codePoint <= 0x3ffff)
  );
}

/**
 * The start of a file embedded in a text, such as an image in an exported document: nobody searches for it. A pattern of
 * all its bytes would exceed the stack of regular expressions from 4 MB on.
 */
const EMBEDDED = /data:[\w.+/-]{1,100}(?:;[\w=-]{1,100}){0,3};base64,(?=[\w+/=%-]{1000})/gu;

/** Where the bytes of the embedded files are in a text. */
function* embeddedBytes(text: string) {
  const others = /[^\w+/=%-]/gu;
  for (const start of text.matchAll(EMBEDDED)) {
    const from = start.index + start[0].length;
    others.lastIndex = from;
    yield { index: start.index, from, to: others.exec(text)?.index ?? text.length };
  }
}

/** Replaces the bytes of each embedded file by an ellipsis. */
export function withoutFiles(text: string): string {
  let kept = '';
  let start = 0;
  for (const { from, to } of embeddedBytes(text)) {
    kept += `${text.slice(start, from)}…`;
    start = to;
  }
  return kept + text.slice(start);
}

/** The pieces of a text, without embedded files, in order; each costs at most `tokens`. */
export function* piecesWithin(text: string, tokens: number): Generator<string> {
  let start = 0;
  const embedded = embeddedBytes(text);
  for (let file = embedded.next(); ; file = embedded.next()) {
    const stop = file.done === true ? text.length : file.value.index;
    while (start < stop) {
      const end = Math.min(stop, cutAtTokens(text, start, tokens));
      yield text.slice(start, end);
      start = end;
    }
    if (file.done === true) return;
    start = file.value.to + (/[)>"']/u.test(text.charAt(file.value.to)) ? 1 : 0);
  }
}

/**
 * The end of the longest piece of `text` from `start` that costs at most `tokens`, at least one character;
 * never inside a surrogate pair, and at a space if one is near.
 *
 * @returns an index into `text`, in UTF-16 units
 */
export function cutAtTokens(text: string, start: number, tokens: number): number {
  let end = start;
  let spent = 0;
  while (end < text.length) {
    const codePoint = text.codePointAt(end) ?? 0;
    spent += tokensOf(codePoint);
    if (spent > tokens && end > start) break;
    end += codePoint > 0xffff ? 2 : 1;
  }
  if (end >= text.length) return text.length;
  // Within the piece only: searching a whole text without spaces is quadratic.
  const space = start + text.slice(start, end + 1).lastIndexOf(' ');
  return space > start + (end - start) / 2 ? space + 1 : end;
}
