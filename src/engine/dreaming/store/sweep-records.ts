import * as z from 'zod/mini';
import { SvcError } from '../../errors/index.js';
import type { Connection } from '../../sqlite/database.js';
import { queryRows, runSql } from '../../sqlite/query.js';
import { snakeCase } from '../../support/text.js';
import { type ClaimKey, claimKey } from '../claims/claim-words.js';
import { type MemoryOperation, memoryOperation } from '../promotion/memory-file.js';

/** The phases of a sweep, in order. */
export const PHASES = ['light', 'rem', 'deep'] as const;
export type PhaseName = (typeof PHASES)[number];

/** Why a sweep ran. */
export const SWEEP_TRIGGERS = ['manual', 'schedule', 'backfill', 'promote'] as const;
export type SweepTrigger = (typeof SWEEP_TRIGGERS)[number];

const phaseRecord = z.discriminatedUnion('state', [
  z.object({ state: z.literal('done'), ms: z.number(), counts: z.record(z.string(), z.number()) }),
  z.object({ state: z.literal('off') }),
  z.object({
    state: z.literal('failed'),
    ms: z.number(),
    error: z.string(),
    code: z.optional(z.string()),
    hint: z.optional(z.string()),
  }),
]);
const phaseRecords = z.partialRecord(z.enum(PHASES), phaseRecord);

/** The result of one phase. */
export type PhaseRecord = z.infer<typeof phaseRecord>;

/** How far a change to `MEMORY.md` got. */
export const CHANGE_STATES = ['planned', 'applied', 'partly_undone', 'undone'] as const;

/** A recorded change to `MEMORY.md`. */
export interface MemoryChange {
  readonly state: (typeof CHANGE_STATES)[number];
  /**
   * SHA-256 of the file before and after, in hexadecimal; of the empty string if there was no file. Once undoing the
   * change began, `afterDigest` is of the file after that.
   */
  readonly beforeDigest: string;
  readonly afterDigest: string;
  /** Absolute path of a copy of the file before the change; undefined if there was no file. */
  readonly backupFile: string | undefined;
  readonly operations: readonly MemoryOperation[];
  /** Claims that were promoted, or that memory already contained. */
  readonly decided: readonly ClaimKey[];
}

/** One recorded sweep. */
export interface SweepRecord {
  readonly id: string;
  readonly day: string;
  readonly trigger: SweepTrigger;
  readonly startedMs: number;
  /** Undefined while it runs, and forever if it was killed. */
  readonly endedMs: number | undefined;
  readonly phases: Readonly<Partial<Record<PhaseName, PhaseRecord>>>;
  /** Undefined if it changed nothing. */
  readonly memory: MemoryChange | undefined;
}

/** Whether a phase of a sweep failed. */
export function hasFailed({ phases }: Pick<SweepRecord, 'phases'>): boolean {
  return Object.values(phases).some(({ state }) => state === 'failed');
}

/** The error for a sweep or backfill that does not exist, or has nothing to undo. */
export function unknownSweep(why: string, what = 'sweeps'): SvcError {
  return new SvcError('DREAM_SWEEP_UNKNOWN', why, {
    hint: `run "svc dream list" to see all ${what}`,
  });
}

/** A row of `sweeps`, whose columns have these names in snake case. */
const row = z.object({
  id: z.string(),
  day: z.string(),
  trigger: z.enum(SWEEP_TRIGGERS),
  startedMs: z.number(),
  endedMs: z.nullable(z.number()),
  phases: z.string(),
  memoryState: z.nullable(z.enum(CHANGE_STATES)),
  beforeDigest: z.nullable(z.string()),
  afterDigest: z.nullable(z.string()),
  backupFile: z.nullable(z.string()),
  operations: z.string(),
  promoted: z.string(),
});
const NAMES = Object.keys(row.shape);
const SELECT = `SELECT ${NAMES.map((name) => `${snakeCase(name)} AS ${name}`)} FROM sweeps`;
const NEWEST_FIRST = 'ORDER BY number DESC LIMIT ?';
/** A sweep that is recorded again keeps its number. */
const NUMBER = `coalesce((SELECT number FROM sweeps WHERE id = @id),
  (SELECT coalesce(max(number), 0) + 1 FROM sweeps))`;

/** The sweeps of one workspace. */
export type SweepRecords = ReturnType<typeof sweepRecords>;

/** The sweeps stored in a database opened by openDreamDatabase. */
export function sweepRecords(database: Connection) {
  const select = (which: string, ...values: unknown[]): SweepRecord[] =>
    queryRows(database, `${SELECT} ${which}`, ...values).map(toRecord);
  const latest = (condition: string) => () => select(`WHERE ${condition} ${NEWEST_FIRST}`, 1)[0];
  return {
    get: (id: string) => select('WHERE id = ?', id)[0],
    /** Newest first; all without a limit. */
    list: (limit = -1) => select(NEWEST_FIRST, limit),
    /** Sweeps that were killed between planning a change to `MEMORY.md` and recording it. */
    planned: () => select("WHERE memory_state = 'planned'"),
    /** The last one that was not a backfill or a promotion by hand. */
    last: latest("trigger IN ('manual', 'schedule')"),
    /** The last one that changed `MEMORY.md` and was not undone. */
    lastApplied: latest("memory_state = 'applied' AND operations <> '[]'"),
    put: (record: SweepRecord): void => {
      const sql = `INSERT OR REPLACE INTO sweeps (${NAMES.map(snakeCase)}, number)
        VALUES (${NAMES.map((name) => `@${name}`)}, ${NUMBER})`;
      runSql(database, sql, toRow(record));
    },
  };
}

function toRecord(value: unknown): SweepRecord {
  const { memoryState: state, operations, promoted, ...read } = row.parse(value);
  const { id, day, trigger, startedMs, beforeDigest, afterDigest } = read;
  return {
    id,
    day,
    trigger,
    startedMs,
    endedMs: read.endedMs ?? undefined,
    phases: phaseRecords.parse(JSON.parse(read.phases)),
    memory:
      state === null
        ? undefined
        : {
            state,
            beforeDigest: beforeDigest ?? '',
            afterDigest: afterDigest ?? '',
            backupFile: read.backupFile ?? undefined,
            operations: z.array(memoryOperation).parse(JSON.parse(operations)),
            decided: z.array(claimKey).parse(JSON.parse(promoted)),
          },
  };
}

function toRow({ memory, endedMs, phases, ...record }: SweepRecord): z.infer<typeof row> {
  return {
    ...record,
    endedMs: endedMs ?? null,
    phases: JSON.stringify(phases),
    memoryState: memory?.state ?? null,
    beforeDigest: memory?.beforeDigest ?? null,
    afterDigest: memory?.afterDigest ?? null,
    backupFile: memory?.backupFile ?? null,
    operations: JSON.stringify(memory?.operations ?? []),
    promoted: JSON.stringify(memory?.decided ?? []),
  };
}

/**
 * A sweep that has done nothing yet. Its ID is its start time in UTC, with a number appended when another
 * sweep started in the same second.
 */
export function newSweep(
  sweeps: SweepRecords,
  fields: Pick<SweepRecord, 'day' | 'startedMs' | 'trigger'> & { readonly endedMs?: number },
): SweepRecord {
  const moment = new Date(fields.startedMs).toISOString().slice(0, 19).replaceAll(/[-:]/gu, '');
  let id = moment;
  for (let number = 2; sweeps.get(id) !== undefined; number++) id = `${moment}-${number}`;
  return { id, endedMs: undefined, ...fields, phases: {}, memory: undefined };
}
