import { type Claim, splitClaims } from './split-claims.js';

/** Said in a conversation: everything of one message stands in one line of its transcript. */
export interface SpokenText {
  readonly text: string;
  /** 1-based. */
  readonly line: number;
}

/** The statements of a message, as those of a note. */
export function turnClaims({ text, line }: SpokenText): Claim[] {
  return splitClaims(text).map((claim) => ({ ...claim, startLine: line, endLine: line }));
}

/** Parts of a message that are read one after the other: paragraphs and list items, each on one line. */
export function turnParts(text: string): string[] {
  return text
    .split(/\n[ \t]*\n|\n(?=[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t])/u)
    .map((part) => part.replaceAll(/\s+/gu, ' ').trim())
    .filter((part) => part !== '');
}

const LABEL = /^(?:User|Assistant): /u;
/** Where a list began a new item before its message was put on one line. */
const LOST_ITEM = /(?<=[.:;!?…])\s+(?=(?:[-*+]|\d{1,9}[.)])\s+\S)/gu;
const CODE = /```[\s\S]*?(?:```|$)/gu;

/**
 * The statements in what a search shows of a conversation: a message a line, or a part of one, with its
 * speaker before it.
 */
export function spokenClaims(snippet: string): string[] {
  return snippet.split('\n').flatMap((line) => {
    const said = line.replace(LABEL, '').replaceAll(CODE, '\n\n');
    return splitClaims(said.replaceAll(LOST_ITEM, '\n')).map(({ text }) => text);
  });
}
