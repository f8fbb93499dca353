/** When a burst counts as over; milliseconds. */
export interface QuietOptions {
  readonly quietMs: number;
  /** A burst that never ends is cut after this. */
  readonly longestMs: number;
  readonly onQuiet: () => void;
}

/** Waits until a burst is over. One timer however many events there are. */
export class Quiet {
  private readonly options: QuietOptions;
  private timer: NodeJS.Timeout | undefined;
  private firstMs = 0;
  private lastMs = 0;

  constructor(options: QuietOptions) {
    this.options = options;
  }

  touch(): void {
    this.lastMs = performance.now();
    if (this.timer !== undefined) return;
    this.firstMs = this.lastMs;
    this.arm(this.options.quietMs);
  }

  cancel(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private arm(waitMs: number): void {
    this.timer = setTimeout(() => this.fire(), waitMs);
  }

  private fire(): void {
    const { quietMs, longestMs, onQuiet } = this.options;
    const leftMs = Math.min(this.lastMs + quietMs, this.firstMs + longestMs) - performance.now();
    if (leftMs > 0) {
      this.arm(leftMs);
      return;
    }
    this.timer = undefined;
    onQuiet();
  }
}
