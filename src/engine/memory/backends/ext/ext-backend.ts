import { statSync } from 'node:fs';
import type { Warning } from '../../../errors/index.js';
import { formatCountOf } from '../../../support/format.js';
import { msSince, runningMs } from '../../../support/time.js';
import {
  type CitationMode,
  hasFilters,
  type SearchRequest,
  type SearchResponse,
} from '../../search/index.js';
import { type MemorySources, resolveWorkspace } from '../../sources/index.js';
import { INDEX_LOCK_WAIT_MS, type SyncSummary, type WorkOptions } from '../../sync/index.js';
import type { MemoryBackend } from '../memory-backend.js';
import { freshHits, hasWords, modeFor, refreshingWarning } from './ext-asker.js';
import {
  createExtRefresher,
  type ExtRefresherOptions,
  exportListFile,
  isRefreshRunning,
} from './ext-refresher.js';
import {
  beginRest,
  currentRest,
  type ExtState,
  endRest,
  readExtState,
  restKeyOf,
  restWarning,
} from './ext-state.js';
import { responseOf } from './locate-hits.js';
import { keepSession, type OpenSession } from './session-keeper.js';
import {
  failureWarning,
  folderFailure,
  type Tool,
  ToolFailure,
  toolIndexFile,
  toolOrFailure,
} from './tool/open-tool.js';
import { runTool } from './tool/run-tool.js';

export interface ExtBackendOptions extends Omit<ExtRefresherOptions, 'onNewCollections'> {
  /** Finds the program. @throws ToolFailure */
  readonly openTool: () => Tool;
  /** Answers when the program cannot; keywords only in lexical mode. */
  readonly builtin: MemoryBackend;
  /** The same collections as sources of the built-in engine. */
  readonly sources: MemorySources;
  readonly citations: CitationMode;
  /** Check for changed files before an answer (`sync.onSearch`). */
  readonly syncOnSearch: boolean;
  /** Undefined for short-lived processes. */
  readonly openSession: OpenSession | undefined;
}

/**
 * Search through an external program (spec/memory-search §2.12). When it fails for any reason, the builtin
 * engine answers instead.
 */
export function createExtBackend(options: ExtBackendOptions): MemoryBackend {
  const { builtin, clock, openTool, settings, sources } = options;
  const { dir } = settings;
  const session = options.openSession && keepSession(options.openSession);
  const onNewCollections = async (): Promise<void> => session?.end();
  const refresher = createExtRefresher({ ...options, onNewCollections });
  const state = (): ExtState => readExtState(dir);
  const restKey = (tool: Tool): string => restKeyOf(tool, settings.mode);

  const foundTool = (warnings: Warning[]): Tool | undefined => {
    const tool = toolOrFailure(openTool);
    if (!(tool instanceof ToolFailure)) return tool;
    warnings.push(failureWarning(tool));
    return undefined;
  };

  /** The program, unless it is missing or backing off; then a warning explains why. */
  const toolToAsk = (warnings: Warning[]): Tool | undefined => {
    const tool = foundTool(warnings);
    if (tool === undefined) return undefined;
    const nowMs = clock.now();
    const rest = currentRest(state(), restKey(tool), nowMs);
    if (rest === undefined) return tool;
    warnings.push(restWarning(rest, nowMs));
    return undefined;
  };

  /**
   * Warns while vectors that the mode needs are missing. A vector search without hits is inconclusive then
   * and falls through to the built-in engine.
   *
   * @throws ToolFailure
   */
  const checkVectors = (request: SearchRequest, hasHits: boolean, warnings: Warning[]): void => {
    const missing = state().updated?.withoutVectors ?? 0;
    const mode = modeFor(request, settings);
    if (missing === 0 || mode === 'search' || !hasWords(request)) return;
    const failure = new ToolFailure(
      'EMBEDDINGS_PENDING',
      `the external search program has no vectors for ${formatCountOf(missing, 'document')}`,
      'run "svc memory index" to embed them',
    );
    if (mode === 'vsearch' && !hasHits) throw failure;
    const { code, message, hint } = failure;
    warnings.push({ code, message, hint });
  };

  /** Records a failure of the program. @throws anything else */
  const recordFailure = (tool: Tool, error: unknown): Warning => {
    if (isRefreshRunning(error)) {
      return refreshingWarning('the built-in engine answers until then');
    }
    const failure = error instanceof ToolFailure ? error : folderFailure(error);
    if (failure === undefined) throw error;
    beginRest(dir, restKey(tool), failure, clock);
    return failureWarning(failure);
  };

  const removeIndex = async (work: WorkOptions = {}): Promise<boolean> => {
    await session?.end();
    const { removeExtIndex } = await import('./sync-ext.js');
    return refresher.withRefreshLock(work, INDEX_LOCK_WAIT_MS, async () => removeExtIndex(dir));
  };

  /** Removes everything from the program's index that is no longer in a file. @throws ToolFailure */
  const cleanUp = async (work: WorkOptions): Promise<void> => {
    const tool = openTool();
    const waitMs = INDEX_LOCK_WAIT_MS;
    await refresher.refresh(tool, work, { embedsNow: false, waitMs });
    const timeoutMs = settings.update.updateTimeoutMs;
    await refresher.withRefreshLock(work, waitMs, () =>
      runTool(tool, ['cleanup'], { timeoutMs, signal: work.signal }),
    );
  };

  const answerWithBuiltin = async (
    request: SearchRequest,
    work: WorkOptions,
    warnings: readonly Warning[],
  ): Promise<SearchResponse> => {
    const response = await builtin.search(request, work);
    const isWithoutSessions =
      settings.sessions.enabled &&
      sources.transcripts === undefined &&
      request.sources === undefined;
    const missing = isWithoutSessions ? [BUILTIN_WITHOUT_SESSIONS] : [];
    return { ...response, warnings: [...warnings, ...missing, ...response.warnings] };
  };

  return {
    // Transfers and inspections are of the built-in engine's index.
    ...builtin,
    search: async (request, work = {}) => {
      // Reported as the built-in engine would, before looking for the program.
      resolveWorkspace(settings.workspaceDir);
      if (hasFilters(request.filters))
        return answerWithBuiltin(request, work, [FILTERED_BY_BUILTIN]);
      const warnings: Warning[] = [];
      const tool = toolToAsk(warnings);
      if (tool !== undefined) {
        const started = runningMs();
        try {
          const asking = { ...options, session, refresher, warnings };
          const hits = await freshHits(tool, request, work, asking);
          checkVectors(request, hits.length > 0, warnings);
          const answer = await responseOf(request, hits, options);
          endRest(dir, state().rest);
          return {
            ...answer,
            searchMs: msSince(started),
            warnings: [...warnings, ...answer.warnings],
          };
        } catch (error) {
          warnings.push(recordFailure(tool, error));
        }
      }
      return answerWithBuiltin(request, work, warnings);
    },
    get: async (request, work = {}) => {
      const { getExternal } = await import('./get-external.js');
      return getExternal(request, options, work);
    },
    list: async () => {
      const { listExternal } = await import('./get-external.js');
      return listExternal(settings, sources);
    },
    sync: async (request) => {
      const startedMs = clock.now();
      resolveWorkspace(settings.workspaceDir);
      const finished = (summary: SyncSummary): SyncSummary => {
        request.onEvent?.({ type: 'sync.finished', summary });
        return summary;
      };
      const warnings: Warning[] = [];
      const tool = foundTool(warnings);
      if (tool !== undefined) {
        const { rest } = state();
        try {
          const isForced = request.force === true;
          const result = await refresher.refresh(tool, request, {
            isForced,
            embedsNow: request.embeds !== false && request.isUpkeep !== true,
            waitMs: request.lockWaitMs ?? INDEX_LOCK_WAIT_MS,
          });
          // Upkeep says nothing about queries: those would wait for the same failure again.
          if (request.isUpkeep !== true) endRest(dir, rest);
          const { summaryOf } = await import('./sync-ext.js');
          return finished(summaryOf(result, clock.now() - startedMs, isForced));
        } catch (error) {
          if (isRefreshRunning(error)) throw error;
          warnings.push(recordFailure(tool, error));
        }
      }
      const result = await builtin.sync({
        ...request,
        // Reported once, together with earlier problems.
        onEvent: (event) => {
          if (event.type !== 'sync.finished') request.onEvent?.(event);
        },
      });
      return finished({ ...result, warnings: [...warnings, ...(result.warnings ?? [])] });
    },
    status: async (request) => {
      const { extStatus } = await import('./ext-status.js');
      const status = await builtin.status(request);
      const ext = extStatus(settings, openTool, refresher.tree, clock);
      return { ...status, backend: ext.answers, ext };
    },
    forgetting: async () => {
      const { exportedConversation, externalStore } = await import('./get-external.js');
      const base = await builtin.forgetting();
      const store = externalStore(base.store, sources, {
        exportSessions: (work) =>
          refresher.withRefreshLock(work, INDEX_LOCK_WAIT_MS, () => refresher.exportSessions(work)),
        cleanUp,
        removeIndex,
      });
      return {
        ...base,
        store,
        // The built-in engine knows conversations by their transcripts, if at all.
        plan: async (request, work) => {
          const { target } = request;
          const cited =
            typeof target === 'string' ? exportedConversation(target, options) : undefined;
          return base.plan({ ...request, target: cited ?? target }, work);
        },
      };
    },
    reset: async () => {
      const bytes = statSync(toolIndexFile(dir), { throwIfNoEntry: false })?.size ?? 0;
      const removed = await removeIndex();
      const { removeExports } = await import('./export-sessions.js');
      removeExports(exportListFile(dir));
      const reset = await builtin.reset();
      return { ...reset, deleted: removed || reset.deleted, bytes: bytes + reset.bytes };
    },
    close: async () => {
      await session?.close();
      await builtin.close();
    },
  };
}

const FILTERED_BY_BUILTIN: Warning = {
  code: 'FILTERED_BY_BUILTIN',
  message: 'the external search program has no filters, so the built-in engine answered',
};

const BUILTIN_WITHOUT_SESSIONS: Warning = {
  code: 'SOURCE_OFF',
  message: 'the built-in engine does not search conversations',
  hint: 'to make it, set memorySearch.experimental.sessionMemory to true, and add "sessions" to memorySearch.sources',
};
