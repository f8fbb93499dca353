const MAX_LENGTH = 300;

/** The lines around the line with most words of the question, after a header that gives their position. */
export function snippetOf(text, question) {
  const lines = text.split('\n');
  const words = question.toLowerCase().split(/\s+/).filter(Boolean);
  const counts = lines.map((line) => {
    const lowered = line.toLowerCase();
    return words.filter((word) => lowered.includes(word)).length;
  });
  const best = counts.indexOf(Math.max(...counts));
  const from = Math.max(0, best - 1);
  const shown = lines.slice(from, best + 3);
  const joined = shown.join('\n');
  const cut = joined.length > MAX_LENGTH ? `${joined.slice(0, MAX_LENGTH - 3)}...` : joined;
  const after = lines.length - from - shown.length;
  const header = `@@ -${from + 1},${shown.length} @@ (${from} before, ${after} after)`;
  return { line: best + 1, count: shown.length, from: from + 1, snippet: `${header}\n${cut}` };
}

/** Every line with its number, from this one on. */
export function numbered(text, first = 1) {
  return text
    .split('\n')
    .map((line, at) => `${first + at}: ${line}`)
    .join('\n');
}
