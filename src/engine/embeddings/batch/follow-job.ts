import { abortableSleep } from '../requests/pacer.js';
import type { BatchStatus } from '../vendor.js';
import { isTransient, VendorFault } from '../vendor-fault.js';
import type { KeyedPart } from './batch-embedding.js';
import type { BatchRun } from './batch-run.js';
import type { StartedJob } from './job-records.js';

/** How a job ended, after its results were taken. */
export interface JobEnd {
  /** Keys of the inputs that it embedded. */
  readonly embedded: ReadonlySet<string>;
  /** Set when it did not go to its end. */
  readonly why: string | undefined;
  /** It failed only because too much waits at the vendor. */
  readonly queueFull: boolean;
}

/** Vendors advise half a minute between two looks; a first look is worth it sooner. */
const LONGEST_PAUSE_MS = 30_000;
const PAUSE_GROWTH = 1.5;
/** Vendors take up to ten minutes to cancel a job and hand out what it finished. */
const CANCEL_MS = 15 * 60_000;
const PART_SIZE = 256;
/** Of results that are not what they should be. */
const MAX_READINGS = 3;

/** A state that a job does not leave any more. */
export type EndedStatus = Exclude<BatchStatus, { readonly state: 'running' }>;

/**
 * Waits for a job to end, at most as long as the settings have it: then it is cancelled, and what
 * was finished is taken.
 *
 * @throws VendorFault, or the signal's reason; the job stays remembered
 */
export async function awaitJob(job: StartedJob, run: BatchRun): Promise<EndedStatus> {
  const { settings, call, nowMs, vendor } = run;
  let pauseMs = settings.pollIntervalMs;
  let deadlineMs = nowMs() + settings.timeoutMinutes * 60_000;
  let cancelled: string | undefined;
  let done: number | undefined;
  for (;;) {
    const status = await lookAt(job, run);
    if (status.state !== 'running') {
      return cancelled === undefined || status.state === 'failed'
        ? status
        : { ...status, why: cancelled };
    }
    if (status.done !== undefined && status.done !== done) {
      done = status.done;
      const total = status.total ?? job.keys.length;
      run.onEvent({ type: 'batch.progress', job: job.id, done, total });
    }
    if (nowMs() >= deadlineMs) {
      if (cancelled !== undefined) return { state: 'failed', why: cancelled };
      cancelled = `it took longer than ${settings.timeoutMinutes} min (remote.batch.timeoutMinutes)`;
      deadlineMs = nowMs() + CANCEL_MS;
      pauseMs = settings.pollIntervalMs;
      // One that ended in this moment cannot be cancelled; the next look tells.
      await unlessFault(() => vendor.cancel(job.handle, call), run);
    }
    await abortableSleep(Math.max(1, Math.min(pauseMs, deadlineMs - nowMs())), call.signal);
    pauseMs = Math.max(pauseMs, Math.min(LONGEST_PAUSE_MS, pauseMs * PAUSE_GROWTH));
  }
}

/** How far a job is. A look that fails for the moment tells nothing: the job goes on without it. */
export async function lookAt(job: StartedJob, run: BatchRun): Promise<BatchStatus> {
  try {
    return await run.vendor.status(job.handle, run.call);
  } catch (error) {
    run.call.signal.throwIfAborted();
    if (!(error instanceof VendorFault)) throw error;
    if (isGone(error)) return { state: 'failed', why: 'the vendor no longer knows the job' };
    if (isTransient(error) || error.details.kind === 'answer') {
      return { state: 'running', done: undefined, total: undefined };
    }
    throw error;
  }
}

/**
 * Takes the results of a job that ended, as they come in, then clears it away: at the vendor, and
 * what is remembered of it. That happens when the part after the last one is asked for.
 *
 * @throws VendorFault, or the signal's reason; the job stays remembered
 */
export async function* collectJob(
  job: StartedJob,
  status: EndedStatus,
  run: BatchRun,
): AsyncGenerator<KeyedPart, JobEnd> {
  const { vendor, call, records } = run;
  const embedded = new Set<string>();
  let { why } = status;
  if (status.state === 'ended') {
    const lost = yield* readResults(job, embedded, run);
    why = lost ?? why;
  }
  await unlessFault(() => vendor.discard(job.handle, call), run);
  await records.forget(job);
  const left = job.keys.length - embedded.size;
  run.onEvent({ type: 'batch.ended', job: job.id, embedded: embedded.size, left, why });
  return { embedded, why, queueFull: status.state === 'failed' && status.queueFull === true };
}

/**
 * @param embedded gets the keys of what came
 * @returns why results are missing, when the vendor no longer has them
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
      // Later runs would fail on them as well: better paid twice than stuck for ever.
      if (isBroken && tries >= MAX_READINGS) return `its results are broken: ${error.message}`;
      // What came in before stays; the file is read again from its beginning.
      const waitMs = isBroken ? run.settings.pollIntervalMs : pacing.delayAfter(error, tries);
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
    const vector = accepted(result.vector, run);
    if (vector === undefined) continue;
    embedded.add(key);
    yield { key, vector };
  }
}

/** What came before a fault is given before it is thrown. */
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

/** A broken vector counts as missing: its input is embedded inline, which tells what is wrong. */
function accepted(vector: Float32Array, run: BatchRun): Float32Array | undefined {
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

/** Does what is only tidying up: a fault changes nothing. */
async function unlessFault(work: () => Promise<void>, run: BatchRun): Promise<void> {
  try {
    await work();
  } catch (error) {
    run.call.signal.throwIfAborted();
    if (!(error instanceof VendorFault)) throw error;
  }
}
