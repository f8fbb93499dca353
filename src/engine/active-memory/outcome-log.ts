import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { EngineContext } from '../context.js';
import type { RecallOutcome } from './outcome.js';

/** The log is begun anew beyond this size; the one before it is kept. */
const MAX_BYTES = 1024 * 1024;
const MODE = 0o600;

/** Where it is kept how recalls went. */
export function outcomeLogFile(stateDir: string): string {
  return join(stateDir, 'logs', 'active-memory.log');
}

/**
 * Adds a line of JSON about a recall (`logging`): how it went and how much came of it, never what was
 * asked or recalled.
 *
 * @throws nothing: a log that cannot be written must not cost a turn
 */
export function logOutcome({ state, clock }: EngineContext, outcome: RecallOutcome): void {
  const file = outcomeLogFile(state.stateDir);
  const { status, agentId, sessionKey, gates, question, recalled, mode } = outcome;
  const line = {
    at: new Date(clock.now()).toISOString(),
    status,
    agent: agentId,
    session: sessionKey ?? null,
    closedBy: gates.open ? null : gates.closedBy,
    elapsedMs: Math.round(outcome.elapsedMs),
    query: question?.queryMode ?? null,
    mode: mode ?? null,
    summary: recalled?.summary.length ?? 0,
    notes: recalled?.sources.length ?? 0,
    model: recalled?.model ?? null,
    cached: outcome.cached,
    breaker: outcome.breaker,
    warnings: outcome.warnings.map(({ code }) => code),
  };
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (size > MAX_BYTES) renameSync(file, `${file}.1`);
    appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: MODE });
  } catch {
    // Said by nobody: it is about this very log.
  }
}
