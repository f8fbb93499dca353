import { STOP_WORDS, stemOf } from '../../src/engine/memory/search/words.js';
import { randomDirection, unit } from './directions.js';

/** Maps a text to a unit vector. */
export type Vectoriser = (text: string, dimensions: number) => Float32Array;

/** Context window of a word in lines. */
const LINES = 3;
/** Pairs of words seen together less often than this are ignored. */
const FEWEST_MEETINGS = 2;
/** Maximum number of context words of a word. */
const COMPANIONS = 20;
/** Weight of a word's context relative to the word itself. */
const COMPANY = 0.6;

/**
 * Semantic vectors learned from the texts themselves: a word is a random direction of its stem plus those of the
 * words that occur near it more often than by chance (random indexing with positive pointwise mutual
 * information). A text can match words that it does not contain, if the corpus uses them alike.
 */
export function learnVectors(texts: readonly string[]): Vectoriser {
  const { counts, meetings, windows } = countMeetings(texts);
  const companions = companionsOf(counts, meetings, windows);
  const known = new Map<string, Float32Array>();
  const vectorOf = (stem: string, dimensions: number): Float32Array => {
    const before = known.get(stem);
    if (before !== undefined) return before;
    const company = new Float32Array(dimensions);
    for (const { stem: other, weight } of companions.get(stem) ?? []) {
      addTo(company, randomDirection(other, dimensions), weight);
    }
    const vector = randomDirection(stem, dimensions);
    if (companions.has(stem)) addTo(vector, unit(company), COMPANY);
    known.set(stem, vector);
    return vector;
  };
  return (text, dimensions) => {
    const vector = new Float32Array(dimensions);
    const stems = stemsOf(text);
    for (const stem of new Set(stems)) {
      const times = stems.filter((other) => other === stem).length;
      const rarity = Math.log(1 + windows / (1 + (counts.get(stem) ?? 0)));
      addTo(vector, vectorOf(stem, dimensions), (1 + Math.log(times)) * rarity);
    }
    return stems.length === 0 ? randomDirection('nothing', dimensions) : unit(vector);
  };
}

interface Meetings {
  /** Number of windows that contain each stem. */
  readonly counts: ReadonlyMap<string, number>;
  readonly meetings: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly windows: number;
}

function countMeetings(texts: readonly string[]): Meetings {
  const counts = new Map<string, number>();
  const meetings = new Map<string, Map<string, number>>();
  let windows = 0;
  for (const text of texts) {
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    for (let at = 0; at < lines.length; at += LINES) {
      const stems = [...new Set(stemsOf(lines.slice(at, at + LINES).join('\n')))];
      windows += 1;
      for (const stem of stems) {
        counts.set(stem, (counts.get(stem) ?? 0) + 1);
        const neighbors = meetings.get(stem) ?? new Map<string, number>();
        meetings.set(stem, neighbors);
        for (const other of stems) {
          if (other !== stem) neighbors.set(other, (neighbors.get(other) ?? 0) + 1);
        }
      }
    }
  }
  return { counts, meetings, windows };
}

interface Companion {
  readonly stem: string;
  readonly weight: number;
}

function companionsOf(
  counts: ReadonlyMap<string, number>,
  meetings: Meetings['meetings'],
  windows: number,
): ReadonlyMap<string, readonly Companion[]> {
  const companions = new Map<string, readonly Companion[]>();
  for (const [stem, neighbors] of meetings) {
    const count = counts.get(stem) ?? 1;
    const weighed = [...neighbors].flatMap(([other, times]): readonly Companion[] => {
      const chance = (count * (counts.get(other) ?? 1)) / windows;
      const weight = Math.log(times / chance);
      return times < FEWEST_MEETINGS || weight <= 0 ? [] : [{ stem: other, weight }];
    });
    const best = weighed.sort((a, b) => b.weight - a.weight).slice(0, COMPANIONS);
    if (best.length > 0) companions.set(stem, best);
  }
  return companions;
}

function stemsOf(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => !STOP_WORDS.has(word)).map((word) => stemOf(word));
}

function addTo(sum: Float32Array, values: Float32Array, factor: number): void {
  for (let at = 0; at < sum.length; at++) sum[at] = (sum[at] ?? 0) + factor * (values[at] ?? 0);
}
