import { turnClaims } from '../../memory/chunking/split-claims.js';
import { inWriteTransaction } from '../../sqlite/database.js';
import { daysBefore } from '../../support/day.js';
import { MS_PER_DAY } from '../../support/time.js';
import { type ClaimKey, claimKeyOf, jaccard, stemsOf } from '../claims/claim-words.js';
import { junkReason } from '../claims/junk.js';
import { queryHashOf } from '../recall-log/recalled-claims.js';
import { type RecallEntry, wasOpenAt } from '../scoring/recall-entry.js';
import { scoreClaim } from '../scoring/score.js';
import { noteSignal, statementsOf } from './check-claim.js';
import type { Message } from './conversations.js';
import { countHit, type PhaseContext } from './dream-sources.js';

/** The result of the light phase. */
export type LightResult = ReturnType<typeof lightPhase>;

/** Score of a statement in a note (facts §7.5). */
const NOTE_SCORE = 0.62;
/** Score of a statement in a conversation (facts §7.5). */
const MESSAGE_SCORE = 0.58;
/** Shorter and longer statements of a conversation are not counted. */
const LEAST_MESSAGE_CHARACTERS = 12;
const MOST_MESSAGE_CHARACTERS = 280;
/** Messages without a time have no day, and are counted only once. */
const NO_DAY = 'undated';
/** Statements read for each claim to stage. */
const CLAIMS_PER_LIMIT = 4;
const LEAST_CLAIMS = 20;

/** The messages that the light phase reads. @throws the signal's reason */
export function recentMessages(context: PhaseContext): Promise<readonly Message[]> {
  const { sources, phases, day, dayOf, signal } = context;
  const from = daysBefore(day, phases.light.lookbackDays);
  return sources.messages({ from, to: day, dayOf }, signal);
}

/** Gathers statements from recent notes and conversations, and stages the best claims. */
export function lightPhase(context: PhaseContext, messages: readonly Message[]) {
  return inWriteTransaction(context.database, () => ({
    ...gatherStatements(context, messages),
    /** The best claims, highest score first, without near-duplicates. */
    staged: stage(context),
  }));
}

/** Counts the statements in recent notes and conversations, each once per day, and what was read. */
export function gatherStatements(context: PhaseContext, messages: readonly Message[]) {
  return inWriteTransaction(context.database, () => {
    const { notes, noted } = gatherFromNotes(context);
    const heard = gatherFromMessages(context, messages);
    return { notes, messages: messages.length, noted: noted + heard };
  });
}

function gatherFromNotes(context: PhaseContext) {
  const { entries, sources, phases, day, nowMs, signal } = context;
  const { limit, lookbackDays } = phases.light;
  let left = Math.max(LEAST_CLAIMS, limit * CLAIMS_PER_LIMIT);
  let notes = 0;
  let noted = 0;
  for (const note of sources.dailyNotes(daysBefore(day, lookbackDays), day)) {
    signal.throwIfAborted();
    notes += 1;
    const queryHash = queryHashOf(`__dreaming_daily__:${note.day}`);
    for (const statement of statementsOf(note)) {
      if (left === 0) return { notes, noted };
      if (!entries.countDaily(note.day, note.path, statement.key)) continue;
      left -= 1;
      noted += 1;
      entries.add({ ...noteSignal(statement, 'daily', NOTE_SCORE, nowMs), queryHash });
    }
  }
  return { notes, noted };
}

/** @returns how many statements were counted */
function gatherFromMessages(
  { entries, dayOf, nowMs }: PhaseContext,
  messages: readonly Message[],
): number {
  let noted = 0;
  for (const message of messages) {
    const messageDay = dayOf(message.atMs);
    for (const { text, startLine, endLine } of turnClaims(message)) {
      if (text.length < LEAST_MESSAGE_CHARACTERS || text.length > MOST_MESSAGE_CHARACTERS) continue;
      const key = claimKeyOf(text);
      if (junkReason(text) !== undefined) continue;
      // Per day and not per file: resuming a conversation copies it.
      if (!entries.countDaily(message.isDated ? messageDay : NO_DAY, 'sessions', key)) continue;
      noted += 1;
      const place = { source: 'sessions', path: message.path, startLine, endLine } as const;
      const atMs = Math.min(nowMs, message.atMs);
      const queryHash = queryHashOf(`__dreaming_sessions__:${messageDay}`);
      const claim = { key, text, ...place, atMs, queryHash, day: messageDay };
      entries.add({ kind: 'daily', ...claim, score: MESSAGE_SCORE });
    }
  }
  return noted;
}

function stage(context: PhaseContext): readonly RecallEntry[] {
  const { entries, phases, nowMs, dayStartMs, signal } = context;
  const { limit, lookbackDays, dedupeSimilarity } = phases.light;
  const { recencyHalfLifeDays } = phases.deep;
  const ranked: { readonly key: ClaimKey; readonly score: number }[] = [];
  // Keep only scores in memory: there may be tens of thousands of claims.
  for (const entry of entries.eachSince(nowMs - lookbackDays * MS_PER_DAY)) {
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
    countHit(context, entry, 'light');
  }
  return staged.map(({ entry }) => entry);
}
