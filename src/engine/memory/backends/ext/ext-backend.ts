import { existsSync, statSync } from 'node:fs';
import type { Warning } from '../../../errors/index.js';
import { realOrGiven } from '../../../real-path.js';
import type { ChunkingOptions } from '../../chunking/chunk-markdown.js';
import { readForgotten } from '../../forget/forget-list.js';
import type { CitationMode } from '../../search/citation.js';
import type { SearchMode, SearchRequest, SearchResponse } from '../../search/types.js';
import type { MemorySources } from '../../sources/scan-sources.js';
import type { SyncSummary } from '../../sync/events.js';
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
} from '../memory-backend.js';
import { ExtAsker, type OpenSession } from './ext-asker.js';
import {
  ExtRefresher,
  type ExtRefresherOptions,
  exportListFile,
  RefreshPending,
} from './ext-refresher.js';
import type { ExtMode } from './ext-settings.js';
import { type ExtState, readExtState, updateExtState } from './ext-state.js';
import { placeHits } from './place-hits.js';
import { beginRest, endRest, restingNow, restWarning } from './rest.js';
import { type Tool, toolPlaces } from './tool/open-tool.js';
import type { ToolHit } from './tool/read-answer.js';
import { failureWarning, ToolFailure } from './tool/tool-failure.js';

/** What the external backend of one agent is told. */
export interface ExtBackendOptions extends Omit<ExtRefresherOptions, 'onNewCollections'> {
  /** Finds the program. @throws ToolFailure */
  readonly openTool: () => Tool;
  /** The net below: answers where the program does not. */
  readonly builtin: MemoryBackend;
  /** What the builtin engine mirrors of the same collections. */
  readonly sources: MemorySources;
  readonly citations: CitationMode;
  readonly chunking: ChunkingOptions;
  /** Look for changed files before an answer (`sync.onSearch`). */
  readonly syncOnSearch: boolean;
  /** Do so for the first question of a session (`sync.onSessionStart`). */
  readonly syncOnSessionStart: boolean;
  /** Undefined for a process that soon ends. */
  readonly openSession: OpenSession | undefined;
}

const MODES: Readonly<Record<ExtMode, SearchMode>> = {
  search: 'lexical',
  vsearch: 'vector',
  query: 'hybrid',
};

/** A question waits so long for a refresh that somebody else is at. */
const PENDING_REFRESH_MS = 500;

/**
 * Search through an external program (spec/memory-search §2.12), with the builtin engine as the net below:
 * whatever fails there, an answer comes from here.
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
    const warnings: Warning[] = [];
    const tool = this.toolToAsk(warnings);
    if (tool !== undefined) {
      const started = performance.now();
      try {
        const hits = await this.freshHits(tool, request, work, warnings);
        const response = await this.responseTo(request, hits);
        endRest(this.options.settings.dir, this.state());
        return { ...response, searchMs: performance.now() - started, warnings };
      } catch (error) {
        warnings.push(this.failed(tool, error));
      }
    }
    return this.answerBelow(request, work, warnings);
  }

  async get(request: GetRequest): Promise<GetResponse> {
    const { getExternal } = await import('./get-external.js');
    const { settings, sources, forget } = this.options;
    return getExternal(request, settings, sources, forget);
  }

  async list(): Promise<readonly ListedDocument[]> {
    const { listExternal } = await import('./get-external.js');
    return listExternal(this.options.settings, this.options.sources);
  }

  async sync(request: SyncRequest): Promise<SyncSummary> {
    const { settings, clock, builtin } = this.options;
    const startedMs = clock.now();
    const finished = (summary: SyncSummary): SyncSummary => {
      request.onEvent?.({ type: 'sync.finished', summary });
      return summary;
    };
    const warnings: Warning[] = [];
    const tool = this.foundTool(warnings);
    if (tool !== undefined) {
      try {
        const isForced = request.force === true;
        if (isForced) await this.removeIndex();
        const embedsNow = request.embeds !== false;
        const result = await this.refresher.refresh(tool, request, { embedsNow });
        endRest(settings.dir, result.state);
        const { summaryOf } = await import('./sync-ext.js');
        return finished(summaryOf(result, clock.now() - startedMs, isForced));
      } catch (error) {
        warnings.push(this.failed(tool, error));
      }
    }
    const summary = await builtin.sync({
      ...request,
      // Told once, with what went wrong before.
      onEvent: (event) => {
        if (event.type !== 'sync.finished') request.onEvent?.(event);
      },
    });
    return finished({ ...summary, warnings });
  }

  async status(options: StatusOptions = {}): Promise<BackendStatus> {
    const { extStatus } = await import('./ext-status.js');
    const { settings, clock, builtin, openTool } = this.options;
    const below = await builtin.status(options);
    const ext = extStatus(settings, openTool, () => this.refresher.tree(), clock);
    return { ...below, backend: ext.answers, ext };
  }

  async forgetting(): Promise<Forgetting> {
    const { storeBeside } = await import('./forget-external.js');
    const { builtin, sources } = this.options;
    const below = await builtin.forgetting();
    const store = storeBeside(below.store, sources, (work) => this.cleanUp(work));
    return { ...below, store };
  }

  async transfer(): Promise<Transfer> {
    return this.options.builtin.transfer();
  }

  async reset(): Promise<ResetResult> {
    const { dir } = this.options.settings;
    const bytes = statSync(toolPlaces(dir).indexFile, { throwIfNoEntry: false })?.size ?? 0;
    const removed = await this.removeIndex();
    const { removeExports } = await import('./export-sessions.js');
    removeExports(exportListFile(dir));
    const below = await this.options.builtin.reset();
    return { deleted: removed || below.deleted, bytes: bytes + below.bytes };
  }

  async close(): Promise<void> {
    await this.asker.endSession();
    await this.options.builtin.close();
  }

  private state(): ExtState {
    return readExtState(this.options.settings.dir);
  }

  /** The program, unless it is missing or resting; then a warning says so. */
  private toolToAsk(warnings: Warning[]): Tool | undefined {
    const tool = this.foundTool(warnings);
    if (tool === undefined) return undefined;
    const nowMs = this.options.clock.now();
    const rest = restingNow(this.state(), tool.key, nowMs);
    if (rest === undefined) return tool;
    warnings.push(restWarning(rest, nowMs));
    return undefined;
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

  /** Remembers a failure of the program. @throws whatever else it is */
  private failed(tool: Tool, error: unknown): Warning {
    if (error instanceof RefreshPending) return refreshingWarning();
    if (!(error instanceof ToolFailure)) throw error;
    beginRest(this.options.settings.dir, tool.key, error, this.options.clock);
    return failureWarning(error);
  }

  /** The program is asked at once; while it looks, svc looks whether its index is fresh. */
  private async freshHits(
    tool: Tool,
    request: SearchRequest,
    work: WorkOptions,
    warnings: Warning[],
  ): Promise<readonly ToolHit[]> {
    const state = this.state();
    const { indexFile } = toolPlaces(this.options.settings.dir);
    if (state.updated === undefined || !existsSync(indexFile)) {
      await this.refresher.refresh(tool, work, { embedsNow: true });
      return this.asker.ask(tool, request, work.signal);
    }
    const asked = this.asker.ask(tool, request, work.signal);
    // Heard below, unless the look at the files throws first.
    asked.catch(() => undefined);
    if (!this.looksAtFiles(work) || !this.refresher.isStale(state)) {
      return asked.catch((error: unknown) => this.askAgain(error, tool, request, work));
    }
    await asked.catch(() => undefined);
    try {
      await this.refresher.refresh(tool, work, { embedsNow: false, waitMs: PENDING_REFRESH_MS });
    } catch (error) {
      if (!(error instanceof RefreshPending)) throw error;
      warnings.push(refreshingWarning());
      return asked;
    }
    return this.asker.ask(tool, request, work.signal);
  }

  private looksAtFiles({ sessionStarts = false }: WorkOptions): boolean {
    const { syncOnSearch, syncOnSessionStart } = this.options;
    return syncOnSearch || (sessionStarts && syncOnSessionStart);
  }

  /** A collection that the program has lost is told to it again, once. */
  private async askAgain(
    error: unknown,
    tool: Tool,
    request: SearchRequest,
    work: WorkOptions,
  ): Promise<readonly ToolHit[]> {
    const isLost = error instanceof ToolFailure && /collection not found/iu.test(error.message);
    if (!isLost) throw error;
    updateExtState(this.options.settings.dir, (state) => ({ ...state, collections: [] }));
    await this.refresher.refresh(tool, work, { embedsNow: false });
    return this.asker.ask(tool, request, work.signal);
  }

  private async removeIndex(): Promise<boolean> {
    await this.asker.endSession();
    const { removeExtIndex } = await import('./sync-ext.js');
    return removeExtIndex(this.options.settings.dir);
  }

  /** Leaves nothing in the program's index that is in no file any more. */
  private async cleanUp(work: WorkOptions): Promise<void> {
    const tool = this.foundTool([]);
    if (tool === undefined) return;
    await this.refresher.refresh(tool, work, { embedsNow: false });
    const { runTool } = await import('./tool/run-tool.js');
    const timeoutMs = this.options.settings.update.updateTimeoutMs;
    await runTool(tool, ['cleanup'], { timeoutMs, signal: work.signal });
  }

  private async responseTo(
    request: SearchRequest,
    hits: readonly ToolHit[],
  ): Promise<Omit<SearchResponse, 'searchMs' | 'warnings'>> {
    const { settings, citations, chunking, forget } = this.options;
    const { results, belowMinScore } = placeHits(hits, request, {
      ...settings.limits,
      maxResults: request.maxResults ?? settings.limits.maxResults,
      collections: settings.collections(),
      workspaceDir: realOrGiven(settings.workspaceDir),
      citations,
      chunking,
      forgotten: await readForgotten(forget),
    });
    return {
      query: request.query,
      mode: MODES[this.asker.modeFor(request)],
      backend: 'ext',
      provider: null,
      model: null,
      results,
      matches: hits.length,
      belowMinScore,
    };
  }

  /** The builtin engine's answer; by words alone where that is what was chosen. */
  private async answerBelow(
    request: SearchRequest,
    work: WorkOptions,
    warnings: readonly Warning[],
  ): Promise<SearchResponse> {
    const lexicalOnly = request.lexicalOnly === true || this.options.settings.mode === 'search';
    const response = await this.options.builtin.search({ ...request, lexicalOnly }, work);
    return { ...response, warnings: [...warnings, ...response.warnings] };
  }
}

function refreshingWarning(): Warning {
  return {
    code: 'INDEX_BUSY',
    message:
      'the index of the external search program is being refreshed; newer notes may be missing',
  };
}
