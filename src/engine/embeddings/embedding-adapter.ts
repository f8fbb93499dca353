import type { EmbeddingEvent } from '../providers/embedding-event.js';
import type { AdapterId } from '../providers/registry.js';
import type { EmbeddingInput, ProviderSettings, TextInput } from '../providers/vendor.js';

/**
 * What makes vectors comparable. Vectors of different identities are never compared; when the
 * configured identity changes, everything is re-embedded.
 */
export interface EmbeddingIdentity {
  readonly adapter: AdapterId;
  /** Base URL without trailing slash and credentials, or `local`. */
  readonly endpoint: string;
  readonly model: string;
  /** Requested length; null leaves it to the model. */
  readonly dimensions: number | null;
  /** The label or prefix that documents get. */
  readonly documentForm: string;
  /** Context size of a local model; undefined for the default and for remote models. */
  readonly contextSize?: number | undefined;
}

/** A vector with its input. Vectors have unit length, so a dot product is the cosine. */
export interface Embedded<Input> {
  readonly input: Input;
  readonly vector: Float32Array;
}

/** An input that the vendor refuses; the rest of its request is embedded. */
export interface RefusedInput<Input> {
  readonly input: Input;
  readonly why: string;
}

export interface EmbeddedPart<Input> {
  readonly embedded: readonly Embedded<Input>[];
  readonly refused: readonly RefusedInput<Input>[];
}

export interface EmbedOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: ((event: EmbeddingEvent) => void) | undefined;
  /** Somebody is waiting: give up after seconds instead of retrying for minutes. */
  readonly interactive?: boolean | undefined;
}

export type Inputs<Input> = AsyncIterable<Input> | Iterable<Input>;

/** Settings of one adapter. */
export interface AdapterSettings extends ProviderSettings {
  readonly adapter: AdapterId;
}

/**
 * One embedding model at one endpoint.
 *
 * Methods throw SvcError PROVIDER_* and, when aborted, the signal's reason.
 */
export interface EmbeddingAdapter {
  /** Name in the configuration: the adapter's id, or that of a `models.providers` entry. */
  readonly provider: string;
  readonly model: string;
  /** Where requests currently go, or `local`; the identity may have a more stable address. */
  readonly endpoint: string;
  readonly identity: EmbeddingIdentity;
  /** Whether images and recordings get vectors comparable with those of text. */
  readonly embedsMedia: boolean;
  /** Embeds a query. Interactive: gives up after seconds. */
  embedQuery(text: string, options?: EmbedOptions): Promise<Float32Array>;
  /**
   * Embeds any number of documents, in parts as they complete. Every input is in exactly one part,
   * in any order.
   */
  embedDocuments<Input extends EmbeddingInput>(
    inputs: Inputs<Input>,
    options?: EmbedOptions,
  ): AsyncIterable<EmbeddedPart<Input>>;
  /** The vendor's batch API, if it has one and it is enabled. */
  readonly batch?: BatchEmbedding;
  /** Embeds one word, once, without retrying. */
  probe(options?: EmbedOptions): Promise<ProbeResult>;
  close(): Promise<void>;
}

export interface ProbeResult {
  readonly dimensions: number;
  readonly latencyMs: number;
}

/** A text with a key that is stable across processes. No vendor documents batches of media. */
export interface KeyedInput extends TextInput {
  /** Content hash in hex, at most 64 characters; unique among the inputs. */
  readonly key: string;
}

/** Results by key: a job does not return the texts. */
export type KeyedPart = EmbeddedPart<{ readonly key: string }>;

/** Vendors delete results after at most 30 days (OpenAI, Voyage); older jobs are forgotten. */
export const JOB_KEPT_MS = 31 * 24 * 3_600_000;

/** A stored job; only {@link BatchEmbedding} interprets it. */
export interface StoredBatchJob {
  readonly id: string;
  /** Up to a few megabytes, since it lists the keys of all inputs. */
  readonly json: string;
  readonly createdMs: number;
}

/**
 * Stores the jobs of one embedding identity with the index, so that a paid job is collected even
 * after a crash. Saved jobs must be durable when the promise resolves.
 */
export interface BatchJobStore {
  list(): Promise<readonly StoredBatchJob[]>;
  /** Adds a job or replaces the one with the same id. */
  save(job: StoredBatchJob): Promise<void>;
  remove(id: string): Promise<void>;
}

export interface BatchEmbedOptions extends EmbedOptions {
  readonly jobs: BatchJobStore;
  readonly clock: { now(): number };
  /** A few inputs go inline, because a job may take hours and an inline request takes a second. */
  readonly fewInline: boolean;
  /** False leaves running jobs to a later run, whatever `remote.batch.wait` says. */
  readonly waits: boolean;
}

/**
 * Embedding through the vendor's batch API: cheaper, done within a day.
 *
 * Only one process at a time may use a store: the one holding the index lock.
 */
export interface BatchEmbedding {
  /** Whether jobs are started. Otherwise it only ends those of earlier runs, and embeds the rest inline. */
  readonly isOn: boolean;
  /**
   * Collects stored jobs, then embeds the inputs; parts come as jobs end, in any order. Every input
   * is in one part, except for a run that does not wait: then running jobs are left to the next run
   * and reported by `batch.pending`.
   *
   * A job is forgotten when the part after its last one is requested: by then the caller must have
   * stored its vectors. Parts may contain keys that are not among the inputs, from jobs submitted
   * for a text that has changed since.
   *
   * @throws SvcError PROVIDER_*, and when aborted the signal's reason; jobs stay stored
   */
  embed(inputs: Inputs<KeyedInput>, options: BatchEmbedOptions): AsyncIterable<KeyedPart>;
}
