import type { Warning } from '../../errors/index.js';
import { PathQueryEmbedder } from '../embedding/query-embedder.js';
import type { MemoryIndex } from '../index/memory-index.js';
import { type SearchOptions, searchIndex } from '../search/search-index.js';
import type { QueryEmbedder } from '../search/semantic.js';
import type { SearchRequest, SearchResponse } from '../search/types.js';
import type { SyncSummary } from '../sync/events.js';
import { IndexKeeper, type IndexKeeperOptions } from './index-keeper.js';
import type {
  BackendStatus,
  Forgetting,
  GetRequest,
  GetResponse,
  ListedDocument,
  MemoryBackend,
  ResetResult,
  StatusOptions,
  SyncRequest,
  Transfer,
  WorkOptions,
} from './memory-backend.js';

/** What the builtin engine is told of one agent. */
export interface BuiltinOptions extends IndexKeeperOptions {
  readonly search: Omit<SearchOptions, 'embedder' | 'nowMs' | 'warnings'>;
}

/**
 * Search over the index database that svc itself keeps. What only some calls need is loaded by them:
 * a search is what people wait for.
 */
export class BuiltinBackend implements MemoryBackend {
  private readonly options: BuiltinOptions;
  private readonly keeper: IndexKeeper;
  private readonly embedder: QueryEmbedder | undefined;

  constructor(options: BuiltinOptions) {
    this.options = options;
    this.keeper = new IndexKeeper(options);
    const { providers } = options;
    this.embedder = providers === undefined ? undefined : new PathQueryEmbedder(providers);
  }

  async search(request: SearchRequest, work: WorkOptions = {}): Promise<SearchResponse> {
    const warnings: Warning[] = [];
    const ask = (index: MemoryIndex): Promise<SearchResponse> =>
      searchIndex(
        index,
        request,
        {
          ...this.options.search,
          embedder: this.embedder,
          nowMs: this.options.clock.now(),
          warnings,
        },
        work.signal,
      );
    return this.keeper.answer(work, warnings, ask, { embeds: request.lexicalOnly !== true });
  }

  async get(request: GetRequest, work: WorkOptions = {}): Promise<GetResponse> {
    const { readLines } = await import('./read-lines.js');
    const { readForgotten } = await import('../forget/forget-list.js');
    const { sources, forget } = this.options.target;
    const forgotten = await readForgotten(forget);
    const warnings: Warning[] = [];
    const lines = await this.keeper.answer(work, warnings, (index) =>
      readLines(index, sources, request, forgotten),
    );
    return { ...lines, warnings };
  }

  async list(work: WorkOptions = {}): Promise<readonly ListedDocument[]> {
    const documents = await this.keeper.answer(work, [], (index) => index.documents(), {
      embeds: false,
    });
    return documents
      .map(({ source, path, kind, fingerprint }) => {
        return { source, path, kind, size: fingerprint.size, modifiedMs: fingerprint.mtimeMs };
      })
      .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  }

  async sync(options: SyncRequest): Promise<SyncSummary> {
    return this.keeper.sync(options);
  }

  async forgetting(): Promise<Forgetting> {
    const { createForgetting } = await import('./builtin-forgetting.js');
    return createForgetting(this.options, this.keeper, (request) => this.search(request));
  }

  async transfer(): Promise<Transfer> {
    const { createTransfer } = await import('./builtin-transfer.js');
    return createTransfer(this.options, this.keeper);
  }

  async status(options: StatusOptions = {}): Promise<BackendStatus> {
    const { builtinStatus } = await import('./builtin-status.js');
    return builtinStatus(this.options.target, this.options.clock, options);
  }

  async reset(): Promise<ResetResult> {
    this.keeper.close();
    const { resetIndex } = await import('../sync/reset-index.js');
    return resetIndex(this.options.target.indexFile, this.options.clock);
  }

  async close(): Promise<void> {
    this.keeper.close();
    await this.options.providers?.close();
  }
}
