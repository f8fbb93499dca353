import fc from 'fast-check';
import type * as z from 'zod/mini';

/** Something that is given inputs without end, opened. */
export interface OpenTarget {
  /** Gives it new inputs until one breaks a promise, the runs are done or the time is over. */
  hunt(hunt: Hunt): Promise<Hunted>;
  /** Gives it one input, as a seed file keeps it. @throws whatever shows the broken promise */
  replay(input: unknown): Promise<void>;
  /** @throws Error when what was left behind breaks a promise */
  close(): Promise<void>;
}

/** How far to go. */
export interface Hunt {
  /** Everything follows from it. */
  readonly seed: number;
  readonly maxRuns: number;
  readonly maxMs: number;
  /** Told of each input before it is given, as JSON text: a crash or a hang leaves no other trace. */
  readonly onInput?: (json: string) => void;
}

/** What came of it. */
export interface Hunted {
  readonly runs: number;
  readonly bug: FoundBug | undefined;
}

/** An input that breaks a promise, made as small as time allowed. */
export interface FoundBug {
  readonly input: unknown;
  readonly why: string;
}

/** What a target is made of. */
export interface TargetParts<Input> {
  /** Inputs are plain JSON, so that a file can keep them. */
  readonly inputs: fc.Arbitrary<Input>;
  readonly schema: z.ZodMiniType<Input>;
  /** @throws whatever shows a broken promise */
  readonly check: (input: Input) => Promise<void> | void;
  readonly close?: (() => Promise<void> | void) | undefined;
}

/** Inputs between two looks at the clock; also how often small inputs, which come first, come again. */
const RUNS_AT_ONCE = 250;
/** What takes longer waits for something that does not come. A loop that never yields is seen outside. */
const LONGEST_RUN_MS = 30_000;

/** Makes a target of its parts. */
export function openTarget<Input>(parts: TargetParts<Input>): OpenTarget {
  const { inputs, schema, check } = parts;
  return {
    hunt: async ({ seed, maxRuns, maxMs, onInput }) => {
      const started = performance.now();
      const property = fc.asyncProperty(inputs, async (input) => {
        onInput?.(JSON.stringify(input));
        await withinTime(check(input));
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
      await withinTime(check(schema.parse(input)));
    },
    close: async () => {
      await parts.close?.();
    },
  };
}

async function withinTime(work: Promise<void> | void): Promise<void> {
  if (work === undefined) return;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`not done after ${LONGEST_RUN_MS} ms`)),
      LONGEST_RUN_MS,
    );
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function whyOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const lines = (error.stack ?? error.message).split('\n');
  return lines.filter((line) => !line.includes('/fast-check/')).join('\n');
}
