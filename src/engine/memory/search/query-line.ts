/* Filters inside the line of a query, for the search screen. */
import { SvcError } from '../../errors/index.js';
import { isTag } from '../sources/index.js';
import { SOURCES } from '../types.js';
import { type DateContext, parseFilters } from './filters.js';
import { createPathFilter } from './path-glob.js';
import type { SearchFilters, SearchRequest } from './types.js';
import { straightQuotes } from './words.js';

/** A query with its filters taken out. */
export interface QueryLine {
  /** The rest, to search for. */
  readonly query: string;
  /** The agent whose memory is searched, if one is named. */
  readonly agent: string | undefined;
  readonly restrictions: Pick<SearchRequest, 'filters' | 'pathGlob' | 'sources'>;
  /** The filters as they were typed. */
  readonly chips: readonly string[];
}

interface QueryLineContext extends DateContext {
  /** Whether there is an agent of this name with a memory. */
  readonly isAgent: (name: string) => Promise<boolean>;
}

/** A quoted phrase, a date in quotes, or whatever is between blanks. */
const PIECE = /@"[^"]*"|-?"[^"]*"?|\S+/gu;
const DURATION = /^\d+[dwmy]$/iu;

/**
 * Reads `agent:x`, `in:sessions`, `path:journal/*`, `kind:image`, `#tag`, and `@7d` (since), `@yesterday` or `@2026-03`
 * (on). Anything that is not a valid filter is text; of several that exclude each other, the last one counts.
 */
export async function readQueryLine(line: string, context: QueryLineContext): Promise<QueryLine> {
  let agent: string | undefined;
  let sources: SearchRequest['sources'];
  let pathGlob: string | undefined;
  let dates: SearchFilters = {};
  const tags: string[] = [];
  const kinds: string[] = [];
  const chips: string[] = [];
  const words: string[] = [];

  const takeFilter = async (piece: string): Promise<boolean> => {
    const [, name, value = ''] = /^(agent|in|kind|path):(.+)$/u.exec(piece) ?? [];
    if (isTagFilter(piece)) {
      tags.push(piece);
      return true;
    }
    if (piece.startsWith('@')) {
      const filters = await datesFrom(piece.slice(1).replaceAll('"', ''), context);
      dates = filters ?? dates;
      return filters !== undefined;
    }
    switch (name) {
      case 'agent': {
        const isKnown = await context.isAgent(value);
        if (isKnown) agent = value;
        return isKnown;
      }
      case 'in': {
        const source = SOURCES.find((one) => one === value);
        if (source !== undefined) sources = [source];
        return source !== undefined;
      }
      case 'kind': {
        const isKnown = await isValid(() => parseFilters({ kinds: [value] }, context));
        if (isKnown) kinds.push(value);
        return isKnown;
      }
      case 'path': {
        const isGlob = await isValid(async () => createPathFilter(value));
        if (isGlob) pathGlob = value;
        return isGlob;
      }
      default:
        return false;
    }
  };
  for (const piece of straightQuotes(line).match(PIECE) ?? [])
    (await takeFilter(piece)) ? chips.push(piece) : words.push(piece);

  const hasFilters = tags.length + kinds.length + Object.keys(dates).length > 0;
  // A blank at the end means that the last word is finished.
  const end = /\s$/u.test(line) ? ' ' : '';
  return {
    query: words.length === 0 ? '' : words.join(' ') + end,
    agent,
    restrictions: {
      sources,
      pathGlob,
      filters: hasFilters ? { ...dates, tags, kinds } : undefined,
    },
    chips,
  };
}

/** A tag without letters is more likely the number of an issue. */
function isTagFilter(piece: string): boolean {
  return piece.startsWith('#') && isTag(piece.slice(1)) && /\p{L}/u.test(piece);
}

/** A duration is the time since then; anything else is a day or a period. */
async function datesFrom(
  text: string,
  context: QueryLineContext,
): Promise<SearchFilters | undefined> {
  const dates = DURATION.test(text) ? { since: text } : { on: text };
  return (await isValid(() => parseFilters(dates, context))) ? dates : undefined;
}

async function isValid(check: () => Promise<unknown>): Promise<boolean> {
  try {
    await check();
    return true;
  } catch (error) {
    if (error instanceof SvcError && error.code === 'USAGE') return false;
    throw error;
  }
}
