import * as z from 'zod/mini';
import { SvcError } from '../../errors/index.js';
import type { Connection } from '../../sqlite/database.js';
import { queryRows, runSql } from '../../sqlite/query.js';
import { snakeCase } from '../../support/text.js';
import { claimKey } from '../claims/claim-words.js';
import { memoryOperation } from '../promotion/memory-file.js';

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

/** The result of one phase. */
export type PhaseRecord = z.infer<typeof phaseRecord>;

/** How far a change to `MEMORY.md` got. */
export const CHANGE_STATES = ['planned', 'applied', 'partly_undone', 'undone'] as const;

/** A sweep as it is stored: a row of `sweeps`, whose columns have these names in snake case. */
const sweepRecord = z.object({
  id: z.string(),
  day: z.string(),
  trigger: z.enum(SWEEP_TRIGGERS),
  startedMs: z.number(),
  /** Null while it runs, and forever if it was killed. */
  endedMs: z.nullable(z.number()),
  phases: asJson(z.readonly(z.partialRecord(z.enum(PHASES), phaseRecord))),
  /** Of its change to `MEMORY.md`; null if it changed nothing. */
  memoryState: z.nullable(z.enum(CHANGE_STATES)),
  /**
   * SHA-256 of the file before and after, in hexadecimal; of the empty string if there was no file. Once undoing the
   * change began, `afterDigest` is of the file after that.
   */
  beforeDigest: z.nullable(z.string()),
  afterDigest: z.nullable(z.string()),
  /** Absolute path of a copy of the file before the change; null if there was no file. */
  backupFile: z.nullable(z.string()),
  operations: asJson(z.readonly(z.array(memoryOperation))),
  /** Claims that were promoted, or that memory already contained. */
  promoted: asJson(z.readonly(z.array(claimKey))),
});

function asJson<Schema extends z.ZodMiniType>(schema: Schema) {
  return z.codec(z.string(), schema, {
    decode: (text) => JSON.parse(text),
    encode: (value) => JSON.stringify(value),
  });
}

/** One recorded sweep. */
export type SweepRecord = Readonly<z.infer<typeof sweepRecord>>;

/** What a sweep records that changed nothing. */
export const UNCHANGED = {
  memoryState: null,
  beforeDigest: null,
  afterDigest: null,
  backupFile: null,
  operations: [],
  promoted: [],
} as const satisfies Partial<SweepRecord>;

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

const NAMES = Object.keys(sweepRecord.shape);
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
    queryRows(database, `${SELECT} ${which}`, ...values).map((row) => sweepRecord.parse(row));
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
      runSql(database, sql, z.encode(sweepRecord, record));
    },
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
  return { id, endedMs: null, ...fields, phases: {}, ...UNCHANGED };
}
