import type { Inputs } from '../embedding-adapter.js';
import { plainText, splitToFit } from '../requests/input-text.js';
import type { RequestLimits, VendorBatch } from '../vendor.js';
import type { KeyedInput } from './batch-embedding.js';

/** Inputs that go the same way together. */
export interface PlannedInputs {
  readonly via: 'inline' | 'job';
  /** By their keys. */
  readonly inputs: ReadonlyMap<string, KeyedInput>;
}

/** How inputs are divided. */
export interface PlanRules {
  /** Of one inline request: what is longer is cut into pieces, which a job cannot put together. */
  readonly inline: RequestLimits;
  readonly job: VendorBatch['limits'];
  /** Jobs that are in the memory at the same time. */
  readonly concurrency: number;
  /** Asked anew for each input, since what is learnt from one job holds for the next. */
  readonly maxEntries: () => number;
  /** Whether an input must not go into a job. */
  readonly inlineOnly: (key: string) => boolean;
}

/**
 * A job may take hours, an inline request takes a second: a few changed notes are not worth the
 * wait, nor is the price of so few worth a thought.
 */
export const SMALLEST_JOB = 50;
/** The texts of all jobs under way together, until their results are in. */
const MEMORY_BYTES = 256 * 1024 * 1024;
/** What a line of a job's input holds besides text and key, generously. */
const LINE_BYTES = 512;
/** Inputs that go inline are handed over in portions of this size. */
const INLINE_PORTION = 1024;

/** Divides inputs into jobs as large as the vendor takes them, and those that go inline; lazily. */
export async function* planJobs(
  inputs: Inputs<KeyedInput>,
  rules: PlanRules,
): AsyncGenerator<PlannedInputs, undefined> {
  const maxBytes = Math.min(rules.job.maxBytes, MEMORY_BYTES / rules.concurrency);
  let job = new Map<string, KeyedInput>();
  let bytes = 0;
  let inline = new Map<string, KeyedInput>();
  for await (const input of inputs) {
    if (rules.inlineOnly(input.key) || splitToFit(input, rules.inline).length !== 1) {
      inline.set(input.key, input);
      if (inline.size < INLINE_PORTION) continue;
      yield { via: 'inline', inputs: inline };
      inline = new Map();
      continue;
    }
    const size = Buffer.byteLength(JSON.stringify(plainText(input))) + LINE_BYTES;
    const maxEntries = Math.min(rules.job.maxEntries, rules.maxEntries());
    if (job.size > 0 && (job.size >= maxEntries || bytes + size > maxBytes)) {
      yield { via: via(job), inputs: job };
      job = new Map();
      bytes = 0;
    }
    job.set(input.key, input);
    bytes += size;
  }
  // A small rest joins what goes inline anyway.
  if (via(job) === 'inline') for (const [key, input] of job) inline.set(key, input);
  else yield { via: 'job', inputs: job };
  if (inline.size > 0) yield { via: 'inline', inputs: inline };
  return undefined;
}

function via(inputs: ReadonlyMap<string, KeyedInput>): PlannedInputs['via'] {
  return inputs.size < SMALLEST_JOB ? 'inline' : 'job';
}
