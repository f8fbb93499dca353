/* Filters inside the line of a query, for the search screen. */
import { SvcError } from '../../errors/index.js';
import { durationMs } from '../../support/time.js';
import { isTag } from '../sources/index.js';
import { SOURCES } from '../types.js';
import { type DateContext, parseFilters } from './filters.js';
import { createPathFilter } from './path-glob.js';
import type { SearchFilters, SearchRequest } from './types.js';
import { straightQuotes } from './words.js';

interface QueryLineContext extends DateContext {
  /** Whether there is an agent of this name with a memory. */
  readonly isAgent: (name: string) => Promise<boolean>;
}

/** A quoted phrase, a date in quotes, or whatever is between blanks. */
const PIECE = /@"[^"]*"|-?"[^"]*"?|\S+/gu;

/** What a filter restricts: one of these. */
interface LineFilter extends Pick<SearchRequest, 'pathGlob' | 'sources'> {
  readonly agent?: string;
  readonly dates?: SearchFilters;
  readonly tag?: string;
  readonly kind?: string;
}

/**
 * Reads `agent:x`, `in:sessions`, `path:journal/*`, `kind:image`, `#tag`, and `@7d` (since), `@yesterday` or `@2026-03`
 * (on). Anything that is not a valid filter is text; of several that exclude each other, the last one counts.
 */
export async function readQueryLine(line: string, context: QueryLineContext) {
  const filters: LineFilter[] = [];
  let last: LineFilter = {};
  /** The filters as they were typed. */
  const chips: string[] = [];
  const words: string[] = [];
  for (const piece of straightQuotes(line).match(PIECE) ?? []) {
    const filter = await filterIn(piece, context);
    (filter === undefined ? words : chips).push(piece);
    if (filter === undefined) continue;
    filters.push(filter);
    last = { ...last, ...filter };
  }
  const { agent, sources, pathGlob, dates } = last;
  const tags = filters.flatMap(({ tag }) => tag ?? []);
  const kinds = filters.flatMap(({ kind }) => kind ?? []);
  const hasFilters = tags.length + kinds.length > 0 || dates !== undefined;
  // A blank at the end means that the last word is finished.
  const end = /\s$/u.test(line) ? ' ' : '';
  return {
    /** The rest, to search for. */
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

/** The filter that a piece of a line is; undefined for text. */
async function filterIn(piece: string, context: QueryLineContext): Promise<LineFilter | undefined> {
  if (isTagFilter(piece)) return { tag: piece };
  if (piece.startsWith('@')) {
    const text = piece.slice(1).replaceAll('"', '');
    // A duration is the time since then; anything else is a day or a period.
    const dates = durationMs(text) !== undefined ? { since: text } : { on: text };
    return ifValid({ dates }, () => parseFilters(dates, context));
  }
  const [, name, value = ''] = /^(agent|in|kind|path):(.+)$/u.exec(piece) ?? [];
  switch (name) {
    case 'agent':
      return (await context.isAgent(value)) ? { agent: value } : undefined;
    case 'in': {
      const sources = SOURCES.filter((source) => source === value);
      return sources.length === 0 ? undefined : { sources };
    }
    case 'kind':
      return ifValid({ kind: value }, () => parseFilters({ kinds: [value] }, context));
    case 'path':
      return ifValid({ pathGlob: value }, async () => createPathFilter(value));
    default:
      return undefined;
  }
}

/** A tag without letters is more likely the number of an issue. */
function isTagFilter(piece: string): boolean {
  return piece.startsWith('#') && isTag(piece.slice(1)) && /\p{L}/u.test(piece);
}

async function ifValid(
  filter: LineFilter,
  check: () => Promise<unknown>,
): Promise<LineFilter | undefined> {
  try {
    await check();
    return filter;
  } catch (error) {
    if (error instanceof SvcError && error.code === 'USAGE') return undefined;
    throw error;
  }
}
