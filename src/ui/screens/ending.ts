/** The end of a screen; only the first call counts. */
export interface Ending<T> {
  readonly ended: Promise<T>;
  readonly finish: (end: T) => void;
  readonly fail: (error: unknown) => void;
}

/** Creates the end of a screen, which its keys, its work or a signal trigger. */
export function createEnding<T>(): Ending<T> {
  let finish: (end: T) => void = () => undefined;
  let fail: (error: unknown) => void = () => undefined;
  const ended = new Promise<T>((resolve, reject) => {
    finish = resolve;
    fail = reject;
  });
  return { ended, finish, fail };
}
/** The steps of stopping. */
interface StopSteps {
  /** Shows that the work is stopping. */
  readonly show: () => void;
  /** Removes the screen and restores the terminal. */
  readonly close: () => Promise<void>;
  /** Called every time, counted from 1; from the second time on the terminal is restored. */
  readonly onInterrupt: (times: number) => void;
}

/** Handles the keys that stop work: in order the first time, immediately the second time. */
export function stopHandler({ show, close, onInterrupt }: StopSteps): () => void {
  let pressed = 0;
  return () => {
    pressed += 1;
    const times = pressed;
    show();
    if (times === 1) onInterrupt(times);
    else void close().then(() => onInterrupt(times));
  };
}
