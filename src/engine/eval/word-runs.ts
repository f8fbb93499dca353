/** Longest run of words that is compared. */
const RUN = 3;

/**
 * Whether a text can be read in another: half or more of its runs of three words stand there. Marks,
 * case and what was left out in between do not count. A shorter text is one run; one without words
 * is read nowhere.
 */
export function isReadable(wanted: string, shown: string): boolean {
  const words = wordsOf(wanted);
  const size = Math.min(RUN, words.length);
  if (size === 0) return false;
  const there = new Set(runsOf(wordsOf(shown), size));
  const runs = runsOf(words, size);
  return runs.filter((run) => there.has(run)).length * 2 >= runs.length;
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function runsOf(words: readonly string[], size: number): readonly string[] {
  return words.slice(size - 1).map((_, at) => words.slice(at, at + size).join(' '));
}
