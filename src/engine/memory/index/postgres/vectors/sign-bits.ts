/**
 * The code of a content as a bit string: for each dimension whether the sum of its vectors is negative there; see
 * sign-codes.ts of SQLite.
 */
export function signBits(vector: ArrayLike<number>): string {
  let bits = '';
  for (let at = 0; at < vector.length; at++) bits += (vector[at] ?? 0) < 0 ? '1' : '0';
  return bits;
}
