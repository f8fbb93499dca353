import { PAGE_SLOTS } from './code-page.js';

/** What a vector's code tells of its similarity to the query. */
export interface Estimate {
  readonly id: number;
  readonly similarity: number;
  /** Nearly always above the true similarity. */
  readonly ceiling: number;
}

/**
 * The estimates of a scan that may be among the best: all whose ceiling is above the floors of as
 * many others as are wanted, but not more than there is room for. Plain numbers until the scan ends,
 * since most are dropped.
 */
export class BestEstimates {
  private readonly room: number;
  private readonly ids: Uint32Array;
  private readonly similarities: Float32Array;
  private readonly margins: Float32Array;
  /** The highest floors, best first. */
  private readonly floors: Float32Array;
  private size = 0;
  private least = Number.NEGATIVE_INFINITY;
  private widest = 0;

  /**
   * @param wanted how many are looked for
   * @param room how many are kept at most
   */
  constructor(wanted: number, room: number) {
    const length = 2 * room + PAGE_SLOTS;
    this.room = room;
    this.ids = new Uint32Array(length);
    this.similarities = new Float32Array(length);
    this.margins = new Float32Array(length);
    this.floors = new Float32Array(wanted).fill(Number.NEGATIVE_INFINITY);
  }

  /** What is not above this is not worth adding. */
  get threshold(): number {
    return Math.max(this.least, this.lastFloor - this.widest);
  }

  /** @param margin by how much the similarity may be higher or lower than estimated */
  add(id: number, similarity: number, margin: number): void {
    this.ids[this.size] = id;
    this.similarities[this.size] = similarity;
    this.margins[this.size] = margin;
    this.size += 1;
    this.widest = Math.max(this.widest, margin);
    if (similarity - margin > this.lastFloor) this.noteFloor(similarity - margin);
  }

  /** To be called after every page. Drops what is not among the best, once it is worth while. */
  endPage(): void {
    if (this.size >= 2 * this.room) this.cut();
  }

  /** By descending ceiling. */
  take(): Estimate[] {
    if (this.size > this.room) this.cut();
    const estimates: Estimate[] = [];
    for (let at = 0; at < this.size; at++) {
      const similarity = this.similarities[at] ?? 0;
      const ceiling = similarity + (this.margins[at] ?? 0);
      if (ceiling < this.lastFloor) continue;
      estimates.push({ id: this.ids[at] ?? 0, similarity, ceiling });
    }
    return estimates.sort((a, b) => b.ceiling - a.ceiling);
  }

  private get lastFloor(): number {
    return this.floors[this.floors.length - 1] ?? Number.NEGATIVE_INFINITY;
  }

  private noteFloor(floor: number): void {
    const { floors } = this;
    let at = floors.length - 1;
    for (; at > 0 && (floors[at - 1] ?? 0) < floor; at--) floors[at] = floors[at - 1] ?? 0;
    floors[at] = floor;
  }

  private cut(): void {
    const sorted = this.similarities.slice(0, this.size).sort();
    const best = sorted.subarray(this.size - this.room);
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
