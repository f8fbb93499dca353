import type { SyncEvent } from '../../engine/memory/sync/index.js';

type EmbedEvent<Type extends SyncEvent['type']> = Extract<SyncEvent, { readonly type: Type }>;
type ProviderEvent = EmbedEvent<'embed.provider'>['event'];

/** The state of embedding while it runs. */
export interface EmbedProgress {
  readonly provider: string;
  /** Passages to be embedded. */
  readonly planned: number;
  /** Passages finished; never more than planned. */
  readonly done: number;
  /** Passages that already had a vector. */
  readonly known: number;
  readonly tokens: number;
  readonly requests: number;
  /** The current rate limit of the provider, if any. */
  readonly limit: { readonly perSecond: number; readonly atMs: number } | undefined;
  /** Jobs at the batch API, if any. */
  readonly batch: BatchProgress | undefined;
  /** Progress of the download of a local model. */
  readonly download: { readonly bytes: number; readonly total: number | undefined } | undefined;
  /** The provider that failed, if this is the fallback. */
  readonly insteadOf: string | undefined;
  /** On the caller's clock, in milliseconds. */
  readonly startedMs: number;
}

/** All jobs at a batch API. */
export interface BatchProgress {
  readonly jobs: number;
  /** Never more than `jobs`. */
  readonly ended: number;
  /** Finished passages by job, as the provider reports them. */
  readonly doneByJob: Readonly<Record<string, number>>;
  readonly inputs: number;
}

/** A rate limit that was not repeated for this long has passed. */
const LIMIT_SHOWN_MS = 30_000;
/** A speed over less than this is noise. */
const MEASURABLE_MS = 1000;

/** Embedding that has just started, with the primary provider or its fallback. */
export function startEmbedProgress(
  { provider, passages, known }: EmbedEvent<'embed.started'>,
  insteadOf: string | undefined,
  atMs: number,
): EmbedProgress {
  return {
    provider,
    planned: Math.max(0, passages),
    done: 0,
    known: Math.max(0, known),
    tokens: 0,
    requests: 0,
    limit: undefined,
    batch: undefined,
    download: undefined,
    insteadOf,
    startedMs: atMs,
  };
}

/** The state after an event. Pure, and accepts events in any order. */
export function reduceEmbed(
  state: EmbedProgress | undefined,
  event: EmbedEvent<'embed.provider' | 'embed.stored'>,
  atMs: number,
): EmbedProgress | undefined {
  if (state === undefined) return undefined;
  const passed = state.limit !== undefined && atMs - state.limit.atMs > LIMIT_SHOWN_MS;
  const next = passed ? { ...state, limit: undefined } : state;
  switch (event.type) {
    case 'embed.stored':
      return { ...next, done: Math.min(next.planned, next.done + Math.max(0, event.passages)) };
    case 'embed.provider':
      return afterProvider(next, event.event, atMs);
  }
}

function afterProvider(state: EmbedProgress, event: ProviderEvent, atMs: number): EmbedProgress {
  switch (event.type) {
    case 'request.finished': {
      const tokens = state.tokens + Math.max(0, event.tokens);
      return { ...state, requests: state.requests + 1, tokens, download: undefined };
    }
    case 'rate.limited':
      return { ...state, limit: { perSecond: event.perSecond, atMs } };
    case 'batch.submitted': {
      const { jobs, ended, doneByJob, inputs } = state.batch ?? NO_JOBS;
      const batch = {
        jobs: jobs + 1,
        ended,
        doneByJob,
        inputs: inputs + Math.max(0, event.inputs),
      };
      return { ...state, batch };
    }
    case 'batch.progress': {
      if (state.batch === undefined || event.done === undefined) return state;
      const doneByJob = { ...state.batch.doneByJob, [event.job]: event.done };
      return { ...state, batch: { ...state.batch, doneByJob } };
    }
    case 'batch.ended': {
      if (state.batch === undefined) return state;
      const ended = Math.min(state.batch.jobs, state.batch.ended + 1);
      const doneByJob = { ...state.batch.doneByJob, [event.job]: event.embedded };
      return { ...state, batch: { ...state.batch, ended, doneByJob } };
    }
    case 'model.download':
      return { ...state, download: { bytes: event.bytes, total: event.total } };
    case 'batch.off':
    case 'batch.pending':
    case 'model.waiting':
    case 'request.retried':
      return state;
  }
}

const NO_JOBS: BatchProgress = { jobs: 0, ended: 0, doneByJob: {}, inputs: 0 };

/** Finished passages of batch jobs; never more than were submitted. */
export function batchDone({ doneByJob, inputs }: BatchProgress): number {
  const done = Object.values(doneByJob).reduce((sum, count) => sum + Math.max(0, count), 0);
  return Math.min(inputs, done);
}

/** From 0 to 1. */
export function embedFraction({ planned, done }: EmbedProgress): number {
  return planned === 0 ? 1 : done / planned;
}

/** Milliseconds left at the speed so far; undefined if unknown. */
export function embedEta(state: EmbedProgress | undefined, atMs: number): number | undefined {
  if (state === undefined || state.done === 0) return undefined;
  const ms = atMs - state.startedMs;
  return ms < MEASURABLE_MS ? undefined : ((state.planned - state.done) * ms) / state.done;
}
