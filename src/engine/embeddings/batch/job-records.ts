import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import { plainText, splitToFit } from '../../providers/requests/input-text.js';
import type { BatchHandle, RequestLimits, VendorBatch } from '../../providers/vendor.js';
import type { Clock } from '../../support/context.js';
import { parsedJson } from '../../support/text.js';
import {
  type BatchJobStore,
  type Inputs,
  JOB_KEPT_MS,
  type KeyedInput,
  type StoredBatchJob,
} from '../embedding-adapter.js';

export interface JobRecord {
  /** Also its label at the vendor. */
  readonly id: string;
  readonly createdMs: number;
  readonly keys: readonly string[];
  /** Undefined until the vendor confirmed the job. */
  readonly handle: BatchHandle | undefined;
}

export interface StartedJob extends JobRecord {
  readonly handle: BatchHandle;
}

const VERSION = 1;

export type JobRecords = ReturnType<typeof openJobRecords>;

export function openJobRecords(store: BatchJobStore, clock: Clock) {
  const save = ({ id, createdMs, keys, handle }: JobRecord): Promise<void> =>
    store.save({ id, createdMs, json: JSON.stringify({ version: VERSION, handle, keys }) });
  return {
    /** Oldest first. */
    list: async (): Promise<readonly JobRecord[]> => {
      const records: JobRecord[] = [];
      for (const job of await store.list()) {
        const record = clock.now() - job.createdMs > JOB_KEPT_MS ? undefined : read(job);
        if (record === undefined) await store.remove(job.id);
        else records.push(record);
      }
      return records.sort((a, b) => a.createdMs - b.createdMs);
    },
    /** Stores a job that is about to be created. */
    begin: async (keys: readonly string[]): Promise<JobRecord> => {
      const id = `svc-${randomUUID()}`;
      const record: JobRecord = { id, createdMs: clock.now(), keys, handle: undefined };
      await save(record);
      return record;
    },
    started: async (record: JobRecord, handle: BatchHandle): Promise<StartedJob> => {
      const started = { ...record, handle };
      await save(started);
      return started;
    },
    forget: (record: JobRecord) => store.remove(record.id),
  };
}

const storedJob = z.object({
  version: z.literal(VERSION),
  handle: z.optional(z.record(z.string(), z.string())),
  keys: z.array(z.string()),
});

/** Undefined for a record of another version. */
function read({ id, createdMs, json }: StoredBatchJob): JobRecord | undefined {
  const { data } = storedJob.safeParse(parsedJson(json));
  return data && { id, createdMs, keys: data.keys, handle: data.handle };
}

export interface PlannedInputs {
  readonly via: 'inline' | 'job';
  readonly inputs: ReadonlyMap<string, KeyedInput>;
}

interface PlanRules {
  /** Longer inputs are split, whose pieces a job could not merge. */
  readonly inline: RequestLimits;
  readonly job: VendorBatch['limits'];
  /** Jobs in memory at the same time. */
  readonly concurrency: number;
  /** Called for each input, since it may change during the run. */
  readonly maxEntries: () => number;
  readonly inlineOnly: (key: string) => boolean;
  /** Fewer inputs go inline. */
  readonly smallestJob: number;
}

/** For the texts of all jobs in flight. */
const MEMORY_BYTES = 256 * 1024 * 1024;
/** Generous overhead of a line besides its text. */
const LINE_BYTES = 512;
const INLINE_PORTION = 1024;

/** Divides inputs into jobs as large as the vendor accepts, and portions that go inline; lazily. */
export async function* planJobs(
  inputs: Inputs<KeyedInput>,
  rules: PlanRules,
): AsyncGenerator<PlannedInputs, undefined> {
  const maxBytes = Math.min(rules.job.maxBytes, MEMORY_BYTES / rules.concurrency);
  let job = new Map<string, KeyedInput>();
  let bytes = 0;
  let inline = new Map<string, KeyedInput>();
  for await (const input of inputs) {
    if (rules.inlineOnly(input.key) || splitToFit(input, rules.inline).length !== 1) {
      inline.set(input.key, input);
      if (inline.size < INLINE_PORTION) continue;
      yield { via: 'inline', inputs: inline };
      inline = new Map();
      continue;
    }
    const size = Buffer.byteLength(JSON.stringify(plainText(input))) + LINE_BYTES;
    const maxEntries = Math.min(rules.job.maxEntries, rules.maxEntries());
    if (job.size > 0 && (job.size >= maxEntries || bytes + size > maxBytes)) {
      yield { via: via(job, rules), inputs: job };
      job = new Map();
      bytes = 0;
    }
    job.set(input.key, input);
    bytes += size;
  }
  // A small remainder joins what goes inline anyway.
  if (via(job, rules) === 'inline') for (const [key, input] of job) inline.set(key, input);
  else yield { via: 'job', inputs: job };
  if (inline.size > 0) yield { via: 'inline', inputs: inline };
  return undefined;
}

function via(inputs: ReadonlyMap<string, KeyedInput>, { smallestJob }: PlanRules) {
  return inputs.size < smallestJob ? 'inline' : 'job';
}
