/** How many requests of a client may be under way. */
export interface InFlightLimits {
  readonly inFlight: number;
  /** While so many clients have requests under way, no other one gets in. */
  readonly trackedClients: number;
}

/** Counts requests under way. */
export class InFlight {
  private readonly counts = new Map<string, number>();

  /** How many clients have requests under way. */
  get size(): number {
    return this.counts.size;
  }

  /** Takes a place, which {@link leave} gives back; false when there is none. */
  enter(key: string, limits: InFlightLimits): boolean {
    const count = this.counts.get(key) ?? 0;
    if (count >= limits.inFlight) return false;
    if (count === 0 && this.counts.size >= limits.trackedClients) return false;
    this.counts.set(key, count + 1);
    return true;
  }

  /** Gives a place back. */
  leave(key: string): void {
    const count = this.counts.get(key) ?? 0;
    if (count <= 1) this.counts.delete(key);
    else this.counts.set(key, count - 1);
  }
}
