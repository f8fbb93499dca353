import { join } from 'node:path';
import type { Warning } from '../../errors/index.js';
import { QueryEmbedder } from '../embedding/query-embedder.js';
import { readForgotten } from '../forgotten/index.js';
import { isLeftOut, type MemoryIndex } from '../index/index.js';
import { IndexKeeper, type IndexKeeperOptions } from '../keeper/index-keeper.js';
import type { KeptIndex } from '../keeper/sync-index.js';
import { type SearchOptions, type SearchResponse, searchIndex } from '../search/index.js';
import { allSkips, MEMORY_FOLDER, scanMemoryFiles } from '../sources/index.js';
import { emptyMemoryWarning, skipWarnings } from '../sync/index.js';
import type { MemoryBackend } from './memory-backend.js';

export interface BuiltinOptions extends IndexKeeperOptions {
  readonly search: Omit<SearchOptions, 'embedder' | 'nowMs' | 'warnings'>;
}

/**
 * Search over the index that svc maintains itself. Code that only some calls need is imported by those calls,
 * to keep searches fast.
 */
export function createBuiltinBackend(options: BuiltinOptions): MemoryBackend {
  const { target, clock, providers } = options;
  const keeper = new IndexKeeper(options);
  const isBeingEmbedded = async (): Promise<boolean> => {
    const lock = await import('../sync/index-lock.js');
    return lock.isBeingEmbedded(target.indexFile);
  };
  const embedder =
    providers === undefined ? undefined : new QueryEmbedder(providers, isBeingEmbedded);
  const canFallBack = (): boolean => {
    const { primary, fallback } = providers ?? {};
    return (
      primary?.recentFailure() !== undefined && fallback !== undefined && !fallback.recentFailure()
    );
  };
  const search: MemoryBackend['search'] = async (request, work = {}) => {
    const embeds = request.lexicalOnly !== true;
    const answer = (): Promise<SearchResponse> => {
      const warnings: Warning[] = [];
      const searchOptions = { ...options.search, embedder, nowMs: clock.now(), warnings };
      const ask = async (index: MemoryIndex): Promise<SearchResponse> => {
        const response = await searchIndex(index, request, searchOptions, work.signal);
        // The reason for no results is only looked for on disk if the index has no notes.
        if (response.results.length > 0 || (await index.hasDocuments('memory'))) return response;
        return withEmptyMemory(response, target, index);
      };
      // Checking thousands of files for each letter would delay the next one.
      const isTyping = request.unfinished === true && !embeds;
      const onWarning = (warning: Warning): number => warnings.push(warning);
      const searchWork = { ...work, onWarning, ...(isTyping ? { checksFiles: false } : {}) };
      return keeper.answer(searchWork, ask, { embeds });
    };
    const couldEmbed = embeds && providers?.primary.recentFailure() === undefined;
    const response = await answer();
    // The provider failed on this query: embed passages with the fallback, then the query.
    const fallsBack = couldEmbed && response.provider === null && canFallBack();
    return fallsBack ? answer() : response;
  };
  return {
    search,
    get: async (request, work = {}) => {
      const { readDocumentLines } = await import('../get/index.js');
      const { ExtractedTexts } = await import('../extract/index.js');
      const { sources, forget, home } = target;
      const texts = new ExtractedTexts(target);
      return keeper.answer(work, async (index) => {
        const forgotten = await readForgotten(forget);
        const { others } = home;
        const { signal } = work;
        return readDocumentLines(request, { index, sources, forgotten, texts, others, signal });
      });
    },
    list: async (work = {}) => {
      const documents = await keeper.answer(work, (index) => index.documents());
      return documents
        .filter((document) => !isLeftOut(document))
        .map(({ source, path, kind, fingerprint }) => {
          return { source, path, kind, size: fingerprint.size, modifiedMs: fingerprint.mtimeMs };
        })
        .toSorted((a, b) => (a.path < b.path ? -1 : 1));
    },
    sync: async (request) => keeper.sync(request),
    forgetting: async () => {
      const { createForgetting } = await import('../forget/index.js');
      return createForgetting(options, keeper, search);
    },
    transfer: async () => {
      const { createTransfer } = await import('../transfer/index.js');
      return createTransfer(options, keeper);
    },
    inspection: async () => {
      const { createInspection } = await import('../inspect/inspect-document.js');
      return createInspection(options, keeper, options.search.timeZone);
    },
    status: async (request = {}) => {
      const { builtinStatus } = await import('./builtin-status.js');
      return builtinStatus(target, clock, request);
    },
    reset: async () => {
      keeper.close();
      return target.home.reset(clock);
    },
    close: async () => {
      keeper.close();
      await providers?.close();
      await options.search.reranking?.close();
    },
  };
}

function emptyWarning({ layout, workspaceDir }: KeptIndex['sources']['memory']): Warning {
  const notes = layout === 'agent' ? join(workspaceDir, MEMORY_FOLDER) : workspaceDir;
  return {
    code: 'INDEX_EMPTY',
    message: 'nothing is indexed yet',
    hint: `put Markdown files into ${notes}`,
  };
}

/** Warns why a memory without notes has no results: they are excluded, unreadable or in another place. */
async function withEmptyMemory(
  response: SearchResponse,
  { sources }: KeptIndex,
  index: MemoryIndex,
): Promise<SearchResponse> {
  if (response.warnings.some(({ code }) => code === 'FILES_SKIPPED')) return response;
  const { memory } = sources;
  const scan = scanMemoryFiles(memory);
  const [unread] = skipWarnings(allSkips(scan.skipped, (await index.syncMark()).skipped));
  const hasConversations = await index.hasDocuments('sessions');
  const warning =
    unread ??
    emptyMemoryWarning(memory, scan) ??
    (hasConversations ? undefined : emptyWarning(memory));
  if (warning === undefined) return response;
  return { ...response, warnings: [...response.warnings, warning] };
}
