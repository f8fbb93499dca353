import type { Clock } from '../../../context.js';
import type { Warning } from '../../../errors/index.js';
import type { ExtMode } from './ext-settings.js';
import { type ExtState, type Rest, updateExtState } from './ext-state.js';
import type { Tool } from './tool/open-tool.js';
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
  if (rest === undefined || rest.key !== key || nowMs >= rest.untilMs) return undefined;
  // Written when the clock was wrong.
  return rest.untilMs - nowMs > LONGEST_REST_MS ? undefined : rest;
}

/** Of a program and how it is used: a mode that needs models may fail where another one does not. */
export function restKeyOf({ key }: Pick<Tool, 'key'>, mode: ExtMode): string {
  return `${mode}:${key}`;
}

/** Remembers a failure: the next questions do not wait for the same program. */
export function beginRest(dir: string, key: string, failure: ToolFailure, clock: Clock): void {
  keepQuietly(dir, (state) => {
    // Several questions that failed together are one failure.
    if (restingNow(state, key, clock.now()) !== undefined) return state;
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
