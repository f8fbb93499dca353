import * as z from 'zod/mini';
import type { Connection } from '../../sqlite/database.js';
import { queryRows, queryValue, runSql } from '../../sqlite/query.js';

/** Where a write came from. */
export const WRITE_ORIGINS = ['command', 'mcp', 'capture'] as const;
export type WriteOrigin = (typeof WRITE_ORIGINS)[number];

/** A row of `writes`; JSON for lists, and 0 or 1 for booleans. */
const row = z.object({
  id: z.number(),
  atMs: z.number(),
  /** Relative to the workspace. */
  path: z.string(),
  origin: z.enum(WRITE_ORIGINS),
  /** How far it got; `left`: undoing it was refused, because its text was edited; `undoing`: undoing it was killed. */
  state: z.enum(['planned', 'applied', 'undoing', 'undone', 'left']),
  /** Whether the write created the file. */
  created: z.number(),
  /** Exactly what was inserted; before it, the title and heading that it needed. */
  inserted: z.string(),
  /** The line that it replaced, which had fewer tags; empty if nothing. */
  replaced: z.string(),
  frames: z.string(),
});

/** Text that was added to a file of memory on request. */
export interface WriteRecord extends Readonly<Omit<z.infer<typeof row>, 'created' | 'frames'>> {
  readonly created: boolean;
  readonly frames: readonly string[];
}

/** More than anyone undoes; older ones are dropped. */
const MOST_KEPT = 500;

const SELECT = 'SELECT *, at_ms AS atMs FROM writes';

/** The writes stored in a database opened by openDreamDatabase. */
export function writeRecords(database: Connection) {
  const insert = database.prepare(
    `INSERT INTO writes (at_ms, path, origin, state, created, inserted, replaced, frames)
     VALUES (@atMs, @path, @origin, 'planned', @created, @inserted, @replaced, @frames)`,
  );
  const run = (sql: string, ...values: unknown[]): void => void runSql(database, sql, ...values);
  return {
    /** Records what is about to be written. */
    plan: (write: Omit<WriteRecord, 'id' | 'state'>): number => {
      const { lastInsertRowid } = insert.run({ ...write, ...createdPartsRow(write) });
      const id = Number(lastInsertRowid);
      run('DELETE FROM writes WHERE id <= ?', id - MOST_KEPT);
      return id;
    },
    setState: (id: number, state: WriteRecord['state']) =>
      run('UPDATE writes SET state = ? WHERE id = ?', state, id),
    /** Changes which parts of the file count as made by a write. */
    setCreatedParts: (id: number, made: CreatedParts): void => {
      const { created, frames } = createdPartsRow(made);
      run('UPDATE writes SET created = ?, frames = ? WHERE id = ?', created, frames, id);
    },
    remove: (id: number) => run('DELETE FROM writes WHERE id = ?', id),
    get: (id: number) => queryRows(database, `${SELECT} WHERE id = ?`, id).map(toRecord)[0],
    /** Newest first. */
    list: () => queryRows(database, `${SELECT} ORDER BY id DESC`).map(toRecord),
  };
}

type CreatedParts = Pick<WriteRecord, 'created' | 'frames'>;

function createdPartsRow({ created, frames }: CreatedParts): { created: number; frames: string } {
  return { created: created ? 1 : 0, frames: JSON.stringify(frames) };
}

function toRecord(value: unknown): WriteRecord {
  const { created, frames, ...read } = row.parse(value);
  return {
    ...read,
    created: created === 1,
    frames: z.array(z.string()).parse(JSON.parse(frames)),
  };
}

/** The marks stored in a database opened by openDreamDatabase. */
export function captureMarks(database: Connection) {
  return {
    /** Number of lines of the transcript that were captured. */
    linesOf: (session: string): number =>
      queryValue(database, 'SELECT lines FROM captures WHERE session = ?', session) ?? 0,
    put: (session: string, lines: number, atMs: number): void => {
      runSql(database, 'INSERT OR REPLACE INTO captures VALUES (?, ?, ?)', session, lines, atMs);
    },
  };
}
