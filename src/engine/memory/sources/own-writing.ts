import type { TextLines } from './text-lines.js';
import { textLines } from './text-lines.js';

/** Where dreaming writes its reports, below a workspace; nothing in it is memory. */
export const DREAM_REPORTS = 'memory/dreaming';

/** The comments between which svc writes into a person's notes. */
export function ownBlockMarks(name: string): readonly [opening: string, closing: string] {
  return [`<!-- svc:dreaming:${name}:start -->`, `<!-- svc:dreaming:${name}:end -->`];
}

/** How the comment above a promoted entry of `MEMORY.md` begins. */
export const PROMOTION_MARK = '<!-- svc:memory-promotion:';

const ANY_MARK = '<!-- svc:';
// A block whose end somebody took away is not ended by the next one's: a person's text may stand between.
const OWN_BLOCK =
  /<!-- svc:dreaming:(\w+):start -->(?:(?!<!-- svc:dreaming:\1:start -->)[\s\S])*?(?:<!-- svc:dreaming:\1:end -->|(?![\s\S]))|^<!-- svc:memory-promotion:.*$/gmu;

/** A text without what svc wrote about it: blocks of dreaming, and where entries came from. Lines stay. */
export function withoutOwnWriting(text: string): string {
  return text.includes(ANY_MARK) ? text.replaceAll(OWN_BLOCK, emptied) : text;
}

/** The same for a text whose lines are known. */
export function linesWithoutOwnWriting(lines: TextLines): TextLines {
  return lines.text.includes(ANY_MARK) ? textLines(withoutOwnWriting(lines.text)) : lines;
}

function emptied(part: string): string {
  return part.replaceAll(/[^\r\n]+/gu, '');
}
