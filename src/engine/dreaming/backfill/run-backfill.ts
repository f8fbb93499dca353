import { realpathSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import * as z from 'zod/mini';
import { messageOf, SvcError, systemErrorCode } from '../../errors/index.js';
import type { SkippedFile } from '../../memory/types.js';
import type { Connection } from '../../sqlite/database.js';
import { changingDreams, type HandOptions } from '../changing-dreams.js';
import { asClaimKey, type ClaimKey, claimKeyOf } from '../claims/claim-words.js';
import { junkReason } from '../claims/junk.js';
import { type Claim, splitClaims } from '../claims/split-claims.js';
import { dayFormatter } from '../day.js';
import type { DreamTarget } from '../dream-targets.js';
import { realWorkspaceDir } from '../dream-workspace.js';
import { type RecallEntry, signalCount } from '../scoring/recall-entry.js';
import { withSignal } from '../scoring/signals.js';
import { toEntry, toParameters } from '../store/entry-rows.js';
import type { RecallEntries } from '../store/recall-entries.js';
import { type DailyNote, openSources } from '../sweep/dream-sources.js';
import { newSweepId } from '../sweep/sweep-id.js';
import { type Lean, leanOf } from './lean.js';

/** What of old notes was taken for worth remembering. */
export interface BackfillSummary {
  readonly id: string;
  readonly dryRun: boolean;
  readonly notes: number;
  /** Notes that were too many for one run. */
  readonly notesLeft: number;
  /** The statements that got a signal, in the order of the notes. */
  readonly staged: readonly StagedClaim[];
  /** How many statements were seen, by their lean; junk is none. */
  readonly leans: Readonly<Record<Lean, number>>;
  readonly skipped: readonly SkippedFile[];
}

/** A statement that a backfill vouches for. */
export interface StagedClaim {
  readonly claim: Claim;
  readonly path: string;
  readonly lean: 'durable' | 'lasting';
}

/** Signals and score of a lean (facts §7.8); the others get none. */
const GROUNDED = {
  lasting: { signals: 2, score: 0.92 },
  durable: { signals: 1, score: 0.82 },
} as const;

/** More notes than this are for several runs, a folder each; the newest are taken. */
const MOST_NOTES = 512;
const FIRST_DAY = '0000-01-01';
const LAST_DAY = '9999-12-31';
const MS_PER_DAY = 86_400_000;

/**
 * Looks through old daily notes for statements that hold for long, and gives them signals of their own, so
 * that a few recalls are enough to promote them. Each statement counts once, however often it is run.
 *
 * @param path a note or a folder of notes in the workspace
 * @throws SvcError USAGE for a path outside it, DREAM_STORE_*
 */
export async function runBackfill(
  target: DreamTarget,
  path: string,
  options: HandOptions & { readonly dryRun: boolean },
): Promise<BackfillSummary> {
  const sources = await openSources(realWorkspaceDir(target.workspace), target.reach);
  return changingDreams(target, options, ({ dir, database, entries, sweeps, nowMs }) => {
    const folder = pathIn(dir, path);
    let found = 0;
    const isWanted = (note: string): boolean => {
      if (!isBelow(note, folder)) return false;
      found += 1;
      return found <= MOST_NOTES;
    };
    const notes = [...sources.dailyNotes(FIRST_DAY, LAST_DAY, isWanted)];
    const id = newSweepId(nowMs, sweeps);
    const staged: StagedClaim[] = [];
    const leans = { lasting: 0, durable: 0, unclear: 0, situational: 0 };
    const run = database.transaction(() => {
      for (const seen of statementsOf(notes, options.signal)) {
        const { claim, note, lean } = seen;
        leans[lean] += 1;
        if (lean !== 'lasting' && lean !== 'durable') continue;
        if (wasBackfilled(database, claim)) continue;
        staged.push({ claim, path: note.path, lean });
        if (!options.dryRun) vouch({ database, entries }, id, { claim, note, lean });
      }
      if (options.dryRun) return;
      sweeps.put({
        id,
        day: dayFormatter(target.timeZone)(nowMs),
        trigger: 'backfill',
        startedMs: nowMs,
        endedMs: nowMs,
        phases: {},
        memory: { state: 'untouched' },
      });
    });
    run.immediate();
    return {
      id,
      dryRun: options.dryRun,
      notes: notes.length,
      notesLeft: Math.max(0, found - MOST_NOTES),
      staged,
      leans,
      skipped: sources.skipped,
    };
  });
}

/**
 * Takes back exactly what a backfill added; claims that nobody else vouched for go with it.
 *
 * @returns how many claims it concerned
 * @throws SvcError DREAM_SWEEP_UNKNOWN, DREAM_STORE_*
 */
export async function rollBackBackfill(
  target: DreamTarget,
  id: string,
  options: HandOptions,
): Promise<number> {
  return changingDreams(target, options, ({ database, entries }) => {
    const rows = readRows(database, id);
    if (rows.length === 0) {
      throw new SvcError('DREAM_SWEEP_UNKNOWN', `there is no backfill ${id} to take back`, {
        hint: 'svc dream list shows the sweeps that ran',
      });
    }
    const run = database.transaction(() => {
      for (const row of rows) {
        const entry = entries.get(row.key);
        if (entry === undefined) continue;
        const left = withoutBackfill(entry, row);
        if (left === undefined) entries.remove(row.key);
        else entries.put(left);
      }
      database.prepare('DELETE FROM backfills WHERE id = ?').run(id);
    });
    run.immediate();
    return rows.length;
  });
}

/** A claim without what a backfill added to it; undefined for one that nobody else vouched for. */
function withoutBackfill(
  entry: RecallEntry,
  { signals, score, before, after }: BackfillRow,
): RecallEntry | undefined {
  if (rowOf(entry) === after) return before === null ? undefined : toEntry(JSON.parse(before));
  // Something came to it since: only what was added goes.
  const known = before === null ? [] : toEntry(JSON.parse(before)).days;
  const added = toEntry(JSON.parse(after)).days.filter((day) => !known.includes(day));
  const left = {
    ...entry,
    groundedCount: entry.groundedCount - signals,
    totalScore: entry.totalScore - signals * score,
    days: entry.days.filter((day) => !added.includes(day)),
  };
  return signalCount(left) === 0 && left.state.fate === 'open' ? undefined : left;
}

interface SeenStatement {
  readonly claim: Claim;
  readonly note: DailyNote;
  readonly lean: Lean;
}

function* statementsOf(notes: readonly DailyNote[], signal: AbortSignal): Generator<SeenStatement> {
  for (const note of notes) {
    signal.throwIfAborted();
    for (const claim of splitClaims(note.text)) {
      if (junkReason(claim.text) === undefined) yield { claim, note, lean: leanOf(claim) };
    }
  }
}

interface Vouched {
  readonly claim: Claim;
  readonly note: DailyNote;
  readonly lean: 'durable' | 'lasting';
}

function vouch(
  { database, entries }: { readonly database: Connection; readonly entries: RecallEntries },
  id: string,
  { claim, note, lean }: Vouched,
): void {
  const key = claimKeyOf(claim.text);
  const known = entries.get(key);
  const { signals, score } = GROUNDED[lean];
  const place = {
    source: 'memory',
    path: note.path,
    startLine: claim.startLine,
    endLine: claim.endLine,
  } as const;
  const atMs = Date.parse(note.day) + MS_PER_DAY;
  let entry = known;
  for (let count = 0; count < signals; count++) {
    entry = withSignal(entry, {
      kind: 'grounded',
      text: claim.text,
      place,
      score,
      atMs,
      day: note.day,
      queryHash: undefined,
    });
  }
  if (entry === undefined) return;
  entries.put(entry);
  database
    .prepare(
      'INSERT INTO backfills (id, key, signals, score, before_row, after_row) VALUES (?, ?, ?, ?, ?, ?)',
    )
    .run(id, key, signals, score, known === undefined ? null : rowOf(known), rowOf(entry));
}

function rowOf(entry: RecallEntry): string {
  return JSON.stringify(toParameters(entry));
}

function wasBackfilled(database: Connection, { text }: Claim): boolean {
  const found = database.prepare('SELECT 1 FROM backfills WHERE key = ?').get(claimKeyOf(text));
  return found !== undefined;
}

const backfillRow = z.object({
  key: z.string(),
  signals: z.number(),
  score: z.number(),
  before_row: z.nullable(z.string()),
  after_row: z.string(),
});

interface BackfillRow {
  readonly key: ClaimKey;
  readonly signals: number;
  readonly score: number;
  readonly before: string | null;
  readonly after: string;
}

function readRows(database: Connection, id: string): BackfillRow[] {
  const rows: unknown[] = database.prepare('SELECT * FROM backfills WHERE id = ?').all(id);
  return rows.map((row) => {
    const { key, signals, score, before_row: before, after_row: after } = backfillRow.parse(row);
    return { key: asClaimKey(key), signals, score, before, after };
  });
}

function pathIn(dir: string, path: string): string {
  const inside = relative(dir, realPath(resolve(dir, path), path));
  if (inside === '..' || inside.startsWith(`..${sep}`)) {
    throw new SvcError('USAGE', `${path} is not in the workspace ${dir}`, {
      hint: 'name a daily note or a folder of the workspace',
    });
  }
  return inside.split(sep).join('/');
}

function realPath(absolute: string, path: string): string {
  try {
    return realpathSync(absolute);
  } catch (error) {
    const why =
      systemErrorCode(error) === 'ENOENT'
        ? `there is no ${path}`
        : `cannot read ${path}: ${messageOf(error)}`;
    throw new SvcError('USAGE', why, {
      hint: 'name a daily note or a folder of the workspace',
      cause: error,
    });
  }
}

function isBelow(path: string, folder: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`);
}
