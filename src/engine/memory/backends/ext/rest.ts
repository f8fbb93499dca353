import type { Clock } from '../../../context.js';
import type { Warning } from '../../../errors/index.js';
import { type ExtState, type Rest, updateExtState } from './ext-state.js';
import type { ToolFailure } from './tool/tool-failure.js';

/** A program that failed is left alone for this long, doubled each time it fails again. */
const FIRST_REST_MS = 60_000;
const LONGEST_REST_MS = 10 * 60_000;

/** The rest that a program takes now; undefined when it may be asked. */
export function restingNow(
  { rest }: Pick<ExtState, 'rest'>,
  key: string,
  nowMs: number,
): Rest | undefined {
  return rest !== undefined && rest.key === key && nowMs < rest.untilMs ? rest : undefined;
}

/** Remembers a failure: the next questions do not wait for the same program. */
export function beginRest(dir: string, key: string, failure: ToolFailure, clock: Clock): void {
  keepQuietly(dir, (state) => {
    const failures = state.rest?.key === key ? state.rest.failures + 1 : 1;
    const restMs = Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** (failures - 1));
    const { code, message, hint } = failure;
    return {
      ...state,
      rest: { key, failures, untilMs: clock.now() + restMs, code, message, hint },
    };
  });
}

/** It answers again. */
export function endRest(dir: string, state: ExtState): void {
  if (state.rest === undefined) return;
  keepQuietly(dir, ({ rest: _, ...others }) => others);
}

/** Says why nobody asks the program. */
export function restWarning({ message, hint, untilMs }: Rest, nowMs: number): Warning {
  const seconds = Math.max(1, Math.ceil((untilMs - nowMs) / 1000));
  return {
    code: 'BACKEND_PAUSED',
    message: `the external search program is left alone for ${seconds} s more, because ${message}; the builtin engine answers`,
    hint: `${hint}; svc memory index tries it at once`,
  };
}

function keepQuietly(dir: string, change: (state: ExtState) => ExtState): void {
  try {
    updateExtState(dir, change);
  } catch {
    // The next question finds out by itself.
  }
}
