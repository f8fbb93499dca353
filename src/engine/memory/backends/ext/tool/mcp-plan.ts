import type { ExtMode } from '../ext-settings.js';
import { oneLine, type ToolQuestion } from './ask-program.js';

/** A tool that the program offers over MCP. */
export interface OfferedTool {
  readonly name: string;
  /** The names of its arguments. */
  readonly properties: ReadonlySet<string>;
}

/** How a question is put to one of the offered tools. */
export interface McpPlan {
  readonly name: string;
  /** `typed`: a list of searches, each with its kind; `plain`: a text. */
  readonly style: 'plain' | 'typed';
  /** Whether one call names several collections, one, or none. */
  readonly collections: 'many' | 'none' | 'one';
  /** Whether it can be told not to load a model for ranking. */
  readonly canSkipRanking: boolean;
}

/** The names that releases gave their tools, newest first; `query` came last and does everything. */
const NAMES: Readonly<Record<ExtMode, readonly string[]>> = {
  search: ['search', 'qmd_search'],
  vsearch: ['vector_search', 'vsearch', 'qmd_vsearch'],
  query: ['query', 'deep_search', 'qmd_query'],
};

/**
 * Chooses the tool for a mode.
 *
 * @param named `memory.ext.searchTool`
 * @returns undefined where the release cannot do over MCP what the mode is: then it is run instead. One
 *   that always ranks with a model would load it for a lexical search.
 */
export function planMcp(
  tools: readonly OfferedTool[],
  mode: ExtMode,
  named: string | undefined,
): McpPlan | undefined {
  const find = (name: string): OfferedTool | undefined => tools.find((tool) => tool.name === name);
  if (named !== undefined) {
    const tool = find(named);
    return tool === undefined ? undefined : planOf(tool, mode);
  }
  const general = find('query');
  const typed = general?.properties.has('searches') === true ? planOf(general, mode) : undefined;
  if (typed !== undefined && (mode === 'query' || typed.canSkipRanking)) return typed;
  const [tool] = NAMES[mode].flatMap((name) => find(name) ?? []);
  return tool === undefined ? undefined : planOf(tool, mode);
}

function planOf({ name, properties }: OfferedTool, mode: ExtMode): McpPlan {
  const has = (property: string): boolean => properties.has(property);
  return {
    name,
    // A plain text is what its own expansion of a question begins with.
    style: has('searches') && !(mode === 'query' && has('query')) ? 'typed' : 'plain',
    collections: has('collections') ? 'many' : has('collection') ? 'one' : 'none',
    canSkipRanking: has('rerank'),
  };
}

/** The arguments of each call that a question takes. */
export function callsOf(
  { style, collections: named, canSkipRanking }: McpPlan,
  { mode, query, collections, limit }: ToolQuestion,
): readonly Readonly<Record<string, unknown>>[] {
  const text = oneLine(query);
  const asked =
    style === 'plain'
      ? { query: text, limit }
      : { searches: TYPES[mode].map((type) => ({ type, query: text })), limit };
  const ranked = canSkipRanking && mode !== 'query' ? { ...asked, rerank: false } : asked;
  switch (named) {
    case 'many':
      return [{ ...ranked, collections }];
    case 'one':
      return collections.map((collection) => ({ ...ranked, collection }));
    case 'none':
      return [ranked];
  }
}

const TYPES: Readonly<Record<ExtMode, readonly string[]>> = {
  search: ['lex'],
  vsearch: ['vec'],
  query: ['lex', 'vec'],
};
