import { groupByEach } from '../../support/lists.js';
import type { Gist } from './gist.js';
import { mayBeRelated } from './relate.js';

/**
 * Each claim with the others that may be related to it, in order. There can be thousands, nearly all about something
 * else: what one shares with each of them is counted for all at once, since comparing every pair takes ten times as
 * long.
 */
export function* eachWithAlike<Item extends { readonly gist: Gist }>(
  items: readonly Item[],
): Generator<readonly [Item, readonly Item[]]> {
  const kindBits = new Map<string, number>();
  const bitOf = (kind: string): number => {
    const bit = kindBits.get(kind) ?? 1 << kindBits.size;
    kindBits.set(kind, bit);
    return bit;
  };
  const all = items.map((item, at): Counted<Item> => {
    const names = item.gist.named.map(({ stem }) => stem);
    const values = [...item.gist.values].flatMap(([kind, stems]) =>
      Array.from(stems, (stem) => ({ kind: bitOf(kind), key: `${kind} ${stem}` })),
    );
    const kinds = values.reduce((mask, { kind }) => mask | kind, 0);
    return { at, item, names, values, kinds };
  });
  const bySubject = groupByEach(all, ({ item }) => item.gist.subject);
  const byName = groupByEach(all, ({ names }) => names);
  const byValue = groupByEach(all, ({ values }) => values.map(({ key }) => key));
  const shared = new Uint16Array(all.length);
  const agreeing = new Uint32Array(all.length);
  const isNamed = new Uint8Array(all.length);
  for (const one of all) {
    for (const counts of [shared, agreeing, isNamed]) counts.fill(0);
    for (const stem of one.item.gist.subject) {
      for (const { at } of bySubject.get(stem) ?? []) shared[at] = (shared[at] ?? 0) + 1;
      markAll(isNamed, byName.get(stem), 1);
    }
    // What is a value here and the subject there counts as subject in both, so that they share something else.
    for (const stem of one.names) markAll(isNamed, bySubject.get(stem), 1);
    for (const { kind, key } of one.values) markAll(agreeing, byValue.get(key), kind);
    const alike = all.filter((other) => {
      const { at, item, kinds } = other;
      if (other === one) return false;
      if (isNamed[at] === 1) return true;
      const isInConflict = (one.kinds & kinds & ~(agreeing[at] ?? 0)) !== 0;
      return mayBeRelated(one.item.gist, item.gist, shared[at] ?? 0, isInConflict);
    });
    yield [one.item, alike.map(({ item }) => item)];
  }
}

interface Counted<Item> {
  readonly at: number;
  readonly item: Item;
  /** The stems of values that another claim may be about. */
  readonly names: readonly string[];
  /** Each with the bit of its kind. */
  readonly values: readonly { readonly kind: number; readonly key: string }[];
  /** The bits of all its kinds of values. */
  readonly kinds: number;
}

function markAll(
  marks: Uint8Array | Uint32Array,
  where: readonly { readonly at: number }[] | undefined,
  bits: number,
): void {
  for (const { at } of where ?? []) marks[at] = (marks[at] ?? 0) | bits;
}
