import { wordsOf } from './words.js';

/** Something to choose from: its score, and its text to tell how alike two are. */
export interface DiversityItem {
  /** 0 to 1. */
  readonly score: number;
  readonly text: string;
}

/** An item in its new place. */
export interface Diversified<Item> {
  readonly item: Item;
  /** How much of its words the most similar item above it has, 0 to 1. */
  readonly overlap: number;
}

/**
 * Maximal marginal relevance (Carbonell and Goldstein 1998): takes, one after another, the item with
 * the best λ·relevance − (1 − λ)·overlap with what was taken before. Relevance is the score, stretched
 * to 0..1 over the items; overlap is the Jaccard index of their words. λ = 1 keeps the order.
 *
 * @param items best first; of equals the first is taken
 */
export function diversify<Item extends DiversityItem>(
  items: readonly Item[],
  lambda: number,
  count: number,
): Diversified<Item>[] {
  const scores = items.map((item) => item.score);
  const [low, high] = [Math.min(...scores), Math.max(...scores)];
  const left = items.map((item) => ({
    item,
    relevance: high === low ? 1 : (item.score - low) / (high - low),
    words: wordSet(item.text),
    overlap: 0,
  }));
  const chosen: Diversified<Item>[] = [];
  while (chosen.length < count && left.length > 0) {
    const values = left.map(
      ({ relevance, overlap }) => lambda * relevance - (1 - lambda) * overlap,
    );
    const [next] = left.splice(values.indexOf(Math.max(...values)), 1);
    if (next === undefined) break;
    chosen.push({ item: next.item, overlap: next.overlap });
    for (const other of left)
      other.overlap = Math.max(other.overlap, jaccard(next.words, other.words));
  }
  return chosen;
}

function wordSet(text: string): ReadonlySet<string> {
  return new Set(wordsOf(text).map((word) => word.stem));
}

function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const word of a) if (b.has(word)) shared += 1;
  const all = a.size + b.size - shared;
  return all === 0 ? 0 : shared / all;
}
