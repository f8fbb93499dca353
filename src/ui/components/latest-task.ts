/** A task of which only the latest run counts: each run aborts the one before, which never reports. */
export function createLatestTask() {
  let current: AbortController | undefined;
  const cancel = (): void => {
    current?.abort();
    current = undefined;
  };
  return {
    run: <T>(
      work: (signal: AbortSignal) => Promise<T>,
      onValue: (value: T) => void,
      onError: (error: unknown) => void,
    ): void => {
      cancel();
      const controller = new AbortController();
      current = controller;
      work(controller.signal).then(
        (value) => {
          if (current === controller) onValue(value);
        },
        (error: unknown) => {
          if (current === controller) onError(error);
        },
      );
    },
    cancel,
  };
}
