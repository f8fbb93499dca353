import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import type { Clock } from '../../support/context.js';
import { parsedJson } from '../../support/text.js';
import type { BatchJobStore, StoredBatchJob } from '../embedding-adapter.js';
import type { BatchHandle } from '../vendor.js';

export interface JobRecord {
  /** Also its label at the vendor. */
  readonly id: string;
  readonly createdMs: number;
  readonly keys: readonly string[];
  /** Undefined until the vendor confirmed the job. */
  readonly handle: BatchHandle | undefined;
}

export interface JobRecords {
  /** Oldest first. */
  list(): Promise<readonly JobRecord[]>;
  /** Stores a job that is about to be created. */
  begin(keys: readonly string[]): Promise<JobRecord>;
  started(record: JobRecord, handle: BatchHandle): Promise<JobRecord & StartedJob>;
  forget(record: JobRecord): Promise<void>;
}

export interface StartedJob extends JobRecord {
  readonly handle: BatchHandle;
}

/** Vendors delete results after at most 30 days (OpenAI, Voyage). */
const KEPT_MS = 31 * 24 * 3_600_000;
const VERSION = 1;

export function openJobRecords(store: BatchJobStore, clock: Clock): JobRecords {
  const save = (record: JobRecord): Promise<void> => store.save(written(record));
  return {
    list: async () => {
      const records: JobRecord[] = [];
      for (const job of await store.list()) {
        const record = clock.now() - job.createdMs > KEPT_MS ? undefined : read(job);
        if (record === undefined) await store.remove(job.id);
        else records.push(record);
      }
      return records.sort((a, b) => a.createdMs - b.createdMs);
    },
    begin: async (keys) => {
      const id = `svc-${randomUUID()}`;
      const record: JobRecord = { id, createdMs: clock.now(), keys, handle: undefined };
      await save(record);
      return record;
    },
    started: async (record, handle) => {
      const started = { ...record, handle };
      await save(started);
      return started;
    },
    forget: (record) => store.remove(record.id),
  };
}

function written({ id, createdMs, keys, handle }: JobRecord): StoredBatchJob {
  return { id, createdMs, json: JSON.stringify({ version: VERSION, handle, keys }) };
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
