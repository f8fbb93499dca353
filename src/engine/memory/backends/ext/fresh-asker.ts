import { existsSync } from 'node:fs';
import type { Warning } from '../../../errors/index.js';
import type { SearchRequest } from '../../search/types.js';
import type { WorkOptions } from '../memory-backend.js';
import type { ExtAsker } from './ext-asker.js';
import type { ExtRefresher, RefreshOptions } from './ext-refresher.js';
import type { ExtSettings } from './ext-settings.js';
import { readExtState } from './ext-state.js';
import { RunPending } from './shared-run.js';
import { type Tool, toolPlaces } from './tool/open-tool.js';
import type { ToolHit } from './tool/read-answer.js';
import { ToolFailure } from './tool/tool-failure.js';

/** What asks a fresh index. */
export interface FreshAskerOptions {
  readonly settings: ExtSettings;
  readonly asker: ExtAsker;
  readonly refresher: ExtRefresher;
  /** Look for changed files before an answer (`sync.onSearch`). */
  readonly syncOnSearch: boolean;
  /** Do so for the first question of a session (`sync.onSessionStart`). */
  readonly syncOnSessionStart: boolean;
}

/** A question waits so long for a refresh that somebody else is at, where there is an answer already. */
const PENDING_REFRESH_MS = 500;

/** Asks the program for hits that are as fresh as the files. */
export class FreshAsker {
  private readonly options: FreshAskerOptions;

  constructor(options: FreshAskerOptions) {
    this.options = options;
  }

  /**
   * The program is asked at once; while it looks, svc looks whether its index is fresh.
   *
   * @param warnings gets what the hits should be taken with
   * @throws RunPending where there is no index yet that could answer; ToolFailure; the signal's reason
   */
  async hits(
    tool: Tool,
    request: SearchRequest,
    work: WorkOptions,
    warnings: Warning[],
  ): Promise<readonly ToolHit[]> {
    const { settings, asker, refresher } = this.options;
    const state = readExtState(settings.dir);
    if (state.updated === undefined || !existsSync(toolPlaces(settings.dir).indexFile)) {
      const waitMs = Math.max(PENDING_REFRESH_MS, settings.limits.timeoutMs);
      return this.refreshedHits(tool, request, work, { embedsNow: true, waitMs });
    }
    const asking = outcomeOf(asker.ask(tool, request, work.signal));
    const isStale = this.looksAtFiles(work) && refresher.isStale(state);
    const asked = await asking;
    const isLost = 'failure' in asked && isLostCollection(asked.failure);
    if ('failure' in asked && !isLost) throw asked.failure;
    if ('hits' in asked && !isStale) return asked.hits;
    try {
      const how = { embedsNow: false, waitMs: PENDING_REFRESH_MS };
      return await this.refreshedHits(tool, request, work, how);
    } catch (error) {
      if (!(error instanceof RunPending) || !('hits' in asked)) throw error;
      warnings.push(refreshingWarning('newer notes may be missing'));
      return asked.hits;
    }
  }

  /** A collection that the program has lost is told to it again. */
  private async refreshedHits(
    tool: Tool,
    request: SearchRequest,
    work: WorkOptions,
    how: RefreshOptions,
  ): Promise<readonly ToolHit[]> {
    const { asker, refresher } = this.options;
    await refresher.refresh(tool, work, how);
    return asker.ask(tool, request, work.signal);
  }

  private looksAtFiles({ sessionStarts = false }: WorkOptions): boolean {
    const { syncOnSearch, syncOnSessionStart } = this.options;
    return syncOnSearch || (sessionStarts && syncOnSessionStart);
  }
}

/** Told beside an answer while somebody else refreshes the program's index. */
export function refreshingWarning(consequence: string): Warning {
  return {
    code: 'INDEX_BUSY',
    message: `the index of the external search program is being refreshed; ${consequence}`,
  };
}

type Outcome = { readonly failure: unknown } | { readonly hits: readonly ToolHit[] };

/** Never rejects: the question may be forgotten about while the files are looked at. */
async function outcomeOf(asked: Promise<readonly ToolHit[]>): Promise<Outcome> {
  return asked.then(
    (hits) => ({ hits }),
    (failure: unknown) => ({ failure }),
  );
}

function isLostCollection(failure: unknown): boolean {
  return failure instanceof ToolFailure && /collection not found/iu.test(failure.message);
}
