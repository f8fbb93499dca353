import type { EmbeddingEvent } from '../../providers/embedding-event.js';
import type {
  BatchHandle,
  BatchSettings,
  BatchStatus,
  RequestLimits,
  VendorBatch,
  VendorCall,
} from '../../providers/vendor.js';
import { isTransient, VendorFault } from '../../providers/vendor-fault.js';
import { abortableSleep } from '../../support/async.js';
import type { KeyedInput, KeyedPart } from '../embedding-adapter.js';
import type { JobRecord, JobRecords, StartedJob } from './job-records.js';

/** What the jobs of one run share. */
export interface BatchRun {
  readonly vendor: VendorBatch;
  readonly settings: BatchSettings;
  readonly limits: RequestLimits;
  readonly records: JobRecords;
  readonly call: VendorCall;
  readonly nowMs: () => number;
  readonly onEvent: (event: EmbeddingEvent) => void;
  /** Validates and normalizes a vector. @throws VendorFault */
  readonly accept: (vector: Float32Array) => Float32Array;
  /** Embeds with ordinary requests. */
  readonly inline: (inputs: Iterable<KeyedInput>) => AsyncIterable<KeyedPart>;
  readonly health: BatchHealth;
}

/** After this many failed jobs, the rest of the run is inline. */
const MAX_FAILURES = 2;

/** Whether batch jobs work in this run. */
export class BatchHealth {
  /** Largest job; reduced when the vendor's queue is full. */
  maxEntries = Number.POSITIVE_INFINITY;
  private failures: number;
  private readonly onEvent: (event: EmbeddingEvent) => void;

  constructor(onEvent: (event: EmbeddingEvent) => void, isOn: boolean) {
    this.onEvent = onEvent;
    this.failures = isOn ? 0 : MAX_FAILURES;
  }

  get on(): boolean {
    return this.failures < MAX_FAILURES;
  }

  /** @param final the next job would fail in the same way */
  jobFailed(why: string, final: boolean): void {
    if (!this.on) return;
    this.failures = final ? MAX_FAILURES : this.failures + 1;
    if (!this.on) this.onEvent({ type: 'batch.off', why });
  }
}

export interface JobEnd {
  readonly embedded: ReadonlySet<string>;
  /** Set if it did not complete. */
  readonly why: string | undefined;
  /** It failed only because the vendor's queue was full. */
  readonly queueFull: boolean;
}

/** Vendors advise polling every half minute; the first polls come sooner, unless an interval is configured. */
const FIRST_PAUSE_MS = 2000;
const LONGEST_PAUSE_MS = 30_000;
const PAUSE_GROWTH = 1.5;
/** Vendors take up to ten minutes to cancel a job and publish its results. */
const CANCEL_MS = 15 * 60_000;
const PART_SIZE = 256;
/** Attempts to read broken results. */
const MAX_READINGS = 3;

/** The pause after a number of polls without an end. */
export function pollPauseMs(
  { pollIntervalMs }: Pick<BatchSettings, 'pollIntervalMs'>,
  polls: number,
): number {
  return pollIntervalMs ?? Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * PAUSE_GROWTH ** polls);
}

export type EndedStatus = Exclude<BatchStatus, { readonly state: 'running' }>;

/**
 * Waits for a job to end. After the configured time, or at once if jobs were turned off, cancels it and takes what was
 * finished.
 *
 * @throws VendorFault, or the signal's reason; the job stays stored
 */
export async function awaitJob(job: StartedJob, run: BatchRun): Promise<EndedStatus> {
  const { settings, call, nowMs, vendor } = run;
  let polls = 0;
  let deadlineMs = nowMs() + (settings.enabled ? settings.timeoutMinutes * 60_000 : 0);
  let cancelled: string | undefined;
  let done: number | undefined;
  for (;;) {
    const status = await pollJob(job, run);
    if (status.state !== 'running') {
      return cancelled === undefined ? status : { ...status, why: cancelled };
    }
    if (status.done !== undefined && status.done !== done) {
      done = status.done;
      const total = status.total ?? job.keys.length;
      run.onEvent({ type: 'batch.progress', job: job.id, done, total });
    }
    if (nowMs() >= deadlineMs) {
      if (cancelled !== undefined) return { state: 'failed', why: cancelled };
      cancelled = settings.enabled
        ? `it took longer than ${settings.timeoutMinutes} min (remote.batch.timeoutMinutes)`
        : 'remote.batch.enabled is off';
      deadlineMs = nowMs() + CANCEL_MS;
      polls = 0;
      // A job that ended just now cannot be cancelled; the next poll shows that.
      await resultOrFault(vendor.cancel(job.handle, call), run);
    }
    const pauseMs = Math.min(pollPauseMs(settings, polls++), deadlineMs - nowMs());
    await abortableSleep(Math.max(1, pauseMs), call.signal);
  }
}

/** Polls a job. A temporary failure counts as still running. */
export async function pollJob(job: StartedJob, run: BatchRun): Promise<BatchStatus> {
  const status = await resultOrFault(run.vendor.status(job.handle, run.call), run);
  if (!(status instanceof VendorFault)) return status;
  if (isGone(status)) return { state: 'failed', why: 'the job no longer exists at the vendor' };
  if (isInconclusive(status)) return { state: 'running', done: undefined, total: undefined };
  throw status;
}

/**
 * Yields the results of an ended job. It stays stored until {@link clearJob}.
 *
 * @throws VendorFault, or the signal's reason; the job stays stored
 */
export async function* collectJob(
  job: StartedJob,
  status: EndedStatus,
  run: BatchRun,
): AsyncGenerator<KeyedPart, JobEnd> {
  const embedded = new Set<string>();
  let { why } = status;
  if (status.state === 'ended') {
    const lost = yield* readResults(job, embedded, run);
    why = lost ?? why;
  }
  const left = job.keys.length - embedded.size;
  run.onEvent({ type: 'batch.ended', job: job.id, embedded: embedded.size, left, why });
  return { embedded, why, queueFull: status.state === 'failed' && status.queueFull === true };
}

/** Deletes a job at the vendor and in the store. */
export async function clearJob(job: StartedJob, run: BatchRun): Promise<void> {
  await resultOrFault(run.vendor.discard(job.handle, run.call), run);
  await run.records.forget(job);
}

/**
 * @param embedded receives the keys
 * @returns why results are missing, if the vendor no longer has them
 */
async function* readResults(
  job: StartedJob,
  embedded: Set<string>,
  run: BatchRun,
): AsyncGenerator<KeyedPart, string | undefined> {
  const { signal, pacing } = run.call;
  for (let tries = 1; ; tries++) {
    try {
      yield* inParts(newVectors(job, embedded, run));
      return undefined;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof VendorFault)) throw error;
      if (isGone(error)) return 'the vendor no longer has its results';
      const isBroken = error.details.kind === 'answer';
      // Later runs would fail too: better to pay twice than to be stuck.
      if (isBroken && tries >= MAX_READINGS) return `its results are broken: ${error.message}`;
      // Vectors received so far are kept; the file is read from the start.
      const waitMs = isBroken ? pollPauseMs(run.settings, 0) : pacing.delayAfter(error, tries);
      if (waitMs === undefined) throw error;
      await abortableSleep(waitMs, signal);
    }
  }
}

type KeyedVector = KeyedPart['embedded'][number];

async function* newVectors(
  job: StartedJob,
  embedded: Set<string>,
  run: BatchRun,
): AsyncGenerator<KeyedVector> {
  const keys = new Set(job.keys);
  for await (const result of run.vendor.results(job.handle, run.call)) {
    const { key } = result;
    if ('why' in result || !keys.has(key) || embedded.has(key)) continue;
    const vector = validVector(result.vector, run);
    if (vector === undefined) continue;
    embedded.add(key);
    yield { input: { key }, vector };
  }
}

/** Yields what arrived before a fault, then throws it. */
async function* inParts(vectors: AsyncIterable<KeyedVector>): AsyncGenerator<KeyedPart> {
  let part: KeyedVector[] = [];
  let failure: { readonly error: unknown } | undefined;
  try {
    for await (const vector of vectors) {
      part.push(vector);
      if (part.length < PART_SIZE) continue;
      yield { embedded: part, refused: [] };
      part = [];
    }
  } catch (error) {
    failure = { error };
  }
  if (part.length > 0) yield { embedded: part, refused: [] };
  if (failure !== undefined) throw failure.error;
}

/** A broken vector counts as missing: embedding its input inline shows what is wrong. */
function validVector(vector: Float32Array, run: BatchRun): Float32Array | undefined {
  try {
    return run.accept(vector);
  } catch (error) {
    if (error instanceof VendorFault) return undefined;
    throw error;
  }
}

function isGone({ details }: VendorFault): boolean {
  return details.status === 404 || details.status === 410;
}

/** What a request returns, or its fault. @throws any other error, or the signal's reason */
async function resultOrFault<T>(request: Promise<T>, { call }: BatchRun): Promise<T | VendorFault> {
  try {
    return await request;
  } catch (error) {
    call.signal.throwIfAborted();
    if (!(error instanceof VendorFault)) throw error;
    return error;
  }
}

/**
 * Starts a job. It is stored before it is submitted, and looked up before a retry whose first
 * answer was lost, so no job is started twice.
 *
 * @throws VendorFault if the vendor may have the job, which stays stored
 */
export async function submitJob(inputs: ReadonlyMap<string, KeyedInput>, run: BatchRun) {
  const { vendor, records, call, onEvent } = run;
  const record = await records.begin([...inputs.keys()]);
  const entries = Array.from(inputs, ([key, input]) => ({ key, input }));
  for (let tries = 1; ; tries++) {
    const submitted = await resultOrFault(vendor.submit(entries, record.id, call), run);
    const isOpen = submitted instanceof VendorFault && isInconclusive(submitted);
    const handle = (isOpen ? await findJob(record, run) : undefined) ?? submitted;
    if (!(handle instanceof VendorFault)) {
      const started = await records.started(record, handle);
      onEvent({ type: 'batch.submitted', inputs: inputs.size, resumed: false });
      return started;
    }
    const waitMs = call.pacing.delayAfter(handle, tries);
    if (waitMs === undefined) {
      await records.forget(record);
      const why = handle.message;
      onEvent({ type: 'batch.ended', job: record.id, embedded: 0, left: inputs.size, why });
      // If final, the next job would fail in the same way.
      return { why, final: !isInconclusive(handle) };
    }
    await abortableSleep(waitMs, call.signal);
  }
}

/** Looks up a stored job whose handle was lost. */
export async function findJob(record: JobRecord, run: BatchRun): Promise<BatchHandle | undefined> {
  const found = await resultOrFault(run.vendor.find(record.id, run.call), run);
  if (!(found instanceof VendorFault)) return found;
  // An endpoint without lists has no batches either.
  if (UNKNOWN_ROUTE.has(found.details.status ?? 0)) return undefined;
  throw found;
}

const UNKNOWN_ROUTE = new Set([404, 405, 501]);

/** Whether a fault leaves open what the vendor did, and what became of a job. */
function isInconclusive(fault: VendorFault): boolean {
  return isTransient(fault) || fault.details.kind === 'answer';
}
