import { join } from 'node:path';
import * as z from 'zod/mini';
import type { Warning } from '../../../errors/index.js';
import type { DeepReadonly } from '../../../errors/output-schema.js';
import type { Clock } from '../../../support/context.js';
import { unlessSystemError } from '../../../support/files.js';
import { readJsonFile, writeJsonFile } from '../../../support/json-file.js';
import { backoffMs } from '../../../support/time.js';
import type { ExtSettings } from './ext-settings.js';
import {
  detectFeatures,
  type ExtMode,
  type ToolFeatures,
  toolFeatures,
} from './tool/ask-program.js';
import { TOOL_FAILURES, type Tool, type ToolFailure } from './tool/open-tool.js';
import type { RunOptions } from './tool/run-tool.js';

const collection = z.object({ name: z.string(), root: z.string(), pattern: z.string() });

/** A part of the state. If it is broken, it does not affect the others. */
function part<T extends z.ZodMiniType>(schema: T) {
  return z.catch(z.optional(schema), undefined);
}

const state = z.object({
  /** Capabilities of a release, by the key of its program. */
  detected: part(z.object({ key: z.string(), features: toolFeatures })),
  collections: z.catch(z.array(collection), []),
  /** The last successful refresh. */
  updated: part(
    z.object({
      atMs: z.number(),
      tookMs: z.number(),
      /** Number of files in its collections. */
      files: z.number(),
      /** Digest of the files when it started; null when one was too recent. */
      tree: z.nullable(z.string()),
      /** Documents without a vector; null when the program did not report it. */
      withoutVectors: z.nullable(z.number()),
    }),
  ),
  /** When vectors were last updated or attempted, and the number of failures in a row. */
  embedded: part(z.object({ atMs: z.number(), failures: z.number() })),
  /** A failure of the program. It is not asked for a while, so that queries need not wait for it. */
  rest: part(
    z.object({
      /** Which program in which mode failed; other combinations are tried immediately. */
      key: z.string(),
      failures: z.number(),
      untilMs: z.number(),
      code: z.enum(TOOL_FAILURES),
      message: z.string(),
      hint: z.string(),
    }),
  ),
});

/** What is remembered of an agent's external index between processes. */
export type ExtState = DeepReadonly<z.infer<typeof state>>;
/** A collection as the program has it. */
export type KnownCollection = Readonly<z.infer<typeof collection>>;
type Rest = NonNullable<ExtState['rest']>;

/** Whether two collections are the same to the program. */
export function isSameCollection(a: KnownCollection, b: KnownCollection): boolean {
  return a.name === b.name && a.root === b.root && a.pattern === b.pattern;
}

/** Path of the state file of an agent's folder. */
export function extStateFile(dir: string): string {
  return join(dir, 'state.json');
}

/** The current state. A missing or broken file counts as empty: everything in it can be determined again. */
export function readExtState(dir: string): ExtState {
  return state.safeParse(readJsonFile(extStateFile(dir))).data ?? { collections: [] };
}

/**
 * Changes the state. If two processes write at once, one change may be lost and is determined again.
 *
 * @throws the system's error
 */
export function updateExtState(dir: string, change: (state: ExtState) => ExtState): ExtState {
  const state = change(readExtState(dir));
  writeJsonFile(extStateFile(dir), state);
  return state;
}

/** Back-off after a failure, doubled each time. */
const FIRST_REST_MS = 60_000;
const LONGEST_REST_MS = 10 * 60_000;

/** The current back-off of a program; undefined when it can be asked. */
export function currentRest(
  { rest }: Pick<ExtState, 'rest'>,
  key: string,
  nowMs: number,
): Rest | undefined {
  if (rest === undefined || rest.key !== key || nowMs >= rest.untilMs) return undefined;
  // Written while the clock was wrong.
  return rest.untilMs - nowMs > LONGEST_REST_MS ? undefined : rest;
}

/** A key for a program in a mode: modes that need models can fail while others work. */
export function restKeyOf({ key }: Pick<Tool, 'key'>, mode: ExtMode): string {
  return `${mode}:${key}`;
}

/** Records a failure, so that the next queries do not wait for the same program. */
export function beginRest(dir: string, key: string, failure: ToolFailure, clock: Clock): void {
  tryUpdate(dir, (state) => {
    // Several queries that failed together count as one failure.
    if (currentRest(state, key, clock.now()) !== undefined) return state;
    const failures = state.rest?.key === key ? state.rest.failures + 1 : 1;
    const restMs = backoffMs(failures, FIRST_REST_MS, LONGEST_REST_MS);
    const { code, message, hint } = failure;
    return {
      ...state,
      rest: { key, failures, untilMs: clock.now() + restMs, code, message, hint },
    };
  });
}

/** Clears a failure after success. @param rest the failure as it was known; a newer one stays */
export function endRest(dir: string, rest: Rest | undefined): void {
  if (rest === undefined) return;
  tryUpdate(dir, ({ rest: current, ...others }) => ({
    ...others,
    ...(current === undefined || current.untilMs === rest.untilMs ? {} : { rest: current }),
  }));
}

/** The error for a program that is backing off. */
export function restWarning({ message, hint, untilMs }: Rest, nowMs: number): Warning {
  const seconds = Math.max(1, Math.ceil((untilMs - nowMs) / 1000));
  return {
    code: 'BACKEND_PAUSED',
    message: `the external search program failed: ${message}; using the built-in engine for another ${seconds} s`,
    hint: `${hint}; "svc memory index" retries at once`,
  };
}

/** If it cannot be written, the next query will determine it. */
function tryUpdate(dir: string, change: (state: ExtState) => ExtState): void {
  unlessSystemError(() => updateExtState(dir, change));
}

/**
 * The capabilities of an installed release: asked once, remembered until another release is installed.
 *
 * @throws ToolFailure; the signal's reason
 */
export async function knownFeatures(
  tool: Tool,
  { dir }: Pick<ExtSettings, 'dir'>,
  run: RunOptions,
): Promise<ToolFeatures> {
  const { detected } = readExtState(dir);
  if (detected?.key === tool.key) return detected.features;
  const features = await detectFeatures(tool, run);
  updateExtState(dir, (state) => ({ ...state, detected: { key: tool.key, features } }));
  return features;
}
