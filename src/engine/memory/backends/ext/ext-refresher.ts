import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../../context.js';
import { withProcessLock } from '../../../process-lock.js';
import type { ForgetPlaces } from '../../forget/forget-list.js';
import type { TranscriptSources } from '../../sources/transcripts/transcript-files.js';
import type { SkippedFile } from '../../types.js';
import type { WorkOptions } from '../memory-backend.js';
import type { ExtSettings } from './ext-settings.js';
import { treeOf } from './ext-sources.js';
import { type ExtState, readExtState } from './ext-state.js';
import { knownFeatures } from './known-features.js';
import type { ExtSyncResult } from './sync-ext.js';
import type { Tool } from './tool/open-tool.js';

/** What a refresher is told. */
export interface ExtRefresherOptions {
  readonly settings: ExtSettings;
  /** Conversations to export; undefined where none are searched. */
  readonly transcripts: TranscriptSources | undefined;
  readonly forget: ForgetPlaces;
  readonly clock: Clock;
  /** Held by whoever refreshes, whichever agent's index it is: they take turns. */
  readonly lockFile: string;
  /** Where a person's own models lie. */
  readonly modelsDir: string | undefined;
  /** Called when the program was told of other collections than before. */
  readonly onNewCollections: () => Promise<void>;
}

/** How a refresh is done. */
export interface RefreshOptions {
  /** Make vectors now, whenever that was last done. */
  readonly embedsNow: boolean;
  /** How long to wait for another's refresh; as long as one may take when left out. */
  readonly waitMs?: number;
}

/** Somebody else refreshes, and takes longer than the question waits. */
export class RefreshPending extends Error {
  override name = 'RefreshPending';
}

/** Keeps the program's index of one agent in line with its files. */
export class ExtRefresher {
  private readonly options: ExtRefresherOptions;
  private refreshing: Promise<ExtSyncResult> | undefined;

  constructor(options: ExtRefresherOptions) {
    this.options = options;
  }

  /**
   * Refreshes. The refresh that this process is at may have looked at the files too early: it is waited
   * for, and done again where they changed since.
   *
   * @throws RefreshPending, ToolFailure; the signal's reason
   */
  async refresh(tool: Tool, work: WorkOptions, how: RefreshOptions): Promise<ExtSyncResult> {
    if (this.refreshing !== undefined) {
      const result = await this.refreshing;
      if (!this.isStale(result.state)) return result;
    }
    this.refreshing ??= this.refreshAlone(tool, work, how).finally(() => {
      this.refreshing = undefined;
    });
    return this.refreshing;
  }

  /** What the files look like now; see treeOf. */
  tree(): string | null {
    const { settings, transcripts, clock } = this.options;
    return treeOf(settings.collections(), transcripts, clock.now());
  }

  /** Whether files changed since the last refresh, as far as a look at Markdown files tells. */
  isStale({ updated }: ExtState): boolean {
    if (updated === undefined || updated.tree === null || updated.tree !== this.tree()) return true;
    const { settings, clock } = this.options;
    const { intervalMs } = settings.update;
    const hasOthers = settings.collections().some(({ pattern }) => !/\.md$/iu.test(pattern));
    return hasOthers && intervalMs > 0 && clock.now() - updated.atMs >= intervalMs;
  }

  private async refreshAlone(
    tool: Tool,
    work: WorkOptions,
    { embedsNow, waitMs }: RefreshOptions,
  ): Promise<ExtSyncResult> {
    const { settings, lockFile, clock, modelsDir } = this.options;
    const features = await knownFeatures(tool, settings, work.signal);
    const { syncExt } = await import('./sync-ext.js');
    const before = readExtState(settings.dir).collections;
    const patience = AbortSignal.timeout(waitMs ?? settings.update.updateTimeoutMs);
    const signal = work.signal === undefined ? patience : AbortSignal.any([work.signal, patience]);
    const target = {
      settings,
      tool,
      features,
      clock,
      modelsDir,
      exportSessions: this.exporter(),
      tree: () => this.tree(),
    };
    let isMine = false;
    const result = await withProcessLock(lockFile, { signal }, () => {
      isMine = true;
      return syncExt(target, { ...work, embedsNow });
    }).catch((error: unknown) => {
      work.signal?.throwIfAborted();
      throw !isMine && patience.aborted ? new RefreshPending() : error;
    });
    if (!isDeepStrictEqual(before, result.state.collections)) await this.options.onNewCollections();
    return result;
  }

  private exporter(): (() => Promise<readonly SkippedFile[]>) | undefined {
    const { settings, transcripts, forget, clock } = this.options;
    if (transcripts === undefined) return undefined;
    const { exportDir, retentionDays } = settings.sessions;
    return async () => {
      const { exportSessions } = await import('./export-sessions.js');
      const listFile = exportListFile(settings.dir);
      const nowMs = clock.now();
      return exportSessions({ transcripts, exportDir, retentionDays, listFile, forget, nowMs });
    };
  }
}

/** Where it is remembered which conversations were exported, and to which files. */
export function exportListFile(dir: string): string {
  return join(dir, 'exports.json');
}
