import { type TextLines, textLines } from '../sources/index.js';
import type { Chunk, LineRange } from '../types.js';

/**
 * The lines of a note, put together from its chunks in order. Lines that are in none are empty: blank lines between
 * chunks, and what is kept out of memory.
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
export interface StoredTurn {
  /** 1-based. */
  readonly line: number;
  readonly role: 'assistant' | 'user';
  readonly text: string;
}

const LABEL = /^(?<role>User|Assistant): /u;

/** The turns of a conversation, put together from its chunks in order. */
export function turnsOfChunks(chunks: readonly Chunk[]): readonly StoredTurn[] {
  const turns = new Map<number, StoredTurn>();
  for (const { startLine, text, lineNumbers } of chunks) {
    // Chunks overlap by whole turns; a turn that is longer than a chunk is in several.
    const before = new Map(turns);
    for (const [at, row] of text.split('\n').entries()) {
      const line = lineNumbers?.[at] ?? startLine + at;
      const role = LABEL.exec(row)?.groups?.['role'] === 'User' ? 'user' : 'assistant';
      const said = row.replace(LABEL, '');
      const known = turns.get(line);
      if (before.get(line)?.text.includes(said) === true) continue;
      turns.set(line, { line, role, text: known === undefined ? said : `${known.text} ${said}` });
    }
  }
  return [...turns.values()].toSorted((a, b) => a.line - b.line);
}
