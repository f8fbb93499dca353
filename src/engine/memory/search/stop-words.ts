/**
 * English words that carry no topic. They are left out of a query unless it has no other words;
 * docs/search-quality.md has the figures for shorter and longer lists.
 */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about an and are as at be been being but by can could d did do does doing don for from had has
  have having he her hers him his how i if in into is isn it its ll m me my of on or our ours re s she
  should so some t than that the their theirs them then there these they this those to too us ve was
  wasn we were what when where which who whom whose why will with would you your yours didn doesn`
    .split(/\s+/)
    .filter((word) => word !== ''),
);
