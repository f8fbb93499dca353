import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { isRecord } from '../config/index.js';
import type { RecalledSource } from './select.js';

/** A recall that may be used again for a while. */
export interface CachedRecall {
  readonly key: string;
  /** Milliseconds since the epoch. */
  readonly untilMs: number;
  /** What was recalled, before it is escaped; empty when there was nothing. */
  readonly summary: string;
  readonly sources: readonly RecalledSource[];
  /** The model that condensed it; null for none. */
  readonly model: string | null;
}

/** Timeouts in a row of one agent's recalls; times in milliseconds since the epoch. */
export interface BreakerRecord {
  readonly key: string;
  readonly timeouts: number;
  /** No recall waits for anybody until then; 0 while it is closed. */
  readonly openUntilMs: number;
  /** When it was last changed. */
  readonly atMs: number;
}

/** What recalls remember from one process to the next. */
export interface RecallState {
  /** Oldest first. */
  readonly recalls: readonly CachedRecall[];
  readonly breakers: readonly BreakerRecord[];
}

const NOTHING: RecallState = { recalls: [], breakers: [] };
const MAX_RECALLS = 1000;
const MAX_BREAKERS = 100;
/** Larger than anything written here: somebody else's file. */
const MAX_BYTES = 4 * 1024 * 1024;
/** A breaker that nobody used for so long says nothing any more. */
const BREAKER_KEPT_MS = 24 * 60 * 60 * 1000;
/** For its owner alone: it holds lines of notes. */
const MODE = 0o600;
/** As in replace-file.ts, whose leftovers `svc config doctor` finds. */
const TEMPORARY_ENDING = '.svc.tmp';

/** Where the state lies. */
export function recallStateFile(stateDir: string): string {
  return join(stateDir, 'plugins', 'active-memory', 'state.json');
}

/** The state as it is; an empty one where the file is missing, broken or not ours. */
export function readRecallState(stateDir: string): RecallState {
  try {
    const file = recallStateFile(stateDir);
    const found = statSync(file);
    if (!found.isFile() || found.size > MAX_BYTES) return NOTHING;
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (!isRecord(value)) return NOTHING;
    const { recalls, breakers } = value;
    return {
      recalls: Array.isArray(recalls) ? recalls.filter(isCachedRecall) : [],
      breakers: Array.isArray(breakers) ? breakers.filter(isBreakerRecord) : [],
    };
  } catch {
    return NOTHING;
  }
}

/**
 * Changes the state. Of two processes that do so at once one change may be lost: a recall is made
 * again, a timeout is not counted. It is not made to outlast a power cut, for which a turn would wait.
 *
 * @throws nothing: a state that cannot be written is only a convenience less
 */
export function updateRecallState(
  stateDir: string,
  nowMs: number,
  change: (state: RecallState) => RecallState,
): void {
  const { recalls, breakers } = change(readRecallState(stateDir));
  const kept: RecallState = {
    recalls: recalls.filter(({ untilMs }) => untilMs > nowMs).slice(-MAX_RECALLS),
    breakers: breakers.filter(({ atMs }) => nowMs - atMs < BREAKER_KEPT_MS).slice(-MAX_BREAKERS),
  };
  const file = recallStateFile(stateDir);
  // One name a process: those that are killed leave no more than that behind.
  const temporary = join(dirname(file), `.state-${process.pid}${TEMPORARY_ENDING}`);
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(temporary, `${JSON.stringify(kept)}\n`, { mode: MODE });
    chmodSync(temporary, MODE);
    renameSync(temporary, file);
  } catch {
    removeQuietly(temporary);
  }
}

function removeQuietly(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // Its folder is none: there is nothing to remove.
  }
}

function isCachedRecall(value: unknown): value is CachedRecall {
  return (
    isRecord(value) &&
    typeof value['key'] === 'string' &&
    typeof value['untilMs'] === 'number' &&
    typeof value['summary'] === 'string' &&
    (value['model'] === null || typeof value['model'] === 'string') &&
    Array.isArray(value['sources']) &&
    value['sources'].every(isSource)
  );
}

function isSource(value: unknown): value is RecalledSource {
  return (
    isRecord(value) &&
    typeof value['path'] === 'string' &&
    (value['source'] === 'memory' || value['source'] === 'sessions') &&
    [value['startLine'], value['endLine'], value['score']].every(Number.isFinite)
  );
}

function isBreakerRecord(value: unknown): value is BreakerRecord {
  return (
    isRecord(value) &&
    typeof value['key'] === 'string' &&
    [value['timeouts'], value['openUntilMs'], value['atMs']].every(Number.isFinite)
  );
}
