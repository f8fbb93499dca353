import { statSync } from 'node:fs';
import { SvcError, type Warning } from '../../../errors/index.js';
import { formatCountOf } from '../../../support/format.js';
import type { Forgetting } from '../../forget/index.js';
import type { GetRequest, GetResponse } from '../../get/index.js';
import type { ResetResult } from '../../home/index.js';
import type { Inspection, ListedDocument } from '../../inspect/index.js';
import {
  type CitationMode,
  hasFilters,
  type SearchRequest,
  type SearchResponse,
} from '../../search/index.js';
import { type MemorySources, resolveWorkspace } from '../../sources/index.js';
import type { SyncRequest, SyncSummary, WorkOptions } from '../../sync/index.js';
import type { Transfer } from '../../transfer/index.js';
import type { BackendStatus, MemoryBackend, StatusOptions } from '../memory-backend.js';
import { ExtAsker, freshHits, modeFor, refreshingWarning, saysSomething } from './ext-asker.js';
import {
  ExtRefresher,
  type ExtRefresherOptions,
  exportListFile,
  RunPending,
} from './ext-refresher.js';
import {
  beginRest,
  type ExtState,
  endRest,
  readExtState,
  restingNow,
  restKeyOf,
  restWarning,
} from './ext-state.js';
import { answerOf } from './place-hits.js';
import type { OpenSession } from './session-keeper.js';
import {
  failureWarning,
  folderFailure,
  type Tool,
  ToolFailure,
  toolIndexFile,
} from './tool/open-tool.js';
import { runTool } from './tool/run-tool.js';

export interface ExtBackendOptions extends Omit<ExtRefresherOptions, 'onNewCollections'> {
  /** Finds the program. @throws ToolFailure */
  readonly openTool: () => Tool;
  /** Answers when the program cannot; keywords only in lexical mode. */
  readonly builtin: MemoryBackend;
  /** The same collections as sources of the builtin engine. */
  readonly sources: MemorySources;
  readonly citations: CitationMode;
  /** Check for changed files before an answer (`sync.onSearch`). */
  readonly syncOnSearch: boolean;
  /** Undefined for short-lived processes. */
  readonly openSession: OpenSession | undefined;
}

/** `svc memory index` waits for any refresh, even of another agent's index. */
const SYNC_WAIT_MS = 10 * 60_000;

/**
 * Search through an external program (spec/memory-search §2.12). When it fails for any reason, the builtin
 * engine answers instead.
 */
export class ExtBackend implements MemoryBackend {
  private readonly options: ExtBackendOptions;
  private readonly asker: ExtAsker;
  private readonly refresher: ExtRefresher;

  constructor(options: ExtBackendOptions) {
    this.options = options;
    this.asker = new ExtAsker(options.settings, options.openSession);
    const onNewCollections = (): Promise<void> => this.asker.endSession();
    this.refresher = new ExtRefresher({ ...options, onNewCollections });
  }

  async search(request: SearchRequest, work: WorkOptions = {}): Promise<SearchResponse> {
    // Reported as the builtin engine would, before looking for the program.
    resolveWorkspace(this.options.settings.workspaceDir);
    const warnings: Warning[] = [];
    if (hasFilters(request.filters)) {
      return this.answerBelow(request, work, [FILTERED_BELOW]);
    }
    const tool = this.toolToAsk(warnings);
    if (tool !== undefined) {
      const started = performance.now();
      try {
        const { asker, refresher } = this;
        const options = { ...this.options, asker, refresher };
        const hits = await freshHits(tool, request, work, warnings, options);
        this.checkVectors(request, hits.length > 0, warnings);
        const answer = await answerOf(request, hits, this.options);
        endRest(this.options.settings.dir, this.state().rest);
        return {
          ...answer,
          searchMs: performance.now() - started,
          warnings: [...warnings, ...answer.warnings],
        };
      } catch (error) {
        warnings.push(this.failed(tool, error));
      }
    }
    return this.answerBelow(request, work, warnings);
  }

  async get(request: GetRequest, work: WorkOptions = {}): Promise<GetResponse> {
    const { getExternal } = await import('./get-external.js');
    const { settings, sources, forget, builtin } = this.options;
    return getExternal(request, { settings, sources, forget, builtin }, work);
  }

  async list(): Promise<readonly ListedDocument[]> {
    const { listExternal } = await import('./get-external.js');
    return listExternal(this.options.settings, this.options.sources);
  }

  async sync(request: SyncRequest): Promise<SyncSummary> {
    const { settings, clock } = this.options;
    const startedMs = clock.now();
    resolveWorkspace(settings.workspaceDir);
    const finished = (summary: SyncSummary): SyncSummary => {
      request.onEvent?.({ type: 'sync.finished', summary });
      return summary;
    };
    const warnings: Warning[] = [];
    const tool = this.foundTool(warnings);
    if (tool !== undefined) {
      const { rest } = this.state();
      try {
        const isForced = request.force === true;
        const result = await this.refresher.refresh(tool, request, {
          isForced,
          embedsNow: request.embeds !== false && request.isUpkeep !== true,
          waitMs: request.lockWaitMs ?? SYNC_WAIT_MS,
        });
        // Upkeep says nothing about queries: those would wait for the same failure again.
        if (request.isUpkeep !== true) endRest(settings.dir, rest);
        const { summaryOf } = await import('./sync-ext.js');
        return finished(summaryOf(result, clock.now() - startedMs, isForced));
      } catch (error) {
        if (error instanceof RunPending) throw stillRefreshed();
        warnings.push(this.failed(tool, error));
      }
    }
    return finished(await this.syncBelow(request, warnings));
  }

  async status(options: StatusOptions = {}): Promise<BackendStatus> {
    const { extStatus } = await import('./ext-status.js');
    const { settings, clock, builtin, openTool } = this.options;
    const below = await builtin.status(options);
    const ext = extStatus(settings, openTool, () => this.refresher.tree(), clock);
    return { ...below, backend: ext.answers, ext };
  }

  async forgetting(): Promise<Forgetting> {
    const { storeBeside } = await import('./get-external.js');
    const { builtin, sources } = this.options;
    const below = await builtin.forgetting();
    const store = storeBeside(below.store, sources, {
      exportSessions: (work) => this.alone(work, () => this.refresher.exportSessions(work)),
      cleanUp: (work) => this.cleanUp(work),
      removeIndex: (work) => this.removeIndex(work),
    });
    return { ...below, store };
  }

  async transfer(): Promise<Transfer> {
    return this.options.builtin.transfer();
  }

  async inspection(): Promise<Inspection> {
    return this.options.builtin.inspection();
  }

  async reset(): Promise<ResetResult> {
    const { dir } = this.options.settings;
    const bytes = statSync(toolIndexFile(dir), { throwIfNoEntry: false })?.size ?? 0;
    const removed = await this.removeIndex();
    const { removeExports } = await import('./export-sessions.js');
    removeExports(exportListFile(dir));
    const below = await this.options.builtin.reset();
    return { deleted: removed || below.deleted, bytes: bytes + below.bytes };
  }

  async close(): Promise<void> {
    await this.asker.close();
    await this.options.builtin.close();
  }

  private state(): ExtState {
    return readExtState(this.options.settings.dir);
  }

  /** The program, unless it is missing or backing off; then a warning explains why. */
  private toolToAsk(warnings: Warning[]): Tool | undefined {
    const tool = this.foundTool(warnings);
    if (tool === undefined) return undefined;
    const nowMs = this.options.clock.now();
    const rest = restingNow(this.state(), this.restKey(tool), nowMs);
    if (rest === undefined) return tool;
    warnings.push(restWarning(rest, nowMs));
    return undefined;
  }

  /**
   * Warns while vectors that the mode needs are missing. A vector search without hits is inconclusive then
   * and falls through to the builtin engine.
   *
   * @throws ToolFailure
   */
  private checkVectors(request: SearchRequest, hasHits: boolean, warnings: Warning[]): void {
    const missing = this.state().updated?.withoutVectors ?? 0;
    const mode = modeFor(request, this.options.settings);
    if (missing === 0 || mode === 'search' || !saysSomething(request)) return;
    const failure = new ToolFailure(
      'EMBEDDINGS_PENDING',
      `the external search program has no vectors for ${formatCountOf(missing, 'document')}`,
      'run "svc memory index" to embed them',
    );
    if (mode === 'vsearch' && !hasHits) throw failure;
    const { code, message, hint } = failure;
    warnings.push({ code, message, hint });
  }

  private foundTool(warnings: Warning[]): Tool | undefined {
    try {
      return this.options.openTool();
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error;
      warnings.push(failureWarning(error));
      return undefined;
    }
  }

  private restKey(tool: Tool): string {
    return restKeyOf(tool, this.options.settings.mode);
  }

  /** Records a failure of the program. @throws anything else */
  private failed(tool: Tool, error: unknown): Warning {
    if (error instanceof RunPending) {
      return refreshingWarning('the builtin engine answers until then');
    }
    const failure = error instanceof ToolFailure ? error : folderFailure(error);
    if (failure === undefined) throw error;
    beginRest(this.options.settings.dir, this.restKey(tool), failure, this.options.clock);
    return failureWarning(failure);
  }

  private async removeIndex(work: WorkOptions = {}): Promise<boolean> {
    await this.asker.endSession();
    const { removeExtIndex } = await import('./sync-ext.js');
    const { dir } = this.options.settings;
    return this.alone(work, async () => removeExtIndex(dir));
  }

  /** Runs work while no process refreshes. @throws SvcError INDEX_LOCKED */
  private async alone<T>(work: WorkOptions, act: () => Promise<T>): Promise<T> {
    try {
      return await this.refresher.alone(work, SYNC_WAIT_MS, act);
    } catch (error) {
      throw error instanceof RunPending ? stillRefreshed() : error;
    }
  }

  /** Removes everything from the program's index that is no longer in a file. @throws ToolFailure */
  private async cleanUp(work: WorkOptions): Promise<void> {
    const { settings, openTool } = this.options;
    const tool = openTool();
    const waitMs = SYNC_WAIT_MS;
    await this.refresher.refresh(tool, work, { embedsNow: false, waitMs });
    const timeoutMs = settings.update.updateTimeoutMs;
    await this.refresher.alone(work, waitMs, () =>
      runTool(tool, ['cleanup'], { timeoutMs, signal: work.signal }),
    );
  }

  private async syncBelow(
    request: SyncRequest,
    warnings: readonly Warning[],
  ): Promise<SyncSummary> {
    const summary = await this.options.builtin.sync({
      ...request,
      // Reported once, together with earlier problems.
      onEvent: (event) => {
        if (event.type !== 'sync.finished') request.onEvent?.(event);
      },
    });
    return { ...summary, warnings: [...warnings, ...(summary.warnings ?? [])] };
  }

  private async answerBelow(
    request: SearchRequest,
    work: WorkOptions,
    warnings: readonly Warning[],
  ): Promise<SearchResponse> {
    const response = await this.options.builtin.search(request, work);
    return { ...response, warnings: [...warnings, ...response.warnings] };
  }
}

function stillRefreshed(): SvcError {
  return new SvcError(
    'INDEX_LOCKED',
    'another process is refreshing an index of the external search program',
    { hint: 'wait for it to finish and try again' },
  );
}

const FILTERED_BELOW: Warning = {
  code: 'FILTERED_BY_BUILTIN',
  message: 'the external search program has no filters, so the builtin engine answered',
};
