const LONGEST = 300;

/** The lines around the one that has most words of the question, under a header that says where. */
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
  const cut = joined.length > LONGEST ? `${joined.slice(0, LONGEST - 3)}...` : joined;
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
