/** Longer than anything here takes on the slowest machine. */
export const PATIENCE_MS = 60_000;
const LONGEST_PAUSE_MS = 10;

/**
 * Waits for something that this process or another one does: until `check` returns anything but undefined or false.
 *
 * @param describeState for the error at the time limit
 */
export async function waitFor<T>(
  what: string,
  check: () => Promise<T | undefined> | T | undefined,
  describeState?: () => unknown,
): Promise<T> {
  const started = performance.now();
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs + 1, LONGEST_PAUSE_MS)) {
    const found = await check();
    if (found !== undefined && found !== false) return found;
    if (performance.now() - started > PATIENCE_MS) {
      const state =
        describeState === undefined ? '' : `\n${JSON.stringify(describeState(), undefined, 1)}`;
      throw new Error(`waited in vain for ${what}${state}`);
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
