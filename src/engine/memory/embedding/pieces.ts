/** Pieces of a passage at most: their vectors take as much space as one vector of 32-bit floats. */
const MOST_PIECES = 4;
/** Shorter texts say too little about what they are about; in UTF-16 units. */
const SHORTEST_PIECE = 200;

const SENTENCE_END = /(?<=[.!?])\s+|(?<=[。！？])/gu;

/**
 * Splits a passage into what is embedded: up to four pieces of whole lines and about equal length. One vector
 * for a whole passage blurs its topics: it is near to none of the questions that one of its lines answers.
 *
 * @returns at least one piece, none of them blank unless the text is
 */
export function piecesOf(text: string): readonly string[] {
  const target = Math.max(SHORTEST_PIECE, Math.ceil(text.length / MOST_PIECES));
  const pieces: string[] = [];
  let piece = '';
  for (const part of partsOf(text, target)) {
    const over = piece.length + part.length - target;
    const isFull = piece.trim() !== '' && over > target - piece.length;
    if (isFull && pieces.length < MOST_PIECES - 1) {
      pieces.push(piece.trim());
      piece = '';
    }
    piece += part;
  }
  return [...pieces, piece.trim()].filter((one) => one !== '' || pieces.length === 0);
}

/** The lines of a text with their ends; a long line, usually a paragraph, as sentences. */
function partsOf(text: string, target: number): readonly string[] {
  return (text.match(/[^\n]+\n?|\n/gu) ?? []).flatMap((line) => {
    return line.length <= target ? [line] : sentencesOf(line);
  });
}

function sentencesOf(line: string): readonly string[] {
  const sentences: string[] = [];
  let from = 0;
  for (const { index } of line.matchAll(SENTENCE_END)) {
    if (index === from) continue;
    sentences.push(line.slice(from, index));
    from = index;
  }
  return [...sentences, line.slice(from)];
}
