import type { LineRange } from '../../memory/types.js';
import { type Claim, splitClaims } from '../claims/split-claims.js';
import { type SpokenText, turnClaims, turnParts } from '../claims/split-turns.js';

/** What a document says now. */
export interface SourceText {
  readonly claims: readonly Claim[];
  /** Its lines for people, from `startLine` on (1-based). */
  readonly lines: readonly string[];
  readonly startLine: number;
  /**
   * Where a statement stands word for word that is none of the claims: a search shows long messages in
   * parts, which end elsewhere.
   */
  quoted(text: string): Claim | undefined;
}

/** A whole note. */
export function noteText(text: string): SourceText {
  return {
    claims: splitClaims(text),
    lines: text.split(/\r?\n/u),
    startLine: 1,
    quoted: () => undefined,
  };
}

/** One message of a conversation. */
export interface SpokenTurn extends SpokenText {
  readonly role: 'assistant' | 'user';
}

/** A part of a conversation. @param range the lines that the messages were looked for in */
export function conversationText(turns: readonly SpokenTurn[], range: LineRange): SourceText {
  const byLine = new Map(turns.map((turn) => [turn.line, turn]));
  const last = Math.max(range.startLine - 1, ...byLine.keys());
  const lines = Array.from({ length: last - range.startLine + 1 }, (_, at) => {
    const turn = byLine.get(range.startLine + at);
    if (turn === undefined) return '';
    const said = turn.text.replaceAll(/\s+/gu, ' ').trim();
    return `${turn.role === 'user' ? 'User' : 'Assistant'}: ${said}`;
  });
  return {
    claims: turns.flatMap(turnClaims),
    lines,
    startLine: range.startLine,
    quoted: (text) => {
      const turn = turns.find((one) => turnParts(one.text).some((part) => part.includes(text)));
      if (turn === undefined) return undefined;
      return { text, headingPath: [], startLine: turn.line, endLine: turn.line };
    },
  };
}
