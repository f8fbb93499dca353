import { type ClaimKey, claimKeyOf, jaccard, stemsOf } from '../claims/claim-words.js';
import { junkReason } from '../claims/junk.js';
import { splitClaims } from '../claims/split-claims.js';
import { turnClaims } from '../claims/split-turns.js';
import { daysBefore } from '../day.js';
import { queryHashOf } from '../recall-log/recalled-claims.js';
import { type RecallEntry, wasOpenAt } from '../scoring/recall-entry.js';
import { scoreClaim } from '../scoring/score.js';
import { withSignal } from '../scoring/signals.js';
import { MS_PER_DAY, type PhaseContext } from './phase-context.js';

/** What the light phase did. */
export interface LightResult {
  readonly notes: number;
  /** Messages of conversations that were looked at. */
  readonly messages: number;
  /** Claims that a note or a message held for the first time. */
  readonly noted: number;
  /** The claims that stand out, best first; duplicates counted once. */
  readonly staged: readonly RecallEntry[];
}

/** What a claim's being noted down is worth (facts §7.5). */
const DAILY_SCORE = 0.62;
/** The same in a conversation, and how long it is there: shorter ones are calls, longer ones essays. */
const SAID_SCORE = 0.58;
const LEAST_SAID_CHARACTERS = 12;
const MOST_SAID_CHARACTERS = 280;
/** Messages without a time stand for no day, and are counted once for ever. */
const NO_DAY = 'undated';
/** For every claim to be staged so many are looked at. */
const CLAIMS_PER_LIMIT = 4;
const LEAST_CLAIMS = 20;

/** Gathers what the last days' notes say, and marks what stands out of all that is recalled. */
export function lightPhase(context: PhaseContext): LightResult {
  const run = context.database.transaction(() => {
    const { notes, noted } = takeDailyNotes(context);
    const said = takeMessages(context);
    return {
      notes,
      messages: said.messages,
      noted: noted + said.noted,
      staged: stage(context),
    };
  });
  return run.immediate();
}

function takeDailyNotes({
  entries,
  sources,
  phases,
  day,
  nowMs,
  signal,
}: PhaseContext): Pick<LightResult, 'noted' | 'notes'> {
  const { limit, lookbackDays } = phases.light;
  let left = Math.max(LEAST_CLAIMS, limit * CLAIMS_PER_LIMIT);
  let notes = 0;
  let noted = 0;
  for (const note of sources.dailyNotes(daysBefore(day, lookbackDays), day)) {
    signal.throwIfAborted();
    notes += 1;
    for (const { text, startLine, endLine } of splitClaims(note.text)) {
      if (left === 0) return { notes, noted };
      const key = claimKeyOf(text);
      if (junkReason(text) !== undefined || !entries.countDaily(note.day, note.path, key)) continue;
      left -= 1;
      noted += 1;
      const place = { source: 'memory', path: note.path, startLine, endLine } as const;
      // A note of today counts from now on, an older one from the end of its day.
      const atMs = Math.min(nowMs, Date.parse(note.day) + MS_PER_DAY);
      entries.put(
        withSignal(entries.get(key), {
          kind: 'daily',
          text,
          place,
          score: DAILY_SCORE,
          atMs,
          day: note.day,
          queryHash: queryHashOf(`__dreaming_daily__:${note.day}`),
        }),
      );
    }
  }
  return { notes, noted };
}

function takeMessages({
  entries,
  sources,
  phases,
  day,
  dayOf,
  nowMs,
  signal,
}: PhaseContext): Pick<LightResult, 'messages' | 'noted'> {
  let messages = 0;
  let noted = 0;
  const from = daysBefore(day, phases.light.lookbackDays);
  for (const message of sources.messages(from, day, dayOf)) {
    signal.throwIfAborted();
    messages += 1;
    const said = dayOf(message.atMs);
    for (const { text, startLine, endLine } of turnClaims(message)) {
      if (text.length < LEAST_SAID_CHARACTERS || text.length > MOST_SAID_CHARACTERS) continue;
      const key = claimKeyOf(text);
      // Whichever file it stands in: a conversation that is taken up again is copied.
      const isNew = (): boolean =>
        entries.countDaily(message.isDated ? said : NO_DAY, 'sessions', key);
      if (junkReason(text) !== undefined || !isNew()) continue;
      noted += 1;
      const place = { source: 'sessions', path: message.path, startLine, endLine } as const;
      entries.put(
        withSignal(entries.get(key), {
          kind: 'daily',
          text,
          place,
          score: SAID_SCORE,
          atMs: Math.min(nowMs, message.atMs),
          day: said,
          queryHash: queryHashOf(`__dreaming_sessions__:${said}`),
        }),
      );
    }
  }
  return { messages, noted };
}

function stage(context: PhaseContext): readonly RecallEntry[] {
  const { entries, phases, nowMs, day, dayOf, dayStartMs, signal } = context;
  const { limit, lookbackDays, dedupeSimilarity } = phases.light;
  const { recencyHalfLifeDays } = phases.deep;
  const ranked: { readonly key: ClaimKey; readonly score: number }[] = [];
  // Of tens of thousands the scores alone are kept.
  for (const entry of entries.each(nowMs - lookbackDays * MS_PER_DAY)) {
    if (!wasOpenAt(entry, dayStartMs) || junkReason(entry.text) !== undefined) continue;
    ranked.push({ key: entry.key, score: scoreClaim(entry, nowMs, recencyHalfLifeDays).score });
  }
  ranked.sort((a, b) => b.score - a.score || (a.key < b.key ? -1 : 1));
  const staged: { readonly entry: RecallEntry; readonly stems: ReadonlySet<string> }[] = [];
  for (const { key } of ranked) {
    signal.throwIfAborted();
    if (staged.length === limit) break;
    const entry = entries.get(key);
    if (entry === undefined) continue;
    const stems = stemsOf(entry.text);
    if (staged.some((other) => jaccard(other.stems, stems) >= dedupeSimilarity)) continue;
    staged.push({ entry, stems });
    const { hits, lastMs } = entry.light;
    // A second sweep of a day counts nothing again.
    if (lastMs !== undefined && dayOf(lastMs) === day) continue;
    entries.put({ ...entry, light: { hits: hits + 1, lastMs: nowMs } });
  }
  return staged.map(({ entry }) => entry);
}
