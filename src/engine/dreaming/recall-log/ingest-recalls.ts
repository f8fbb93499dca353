import {
  closeSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs';
import { systemErrorCode } from '../../errors/index.js';
import type { Connection } from '../../sqlite/database.js';
import { claimKeyOf } from '../claims/claim-words.js';
import { withSignal } from '../scoring/signals.js';
import type { RecallEntries } from '../store/recall-entries.js';
import { parseRecallLine } from './recall-line.js';

/** What was taken in from the log of recalls. */
export interface IngestResult {
  readonly searches: number;
  /** Lines that could not be read: a crash in the middle of one, or another hand. */
  readonly broken: number;
}

interface Inbox {
  readonly database: Connection;
  readonly entries: RecallEntries;
  /** Absolute path of the log that searches append to. */
  readonly logFile: string;
  /** The day of a moment. */
  readonly dayOf: (ms: number) => string;
  /** Whether a long log may be put aside. */
  readonly rotates: boolean;
}

const PIECE_BYTES = 1024 * 1024;
/** A log this long is put aside, so that the next searches begin a new one. */
const ROTATE_BYTES = 4 * 1024 * 1024;
const LINE_END = 10;

/**
 * Takes in what was logged since the last time, exactly once: the claims and how far the log was read are
 * committed together, so that a killed sweep counts nothing twice. A line that is still being written is
 * left for the next time.
 */
export function ingestRecalls(inbox: Inbox): IngestResult {
  const aside = `${inbox.logFile}.old`;
  const old = ingestFile(inbox, aside);
  const current = ingestFile(inbox, inbox.logFile);
  if (inbox.rotates) rotate(inbox, aside);
  return { searches: old.searches + current.searches, broken: old.broken + current.broken };
}

function ingestFile(inbox: Inbox, file: string): IngestResult {
  const descriptor = openIfThere(file);
  if (descriptor === undefined) return { searches: 0, broken: 0 };
  try {
    const name = nameOf(fstatSync(descriptor));
    let searches = 0;
    let broken = 0;
    for (;;) {
      const start = readBytes(inbox.database, name);
      const lines = wholeLines(descriptor, start);
      if (lines.bytes === 0) return { searches, broken };
      const taken = takeIn(inbox, name, start, lines);
      searches += taken.searches;
      broken += taken.broken;
    }
  } finally {
    closeSync(descriptor);
  }
}

/** A file's own name, whatever its path: a new log may get the number of an old one. */
function nameOf({ ino, birthtimeMs }: Stats): string {
  return `${ino}:${Math.floor(birthtimeMs)}`;
}

interface Lines {
  readonly texts: readonly string[];
  readonly bytes: number;
}

function takeIn(inbox: Inbox, name: string, start: number, lines: Lines): IngestResult {
  const { database, entries, dayOf } = inbox;
  let searches = 0;
  let broken = 0;
  const run = database.transaction(() => {
    for (const text of lines.texts) {
      const recall = parseRecallLine(text);
      if (recall === undefined) {
        broken += 1;
        continue;
      }
      searches += 1;
      const { atMs, queryHash } = recall;
      for (const { text: claim, score, ...place } of recall.claims) {
        const signal = { kind: 'recall', text: claim, place, score, atMs, queryHash } as const;
        const known = entries.get(claimKeyOf(claim));
        entries.put(withSignal(known, { ...signal, day: dayOf(atMs) }));
      }
    }
    database
      .prepare('INSERT OR REPLACE INTO inbox (file, bytes) VALUES (?, ?)')
      .run(name, start + lines.bytes);
  });
  run.immediate();
  return { searches, broken };
}

function readBytes(database: Connection, name: string): number {
  return Number(database.prepare('SELECT bytes FROM inbox WHERE file = ?').pluck().get(name) ?? 0);
}

/** Complete lines from a place on, a piece's worth; a longer line alone is skipped as broken. */
function wholeLines(descriptor: number, start: number): Lines {
  const buffer = Buffer.allocUnsafe(PIECE_BYTES);
  const read = readSync(descriptor, buffer, 0, PIECE_BYTES, start);
  const end = buffer.subarray(0, read).lastIndexOf(LINE_END) + 1;
  const bytes = end === 0 && read === PIECE_BYTES ? read : end;
  const text = buffer.toString('utf8', 0, bytes);
  return { texts: text.split('\n').filter((line) => line !== ''), bytes };
}

/** A process may hold the log open for the moment of an append: what is put aside is read once more. */
function rotate({ database, logFile }: Inbox, aside: string): void {
  const size = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  if (size < ROTATE_BYTES) return;
  rmSync(aside, { force: true });
  renameSync(logFile, aside);
  // Two logs at most; the places in older ones mean nothing any more.
  database
    .prepare(
      'DELETE FROM inbox WHERE file NOT IN (SELECT file FROM inbox ORDER BY bytes DESC LIMIT 2)',
    )
    .run();
}

function openIfThere(file: string): number | undefined {
  try {
    return openSync(file, 'r');
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
