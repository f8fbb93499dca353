import { abortableSleep } from '../requests/pacer.js';
import type { BatchHandle } from '../vendor.js';
import { isTransient, VendorFault } from '../vendor-fault.js';
import type { KeyedInput } from './batch-embedding.js';
import type { BatchRun } from './batch-run.js';
import type { JobRecord, StartedJob } from './job-records.js';

/** A job that the vendor did not take. */
export interface SubmitFailure {
  readonly why: string;
  /** The next one would fail the same way. */
  readonly final: boolean;
}

/**
 * Starts a job. It is remembered before the vendor hears of it, and after an answer that was lost
 * it is looked for before it is sent again: a job is never started twice.
 *
 * @throws VendorFault when it cannot be known whether the vendor has the job, which stays remembered
 */
export async function submitJob(
  inputs: ReadonlyMap<string, KeyedInput>,
  run: BatchRun,
): Promise<StartedJob | SubmitFailure> {
  const { vendor, records, call, onEvent } = run;
  const record = await records.begin([...inputs.keys()]);
  const entries = Array.from(inputs, ([key, input]) => ({ key, input }));
  for (let tries = 1; ; tries++) {
    const given = await handedOver(() => vendor.submit(entries, record.id, call), record, run);
    if (!(given instanceof VendorFault)) {
      const started = await records.started(record, given);
      const { id: job } = record;
      onEvent({ type: 'batch.submitted', job, inputs: inputs.size, resumed: false });
      return started;
    }
    const waitMs = call.pacing.delayAfter(given, tries);
    if (waitMs === undefined) {
      await records.forget(record);
      const why = given.message;
      onEvent({ type: 'batch.ended', job: record.id, embedded: 0, left: inputs.size, why });
      return { why, final: !mayHaveWorked(given) };
    }
    await abortableSleep(waitMs, call.signal);
  }
}

/** The job's handle, or the fault when it is certain that the vendor has no such job. */
async function handedOver(
  submit: () => Promise<BatchHandle>,
  record: JobRecord,
  run: BatchRun,
): Promise<BatchHandle | VendorFault> {
  try {
    return await submit();
  } catch (error) {
    run.call.signal.throwIfAborted();
    if (!(error instanceof VendorFault)) throw error;
    if (!mayHaveWorked(error)) return error;
    return (await findJob(record, run)) ?? error;
  }
}

/** Looks for a remembered job whose handle was lost; undefined when the vendor has none. */
export async function findJob(record: JobRecord, run: BatchRun): Promise<BatchHandle | undefined> {
  try {
    return await run.vendor.find(record.id, run.call);
  } catch (error) {
    run.call.signal.throwIfAborted();
    // An endpoint without lists has never heard of batches either.
    if (error instanceof VendorFault && UNKNOWN_ROUTE.has(error.details.status ?? 0))
      return undefined;
    throw error;
  }
}

const UNKNOWN_ROUTE = new Set([404, 405, 501]);

/** Whether the job may stand at the vendor although a fault came back. */
function mayHaveWorked(fault: VendorFault): boolean {
  return isTransient(fault) || fault.details.kind === 'answer';
}
