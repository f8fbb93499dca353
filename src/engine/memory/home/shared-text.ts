import { type NumberedTurn, type TextLines, textLines } from '../sources/index.js';
import type { Chunk, LineRange } from '../types.js';

/**
 * The lines of a note, put together from its chunks in order. Lines that are in none are empty: these are blank lines
 * between chunks, and forgotten ones.
 */
export function linesOfChunks(chunks: readonly Chunk[]): TextLines {
  const lines: string[] = [];
  let cut: LineRange | undefined;
  for (const { startLine, endLine, text } of chunks) {
    const isPiece =
      startLine === endLine && cut?.startLine === startLine && cut.endLine === endLine;
    if (isPiece) lines[startLine - 1] += text;
    else for (const [at, line] of text.split('\n').entries()) lines[startLine - 1 + at] = line;
    cut = { startLine, endLine };
  }
  return textLines(Array.from(lines, (line) => line ?? '').join('\n'));
}

/** A turn of a conversation, as chunks have it. */
type StoredTurn = Omit<NumberedTurn, 'at'>;

const LABEL = /^(?<role>User|Assistant): /u;

/**
 * The turns of a conversation, put together from its chunks in order. Chunks overlap by whole turns, before at least
 * one new one; of a turn that is longer than a chunk, each chunk has a part and nothing else.
 */
export function turnsOfChunks(chunks: readonly Chunk[]): readonly StoredTurn[] {
  const turns = new Map<number, StoredTurn>();
  for (const chunk of chunks) {
    const own = turnsOf(chunk);
    for (const turn of own) {
      const known = turns.get(turn.line);
      if (known === undefined) turns.set(turn.line, turn);
      else if (own.length === 1) {
        turns.set(turn.line, { ...turn, text: `${known.text} ${turn.text}` });
      }
    }
  }
  return [...turns.values()].toSorted((a, b) => a.line - b.line);
}

function turnsOf({ startLine, text, lineNumbers }: Chunk): readonly StoredTurn[] {
  const turns: StoredTurn[] = [];
  for (const [at, row] of text.split('\n').entries()) {
    const line = lineNumbers?.[at] ?? startLine + at;
    const role = LABEL.exec(row)?.groups?.['role'] === 'User' ? 'user' : 'assistant';
    const said = row.replace(LABEL, '');
    const last = turns.at(-1);
    if (last?.line === line) turns[turns.length - 1] = { ...last, text: `${last.text} ${said}` };
    else turns.push({ line, role, text: said });
  }
  return turns;
}
