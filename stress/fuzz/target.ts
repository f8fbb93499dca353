import fc from 'fast-check';
import type * as z from 'zod/mini';
import { withinTime } from '../../src/engine/support/async.js';

/** An open fuzz target. */
export interface OpenTarget {
  /** Tries new inputs until one breaks a promise, or the limit of runs or time is reached. */
  hunt(hunt: Hunt): Promise<HuntResult>;
  /** Tries one input from a seed file. @throws if it breaks a promise */
  replay(input: unknown): Promise<void>;
  /** @throws Error if the state left behind breaks a promise */
  close(): Promise<void>;
}

/** Limits of a run. */
export interface Hunt {
  /** Determines all inputs. */
  readonly seed: number;
  readonly maxRuns: number;
  readonly maxMs: number;
  /** Called with each input as JSON before it is tried: a crash or a hang leaves no other trace. */
  readonly onInput?: (json: string) => void;
}

/** The result of a run. */
export interface HuntResult {
  readonly runs: number;
  readonly bug: FoundBug | undefined;
}

/** An input that breaks a promise, shrunk as far as time allowed. */
export interface FoundBug {
  readonly input: unknown;
  readonly why: string;
}

/** Definition of a target. */
export interface TargetParts<Input> {
  /** Inputs are plain JSON, so that they can be stored in a file. */
  readonly inputs: fc.Arbitrary<Input>;
  readonly schema: z.ZodMiniType<Input>;
  /** @throws if a promise is broken */
  readonly check: (input: Input) => Promise<void> | void;
  readonly close?: (() => Promise<void> | void) | undefined;
}

/** Inputs between checks of the time; also how often the generator restarts with small inputs. */
const RUNS_AT_ONCE = 250;
/** A check that takes longer waits for something that never comes; main.ts detects a loop that never yields. */
const LONGEST_RUN_MS = 30_000;

/** Makes a target from its parts. */
export function openTarget<Input>(parts: TargetParts<Input>): OpenTarget {
  const { inputs, schema, check } = parts;
  return {
    hunt: async ({ seed, maxRuns, maxMs, onInput }) => {
      const started = performance.now();
      const property = fc.asyncProperty(inputs, async (input) => {
        onInput?.(JSON.stringify(input));
        await inTime(check(input));
      });
      let runs = 0;
      for (let round = 0; runs < maxRuns; round++) {
        const leftMs = maxMs - (performance.now() - started);
        if (leftMs <= 0) break;
        const found = await fc.check(property, {
          seed: seed + round,
          numRuns: Math.min(RUNS_AT_ONCE, maxRuns - runs),
          interruptAfterTimeLimit: leftMs,
          markInterruptAsFailure: false,
        });
        runs += found.numRuns;
        if (found.failed && found.counterexample !== null) {
          const [input] = found.counterexample;
          return { runs, bug: { input, why: whyOf(found.errorInstance) } };
        }
      }
      return { runs, bug: undefined };
    },
    replay: async (input) => {
      await inTime(check(schema.parse(input)));
    },
    close: async () => {
      await parts.close?.();
    },
  };
}

async function inTime(work: Promise<void> | void): Promise<void> {
  if (work === undefined) return;
  const { done } = await withinTime(LONGEST_RUN_MS, undefined, () => work);
  if (!done) throw new Error(`not done after ${LONGEST_RUN_MS} ms`);
}

function whyOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const lines = (error.stack ?? error.message).split('\n');
  return lines.filter((line) => !line.includes('/fast-check/')).join('\n');
}
