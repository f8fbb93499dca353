/** Back to the start of the line, which becomes empty. */
export const ERASE_LINE = '\r\u001B[2K';

/** Shorter work shows nothing: a line that flashes by only distracts. */
export const QUIET_FOR_MS = 500;

/** A line on a terminal for work that has no progress of its own. */
export interface WaitingLine {
  /** The work begins, or continues after something else was shown. */
  readonly start: () => void;
  /** Call it before anything else is written to the terminal. */
  readonly stop: () => void;
}

/** Shows `words` once the work takes longer than half a second. @param write writes to a terminal, unchanged */
export function createWaitingLine(write: (text: string) => void, words: string): WaitingLine {
  let timer: NodeJS.Timeout | undefined;
  let isShown = false;
  const stop = (): void => {
    clearTimeout(timer);
    if (isShown) write(ERASE_LINE);
    isShown = false;
  };
  return {
    start: () => {
      stop();
      timer = setTimeout(() => {
        isShown = true;
        write(words);
      }, QUIET_FOR_MS);
    },
    stop,
  };
}
