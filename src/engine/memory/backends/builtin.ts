import { statSync } from 'node:fs';
import type { Clock } from '../../context.js';
import { SvcError, type Warning } from '../../errors/index.js';
import { isDamage } from '../index/database.js';
import { currentIdentity, identityDifferences } from '../index/identity.js';
import type { MemoryIndex } from '../index/memory-index.js';
import { damageComplaint, type OpenedIndex, openIndex } from '../index/open-index.js';
import { type SearchOptions, searchIndex } from '../search/search-index.js';
import type { SearchRequest, SearchResponse } from '../search/types.js';
import { scanMemoryFiles } from '../sources/memory-files.js';
import type { SyncSummary } from '../sync/events.js';
import { isUpToDate, planChanges, type SyncPlan } from '../sync/plan-changes.js';
import { rebuildNeeded } from '../sync/rebuild-needed.js';
import type { SyncTarget } from '../sync/sync-index.js';
import { isSameTree, snapshotOf } from '../sync/tree-snapshot.js';
import type {
  BackendStatus,
  GetRequest,
  GetResponse,
  IndexState,
  MemoryBackend,
  ResetResult,
  Staleness,
  WorkOptions,
} from './memory-backend.js';

/** What the builtin engine is told of one agent. */
export interface BuiltinOptions {
  readonly target: SyncTarget;
  readonly search: Omit<SearchOptions, 'warnings'>;
  /** Look for changed files before answering (`sync.onSearch`). */
  readonly syncOnSearch: boolean;
  readonly clock: Clock;
}

/** A first index may take its time; whoever waits for it sees its progress. */
const FIRST_BUILD_WAIT_MS = 30 * 60 * 1000;
/** `svc memory index` waits for another writer, then finds its work done. */
const SYNC_WAIT_MS = 10 * 60 * 1000;
/** A search that needs a small update does not wait for whoever is doing a large one. */
const UPDATE_WAIT_MS = 0;

interface OpenHandle {
  readonly index: MemoryIndex;
  readonly inode: number;
}

/** Search over the index database that svc itself keeps. Holds a connection until closed. */
export class BuiltinBackend implements MemoryBackend {
  private readonly options: BuiltinOptions;
  private handle: OpenHandle | undefined;

  constructor(options: BuiltinOptions) {
    this.options = options;
  }

  async search(request: SearchRequest, work: WorkOptions = {}): Promise<SearchResponse> {
    const warnings: Warning[] = [];
    return this.answer(work, warnings, (index) =>
      searchIndex(index, request, { ...this.options.search, warnings }),
    );
  }

  async get(request: GetRequest, work: WorkOptions = {}): Promise<GetResponse> {
    const { readLines } = await import('./read-lines.js');
    return this.answer(work, [], (index) =>
      readLines(index, this.options.target.files.workspaceDir, request),
    );
  }

  async sync(options: WorkOptions & { readonly force?: boolean }): Promise<SyncSummary> {
    this.close();
    const syncIndex = await loadSync();
    return syncIndex(this.options.target, {
      ...options,
      lockWaitMs: SYNC_WAIT_MS,
      clock: this.options.clock,
    });
  }

  async status(): Promise<BackendStatus> {
    const opened = openIndex(this.options.target.indexFile, 'read');
    try {
      return await this.statusOf(opened);
    } catch (error) {
      if (!isDamage(error)) throw error;
      return await this.statusOf({ state: 'unusable', why: damageComplaint(error) });
    } finally {
      if (opened.state === 'ready') opened.index.close();
    }
  }

  async reset(): Promise<ResetResult> {
    this.close();
    const { resetIndex } = await import('../sync/reset-index.js');
    return resetIndex(this.options.target.indexFile, this.options.clock);
  }

  close(): void {
    this.handle?.index.close();
    this.handle = undefined;
  }

  private async statusOf(opened: OpenedIndex): Promise<BackendStatus> {
    const { target } = this.options;
    const faults: Warning[] = [];
    const scan = this.tryScan(faults);
    const stored = opened.state === 'ready' ? await opened.index.documents() : [];
    const plan = scan === undefined ? undefined : planChanges(scan.files, stored);
    return {
      backend: 'builtin',
      workspaceDir: target.files.workspaceDir,
      indexFile: target.indexFile,
      index: await indexState(opened, target),
      staleness: plan === undefined ? undefined : stalenessOf(plan),
      sources: ['memory'],
      extraPaths: target.files.extraPaths,
      tokenizer: target.settings.tokenizer,
      skipped: scan?.skipped ?? [],
      faults,
    };
  }

  /** Asks the fresh index; one that turns out to be damaged on the way is built anew first. */
  private async answer<T>(
    work: WorkOptions,
    warnings: Warning[],
    ask: (index: MemoryIndex) => Promise<T>,
  ): Promise<T> {
    try {
      return await ask(await this.freshIndex(work, warnings));
    } catch (error) {
      if (!isDamage(error)) throw error;
      stopIfInterrupted(await this.sync({ ...work, force: true }));
      warnings.push(this.rebuiltWarning(damageComplaint(error)));
      return ask(await this.freshIndex(work, warnings));
    }
  }

  private rebuiltWarning(why: string): Warning {
    const { indexFile } = this.options.target;
    return { code: 'INDEX_REBUILT', message: `the index ${indexFile} was built anew: ${why}` };
  }

  /** The index, brought up to date where that is wanted and possible; says so where it is not. */
  private async freshIndex(work: WorkOptions, warnings: Warning[]): Promise<MemoryIndex> {
    const { target, clock, syncOnSearch } = this.options;
    const opened = this.openHandle();
    if (opened.state === 'ready') {
      if (!syncOnSearch || (await this.isFresh(opened.index))) return opened.index;
    } else if (opened.state === 'unusable') {
      warnings.push(this.rebuiltWarning(opened.why));
    }
    const usable = opened.state === 'ready' ? opened.index : undefined;
    try {
      const syncIndex = await loadSync();
      const summary = await syncIndex(target, {
        ...work,
        lockWaitMs: usable === undefined ? FIRST_BUILD_WAIT_MS : UPDATE_WAIT_MS,
        clock,
      });
      stopIfInterrupted(summary);
    } catch (error) {
      const warning = usable === undefined ? undefined : staleWarning(error);
      if (usable === undefined || warning === undefined) throw error;
      warnings.push(warning);
      return usable;
    }
    const synced = this.openHandle();
    if (synced.state === 'ready') return synced.index;
    throw new SvcError('INDEX_CORRUPT', `the index ${target.indexFile} cannot be opened`, {
      hint: 'run "svc memory reset" and try again',
    });
  }

  /** Whether the index mirrors the files as they are now; looks at no file's content. */
  private async isFresh(index: MemoryIndex): Promise<boolean> {
    const { target, clock } = this.options;
    const wanted = currentIdentity(target.settings);
    if (identityDifferences(await index.identity(), wanted).length > 0) return false;
    const scannedMs = clock.now();
    const { files } = scanMemoryFiles(target.files);
    const before = (await index.syncMark()).tree;
    const now = before === undefined ? undefined : snapshotOf(files, scannedMs);
    if (before !== undefined && now !== undefined && isSameTree(before, now)) return true;
    return isUpToDate(planChanges(files, await index.documents()));
  }

  /** Opens the index, or keeps the open one while its path still names the same file. */
  private openHandle():
    | { state: 'missing' }
    | { state: 'unusable'; why: string }
    | { state: 'ready'; index: MemoryIndex } {
    const { indexFile } = this.options.target;
    const inode = statSync(indexFile, { throwIfNoEntry: false })?.ino;
    if (this.handle !== undefined && this.handle.inode === inode) {
      return { state: 'ready', index: this.handle.index };
    }
    this.close();
    const opened = openIndex(indexFile, 'read');
    if (opened.state === 'ready' && inode !== undefined) {
      this.handle = { index: opened.index, inode };
    }
    return opened;
  }

  private tryScan(faults: Warning[]): ReturnType<typeof scanMemoryFiles> | undefined {
    try {
      return scanMemoryFiles(this.options.target.files);
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      const hint = error.hint === undefined ? {} : { hint: error.hint };
      faults.push({ code: 'INDEX_STALE', message: error.message, ...hint });
      return undefined;
    }
  }
}

/** An answer from an index that is up to date never loads what writes one. */
async function loadSync(): Promise<typeof import('../sync/sync-index.js').syncIndex> {
  const { syncIndex } = await import('../sync/sync-index.js');
  return syncIndex;
}

function stopIfInterrupted(summary: SyncSummary): void {
  if (summary.outcome !== 'stopped') return;
  const documents = summary.added + summary.changed;
  throw new SvcError('INTERRUPTED', `stopped; ${documents} files were indexed and are kept`, {
    hint: 'run the same command again to go on from there',
  });
}

/** The warning for a failed update when an older index can still answer; undefined for the rest. */
function staleWarning(error: unknown): Warning | undefined {
  if (!(error instanceof SvcError)) return undefined;
  const hint = error.hint === undefined ? {} : { hint: error.hint };
  switch (error.code) {
    case 'INDEX_LOCKED':
      return {
        code: 'INDEX_BUSY',
        message: 'another process is updating the index; this answer may miss the newest changes',
      };
    case 'INDEX_DISK_FULL':
    case 'INDEX_UNWRITABLE':
      return {
        code: 'INDEX_STALE',
        message: `the index could not be updated, this answer may be out of date: ${error.message}`,
        ...hint,
      };
    default:
      return undefined;
  }
}

async function indexState(
  opened: ReturnType<typeof openIndex>,
  target: SyncTarget,
): Promise<IndexState> {
  if (opened.state === 'missing') return { state: 'missing' };
  if (opened.state === 'unusable') return { state: 'unusable', why: opened.why };
  const statistics = await opened.index.statistics();
  const rebuild = rebuildNeeded(opened, target.settings, false);
  return rebuild === undefined
    ? { state: 'ready', statistics }
    : { state: 'ready', statistics, rebuildBecause: rebuild.detail };
}

const EXAMPLES = 5;

function stalenessOf(plan: SyncPlan): Staleness {
  const added = plan.read.filter((planned) => planned.stored === undefined).length;
  return {
    added,
    changed: plan.read.length - added,
    removed: plan.remove.length,
    examples: [
      ...plan.read.map((planned) => planned.file.path),
      ...plan.remove.map((d) => d.path),
    ].slice(0, EXAMPLES),
  };
}
