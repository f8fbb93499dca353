import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { makeFolders, namesIn, PRIVATE_MODE, unlessSystemError } from '../support/files.js';
import { readJsonFile, writeJsonFile } from '../support/json-file.js';
import { TEMPORARY_ENDING } from '../support/replace-file.js';
import { isWithin, MS_PER_DAY } from '../support/time.js';
import type { ActiveMemorySettings } from './gates.js';

const cachedRecall = z.object({
  key: z.string(),
  /** Milliseconds since the epoch. */
  untilMs: z.number(),
  /** Before escaping; empty if nothing was recalled. */
  summary: z.string(),
  sources: z.array(
    z.object({
      path: z.string(),
      source: z.enum(['memory', 'sessions']),
      startLine: z.number(),
      endLine: z.number(),
      score: z.number(),
    }),
  ),
  model: z.nullable(z.string()),
});
/** A recall that can be reused for a while. */
export type CachedRecall = Readonly<z.infer<typeof cachedRecall>>;

const breakerRecord = z.object({
  key: z.string(),
  timeouts: z.number(),
  /** Recalls skip providers and models until then; 0 while closed. */
  openUntilMs: z.number(),
  atMs: z.number(),
  /** Whether recalls skip memory as well, since it was what kept the last one waiting. */
  skipsMemory: z.exactOptional(z.boolean()),
});
/** Consecutive timeouts of one agent's recalls; times in milliseconds since the epoch. */
export type BreakerRecord = Readonly<z.infer<typeof breakerRecord>>;

/** What recalls share between processes; oldest entries first. */
export interface RecallState {
  readonly recalls: readonly CachedRecall[];
  readonly breakers: readonly BreakerRecord[];
  /** How often forgetting has emptied the recalls, if ever. */
  readonly emptied?: number;
}

const stateFile = z.object({
  recalls: z.array(z.unknown()),
  breakers: z.array(z.unknown()),
  emptied: z.exactOptional(z.number()),
});

const NOTHING: RecallState = { recalls: [], breakers: [] };
const MAX_RECALLS = 1000;
const MAX_BREAKERS = 100;
/** Breakers unused for this long are dropped. */
const BREAKER_KEPT_MS = MS_PER_DAY;
const TEMPORARY_START = '.state-';

/** Folder of everything that active memory stores, but for its log. */
export function activeMemoryFolder(stateDir: string): string {
  return join(stateDir, 'plugins', 'active-memory');
}

export function recallStateFile(stateDir: string): string {
  return join(activeMemoryFolder(stateDir), 'state.json');
}

/** Reads the state; invalid entries are dropped, and a missing or invalid file is an empty state. */
export function readRecallState(stateDir: string): RecallState {
  const read = stateFile.safeParse(readJsonFile(recallStateFile(stateDir)));
  if (!read.success) return NOTHING;
  const { recalls, breakers, ...rest } = read.data;
  return {
    ...rest,
    recalls: validIn(recalls, cachedRecall),
    breakers: validIn(breakers, breakerRecord),
  };
}

function validIn<T>(values: readonly unknown[], schema: z.ZodMiniType<T>): T[] {
  return values.flatMap((value) => {
    const read = schema.safeParse(value);
    return read.success ? [read.data] : [];
  });
}

/**
 * Changes the state. If two processes do so at once, one change may be lost: a recall is not cached or a
 * timeout not counted. Not synced to disk, so that a turn does not wait for it.
 *
 * @throws nothing: recalls work without stored state
 */
export function updateRecallState(
  stateDir: string,
  nowMs: number,
  change: (state: RecallState) => RecallState,
): void {
  const { recalls, breakers, ...rest } = change(readRecallState(stateDir));
  const kept: RecallState = {
    ...rest,
    recalls: recalls.filter(({ untilMs }) => untilMs > nowMs).slice(-MAX_RECALLS),
    breakers: breakers.filter(({ atMs }) => nowMs - atMs < BREAKER_KEPT_MS).slice(-MAX_BREAKERS),
  };
  const file = recallStateFile(stateDir);
  // One name per process, so a killed one leaves at most one file behind.
  const temporary = join(dirname(file), `${TEMPORARY_START}${process.pid}${TEMPORARY_ENDING}`);
  try {
    makeFolders(dirname(file));
    writeFileSync(temporary, `${JSON.stringify(kept)}\n`, { mode: PRIVATE_MODE });
    renameSync(temporary, file);
  } catch {
    // Where its folder is not a folder, there is nothing to remove.
    unlessSystemError(() => rmSync(temporary, { force: true }));
  }
}

/**
 * Removes all recalls from the file, durably, and from temporary files of killed processes.
 *
 * @returns how many
 * @throws the system's error
 */
export function emptyRecalls(stateDir: string): number {
  const file = recallStateFile(stateDir);
  const folder = dirname(file);
  const temporaries = namesIn(folder).filter(
    (name) => name.startsWith(TEMPORARY_START) && name.endsWith(TEMPORARY_ENDING),
  );
  for (const name of temporaries) rmSync(join(folder, name), { force: true });
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return 0;
  const { recalls, breakers, emptied = 0 } = readRecallState(stateDir);
  writeJsonFile(file, { recalls: [], breakers, emptied: emptied + 1 });
  return recalls.length;
}

type BreakerSettings = Pick<
  ActiveMemorySettings['config'],
  'circuitBreakerCooldownMs' | 'circuitBreakerMaxTimeouts'
>;

/**
 * `closed`: normal. `open`: the last recalls all timed out, so providers and models are skipped for a while, and a memory
 * that did not answer. `half_open`: the pause is over, and this recall tries again.
 */
export const BREAKER_STATES = ['closed', 'half_open', 'open'] as const;
export type BreakerState = (typeof BREAKER_STATES)[number];

export function breakerState(
  record: BreakerRecord | undefined,
  nowMs: number,
  { circuitBreakerMaxTimeouts }: BreakerSettings,
): BreakerState {
  if (record === undefined || record.timeouts < circuitBreakerMaxTimeouts) return 'closed';
  // What is recorded in the future is from before the clock was set back.
  const { atMs, openUntilMs } = record;
  return isWithin(atMs, nowMs, openUntilMs - atMs) ? 'open' : 'half_open';
}

/** Keeps the breaker open for other recalls while one tries. */
export function withTrial(record: BreakerRecord, nowMs: number, timeoutMs: number): BreakerRecord {
  return { ...record, openUntilMs: nowMs + timeoutMs, atMs: nowMs };
}

/** Counts a timeout; opens the breaker after enough in a row. */
export function afterTimeout(
  record: BreakerRecord | undefined,
  key: string,
  nowMs: number,
  { circuitBreakerCooldownMs, circuitBreakerMaxTimeouts }: BreakerSettings,
): BreakerRecord {
  const timeouts = (record?.timeouts ?? 0) + 1;
  const openUntilMs = timeouts < circuitBreakerMaxTimeouts ? 0 : nowMs + circuitBreakerCooldownMs;
  return { key, timeouts, openUntilMs, atMs: nowMs };
}

/** The cached recall, until it is over, or the clock was set back. */
export function recallInCache(
  { recalls }: RecallState,
  key: string,
  nowMs: number,
  { cacheTtlMs }: Pick<ActiveMemorySettings['config'], 'cacheTtlMs'>,
): CachedRecall | undefined {
  return recalls.find(
    ({ key: other, untilMs }) => other === key && isWithin(untilMs - cacheTtlMs, nowMs, cacheTtlMs),
  );
}

export function breakerOf(state: RecallState, key: string): BreakerRecord | undefined {
  return state.breakers.find((record) => record.key === key);
}

/** Replaces a breaker; undefined removes it, which closes it. */
export function withBreaker(
  state: RecallState,
  key: string,
  record: BreakerRecord | undefined,
): RecallState {
  const others = state.breakers.filter((other) => other.key !== key);
  return { ...state, breakers: record === undefined ? others : [...others, record] };
}
