/** How a screen ends; what is said after the first word does nothing. */
export interface Ending<T> {
  readonly ended: Promise<T>;
  readonly finish: (end: T) => void;
  readonly fail: (error: unknown) => void;
}

/** The end of a screen, to be brought about by its keys, its work or a signal. */
export function createEnding<T>(): Ending<T> {
  let finish: (end: T) => void = () => undefined;
  let fail: (error: unknown) => void = () => undefined;
  const ended = new Promise<T>((resolve, reject) => {
    finish = resolve;
    fail = reject;
  });
  return { ended, finish, fail };
}
