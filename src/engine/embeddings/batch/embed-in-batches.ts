import type { Inputs } from '../embedding-adapter.js';
import { abortableSleep } from '../requests/pacer.js';
import type { KeyedInput, KeyedPart } from './batch-embedding.js';
import type { BatchRun } from './batch-run.js';
import { awaitJob, collectJob, lookAt } from './follow-job.js';
import type { JobRecord, StartedJob } from './job-records.js';
import { mergeParts } from './merge-parts.js';
import { type PlannedInputs, planJobs, SMALLEST_JOB } from './plan-jobs.js';
import { findJob, submitJob } from './submit-job.js';

/**
 * Collects remembered jobs, then embeds the inputs that are in none of them; see BatchEmbedding.
 *
 * Remembered jobs come first and alone, because what they leave is known only when they ended: so
 * no text has to be kept in the memory for them, and none is paid for twice.
 *
 * What a job leaves, whether single lines or all of them, goes inline at once and into no second
 * job, so that a run comes to an end. After two failed jobs everything does.
 *
 * @param stop ends whatever the run's signal ends
 * @throws VendorFault, SvcError, or the signal's reason
 */
export async function* embedInBatches(
  inputs: Inputs<KeyedInput>,
  run: BatchRun,
  stop: () => void,
): AsyncGenerator<KeyedPart> {
  const { settings, health } = run;
  const earlier: EarlierJobs = { embedded: new Set(), left: new Set(), pending: [] };
  const records = await run.records.list();
  const resumed = mapped(records, (record) => resumeJob(record, earlier, run));
  yield* mergeParts(resumed, Math.max(1, records.length), stop);
  const plan = planJobs(without(inputs, earlier), {
    inline: run.limits,
    job: run.vendor.limits,
    concurrency: settings.concurrency,
    maxEntries: () => health.maxEntries,
    inlineOnly: (key) => !health.on || earlier.left.has(key),
  });
  if (settings.wait) {
    yield* mergeParts(
      mapped(plan, (planned) => embedPlanned(planned, run)),
      settings.concurrency,
      stop,
    );
  } else yield* submitAll(plan, earlier.pending, run);
}

/** What is known of the jobs of earlier runs. */
interface EarlierJobs {
  /** Keys that came back in this run. */
  readonly embedded: Set<string>;
  /** Keys that their job did not embed although it was done with them. */
  readonly left: Set<string>;
  /** Jobs that go on while this run does not wait. */
  readonly pending: JobRecord[];
}

async function* resumeJob(
  record: JobRecord,
  earlier: EarlierJobs,
  run: BatchRun,
): AsyncGenerator<KeyedPart> {
  const job = await knownJob(record, run);
  if (job === undefined) return;
  const { id, keys } = job;
  run.onEvent({ type: 'batch.submitted', job: id, inputs: keys.length, resumed: true });
  const status = run.settings.wait ? await awaitJob(job, run) : await lookAt(job, run);
  if (status.state === 'running') {
    earlier.pending.push(job);
    return;
  }
  const end = yield* collectJob(job, status, run);
  for (const key of end.embedded) earlier.embedded.add(key);
  if (end.queueFull) return;
  if (end.why !== undefined) run.health.jobFailed(end.why, false);
  for (const key of keys) if (!end.embedded.has(key)) earlier.left.add(key);
}

/** A remembered job at the vendor; one that never got there is forgotten. */
async function knownJob(record: JobRecord, run: BatchRun): Promise<StartedJob | undefined> {
  const { handle } = record;
  if (handle !== undefined) return { ...record, handle };
  const found = await findJob(record, run);
  if (found !== undefined) return run.records.started(record, found);
  await run.records.forget(record);
  return undefined;
}

/** The inputs that no earlier job has embedded or is working on. */
async function* without(
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
  // Nothing is to be seen of a job at once.
  await abortableSleep(run.settings.pollIntervalMs, run.call.signal);
  const end = yield* collectJob(job, await awaitJob(job, run), run);
  // Both halves are at least a job, so halving ends.
  if (end.queueFull && inputs.size >= 2 * SMALLEST_JOB) {
    const half = Math.ceil(inputs.size / 2);
    health.maxEntries = Math.min(health.maxEntries, half);
    const all = [...inputs];
    // One after the other: together they are what the vendor's queue had no room for.
    yield* embedByJob(new Map(all.slice(0, half)), run);
    yield* embedByJob(new Map(all.slice(half)), run);
    return;
  }
  if (end.why !== undefined) health.jobFailed(end.why, false);
  const left = [...inputs.values()].filter(({ key }) => !end.embedded.has(key));
  if (left.length > 0) yield* run.inline(left);
}

/** Starts as many jobs as may be under way, and leaves them to a later run. */
async function* submitAll(
  plan: AsyncIterable<PlannedInputs>,
  earlier: readonly JobRecord[],
  run: BatchRun,
): AsyncGenerator<KeyedPart> {
  const pending = [...earlier];
  let more = false;
  for await (const { via, inputs } of plan) {
    if (via === 'inline' || !run.health.on) {
      yield* run.inline(inputs.values());
      continue;
    }
    if (pending.length >= run.settings.concurrency) {
      more = true;
      break;
    }
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
    sinceMs: Math.min(...pending.map((job) => job.createdMs)),
    more,
  });
}

async function* mapped<A, B>(items: Inputs<A>, change: (item: A) => B): AsyncGenerator<B> {
  for await (const item of items) yield change(item);
}
