import { relative, resolve, sep } from 'node:path';
import * as z from 'zod/mini';
import { SvcError, systemErrorCode, systemReason } from '../errors/index.js';
import type { Claim } from '../memory/chunking/split-claims.js';
import { inRolledBackTransaction, inWriteTransaction } from '../sqlite/database.js';
import { queryColumn, queryRows, runSql } from '../sqlite/query.js';
import { dayFormatter } from '../support/day.js';
import { realPath } from '../support/files.js';
import { isInside } from '../support/paths.js';
import { claimKey } from './claims/claim-words.js';
import type { DreamTarget } from './dream-targets.js';
import type { MemoryChanger } from './promotion/change-memory.js';
import { type RecallEntry, signalCount, withSignal } from './scoring/recall-entry.js';
import { entryJson, parseEntryJson } from './store/recall-entries.js';
import { newSweep, unknownSweep } from './store/sweep-records.js';
import { noteSignal, type Statement, statementsOf } from './sweep/check-claim.js';
import { openSources } from './sweep/dream-sources.js';
import { changeDreams, type ManualChangeOptions } from './with-dreams.js';

/** The result of a backfill. */
export type BackfillSummary = Awaited<ReturnType<typeof runBackfill>>;

interface StagedClaim extends Statement {
  readonly lean: keyof typeof SIGNALS_BY_LEAN;
}

/** Signals and score by lean (facts §7.8); other leans get none. */
const SIGNALS_BY_LEAN = {
  lasting: { signals: 2, score: 0.92 },
  durable: { signals: 1, score: 0.82 },
} as const;

/** One run reads this many notes, the newest; run it per folder for more. */
const MOST_NOTES = 512;
const FIRST_DAY = '0000-01-01';
const LAST_DAY = '9999-12-31';

/**
 * Finds lasting statements in old daily notes and gives them signals, so that a few recalls are enough to
 * promote them. Each statement counts once, however often the backfill runs.
 *
 * @param path a note or a folder of notes in the workspace
 * @throws SvcError USAGE for a path outside it, DREAM_STORE_*
 */
export async function runBackfill(
  target: DreamTarget,
  path: string,
  options: ManualChangeOptions & { readonly dryRun: boolean },
) {
  const sources = await openSources(target);
  return changeDreams(target, options, async ({ dir, database, entries, sweeps, nowMs }) => {
    const folder = pathIn(dir, path);
    let found = 0;
    const isWanted = (note: string): boolean => {
      if (!isBelow(note, folder)) return false;
      found += 1;
      return found <= MOST_NOTES;
    };
    const notes = [...sources.dailyNotes(FIRST_DAY, LAST_DAY, isWanted)];
    const day = dayFormatter(target.timeZone)(nowMs);
    const sweep = newSweep(sweeps, { trigger: 'backfill', day, startedMs: nowMs, endedMs: nowMs });
    // The table is sorted by backfill: looking up one key would read all of it.
    const backfilled = new Set(queryColumn<string>(database, 'SELECT key FROM backfills'));
    const staged: StagedClaim[] = [];
    const leans = { lasting: 0, durable: 0, unclear: 0, situational: 0 };
    const inTransaction = options.dryRun ? inRolledBackTransaction : inWriteTransaction;
    await inTransaction(database, () => {
      for (const statement of notes.flatMap(statementsOf)) {
        options.signal.throwIfAborted();
        const lean = leanOf(statement);
        leans[lean] += 1;
        if (lean !== 'lasting' && lean !== 'durable') continue;
        if (backfilled.has(statement.key)) continue;
        backfilled.add(statement.key);
        staged.push({ ...statement, lean });
        addSignals({ database, entries, nowMs }, sweep.id, { ...statement, lean });
      }
      // One that changed nothing could not be rolled back.
      if (staged.length > 0) sweeps.put(sweep);
    });
    return {
      id: sweep.id,
      dryRun: options.dryRun,
      notes: notes.length,
      /** Notes over the limit of one run. */
      notesLeft: Math.max(0, found - MOST_NOTES),
      /** Statements that got a signal, in the order of the notes. */
      staged,
      /** Number of statements by lean. */
      leans,
      skipped: sources.skipped,
    };
  });
}

/**
 * Removes exactly what a backfill added, and claims that have no other signal.
 *
 * @returns the number of claims affected
 * @throws SvcError DREAM_SWEEP_UNKNOWN, DREAM_STORE_*
 */
export async function rollBackBackfill(
  target: DreamTarget,
  id: string,
  options: ManualChangeOptions,
): Promise<number> {
  return changeDreams(target, options, ({ database, entries, sweeps }) => {
    const found = queryRows(database, 'SELECT * FROM backfills WHERE id = ?', id);
    const rows = z.array(backfillRow).parse(found);
    if (rows.length === 0) {
      const wasBackfill = sweeps.get(id)?.trigger === 'backfill';
      const why = wasBackfill
        ? `backfill ${id} was already rolled back`
        : `backfill ${id} not found`;
      throw unknownSweep(why, 'sweeps and backfills');
    }
    inWriteTransaction(database, () => {
      for (const row of rows) {
        const entry = entries.get(row.key);
        if (entry === undefined) continue;
        const left = withoutBackfill(entry, row);
        if (left === undefined) entries.remove(row.key);
        else entries.put(left);
      }
      runSql(database, 'DELETE FROM backfills WHERE id = ?', id);
    });
    return rows.length;
  });
}

/** A claim without what a backfill added to it; undefined if it has no other signal. */
function withoutBackfill(
  entry: RecallEntry,
  { signals, score, before_row: beforeJson, after_row: afterJson }: z.infer<typeof backfillRow>,
): RecallEntry | undefined {
  const before = beforeJson === null ? undefined : parseEntryJson(beforeJson);
  if (entryJson(entry) === afterJson) return before;
  // The claim changed since: remove only what was added.
  const known = before?.days ?? [];
  const added = parseEntryJson(afterJson).days.filter((day) => !known.includes(day));
  const left = {
    ...entry,
    groundedCount: entry.groundedCount - signals,
    totalScore: entry.totalScore - signals * score,
    days: entry.days.filter((day) => !added.includes(day)),
  };
  return signalCount(left) === 0 && left.fate === 'open' ? undefined : left;
}

function addSignals(
  { database, entries, nowMs }: Pick<MemoryChanger, 'database' | 'entries' | 'nowMs'>,
  id: string,
  { lean, ...statement }: StagedClaim,
): void {
  const { key } = statement;
  const known = entries.get(key);
  const { signals, score } = SIGNALS_BY_LEAN[lean];
  let entry = known;
  for (let count = 0; count < signals; count++) {
    entry = withSignal(entry, noteSignal(statement, 'grounded', score, nowMs));
  }
  if (entry === undefined) return;
  entries.put(entry);
  database
    .prepare(
      'INSERT INTO backfills (id, key, signals, score, before_row, after_row) VALUES (?, ?, ?, ?, ?, ?)',
    )
    .run(id, key, signals, score, known ? entryJson(known) : null, entryJson(entry));
}

const backfillRow = z.object({
  key: claimKey,
  signals: z.number(),
  score: z.number(),
  before_row: z.nullable(z.string()),
  after_row: z.string(),
});

function pathIn(dir: string, path: string): string {
  const hint = 'pass a daily note or a folder in the workspace';
  let real: string;
  try {
    real = realPath(resolve(dir, path));
  } catch (cause) {
    const why = systemErrorCode(cause) === 'ENOENT' ? 'not found' : systemReason(cause);
    throw new SvcError('USAGE', `cannot read ${path}: ${why}`, { hint, cause });
  }
  if (!isInside(real, dir)) {
    throw new SvcError('USAGE', `${path} is outside the workspace ${dir}`, { hint });
  }
  return relative(dir, real).split(sep).join('/');
}

function isBelow(path: string, folder: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`);
}

/** How lasting a statement in an old note is likely to be. */
type Lean = 'lasting' | 'durable' | 'unclear' | 'situational';

// Events of a single day.
const SITUATIONAL =
  /\b(?:today|tonight|yesterday|tomorrow|this (?:morning|afternoon|evening|week)|just now|earlier|later|currently|for now|so far|at the moment|in progress|spent|met|called|fixed|tried|finished|started|worked on|went|waiting|debugged|reviewed|deployed|merged|lunch|meeting)\b/iu;
// Rules, choices, habits and permanent facts.
const DURABLE =
  /\b(?:always|never|every|each|must|should|prefers?|likes?|dislikes?|uses?|owns?|lives?|stands?|lies?|kept|keeps?|runs?|listens?|needs?|is|are|means|decided|decision|agreed|convention|policy|rule|default|limit|allergic|birthday|password hint|address|port|version)\b/iu;
const LASTING_HEADING =
  /\b(?:decisions?|lessons?|learned|preferences?|conventions?|rules?|polic(?:y|ies)|facts?|reference|set-?up|people|remember)\b/iu;

/** Guesses from the wording and the headings above a statement. */
export function leanOf({ text, headingPath }: Pick<Claim, 'headingPath' | 'text'>): Lean {
  const situational = SITUATIONAL.test(text);
  if (headingPath.some((title) => LASTING_HEADING.test(title))) {
    return situational ? 'unclear' : 'lasting';
  }
  if (situational) return 'situational';
  return DURABLE.test(text) ? 'durable' : 'unclear';
}
