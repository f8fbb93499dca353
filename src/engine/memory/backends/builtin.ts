import type { Warning } from '../../errors/index.js';
import { QueryEmbedder } from '../embedding/index.js';
import { readForgotten } from '../forget/index.js';
import type { MemoryIndex } from '../index/index.js';
import {
  type SearchOptions,
  type SearchRequest,
  type SearchResponse,
  searchIndex,
} from '../search/index.js';
import { emptyMemoryWarning, type SyncSummary } from '../sync/index.js';
import { IndexKeeper, type IndexKeeperOptions } from './index-keeper.js';
import type {
  BackendStatus,
  Forgetting,
  GetRequest,
  GetResponse,
  Inspection,
  ListedDocument,
  MemoryBackend,
  ResetResult,
  StatusOptions,
  SyncRequest,
  Transfer,
  WorkOptions,
} from './memory-backend.js';

export interface BuiltinOptions extends IndexKeeperOptions {
  readonly search: Omit<SearchOptions, 'embedder' | 'nowMs' | 'warnings'>;
}

/**
 * Search over the index that svc maintains itself. Code that only some calls need is imported by those calls,
 * to keep searches fast.
 */
export class BuiltinBackend implements MemoryBackend {
  private readonly options: BuiltinOptions;
  private readonly keeper: IndexKeeper;
  private readonly embedder: QueryEmbedder | undefined;

  constructor(options: BuiltinOptions) {
    this.options = options;
    this.keeper = new IndexKeeper(options);
    const { providers } = options;
    this.embedder = providers === undefined ? undefined : new QueryEmbedder(providers);
  }

  async search(request: SearchRequest, work: WorkOptions = {}): Promise<SearchResponse> {
    const embeds = request.lexicalOnly !== true;
    const answer = (): Promise<SearchResponse> => {
      const warnings: Warning[] = [];
      const { search, clock } = this.options;
      const options = { ...search, embedder: this.embedder, nowMs: clock.now(), warnings };
      const ask = async (index: MemoryIndex): Promise<SearchResponse> => {
        const response = await searchIndex(index, request, options, work.signal);
        // Only an empty memory is worth another look at the disk.
        if (response.results.length > 0 || (await index.hasDocuments('memory'))) return response;
        return this.withEmptyMemory(response);
      };
      // Checking thousands of files for each letter would delay the next one.
      const isQuick = request.unfinished === true && !embeds;
      const checked = isQuick ? { ...work, checksFiles: false } : work;
      return this.keeper.answer(checked, warnings, ask, { embeds });
    };
    const couldEmbed = embeds && this.options.providers?.primary.resting() === undefined;
    const response = await answer();
    // The provider failed on this query: embed passages with the fallback, then the query.
    const fallsBack = couldEmbed && response.provider === null && this.canFallBack();
    return fallsBack ? answer() : response;
  }

  /** No results from an empty memory may be due to notes in another place or excluded ones, unless skipped files explain it. */
  private withEmptyMemory(response: SearchResponse): SearchResponse {
    const isExplained = response.warnings.some(({ code }) => code === 'FILES_SKIPPED');
    if (isExplained) return response;
    const warning = emptyMemoryWarning(this.options.target.sources.memory);
    return warning === undefined
      ? response
      : { ...response, warnings: [...response.warnings, warning] };
  }

  private canFallBack(): boolean {
    const { primary, fallback } = this.options.providers ?? {};
    return primary?.resting() !== undefined && fallback !== undefined && !fallback.resting();
  }

  async get(request: GetRequest, work: WorkOptions = {}): Promise<GetResponse> {
    const { readLines } = await import('./get-document.js');
    const { ExtractedTexts } = await import('../extract/index.js');
    const { sources, forget, home, indexFile } = this.options.target;
    const texts = new ExtractedTexts(indexFile, sources.memory.documents);
    const warnings: Warning[] = [];
    const lines = await this.keeper.answer(
      work,
      warnings,
      async (index) => {
        const forgotten = await readForgotten(forget);
        const context = { texts, others: home.others };
        return readLines(index, sources, request, forgotten, context, work.signal);
      },
      { embeds: false },
    );
    return { ...lines, warnings };
  }

  async list(work: WorkOptions = {}): Promise<readonly ListedDocument[]> {
    const documents = await this.keeper.answer(work, [], (index) => index.documents(), {
      embeds: false,
    });
    return documents
      .filter(({ resume }) => resume?.includes('"isExcluded":true') !== true)
      .map(({ source, path, kind, fingerprint }) => {
        return { source, path, kind, size: fingerprint.size, modifiedMs: fingerprint.mtimeMs };
      })
      .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  }

  async sync(options: SyncRequest): Promise<SyncSummary> {
    return this.keeper.sync(options);
  }

  async forgetting(): Promise<Forgetting> {
    const { createForgetting } = await import('../forget/forgetting.js');
    return createForgetting(this.options, this.keeper, (request) => this.search(request));
  }

  async transfer(): Promise<Transfer> {
    const { createTransfer } = await import('../transfer/transfer.js');
    return createTransfer(this.options, this.keeper);
  }

  async inspection(): Promise<Inspection> {
    const { createInspection } = await import('../inspect/inspect-document.js');
    return createInspection(this.options, this.keeper, this.options.search.timeZone);
  }

  async status(options: StatusOptions = {}): Promise<BackendStatus> {
    const { builtinStatus } = await import('./builtin-status.js');
    return builtinStatus(this.options.target, this.options.clock, options);
  }

  async reset(): Promise<ResetResult> {
    this.keeper.close();
    return this.options.target.home.reset(this.options.clock);
  }

  async close(): Promise<void> {
    this.keeper.close();
    await this.options.providers?.close();
    await this.options.search.reranking?.close();
  }
}
