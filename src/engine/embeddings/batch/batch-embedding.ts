import type { EmbedOptions, Inputs, TextInput } from '../embedding-adapter.js';

/** A text that is known by a key, across processes. Media have no batches: no vendor documents any. */
export interface KeyedInput extends TextInput {
  /** The hash of the content in hex, at most 64 characters; unique among the inputs. */
  readonly key: string;
}

/** What came of some inputs, by their keys. Vectors are of unit length and all of one size. */
export interface KeyedPart {
  readonly embedded: readonly { readonly key: string; readonly vector: Float32Array }[];
  readonly refused: readonly { readonly key: string; readonly why: string }[];
}

/** A job as it is kept; only {@link BatchEmbedding} reads what is in it. */
export interface StoredBatchJob {
  readonly id: string;
  /** Up to a few megabytes: the keys of all its inputs are in it. */
  readonly json: string;
  /** Since the epoch. */
  readonly createdMs: number;
}

/**
 * Where the jobs of one embedding identity are remembered, with the index: a job that is paid for
 * is never paid twice. What was saved must outlast the process when the promise resolves.
 */
export interface BatchJobStore {
  list(): Promise<readonly StoredBatchJob[]>;
  /** Adds the job, or replaces the one with its id. */
  save(job: StoredBatchJob): Promise<void>;
  remove(id: string): Promise<void>;
}

/** How a run is ended, watched and remembered. */
export interface BatchEmbedOptions extends EmbedOptions {
  readonly jobs: BatchJobStore;
  /** Milliseconds since the epoch. */
  readonly clock: { now(): number };
}

/**
 * Embedding through the vendor's batch API: cheaper, and done within a day.
 *
 * One process at a time may use a store; whoever holds the lock of the index does.
 */
export interface BatchEmbedding {
  /**
   * Collects the jobs that the store remembers, then embeds the inputs; parts come as jobs end, in
   * any order. Every input is in one part, except with `remote.batch.wait` off: then what runs at
   * the vendor is left to the next run, and the event `batch.pending` tells how much that is.
   *
   * What is remembered of a job goes when the part after its last one is asked for: by then the
   * caller must have kept them. Parts may hold keys that are not among the inputs, of jobs that
   * were started for a text that has changed since; they are paid for and may be cached.
   *
   * @throws SvcError PROVIDER_*, and when aborted the signal's reason; jobs stay remembered
   */
  embed(inputs: Inputs<KeyedInput>, options: BatchEmbedOptions): AsyncIterable<KeyedPart>;
}
