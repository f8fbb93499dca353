/** How many requests a client may send in a window. */
export interface RateLimits {
  readonly ratePerWindow: number;
  readonly windowSeconds: number;
  /** Clients beyond this are forgotten, those with the oldest window first. */
  readonly trackedClients: number;
}

interface Window {
  readonly startMs: number;
  count: number;
}

/** Counts requests in fixed windows. Limits are given with each request: a reload may change them. */
export class RateLimiter {
  /** By client; in the order in which their windows began. */
  private readonly windows = new Map<string, Window>();

  /** How many clients are remembered. */
  get size(): number {
    return this.windows.size;
  }

  /**
   * Counts a request.
   *
   * @param nowMs on any clock; one that is set back begins a new window
   * @returns 0 when it may pass, else the seconds until the window is over
   */
  admit(key: string, nowMs: number, limits: RateLimits): number {
    const windowMs = limits.windowSeconds * 1000;
    const window = this.windows.get(key);
    const age = window === undefined ? windowMs : nowMs - window.startMs;
    if (window === undefined || age >= windowMs || age < 0) {
      this.begin(key, nowMs, limits.trackedClients);
      return 0;
    }
    window.count += 1;
    if (window.count <= limits.ratePerWindow) return 0;
    return Math.max(1, Math.ceil((windowMs - age) / 1000));
  }

  private begin(key: string, nowMs: number, most: number): void {
    // Set anew, so that the order stays that of the beginnings.
    this.windows.delete(key);
    this.windows.set(key, { startMs: nowMs, count: 1 });
    for (const oldest of this.windows.keys()) {
      if (this.windows.size <= most) break;
      this.windows.delete(oldest);
    }
  }
}
