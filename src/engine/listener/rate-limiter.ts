import type { ResolvedConfig } from '../config/index.js';
import { isWithin } from '../support/time.js';

/** How many requests a client can send. While as many as are tracked have a window, all others share one. */
type RateLimits = ResolvedConfig['mcp']['http']['limits'];

interface Window {
  startMs: number;
  count: number;
}

/**
 * Counts requests in fixed windows. Limits come with each request, because a reload can change them.
 *
 * No window is forgotten before its end: whoever forges many client addresses could otherwise get a new one
 * at will. Clients beyond the limit share a window until there is room for their own.
 */
export class RateLimiter {
  /** By client, in the order in which their windows started. */
  private readonly windows = new Map<string, Window>();
  private readonly shared: Window = { startMs: Number.NEGATIVE_INFINITY, count: 0 };

  /** How many clients have a window. */
  get size(): number {
    return this.windows.size;
  }

  /**
   * Counts a request.
   *
   * @param nowMs on any clock; one that is set back starts a new window
   * @returns 0 if it is admitted, else the seconds until the window ends
   */
  admit(key: string, nowMs: number, limits: RateLimits): number {
    const windowMs = limits.windowSeconds * 1000;
    const window = this.windowOf(key, nowMs, windowMs, limits.trackedClients);
    if (isOver(window, nowMs, windowMs)) {
      window.startMs = nowMs;
      window.count = 0;
    }
    window.count += 1;
    if (window.count <= limits.ratePerWindow) return 0;
    return Math.max(1, Math.ceil((window.startMs + windowMs - nowMs) / 1000));
  }

  private windowOf(key: string, nowMs: number, windowMs: number, most: number): Window {
    const known = this.windows.get(key);
    if (known !== undefined && !isOver(known, nowMs, windowMs)) return known;
    // Added again below, so that windows stay in the order of their start.
    this.windows.delete(key);
    for (const [oldest, window] of this.windows) {
      if (!isOver(window, nowMs, windowMs)) break;
      this.windows.delete(oldest);
    }
    if (this.windows.size >= most) return this.shared;
    const started = { startMs: nowMs, count: 0 };
    this.windows.set(key, started);
    return started;
  }
}

function isOver({ startMs }: Window, nowMs: number, windowMs: number): boolean {
  return !isWithin(startMs, nowMs, windowMs);
}
