/** The items whose key has not occurred before, in order. */
export function uniqueBy<T>(items: readonly T[], keyOf: (item: T) => unknown): T[] {
  const seen = new Set<unknown>();
  return items.filter((item) => {
    const { size } = seen;
    return seen.add(keyOf(item)).size > size;
  });
}

/** Adds items to the end of a list. As arguments of `push`, more than about 125,000 of them exhaust the stack. */
export function pushAll<T>(list: T[], items: Iterable<T>): void {
  for (const item of items) list.push(item);
}

/** The items by key, keys in the order of their first item. */
export function groupBy<K, T>(items: Iterable<T>, keyOf: (item: T) => K): Map<K, [T, ...T[]]> {
  return groupByEach(items, (item) => [keyOf(item)]);
}

/** The same for items that have several keys. */
export function groupByEach<K, T>(
  items: Iterable<T>,
  keysOf: (item: T) => Iterable<K>,
): Map<K, [T, ...T[]]> {
  const groups = new Map<K, [T, ...T[]]>();
  for (const item of items) {
    for (const key of keysOf(item)) {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [item]);
      else group.push(item);
    }
  }
  return groups;
}

/** For each of some fields, its values in a list of items. */
export function columnsOf<T, K extends keyof T>(
  items: readonly T[],
  ...fields: readonly K[]
): T[K][][] {
  return fields.map((field) => items.map((item) => item[field]));
}
