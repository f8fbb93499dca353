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
    edits.add(before + after.slice(1));
    edits.add(before + second + first + after.slice(2));
    for (const letter of letters) {
      edits.add(before + letter + after);
      edits.add(before + letter + after.slice(1));
    }
  }
  edits.delete(word);
  return edits;
}

interface DistanceOptions {
  /** Larger distances count as one more than this, which takes less time. */
  readonly most?: number;
  /** Takes the least distance of any prefix of `a`. */
  readonly ofPrefix?: boolean;
}

/** How many edits apart two words are; two swapped letters are one edit (optimal string alignment). */
export function editDistance(
  a: string,
  b: string,
  { most = Number.POSITIVE_INFINITY, ofPrefix = false }: DistanceOptions = {},
): number {
  let before: readonly number[] = [];
  let above: readonly number[] = Array.from({ length: b.length + 1 }, (_, column) => column);
  let least = b.length;
  for (let row = 1; row <= a.length; row++) {
    [before, above] = [above, nextRow(a, b, row, { above, before })];
    least = Math.min(least, above[b.length] ?? 0);
    // No later row has less; a swap reaches back one row more.
    if (Math.min(...before, ...above) > most) return ofPrefix ? least : most + 1;
  }
  return ofPrefix ? least : (above[b.length] ?? 0);
}

/** The distances of the first `row` letters of `a` to the beginnings of `b`. */
function nextRow(
  a: string,
  b: string,
  row: number,
  { above, before }: { readonly above: readonly number[]; readonly before: readonly number[] },
): number[] {
  const current = [row];
  for (let column = 1; column <= b.length; column++) {
    const isSame = a[row - 1] === b[column - 1];
    const isSwapped = row > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
    current.push(
      Math.min(
        (above[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (above[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      ),
    );
  }
  return current;
}
