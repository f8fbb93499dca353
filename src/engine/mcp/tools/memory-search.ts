import type { Warning } from '../../errors/index.js';
import type { OpenedMemory } from '../../memory/open-memory.js';
import { withSourceFooter } from '../../memory/search/citation.js';
import type { SearchMode, SearchResponse } from '../../memory/search/types.js';
import type { Source } from '../../memory/types.js';
import { citesFor } from '../../scope/index.js';
import type { McpWorld } from '../mcp-world.js';
import { admission } from '../scope-admission.js';
import type { SearchAnswer, SearchInput } from './schemas.js';

/**
 * Answers a question for the conversation that the server is for. What a provider fails at is a
 * warning beside what the words found; only what leaves nothing to answer with is thrown.
 *
 * @param signal aborts when the client takes its request back
 * @throws SvcError
 */
export async function searchMemory(
  input: SearchInput,
  signal: AbortSignal,
  { memory: live, session, mask }: McpWorld,
): Promise<SearchAnswer> {
  const memory = await live.opened();
  const { agent, backend } = memory;
  const refusal = admission(agent.scope, session);
  if (refusal !== undefined) return refused(memory, refusal);
  const { query, maxResults, minScore, corpus, path } = input;
  const response = await backend.search(
    { query, maxResults, minScore, sources: sourcesOf(corpus), pathGlob: path },
    { signal, onEvent: live.heardSync },
  );
  const cites = citesFor(agent.citations, session);
  return {
    results: response.results.map(
      ({ highlights: _, explanation: __, snippetLine: ___, citation, ...result }) => ({
        ...result,
        headingPath: [...result.headingPath],
        snippet: withSourceFooter(result.snippet, cites ? citation : undefined),
        ...(cites && citation !== undefined ? { citation } : {}),
      }),
    ),
    mode: response.mode,
    provider: response.provider,
    model: response.model,
    ...fallbackOf(memory, response),
    citations: agent.citations,
    warnings: mask.data(response.warnings.map((warning) => ({ ...warning }))),
    debug: {
      backend: response.backend,
      configuredMode: configuredMode(memory),
      effectiveMode: response.mode,
      searchMs: Math.round(response.searchMs * 100) / 100,
      hits: response.matches,
      belowMinScore: response.belowMinScore,
    },
  };
}

function sourcesOf(corpus: SearchInput['corpus']): readonly Source[] | undefined {
  return corpus === undefined || corpus === 'all' ? undefined : [corpus];
}

function refused(memory: OpenedMemory, refusal: Warning): SearchAnswer {
  return {
    results: [],
    mode: 'lexical',
    provider: null,
    model: null,
    citations: memory.agent.citations,
    disabled: true,
    warnings: [refusal],
    debug: {
      backend: 'builtin',
      configuredMode: configuredMode(memory),
      effectiveMode: 'lexical',
      searchMs: 0,
      hits: 0,
      belowMinScore: 0,
    },
  };
}

/** What the settings ask for, whether or not it could be had. */
function configuredMode({ providers, agent }: OpenedMemory): SearchMode {
  if (providers === undefined) return 'lexical';
  return agent.memorySearch.query.hybrid.enabled ? 'hybrid' : 'vector';
}

function fallbackOf(
  { providers }: OpenedMemory,
  { provider, warnings }: SearchResponse,
): Pick<SearchAnswer, 'fallback'> {
  const from = providers?.primary.choice.provider;
  const reason = warnings.find(({ code }) => code === 'PROVIDER_FALLBACK')?.message;
  if (provider === null || from === undefined || reason === undefined) return {};
  return { fallback: { from, reason } };
}
