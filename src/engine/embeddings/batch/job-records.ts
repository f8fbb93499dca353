import { randomUUID } from 'node:crypto';
import type { Clock } from '../../support/context.js';
import { parsedJson } from '../../support/text.js';
import type { BatchJobStore, StoredBatchJob } from '../embedding-adapter.js';
import { jsonAt } from '../http/status-fault.js';
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

/** Undefined for a record of another version. */
function read({ id, createdMs, json }: StoredBatchJob): JobRecord | undefined {
  const value = parsedJson(json);
  const keys = jsonAt(value, 'keys');
  if (jsonAt(value, 'version') !== VERSION || !isTexts(keys)) return undefined;
  return { id, createdMs, keys, handle: readHandle(jsonAt(value, 'handle')) };
}

function readHandle(value: unknown): BatchHandle | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const entries = Object.entries(value).map(([name, id]) => [name, String(id)] as const);
  return Object.fromEntries(entries);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
