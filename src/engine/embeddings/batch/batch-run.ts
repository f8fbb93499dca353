import { abortableSleep, anySignal } from '../../support/async.js';
import type {
  BatchEmbedOptions,
  EmbeddingAdapter,
  Inputs,
  KeyedInput,
  KeyedPart,
} from '../embedding-adapter.js';
import {
  awaitJob,
  BatchHealth,
  type BatchRun,
  clearJob,
  collectJob,
  findJob,
  pollJob,
  pollPauseMs,
  submitJob,
} from './follow-job.js';
import {
  type JobRecord,
  openJobRecords,
  type PlannedInputs,
  planJobs,
  type StartedJob,
} from './job-records.js';

/** Jobs with fewer inputs are not worth the wait. */
const SMALLEST_JOB = 50;

/** What the adapter provides. */
interface BatchEnvironment
  extends Pick<
    BatchRun,
    'accept' | 'call' | 'limits' | 'nowMs' | 'onEvent' | 'settings' | 'vendor'
  > {
  readonly embedDocuments: EmbeddingAdapter['embedDocuments'];
}

/** One run of BatchEmbedding. Stops when its signal aborts or its consumer returns. */
export async function* startBatchRun(
  inputs: Inputs<KeyedInput>,
  options: BatchEmbedOptions,
  environment: BatchEnvironment,
): AsyncGenerator<KeyedPart> {
  const { call, onEvent, embedDocuments, settings, ...shared } = environment;
  const stopping = new AbortController();
  const signal = anySignal([call.signal, stopping.signal]);
  const run: BatchRun = {
    ...shared,
    settings: { ...settings, wait: settings.wait && options.waits },
    onEvent,
    call: { ...call, signal },
    records: openJobRecords(options.jobs, options.clock),
    health: new BatchHealth(onEvent, settings.enabled),
    inline: (some) => embedDocuments(some, { signal, onEvent }),
  };
  const stop = (): void => stopping.abort();
  try {
    yield* embedInBatches(inputs, options.fewInline ? SMALLEST_JOB : 1, run, stop);
  } finally {
    stop();
  }
}

/**
 * Collects stored jobs, then embeds the inputs that are in none of them; see BatchEmbedding.
 *
 * Stored jobs come first and alone: what they leave is only known when they end, so no text has to
 * be kept in memory for them and you never pay twice for one.
 *
 * What a job leaves goes inline, not into another job, so that a run terminates. After two failed
 * jobs everything goes inline.
 *
 * @param smallestJob fewer inputs go inline
 * @param stop aborts the run
 * @throws VendorFault, SvcError, or the signal's reason
 */
async function* embedInBatches(
  inputs: Inputs<KeyedInput>,
  smallestJob: number,
  run: BatchRun,
  stop: () => void,
): AsyncGenerator<KeyedPart> {
  const { settings, health } = run;
  const earlier: EarlierJobs = { embedded: new Set(), left: new Set(), pending: [], ended: [] };
  const records = await run.records.list();
  const resumed = map(records, (record) => resumeJob(record, earlier, run));
  yield* mergeParts(resumed, Math.max(1, records.length), stop);
  const plan = planJobs(remainingInputs(inputs, earlier), {
    inline: run.limits,
    job: run.vendor.limits,
    concurrency: settings.concurrency,
    maxEntries: () => health.maxEntries,
    inlineOnly: (key) => !health.on || earlier.left.has(key),
    // Once earlier jobs have given others a vector, a few more need no job.
    smallestJob: earlier.embedded.size > 0 ? SMALLEST_JOB : smallestJob,
  });
  if (settings.wait) {
    yield* mergeParts(
      map(plan, (planned) => embedPlanned(planned, run)),
      settings.concurrency,
      stop,
    );
  } else yield* submitAll(plan, earlier.pending, run);
  for (const job of earlier.ended) await clearJob(job, run);
}

/** Outcome of the jobs of earlier runs. */
interface EarlierJobs {
  /** Keys collected in this run. */
  readonly embedded: Set<string>;
  /** Keys that a finished job did not embed. */
  readonly left: Set<string>;
  /** Jobs that are still running when the run does not wait. */
  readonly pending: JobRecord[];
  /**
   * Jobs to clear at the end of the run. A passage is only stored once all of its pieces are embedded: if the run is
   * interrupted before it has embedded those that a job left, the next one reads the others again.
   */
  readonly ended: StartedJob[];
}

async function* resumeJob(
  record: JobRecord,
  earlier: EarlierJobs,
  run: BatchRun,
): AsyncGenerator<KeyedPart> {
  const job = await jobAtVendor(record, run);
  if (job === undefined) return;
  const { keys } = job;
  run.onEvent({ type: 'batch.submitted', inputs: keys.length, resumed: true });
  const { enabled, wait } = run.settings;
  const status = wait || !enabled ? await awaitJob(job, run) : await pollJob(job, run);
  if (status.state === 'running') {
    earlier.pending.push(job);
    return;
  }
  const end = yield* collectJob(job, status, run);
  earlier.ended.push(job);
  for (const key of end.embedded) earlier.embedded.add(key);
  if (end.queueFull) return;
  if (end.why !== undefined) run.health.jobFailed(end.why, false);
  for (const key of keys) if (!end.embedded.has(key)) earlier.left.add(key);
}

/** Finds a stored job at the vendor; forgets one that was never submitted. */
async function jobAtVendor(record: JobRecord, run: BatchRun): Promise<StartedJob | undefined> {
  const { handle } = record;
  if (handle !== undefined) return { ...record, handle };
  const found = await findJob(record, run);
  if (found !== undefined) return run.records.started(record, found);
  await run.records.forget(record);
  return undefined;
}

/** The inputs that no earlier job has embedded or is working on. */
async function* remainingInputs(
  inputs: Inputs<KeyedInput>,
  earlier: EarlierJobs,
): AsyncGenerator<KeyedInput> {
  const pending = new Set(earlier.pending.flatMap((job) => job.keys));
  for await (const input of inputs) {
    if (!pending.has(input.key) && !earlier.embedded.has(input.key)) yield input;
  }
}

async function* embedPlanned(
  { via, inputs }: PlannedInputs,
  run: BatchRun,
): AsyncGenerator<KeyedPart> {
  if (via === 'inline' || !run.health.on) yield* run.inline(inputs.values());
  else yield* embedByJob(inputs, run);
}

async function* embedByJob(
  inputs: ReadonlyMap<string, KeyedInput>,
  run: BatchRun,
): AsyncGenerator<KeyedPart> {
  const { health } = run;
  const job = await submitJob(inputs, run);
  if ('final' in job) {
    health.jobFailed(job.why, job.final);
    yield* run.inline(inputs.values());
    return;
  }
  // The first poll would come too early.
  await abortableSleep(pollPauseMs(run.settings, 0), run.call.signal);
  const end = yield* collectJob(job, await awaitJob(job, run), run);
  // Both halves are large enough for a job, so halving terminates.
  if (end.queueFull && inputs.size >= 2 * SMALLEST_JOB) {
    await clearJob(job, run);
    const half = Math.ceil(inputs.size / 2);
    health.maxEntries = Math.min(health.maxEntries, half);
    const all = [...inputs];
    // One after the other: together they did not fit the queue.
    yield* embedByJob(new Map(all.slice(0, half)), run);
    yield* embedByJob(new Map(all.slice(half)), run);
    return;
  }
  if (end.why !== undefined) health.jobFailed(end.why, false);
  const remaining = [...inputs.values()].filter(({ key }) => !end.embedded.has(key));
  if (remaining.length > 0) yield* run.inline(remaining);
  await clearJob(job, run);
}

/** Starts as many jobs as allowed, and leaves them to a later run. */
async function* submitAll(
  plan: AsyncIterable<PlannedInputs>,
  earlier: readonly JobRecord[],
  run: BatchRun,
): AsyncGenerator<KeyedPart> {
  const pending = [...earlier];
  for await (const { via, inputs } of plan) {
    if (via === 'inline' || !run.health.on) {
      yield* run.inline(inputs.values());
      continue;
    }
    if (pending.length >= run.settings.concurrency) break;
    const job = await submitJob(inputs, run);
    if ('final' in job) {
      run.health.jobFailed(job.why, job.final);
      yield* run.inline(inputs.values());
    } else pending.push(job);
  }
  if (pending.length === 0) return;
  run.onEvent({
    type: 'batch.pending',
    jobs: pending.length,
    inputs: pending.reduce((sum, job) => sum + job.keys.length, 0),
  });
}

async function* map<A, B>(items: Inputs<A>, change: (item: A) => B): AsyncGenerator<B> {
  for await (const item of items) yield change(item);
}

/**
 * Runs generators concurrently and merges what they yield. A generator only continues after its
 * part was consumed.
 *
 * @param sources asked for the next generator when there is room
 * @param stop called when the consumer returns or a generator fails before the others are done
 */
async function* mergeParts<T>(
  sources: AsyncGenerator<AsyncGenerator<T>>,
  concurrency: number,
  stop: () => void,
): AsyncGenerator<T> {
  const open = new Set<AsyncGenerator<T>>();
  const underWay = new Map<AsyncGenerator<T>, Promise<Step<T>>>();
  const advance = (source: AsyncGenerator<T>): void => {
    open.add(source);
    underWay.set(
      source,
      source.next().then(
        (result) => ({ source, result }),
        (error: unknown) => ({ source, error }),
      ),
    );
  };
  try {
    for (;;) {
      while (underWay.size < concurrency) {
        const next = await sources.next();
        if (next.done === true) break;
        advance(next.value);
      }
      if (underWay.size === 0) return;
      const step = await Promise.race(underWay.values());
      underWay.delete(step.source);
      if ('error' in step) throw step.error;
      if (step.result.done === true) {
        open.delete(step.source);
        continue;
      }
      yield step.result.value;
      advance(step.source);
    }
  } finally {
    if (open.size > 0) stop();
    await Promise.allSettled([...open, sources].map((source) => source.return(undefined)));
  }
}

type Step<T> = { readonly source: AsyncGenerator<T> } & (
  | { readonly result: IteratorResult<T, unknown> }
  | { readonly error: unknown }
);
