import { oneLine } from '../../support/text.js';
import { joinedLines, textLines, withoutOwnWriting } from '../sources/index.js';
import type { LineRange } from '../types.js';
import { enterHeading, type Heading, splitBlocks, titlesOf } from './blocks.js';

/** One statement in a note: the unit that is recalled, scored and promoted. */
export interface Claim extends LineRange {
  /** On one line, without list marks. */
  readonly text: string;
  /** Titles of the headings above it, outermost first. */
  readonly headingPath: readonly string[];
}

/** Longer prose is split between sentences (facts §7.5: pieces of 8 to 280 characters). */
export const MOST_CLAIM_CHARACTERS = 280;

/** Including nested lists: `- - item`. */
const LIST_MARK = /^\s*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)+/u;
const QUOTE_MARK = /^[ \t]{0,3}>[ \t]?/gmu;
/** Comments, and code, in which `<!--` begins none. Unlike those of `^`, lines end only with \r and \n. */
const COMMENT_OR_CODE =
  /<!--[\s\S]*?(?:-->|$)|(?<![^\r\n])[ \t]*(`{3,}(?!`)|~{3,}(?!~))[^\r\n]*[\r\n](?:[\s\S]*?(?<![^\r\n])[ \t]*\1|[\s\S]*)|`[^`\n]{1,200}`/gu;

/**
 * Splits Markdown into statements: list items, and prose of at most 280 characters. Headings, code, tables
 * and front matter are skipped.
 *
 * @param firstLine line number of the text in its document, 1-based
 */
export function splitClaims(text: string, firstLine = 1): Claim[] {
  const lines = textLines(withoutComments(withoutOwnWriting(text)));
  const claims: Claim[] = [];
  const trail: Heading[] = [];
  for (const block of splitBlocks(lines)) {
    if (block.kind === 'heading') {
      enterHeading(trail, block);
      continue;
    }
    if (block.kind !== 'list-item' && block.kind !== 'prose') continue;
    const headingPath = titlesOf(trail);
    const raw = joinedLines(lines, block.start, block.end);
    for (const piece of piecesOf(raw)) {
      claims.push({
        text: piece.text,
        headingPath,
        startLine: firstLine + block.start + piece.start,
        endLine: firstLine + block.start + piece.end,
      });
    }
  }
  return claims;
}

/** Keeps line breaks, so that line numbers stay correct. */
function withoutComments(text: string): string {
  return text.replaceAll(COMMENT_OR_CODE, (part) =>
    part.startsWith('<!--') ? part.replaceAll(/[^\n]+/gu, '') : part,
  );
}

interface Piece extends Pick<Claim, 'text'> {
  /** Lines from the block's first, 0-based, both included. */
  readonly start: number;
  readonly end: number;
}

const SENTENCE_END = /[.!?…]["'”’)\]]*\s+(?=[\p{Lu}\p{N}"'“‘([])|[。！？]/gu;

function piecesOf(raw: string): Piece[] {
  const unquoted = raw.replace(QUOTE_MARK, '');
  const whole = oneLine(unquoted.replace(LIST_MARK, ''));
  if (whole === '') return [];
  if (whole.length <= MOST_CLAIM_CHARACTERS) {
    return [{ text: whole, start: 0, end: lineCount(raw) }];
  }
  return joinSentences(unquoted);
}

/** Joins sentences up to the length of a claim. */
function joinSentences(raw: string): Piece[] {
  const ends = [...raw.matchAll(SENTENCE_END)].map(({ 0: mark, index }) => index + mark.length);
  const pieces: Piece[] = [];
  let from = 0;
  let to = 0;
  for (const end of [...ends, raw.length]) {
    if (to > from && oneLine(raw.slice(from, end)).length > MOST_CLAIM_CHARACTERS) {
      pieces.push(pieceOf(raw, from, to));
      from = to;
    }
    to = end;
  }
  pieces.push(pieceOf(raw, from, to));
  return pieces.filter(({ text }) => text !== '');
}

function pieceOf(raw: string, from: number, to: number): Piece {
  const part = raw.slice(from, to);
  const start = lineCount(raw.slice(0, from));
  return {
    text: oneLine(part.replace(LIST_MARK, '')),
    start,
    end: start + lineCount(part.trimEnd()),
  };
}

function lineCount(text: string): number {
  return text.split('\n').length - 1;
}

/** A message of a conversation, which is one line of its transcript. */
export interface SpokenText {
  readonly text: string;
  /** 1-based. */
  readonly line: number;
}

/** Splits a message into statements, like a note. */
export function turnClaims({ text, line }: SpokenText): Claim[] {
  return splitClaims(text).map((claim) => ({ ...claim, startLine: line, endLine: line }));
}

/** The statements in a message, as it was written, and as in a search result. */
export function statementsOfTurn(text: string): string[] {
  return [...splitClaims(text).map((claim) => claim.text), ...spokenClaims(oneLine(text))];
}

/** Splits a message into paragraphs and list items, each on one line. */
export function turnParts(text: string): string[] {
  return text
    .split(/\n[ \t]*\n|\n(?=[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t])/u)
    .map(oneLine)
    .filter((part) => part !== '');
}

/** The speaker of a message, as in the index, or as in conversations that were exported for an external search program. */
export const SPEAKER = /^(?:User|Assistant|(?:user|assistant)(?: \([^()\n]*\))?): /mu;
/** A list item that lost its line break when the message was put on one line. */
const LOST_ITEM = /(?<=[.:;!?…])\s+(?=(?:[-*+]|\d{1,9}[.)])\s+\S)/gu;
const CODE = /```[\s\S]*?(?:```|$)/gu;

/** The statements in a search result from a conversation: one message or part of one per line, with its speaker. */
export function spokenClaims(snippet: string): string[] {
  return snippet.split('\n').flatMap((line) => {
    const message = line.replace(SPEAKER, '').replaceAll(CODE, '\n\n');
    return splitClaims(message.replaceAll(LOST_ITEM, '\n')).map(({ text }) => text);
  });
}
