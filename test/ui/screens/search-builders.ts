import type { SearchResponse, SearchResult } from '../../../src/engine/memory/search/types.js';

/** The result at a place in the list: lower ones score less. */
export function aResult(at: number): SearchResult {
  const path = `memory/note-${String(at).padStart(2, '0')}.md`;
  return {
    path,
    source: 'memory',
    kind: 'markdown',
    startLine: 3,
    endLine: 6,
    score: Math.max(0, 0.94 - at * 0.03),
    snippet: 'We moved the nightly backup to 02:30.\nIt took too long.',
    snippetLine: 5,
    headingPath: ['2026-02-03', 'Backups'],
    citation: `${path}#L3-L6`,
    textScore: 0.88,
    highlights: [{ start: 21, end: 27 }],
  };
}

/** A response around what a test is about. */
export function aResponse(fields: Partial<SearchResponse>): SearchResponse {
  return {
    query: 'backup',
    mode: 'lexical',
    backend: 'builtin',
    provider: null,
    model: null,
    results: [aResult(0)],
    corrections: [],
    matches: 212,
    dates: null,
    belowMinScore: 0,
    searchMs: 4,
    warnings: [],
    ...fields,
  };
}
