/**
 * How many levels of arrays and objects JSON from outside can have: more than any sender needs, and few enough for
 * code that recurses, unlike JSON.parse.
 */
export const MOST_JSON_DEPTH = 64;

/** Whether a value of JSON has more levels than {@link MOST_JSON_DEPTH}. */
export function isTooDeep(value: unknown, levels: number = MOST_JSON_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isTooDeep(inner, levels - 1));
}
