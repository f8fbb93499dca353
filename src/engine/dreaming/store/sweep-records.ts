import * as z from 'zod/mini';
import type { Connection } from '../../sqlite/database.js';
import type { ClaimKey } from '../claims/claim-words.js';
import type { MemoryOperation } from '../promotion/memory-file.js';

/** The phases of a sweep, in their order. */
export const PHASES = ['light', 'rem', 'deep'] as const;
export type PhaseName = (typeof PHASES)[number];

/** Why a sweep ran. */
export type SweepTrigger = 'manual' | 'schedule' | 'backfill' | 'promote';

/** How one phase went. */
export type PhaseRecord =
  | {
      readonly state: 'done';
      readonly ms: number;
      readonly counts: Readonly<Record<string, number>>;
    }
  | { readonly state: 'off' }
  | { readonly state: 'failed'; readonly ms: number; readonly error: string };

/** How far a change of `MEMORY.md` came. */
export type MemoryState =
  | { readonly state: 'untouched' }
  | ({ readonly state: 'applied' | 'planned' | 'undone' } & MemoryChangeRecord);

/** A change of `MEMORY.md`, as it is remembered. */
export interface MemoryChangeRecord {
  /** SHA-256 of the file before and after, hexadecimal; of the empty text when there was no file. */
  readonly beforeDigest: string;
  readonly afterDigest: string;
  /** Absolute path of the text before; undefined when there was no file. */
  readonly backupFile: string | undefined;
  readonly operations: readonly MemoryOperation[];
  /** The claims that were decided on: promoted, or found to be said already. */
  readonly decided: readonly ClaimKey[];
}

/** One sweep, as it is remembered. */
export interface SweepRecord {
  readonly id: string;
  readonly day: string;
  readonly trigger: SweepTrigger;
  readonly startedMs: number;
  /** Undefined while it runs, and for ever when it was killed. */
  readonly endedMs: number | undefined;
  readonly phases: Readonly<Partial<Record<PhaseName, PhaseRecord>>>;
  readonly memory: MemoryState;
}

const row = z.object({
  id: z.string(),
  day: z.string(),
  trigger: z.enum(['manual', 'schedule', 'backfill', 'promote']),
  started_ms: z.number(),
  ended_ms: z.nullable(z.number()),
  phases: z.string(),
  memory_state: z.nullable(z.enum(['planned', 'applied', 'undone'])),
  before_digest: z.nullable(z.string()),
  after_digest: z.nullable(z.string()),
  backup_file: z.nullable(z.string()),
  operations: z.string(),
  promoted: z.string(),
});

/** The sweeps of one workspace. */
export interface SweepRecords {
  get(id: string): SweepRecord | undefined;
  /** The newest first. */
  list(limit: number): SweepRecord[];
  /** Those that were killed between planning a change of `MEMORY.md` and recording it. */
  planned(): SweepRecord[];
  put(record: SweepRecord): void;
}

/** The sweeps kept in a database; see openDreamDatabase. */
export function sweepRecords(database: Connection): SweepRecords {
  const one = database.prepare('SELECT * FROM sweeps WHERE id = ?');
  const list = database.prepare('SELECT * FROM sweeps ORDER BY started_ms DESC, id DESC LIMIT ?');
  const planned = database.prepare("SELECT * FROM sweeps WHERE memory_state = 'planned'");
  const put = database.prepare(
    `INSERT OR REPLACE INTO sweeps VALUES (@id, @day, @trigger, @started_ms, @ended_ms, @phases,
      @memory_state, @before_digest, @after_digest, @backup_file, @operations, @promoted)`,
  );
  return {
    get: (id) => {
      const found = one.get(id);
      return found === undefined ? undefined : toRecord(found);
    },
    list: (limit) => list.all(limit).map(toRecord),
    planned: () => planned.all().map(toRecord),
    put: (record) => {
      put.run(toRow(record));
    },
  };
}

function toRecord(value: unknown): SweepRecord {
  const read = row.parse(value);
  return {
    id: read.id,
    day: read.day,
    trigger: read.trigger,
    startedMs: read.started_ms,
    endedMs: read.ended_ms ?? undefined,
    // Written by this program alone, in a transaction.
    phases: JSON.parse(read.phases) as SweepRecord['phases'],
    memory:
      read.memory_state === null
        ? { state: 'untouched' }
        : {
            state: read.memory_state,
            beforeDigest: read.before_digest ?? '',
            afterDigest: read.after_digest ?? '',
            backupFile: read.backup_file ?? undefined,
            operations: JSON.parse(read.operations) as readonly MemoryOperation[],
            decided: JSON.parse(read.promoted) as readonly ClaimKey[],
          },
  };
}

function toRow({ memory, ...record }: SweepRecord): z.infer<typeof row> {
  const change = memory.state === 'untouched' ? undefined : memory;
  return {
    id: record.id,
    day: record.day,
    trigger: record.trigger,
    started_ms: record.startedMs,
    ended_ms: record.endedMs ?? null,
    phases: JSON.stringify(record.phases),
    memory_state: change?.state ?? null,
    before_digest: change?.beforeDigest ?? null,
    after_digest: change?.afterDigest ?? null,
    backup_file: change?.backupFile ?? null,
    operations: JSON.stringify(change?.operations ?? []),
    promoted: JSON.stringify(change?.decided ?? []),
  };
}
