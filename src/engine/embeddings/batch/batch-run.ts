import type { EmbeddingEvent } from '../embedding-adapter.js';
import type { BatchSettings } from '../provider-settings.js';
import type { BatchCall, RequestLimits, VendorBatch } from '../vendor.js';
import type { KeyedInput, KeyedPart } from './batch-embedding.js';
import type { JobRecords } from './job-records.js';

/** What all jobs of one run work with. */
export interface BatchRun {
  readonly vendor: VendorBatch;
  readonly settings: BatchSettings;
  /** Of inline requests. */
  readonly limits: RequestLimits;
  readonly records: JobRecords;
  readonly call: BatchCall;
  /** Milliseconds on a steady clock. */
  readonly nowMs: () => number;
  readonly onEvent: (event: EmbeddingEvent) => void;
  /** Checks a vector and brings it to unit length. @throws VendorFault */
  readonly accept: (vector: Float32Array) => Float32Array;
  /** Embeds inputs with ordinary requests. */
  readonly inline: (inputs: Iterable<KeyedInput>) => AsyncIterable<KeyedPart>;
  readonly health: BatchHealth;
}

/** After this many failed jobs, batch is off for the rest of the run. */
const MAX_FAILURES = 2;

/** How well jobs go, in one run. */
export class BatchHealth {
  /** Inputs of one job: fewer once the vendor's queue was found to be full. */
  maxEntries = Number.POSITIVE_INFINITY;
  private failures = 0;
  private readonly onEvent: (event: EmbeddingEvent) => void;

  constructor(onEvent: (event: EmbeddingEvent) => void) {
    this.onEvent = onEvent;
  }

  /** Whether jobs are still worth a try. */
  get on(): boolean {
    return this.failures < MAX_FAILURES;
  }

  /** @param final the next job would fail the same way */
  jobFailed(why: string, final: boolean): void {
    if (!this.on) return;
    this.failures = final ? MAX_FAILURES : this.failures + 1;
    if (!this.on) this.onEvent({ type: 'batch.off', why });
  }
}
