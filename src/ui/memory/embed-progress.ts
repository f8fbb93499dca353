import type { SyncEvent } from '../../engine/memory/sync/index.js';
import {
  formatBytes,
  formatCount,
  formatCountOf,
  formatDuration,
  formatRate,
  formatShortCountOf,
} from '../../engine/support/format.js';
import { downloadNote } from '../provider/install-words.js';
import { safeLine } from '../safe-text.js';

type SyncEventOf<Type extends SyncEvent['type']> = Extract<SyncEvent, { readonly type: Type }>;
/** What a provider reports while it embeds. */
export type ProviderEvent = SyncEventOf<'embed.provider'>['event'];

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
  readonly limit: (RateLimit & { readonly atMs: number }) | undefined;
  /** Why requests are repeated, until one succeeds. */
  readonly retried: string | undefined;
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
  /** Finished texts by job, as the provider reports them. */
  readonly doneByJob: Readonly<Record<string, number>>;
  readonly inputs: number;
}

type RateLimit = Pick<Extract<ProviderEvent, { type: 'rate.limited' }>, 'askedMs' | 'perSecond'>;

/** A rate limit that was not repeated for this long has passed. */
const LIMIT_SHOWN_MS = 30_000;
/** A speed over less than this is noise. */
const MEASURABLE_MS = 1000;

/** Embedding that has just started, with the primary provider or its fallback. */
export function startEmbedProgress(
  { provider, passages, known }: SyncEventOf<'embed.started'>,
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
    retried: undefined,
    batch: undefined,
    download: undefined,
    insteadOf,
    startedMs: atMs,
  };
}

/** The state after an event. Pure, and accepts events in any order. */
export function reduceEmbed(
  state: EmbedProgress | undefined,
  event: SyncEventOf<'embed.provider' | 'embed.stored'>,
  atMs: number,
): EmbedProgress | undefined {
  if (state === undefined) return undefined;
  const hasLimitPassed = state.limit !== undefined && atMs - state.limit.atMs > LIMIT_SHOWN_MS;
  const next = hasLimitPassed ? { ...state, limit: undefined } : state;
  switch (event.type) {
    case 'embed.stored':
      return { ...next, done: Math.min(next.planned, next.done + Math.max(0, event.passages)) };
    case 'embed.provider':
      return afterProviderEvent(next, event.event, atMs);
  }
}

function afterProviderEvent(
  state: EmbedProgress,
  event: ProviderEvent,
  atMs: number,
): EmbedProgress {
  switch (event.type) {
    case 'request.finished': {
      const tokens = state.tokens + Math.max(0, event.tokens);
      const requests = state.requests + 1;
      return { ...state, requests, tokens, retried: undefined, download: undefined };
    }
    case 'rate.limited':
      return { ...state, limit: { perSecond: event.perSecond, askedMs: event.askedMs, atMs } };
    case 'request.retried':
      return { ...state, retried: event.why };
    case 'batch.submitted': {
      const batch = state.batch ?? NO_JOBS;
      const inputs = batch.inputs + Math.max(0, event.inputs);
      return { ...state, batch: { ...batch, jobs: batch.jobs + 1, inputs } };
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
      return state;
  }
}

const NO_JOBS: BatchProgress = { jobs: 0, ended: 0, doneByJob: {}, inputs: 0 };

/** Finished texts of batch jobs; never more than were submitted. */
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

/** The provider and its work so far: `openai · 24 requests`. */
export function embedWorkWords({ provider, requests, batch, download }: EmbedProgress): string {
  const who = safeLine(provider);
  if (download !== undefined) {
    const { bytes, total } = download;
    const amount =
      total === undefined ? formatBytes(bytes) : `${Math.floor((bytes / total) * 100)} %`;
    return `downloading the model · ${amount}`;
  }
  if (batch !== undefined && batch.ended < batch.jobs) {
    const jobs = `${formatCount(batch.ended)} of ${formatCountOf(batch.jobs, 'job')}`;
    return `${who} · ${jobs}`;
  }
  return requests === 0 ? who : `${who} · ${formatCountOf(requests, 'request')}`;
}

/** Cache hits, tokens, batch jobs, rate limits and retries. */
export function embedDetailWords(progress: EmbedProgress): string {
  const { known, tokens, limit, retried, batch, insteadOf } = progress;
  const parts = [
    insteadOf === undefined ? '' : `instead of ${safeLine(insteadOf)}`,
    known === 0 ? '' : `cache ${formatCountOf(known, 'hit')}`,
    tokens === 0 ? '' : formatShortCountOf(tokens, 'token'),
    batch === undefined
      ? ''
      : `batch ${formatCount(batchDone(batch))}/${formatCount(batch.inputs)}`,
    limit === undefined ? '' : `429: ${limitWords(limit)}`,
    retried === undefined ? '' : `trying again after "${safeLine(retried)}"`,
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

/** What a rate limit asks for: the rate says little while all requests wait. */
function limitWords({ perSecond, askedMs }: RateLimit): string {
  return askedMs !== undefined && askedMs >= LONG_WAIT_MS
    ? `asks to wait ${formatDuration(askedMs)}`
    : `slowed to ${formatRate(perSecond, 'req')}`;
}

const LONG_WAIT_MS = 10_000;

/** A provider's event as a line; undefined if the progress shows it. */
export function providerEventWords(
  event: ProviderEvent,
  provider: string,
  verbose: boolean,
): string | undefined {
  const who = safeLine(provider);
  switch (event.type) {
    case 'request.finished':
      return undefined;
    case 'rate.limited':
      return `${who} rate limit: ${limitWords(event)}`;
    case 'request.retried':
      return verbose ? `${who}: retried after "${safeLine(event.why)}"` : undefined;
    case 'model.waiting':
      return `${who}: waiting for another process to download the model`;
    case 'model.download':
      return `${who}: downloading the model: ${downloadNote(event).text}`;
    case 'batch.submitted': {
      const what = event.resumed ? 'resumed a batch job' : 'started a batch job';
      // A passage is embedded in up to four texts.
      return `${who}: ${what} of ${formatCountOf(event.inputs, 'text')}`;
    }
    case 'batch.progress':
      return verbose && event.done !== undefined
        ? `${who}: ${formatCount(event.done)} of ${formatCount(event.total)} of a batch job done`
        : undefined;
    case 'batch.ended': {
      // Notes of an earlier run's job can be gone.
      const left =
        event.left === 0
          ? ''
          : `; ${formatCount(event.left)} left, embedded inline if still needed`;
      const why = event.why === undefined ? '' : `: ${safeLine(event.why)}`;
      return `${who}: batch job ended with ${formatCountOf(event.embedded, 'vector')}${left}${why}`;
    }
    case 'batch.off':
      return `${who}: batch jobs disabled, embedding the rest inline: ${safeLine(event.why)}`;
    case 'batch.pending': {
      const jobs = formatCountOf(event.jobs, 'batch job');
      return `${who}: ${jobs} in progress with ${formatCountOf(event.inputs, 'text')}; a later run collects the results`;
    }
  }
}
