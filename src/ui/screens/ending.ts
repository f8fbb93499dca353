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
  /** Called every time; from the second time on the terminal is restored. */
  readonly onInterrupt: () => void;
}

/** Handles the keys that stop work: in order the first time, immediately the second time. */
export function stopHandler({ show, close, onInterrupt }: StopSteps): () => void {
  let isStopping = false;
  return () => {
    show();
    if (isStopping) void close().then(onInterrupt);
    else onInterrupt();
    isStopping = true;
  };
}
