/** What happens when a person asks work to stop. */
export interface StopSteps {
  /** Lets the screen tell that it was heard. */
  readonly show: () => void;
  /** Takes the screen off and restores the terminal. */
  readonly close: () => Promise<void>;
  /** Hears every time, counted from 1; from the second on the terminal is restored by then. */
  readonly onInterrupt: (times: number) => void;
}

/** What the keys do that stop work: pressed once it ends in good order, pressed again at once. */
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
