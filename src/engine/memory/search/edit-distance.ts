const LATIN = 'abcdefghijklmnopqrstuvwxyz';
const CYRILLIC = 'абвгдежзийклмнопрстуфхцчшщъыьэюяёіїєґ';
const GREEK = 'αβγδεζηθικλμνξοπρστυφχψως';

/** Every text that one edit makes of a word: a letter left out, added or replaced, or two swapped. */
export function editsOf(word: string): ReadonlySet<string> {
  const letters = [LATIN, CYRILLIC, GREEK].find((one) => one.includes(word[0] ?? '')) ?? '';
  const edits = new Set<string>();
  for (let at = 0; at <= word.length; at++) {
    const [before, after] = [word.slice(0, at), word.slice(at)];
    const [first = '', second = ''] = after;
    if (first !== '') edits.add(before + after.slice(1));
    if (second !== '') edits.add(before + second + first + after.slice(2));
    for (const letter of letters) {
      edits.add(before + letter + after);
      if (first !== '') edits.add(before + letter + after.slice(1));
    }
  }
  edits.delete(word);
  return edits;
}

/**
 * How many edits apart two words are; two swapped letters are one edit (optimal string alignment).
 *
 * @param ofPrefix the least distance of any prefix of `a` instead
 */
export function editDistance(a: string, b: string, ofPrefix = false): number {
  let [before, above]: [number[], number[]] = [
    [],
    Array.from({ length: b.length + 1 }, (_, n) => n),
  ];
  let least = b.length;
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let distance = Math.min(
        (above[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (above[column - 1] ?? 0) + (same ? 0 : 1),
      );
      const isSwapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (row > 1 && column > 1 && isSwapped) {
        distance = Math.min(distance, (before[column - 2] ?? 0) + 1);
      }
      current.push(distance);
    }
    least = Math.min(least, current[b.length] ?? 0);
    [before, above] = [above, current];
  }
  return ofPrefix ? least : (above[b.length] ?? 0);
}
