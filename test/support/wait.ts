/** Longer than anything here takes on the slowest machine. */
export const PATIENCE_MS = 60_000;
const LONGEST_PAUSE_MS = 10;

/**
 * Waits for something that this process or another one does: until what is looked for is there, or true.
 *
 * @param seen for the message, if it never comes
 */
export async function waitFor<T>(
  what: string,
  look: () => Promise<T | undefined> | T | undefined,
  seen?: () => unknown,
): Promise<T> {
  const started = performance.now();
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs + 1, LONGEST_PAUSE_MS)) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() - started > PATIENCE_MS) {
      const state = seen === undefined ? '' : `\n${JSON.stringify(seen(), undefined, 1)}`;
      throw new Error(`waited in vain for ${what}${state}`);
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
