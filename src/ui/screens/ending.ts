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
