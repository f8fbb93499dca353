/** A page of a long list, and where the next one begins. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string;
}

/** How many items a page has; some clients show all of a page at once. */
export const PAGE_SIZE = 500;

/**
 * Cuts a page out of a list that is sorted by name. The cursor is the last name given, so that a list
 * that changes between two pages loses nothing that stays in it.
 *
 * @returns undefined for a cursor that was not made here
 */
export function pageOf<T>(
  sorted: readonly T[],
  nameOf: (item: T) => string,
  cursor: string | undefined,
): Page<T> | undefined {
  const after = cursor === undefined ? '' : nameIn(cursor);
  if (after === undefined) return undefined;
  const begin = cursor === undefined ? 0 : sorted.findIndex((item) => nameOf(item) > after);
  if (begin === -1) return { items: [] };
  const items = sorted.slice(begin, begin + PAGE_SIZE);
  const last = items.at(-1);
  if (last === undefined || begin + PAGE_SIZE >= sorted.length) return { items };
  return { items, nextCursor: Buffer.from(`after:${nameOf(last)}`).toString('base64url') };
}

function nameIn(cursor: string): string | undefined {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  return text.startsWith('after:') ? text.slice('after:'.length) : undefined;
}
