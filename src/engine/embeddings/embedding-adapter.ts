import type { AdapterId } from './adapters/index.js';

/** Some vendors embed documents and queries differently. */
export type InputRole = 'document' | 'query';

export interface TextInput {
  /** Never blank. */
  readonly text: string;
  /** The headings above the text; prepended unless the vendor has a field for titles. */
  readonly title?: string | undefined;
  readonly media?: undefined;
}

export interface MediaPart {
  /** As `image/png`. */
  readonly mimeType: string;
  readonly data: Buffer;
}

export interface MediaInput {
  /** Its label; never blank. */
  readonly text: string;
  readonly title?: undefined;
  readonly media: MediaPart;
}

/** Only {@link EmbeddingAdapter.embedsMedia} adapters accept media. */
export type EmbeddingInput = MediaInput | TextInput;

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

/** Progress of embedding. */
export type EmbeddingEvent =
  /** A request was answered; `tokens` are estimated unless the vendor counts them. */
  | { readonly type: 'request.finished'; readonly inputs: number; readonly tokens: number }
  /** Rate limited: all requests wait. */
  | { readonly type: 'rate.limited'; readonly waitMs: number; readonly perSecond: number }
  /** A request failed and will be retried. */
  | { readonly type: 'request.retried'; readonly why: string; readonly waitMs: number }
  /** Another process is downloading the model; this one waits. */
  | { readonly type: 'model.waiting'; readonly model: string }
  /**
   * A local model is being downloaded; sent a few times a second. `total` is undefined if the host
   * does not report it.
   */
  | {
      readonly type: 'model.download';
      readonly model: string;
      readonly bytes: number;
      readonly total: number | undefined;
      readonly bytesPerSecond: number | undefined;
    }
  | BatchEvent;

/** Events of batch jobs; `job` is their id. */
export type BatchEvent =
  /** A job was submitted; `resumed` if in an earlier run. */
  | {
      readonly type: 'batch.submitted';
      readonly job: string;
      readonly inputs: number;
      readonly resumed: boolean;
    }
  /** A job is still running; counts are inputs, if the vendor reports them. */
  | {
      readonly type: 'batch.progress';
      readonly job: string;
      readonly done: number | undefined;
      readonly total: number;
    }
  /**
   * A job ended or was rejected. What it `left` is embedded inline; `why` is set if it did not
   * complete.
   */
  | {
      readonly type: 'batch.ended';
      readonly job: string;
      readonly embedded: number;
      readonly left: number;
      readonly why: string | undefined;
    }
  /** Jobs keep failing: the rest of the run is embedded inline. */
  | { readonly type: 'batch.off'; readonly why: string }
  /** The run ends without waiting for its jobs; a later run collects them. */
  | {
      readonly type: 'batch.pending';
      readonly jobs: number;
      readonly inputs: number;
      /** Submission time of the oldest. */
      readonly sinceMs: number;
      /** More inputs wait for one of these jobs to end. */
      readonly more: boolean;
    };

export interface EmbedOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: ((event: EmbeddingEvent) => void) | undefined;
  /** Somebody is waiting: give up after seconds instead of retrying for minutes. */
  readonly interactive?: boolean | undefined;
}

export type Inputs<Input> = AsyncIterable<Input> | Iterable<Input>;

/**
 * One embedding model at one endpoint.
 *
 * Methods throw SvcError PROVIDER_* and, when aborted, the signal's reason.
 */
export interface EmbeddingAdapter {
  readonly id: AdapterId;
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

/** Results by key. */
export interface KeyedPart {
  readonly embedded: readonly { readonly key: string; readonly vector: Float32Array }[];
  readonly refused: readonly { readonly key: string; readonly why: string }[];
}

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
}

/**
 * Embedding through the vendor's batch API: cheaper, done within a day.
 *
 * Only one process at a time may use a store: the one holding the index lock.
 */
export interface BatchEmbedding {
  /**
   * Collects stored jobs, then embeds the inputs; parts come as jobs end, in any order. Every input
   * is in one part, except with `remote.batch.wait` off: then running jobs are left to the next run
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
