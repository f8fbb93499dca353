import { distance } from 'fastest-levenshtein';

/**
 * The known name nearest to a mistyped one; undefined when none is near enough to be meant: at
 * most a third of the letters may differ, two in short names. Case does not count.
 */
export function suggestName(typed: string, known: readonly string[]): string | undefined {
  const wanted = typed.toLowerCase();
  let best: { readonly name: string; readonly steps: number } | undefined;
  for (const name of known) {
    const steps = distance(wanted, name.toLowerCase());
    if (best === undefined || steps < best.steps) best = { name, steps };
  }
  if (best === undefined) return undefined;
  const longer = Math.max(typed.length, best.name.length);
  const near = best.steps <= Math.max(2, Math.floor(longer / 3)) && best.steps * 2 <= longer;
  return near ? best.name : undefined;
}
