import type { SkippedFile } from '../../engine/memory/index.js';
import type { SyncEvent, SyncSummary } from '../../engine/memory/sync/index.js';
import { type EmbedProgress, embedEta, reduceEmbed, startEmbedProgress } from './embed-progress.js';
import type { Archived, Removed, WaitedFor } from './words.js';

/** The steps of a sync, in the order in which they start. */
export const SYNC_PHASES = ['scan', 'chunk', 'write', 'embed'] as const;

/**
 * A step of a sync: `scan` finds files, `chunk` reads and splits them, `write` stores them, `embed` creates vectors if
 * there is a provider.
 */
export type SyncPhase = (typeof SYNC_PHASES)[number];

/** A phase only moves forward: waiting, running, then done or stopped. */
export type PhaseState = 'done' | 'running' | 'stopped' | 'waiting';

interface SyncAmount {
  readonly files: number;
  /** As in the events of a sync: about how long it takes, not a size. */
  readonly work: number;
}

/** The state of a running sync, for the screen and the progress line. */
export interface SyncProgress {
  readonly phases: Readonly<Record<SyncPhase, PhaseState>>;
  /** The process whose lock the sync waits for, if any. */
  readonly waitingFor: WaitedFor | undefined;
  /** How much was archived before the files are counted. */
  readonly archived: Archived | undefined;
  readonly rebuild: SyncSummary['rebuild'] | undefined;
  /** Everything that exists; undefined until the scan is done. */
  readonly found: { readonly files: number; readonly bytes: number } | undefined;
  /** How much of it has to be read. */
  readonly planned: SyncAmount;
  /** How much was read or skipped so far; never more than planned. */
  readonly handled: SyncAmount;
  /** Undefined until the first one is. */
  readonly removed: Removed | undefined;
  readonly chunks: number;
  /** Files whose chunks are stored. */
  readonly committed: number;
  /** The file read last. */
  readonly current: string | undefined;
  /** The first skipped files, and the total number. */
  readonly skipped: { readonly first: readonly SkippedFile[]; readonly count: number };
  readonly publishing: boolean;
  /** Undefined until embedding starts. */
  readonly embedding: EmbedProgress | undefined;
  /** The provider that failed, once its fallback takes over. */
  readonly failedProvider: string | undefined;
  /** Times on the caller's clock, in milliseconds. */
  readonly startedMs: number;
  readonly scannedMs: number | undefined;
  /** When reading was finished, so that later steps do not lower the rate. */
  readonly chunkedMs: number | undefined;
  readonly lastMs: number;
  /** The recent past, oldest first, for rates; at most {@link WINDOW_MS} old. */
  readonly samples: readonly Sample[];
  /** When a document came for the last time that was more than {@link WINDOW_MS} after the one before. */
  readonly pauseEndedMs: number | undefined;
}

interface Sample {
  readonly atMs: number;
  readonly work: number;
  readonly chunks: number;
}

/** Rates are averaged over this long. */
const WINDOW_MS = 3000;
const SAMPLE_EVERY_MS = 100;
/** A rate over less than this is noise. */
const MEASURABLE_MS = 250;
/** An estimate of the time left over less than this jumps around. */
const PREDICTABLE_MS = 1000;
/** A screen shows only a few skipped files, and there may be very many. */
const SKIPPED_KEPT = 20;

/** A sync before its first event. */
export function startSyncProgress(atMs: number): SyncProgress {
  return {
    phases: { scan: 'running', chunk: 'waiting', write: 'waiting', embed: 'waiting' },
    waitingFor: undefined,
    archived: undefined,
    rebuild: undefined,
    found: undefined,
    planned: { files: 0, work: 0 },
    handled: { files: 0, work: 0 },
    removed: undefined,
    chunks: 0,
    committed: 0,
    current: undefined,
    skipped: { first: [], count: 0 },
    publishing: false,
    embedding: undefined,
    failedProvider: undefined,
    startedMs: atMs,
    scannedMs: undefined,
    chunkedMs: undefined,
    lastMs: atMs,
    samples: [],
    pauseEndedMs: undefined,
  };
}

/**
 * The state after an event. Pure, and valid (nothing negative or over the plan, no phase going back) for events in any
 * order, since a crashed screen would hide the work.
 *
 * @param atMs time of the event, on the clock of {@link startSyncProgress}
 */
export function reduceSync(state: SyncProgress, event: SyncEvent, atMs: number): SyncProgress {
  const next = afterEvent(state, event, atMs);
  const isChunked = RANK[next.phases.chunk] === RANK.done;
  return isChunked && next.chunkedMs === undefined ? { ...next, chunkedMs: next.lastMs } : next;
}

function afterEvent(state: SyncProgress, event: SyncEvent, atMs: number): SyncProgress {
  const next = { ...state, lastMs: Math.max(state.lastMs, atMs) };
  switch (event.type) {
    case 'lock.waiting':
      return { ...next, waitingFor: { pid: event.holder?.pid, part: event.part } };
    case 'archive.updated':
      return { ...next, waitingFor: undefined, archived: event };
    case 'rebuild.started':
      return { ...next, rebuild: { reason: event.reason, detail: event.detail } };
    case 'scan.finished':
      return afterScan(next, event);
    case 'document.indexed': {
      const amount = { files: 1, work: event.work };
      const chunks = next.chunks + event.chunks;
      return withSample(addHandled({ ...next, chunks, current: event.path }, amount));
    }
    case 'document.unchanged':
      return withSample(
        addHandled({ ...next, current: event.path }, { files: 1, work: event.work }),
      );
    case 'document.removed':
      return { ...next, removed: { done: event.removed, planned: event.toRemove } };
    case 'document.skipped':
      return afterSkip(next, event);
    case 'batch.committed':
      return {
        ...next,
        committed: Math.max(next.committed, event.documents),
        phases: advance(next.phases, { write: 'running' }),
      };
    case 'publish.started':
      return {
        ...next,
        publishing: true,
        phases: advance(next.phases, { scan: 'done', chunk: 'done', write: 'running' }),
      };
    case 'embed.started':
      return {
        ...next,
        waitingFor: undefined,
        current: undefined,
        publishing: false,
        embedding: startEmbedProgress(event, next.failedProvider, next.lastMs),
        phases: advance(next.phases, {
          scan: 'done',
          chunk: 'done',
          write: 'done',
          embed: 'running',
        }),
      };
    case 'embed.fallback':
      return { ...next, failedProvider: event.from };
    case 'embed.provider':
    case 'embed.stored':
      return { ...next, embedding: reduceEmbed(next.embedding, event, next.lastMs) };
    case 'ext.running':
      return { ...next, waitingFor: undefined, current: event.command };
    case 'sync.finished':
      return finish(next, event.summary);
  }
}

/** How much of the planned reading is done: 0 to 1, or by files where all are empty. */
export function syncFraction(state: SyncProgress): number {
  if (state.phases.chunk === 'done') return 1;
  const { planned, handled } = state;
  if (planned.work > 0) return handled.work / planned.work;
  return planned.files > 0 ? handled.files / planned.files : 0;
}

/**
 * Chunks per second: recently; on average once everything was read, or if there are long pauses; undefined while there is
 * too little to measure.
 */
export function syncRate(state: SyncProgress): number | undefined {
  const { chunkedMs, scannedMs, chunks } = state;
  if (chunkedMs !== undefined && scannedMs !== undefined) {
    const ms = chunkedMs - scannedMs;
    return ms < MEASURABLE_MS ? undefined : (chunks / ms) * 1000;
  }
  const span = recentSpan(state);
  return span === undefined ? undefined : (span.chunks / span.ms) * 1000;
}

/**
 * Milliseconds until everything is read, or embedded, at the present speed; undefined while unknown.
 * How many passages are to be embedded is not known before all files are read.
 */
export function syncEta(state: SyncProgress): number | undefined {
  if (state.phases.embed === 'running') return embedEta(state.embedding, state.lastMs);
  const span = recentSpan(state);
  if (state.phases.chunk !== 'running' || span === undefined || span.work <= 0) return undefined;
  if (span.ms < PREDICTABLE_MS) return undefined;
  return ((state.planned.work - state.handled.work) * span.ms) / span.work;
}

function afterScan(
  state: SyncProgress,
  event: Extract<SyncEvent, { readonly type: 'scan.finished' }>,
): SyncProgress {
  const planned = { files: event.filesToIndex, work: event.workToIndex };
  return {
    ...state,
    waitingFor: undefined,
    archived: undefined,
    found: { files: event.files, bytes: event.bytes },
    planned,
    handled: atMost(state.handled, planned),
    scannedMs: state.lastMs,
    samples: [{ atMs: state.lastMs, work: 0, chunks: state.chunks }],
    phases: advance(state.phases, { scan: 'done', chunk: 'running' }),
  };
}

function afterSkip(
  state: SyncProgress,
  { path, reason, detail, work = 0 }: Extract<SyncEvent, { readonly type: 'document.skipped' }>,
): SyncProgress {
  const file = { path, reason, ...(detail === undefined ? {} : { detail }) };
  const { first, count } = state.skipped;
  const skipped = {
    first: first.length < SKIPPED_KEPT ? [...first, file] : first,
    count: count + 1,
  };
  // Files that the scan itself leaves out were never planned.
  return state.found === undefined
    ? { ...state, skipped }
    : addHandled({ ...state, skipped }, { files: 1, work });
}

function finish(state: SyncProgress, summary: SyncSummary): SyncProgress {
  const end = summary.outcome === 'stopped' ? 'stopped' : 'done';
  return {
    ...state,
    waitingFor: undefined,
    current: undefined,
    phases: advance(state.phases, { scan: end, chunk: end, write: end, embed: end }),
  };
}

function addHandled(state: SyncProgress, amount: SyncAmount): SyncProgress {
  const files = state.handled.files + Math.max(0, amount.files);
  const work = state.handled.work + Math.max(0, amount.work);
  // A file that grew since the scan counts as what was planned for it.
  return { ...state, handled: atMost({ files, work }, state.planned) };
}

function atMost(amount: SyncAmount, limit: SyncAmount): SyncAmount {
  return { files: Math.min(amount.files, limit.files), work: Math.min(amount.work, limit.work) };
}

function withSample(state: SyncProgress): SyncProgress {
  const newest = state.samples.at(-1);
  if (newest !== undefined && state.lastMs - newest.atMs < SAMPLE_EVERY_MS) return state;
  const sample = { atMs: state.lastMs, work: state.handled.work, chunks: state.chunks };
  const recent = state.samples.filter(({ atMs }) => isRecent(state, atMs));
  const pauseEndedMs = recent.length === 0 ? state.lastMs : state.pauseEndedMs;
  return { ...state, pauseEndedMs, samples: [...recent, sample] };
}

function isRecent({ lastMs }: SyncProgress, atMs: number): boolean {
  return lastMs - atMs <= WINDOW_MS;
}

function recentSpan(state: SyncProgress) {
  const { pauseEndedMs, samples, scannedMs } = state;
  // Many documents are counted at once, and then written for seconds: only the whole time shows how fast that is.
  const isUneven = pauseEndedMs !== undefined && isRecent(state, pauseEndedMs);
  const from = isUneven ? { atMs: scannedMs ?? 0, work: 0, chunks: 0 } : samples[0];
  if (from === undefined) return undefined;
  const ms = (state.chunkedMs ?? state.lastMs) - from.atMs;
  if (ms < MEASURABLE_MS) return undefined;
  return { ms, work: state.handled.work - from.work, chunks: state.chunks - from.chunks };
}

const RANK: Readonly<Record<PhaseState, number>> = { waiting: 0, running: 1, stopped: 2, done: 2 };

function advance(
  phases: SyncProgress['phases'],
  targets: Partial<SyncProgress['phases']>,
): SyncProgress['phases'] {
  const advanced = { ...phases };
  for (const phase of SYNC_PHASES) {
    const target = targets[phase] ?? 'waiting';
    if (RANK[target] > RANK[phases[phase]]) advanced[phase] = target;
  }
  return advanced;
}
