/** Those who want to hear of something. */
export class Listeners<T> {
  private readonly all = new Set<(value: T) => void>();

  /** @returns what takes the listener away again */
  add(listener: (value: T) => void): () => void {
    // A function of its own, so that one that is added twice is taken away once.
    const own = (value: T): void => listener(value);
    this.all.add(own);
    return () => void this.all.delete(own);
  }

  tell(value: T): void {
    for (const listener of this.all) listener(value);
  }
}
