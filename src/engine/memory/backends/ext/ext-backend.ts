import { statSync } from 'node:fs';
import { SvcError, type Warning } from '../../../errors/index.js';
import type { ChunkingOptions } from '../../chunking/chunk-markdown.js';
import type { CitationMode } from '../../search/citation.js';
import type { SearchRequest, SearchResponse } from '../../search/types.js';
import { resolveWorkspace } from '../../sources/memory-files.js';
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
import { answerOf } from './answer-of.js';
import { ExtAsker } from './ext-asker.js';
import { ExtRefresher, type ExtRefresherOptions, exportListFile } from './ext-refresher.js';
import { type ExtState, readExtState } from './ext-state.js';
import { FreshAsker, refreshingWarning } from './fresh-asker.js';
import { beginRest, endRest, restingNow, restKeyOf, restWarning } from './rest.js';
import type { OpenSession } from './session-keeper.js';
import { RunPending } from './shared-run.js';
import { type Tool, toolPlaces } from './tool/open-tool.js';
import { runTool } from './tool/run-tool.js';
import { failureWarning, folderFailure, ToolFailure } from './tool/tool-failure.js';

/** What the external backend of one agent is told. */
export interface ExtBackendOptions extends Omit<ExtRefresherOptions, 'onNewCollections'> {
  /** Finds the program. @throws ToolFailure */
  readonly openTool: () => Tool;
  /** The net below: answers where the program does not; by words alone in the mode that is lexical. */
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

/** `svc memory index` waits for whoever refreshes, another agent's index too. */
const SYNC_WAIT_MS = 10 * 60_000;

/**
 * Search through an external program (spec/memory-search §2.12), with the builtin engine as the net below:
 * whatever fails there, an answer comes from here.
 */
export class ExtBackend implements MemoryBackend {
  private readonly options: ExtBackendOptions;
  private readonly asker: ExtAsker;
  private readonly refresher: ExtRefresher;
  private readonly freshAsker: FreshAsker;

  constructor(options: ExtBackendOptions) {
    this.options = options;
    this.asker = new ExtAsker(options.settings, options.openSession);
    const onNewCollections = (): Promise<void> => this.asker.endSession();
    this.refresher = new ExtRefresher({ ...options, onNewCollections });
    this.freshAsker = new FreshAsker({ ...options, asker: this.asker, refresher: this.refresher });
  }

  async search(request: SearchRequest, work: WorkOptions = {}): Promise<SearchResponse> {
    // Said as the builtin engine says it, before anybody looks for the program.
    resolveWorkspace(this.options.settings.workspaceDir);
    const warnings: Warning[] = [];
    const tool = this.toolToAsk(warnings);
    if (tool !== undefined) {
      const started = performance.now();
      try {
        const hits = await this.freshAsker.hits(tool, request, work, warnings);
        const answer = await answerOf(request, hits, this.options);
        endRest(this.options.settings.dir, this.state());
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
      try {
        const isForced = request.force === true;
        const result = await this.refresher.refresh(tool, request, {
          isForced,
          embedsNow: request.embeds !== false && request.isUpkeep !== true,
          waitMs: request.lockWaitMs ?? SYNC_WAIT_MS,
        });
        endRest(settings.dir, result.state);
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
    const { storeBeside } = await import('./forget-external.js');
    const { builtin, sources } = this.options;
    const below = await builtin.forgetting();
    const store = storeBeside(below.store, sources, {
      exportSessions: () => this.refresher.exportSessions(),
      cleanUp: (work) => this.cleanUp(work),
      removeIndex: (work) => this.removeIndex(work),
    });
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
    await this.asker.close();
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
    const rest = restingNow(this.state(), this.restKey(tool), nowMs);
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

  private restKey(tool: Tool): string {
    return restKeyOf(tool, this.options.settings.mode);
  }

  /** Remembers a failure of the program. @throws whatever else it is */
  private failed(tool: Tool, error: unknown): Warning {
    if (error instanceof RunPending) {
      return refreshingWarning('the builtin engine answers meanwhile');
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
    // Not under the feet of whoever refreshes it.
    try {
      return await this.refresher.alone(work, SYNC_WAIT_MS, async () => removeExtIndex(dir));
    } catch (error) {
      throw error instanceof RunPending ? stillRefreshed() : error;
    }
  }

  /** Leaves nothing in the program's index that is in no file any more. @throws ToolFailure */
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
      // Told once, with what went wrong before.
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
    'another process refreshes an index of the external search program',
    { hint: 'wait for it to finish and try again' },
  );
}
