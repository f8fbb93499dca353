import { PAGE_SLOTS } from './code-page.js';

/** What a vector's code tells of its similarity to the query. */
export interface Estimate {
  readonly id: number;
  readonly similarity: number;
  /** Nearly always above the true similarity. */
  readonly ceiling: number;
}

/** The best so many estimates of a scan; plain numbers until it ends, since most are dropped. */
export class BestEstimates {
  private readonly count: number;
  private readonly ids: Uint32Array;
  private readonly similarities: Float32Array;
  private readonly margins: Float32Array;
  private size = 0;
  private least = Number.NEGATIVE_INFINITY;

  constructor(count: number) {
    const room = 2 * count + PAGE_SLOTS;
    this.count = count;
    this.ids = new Uint32Array(room);
    this.similarities = new Float32Array(room);
    this.margins = new Float32Array(room);
  }

  /** Nothing that is not above this can be among the best. */
  get threshold(): number {
    return this.least;
  }

  /** @param margin by how much the similarity may be higher than estimated */
  add(id: number, similarity: number, margin: number): void {
    this.ids[this.size] = id;
    this.similarities[this.size] = similarity;
    this.margins[this.size] = margin;
    this.size += 1;
  }

  /** To be called after every page. Drops what is not among the best, once it is worth while. */
  endPage(): void {
    if (this.size >= 2 * this.count) this.cut();
  }

  /** By descending ceiling. */
  take(): Estimate[] {
    if (this.size > this.count) this.cut();
    const estimates = Array.from({ length: this.size }, (_, at): Estimate => {
      const similarity = this.similarities[at] ?? 0;
      const ceiling = similarity + (this.margins[at] ?? 0);
      return { id: this.ids[at] ?? 0, similarity, ceiling };
    });
    return estimates.sort((a, b) => b.ceiling - a.ceiling);
  }

  private cut(): void {
    const sorted = this.similarities.slice(0, this.size).sort();
    const best = sorted.subarray(this.size - this.count);
    const least = best[0] ?? Number.NEGATIVE_INFINITY;
    let ties = best.lastIndexOf(least) + 1;
    let kept = 0;
    for (let at = 0; at < this.size; at++) {
      const similarity = this.similarities[at] ?? 0;
      if (similarity < least || (similarity === least && ties-- <= 0)) continue;
      this.ids[kept] = this.ids[at] ?? 0;
      this.similarities[kept] = similarity;
      this.margins[kept] = this.margins[at] ?? 0;
      kept += 1;
    }
    this.size = kept;
    this.least = least;
  }
}
