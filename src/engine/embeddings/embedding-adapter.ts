import type { AdapterId } from '../config/index.js';
import type { BatchEmbedding } from './batch/batch-embedding.js';

/** What a text is embedded for; some vendors embed the two kinds differently. */
export type InputRole = 'document' | 'query';

/** A text to embed. */
export interface TextInput {
  /** Never blank. */
  readonly text: string;
  /** What the text stands under (its headings); goes before it unless the vendor has a field for it. */
  readonly title?: string | undefined;
  readonly media?: undefined;
}

/** The content of an image or a recording. */
export interface MediaPart {
  /** What the content is, as `image/png`. */
  readonly mimeType: string;
  readonly data: Buffer;
}

/** An image or a recording to embed, with words on it. */
export interface MediaInput {
  /** Its label; never blank. */
  readonly text: string;
  readonly title?: undefined;
  readonly media: MediaPart;
}

/** Something to embed. Only {@link EmbeddingAdapter.embedsMedia} adapters take media. */
export type EmbeddingInput = MediaInput | TextInput;

/**
 * What makes two vectors comparable. Vectors of different identities are never compared, and a
 * change of the configured one makes the index embed everything anew.
 */
export interface EmbeddingIdentity {
  /** The adapter that speaks to the endpoint. */
  readonly adapter: AdapterId;
  /** Base URL, or `local`; without a slash at the end and without credentials. */
  readonly endpoint: string;
  readonly model: string;
  /** The length asked for; null leaves it to the model. */
  readonly dimensions: number | null;
  /** What is done to documents: the vendor's label for them, or a prefix before each. */
  readonly documentForm: string;
}

/** A vector with what it was made of. Vectors are unit length, so a dot product is the cosine. */
export interface Embedded<Input> {
  readonly input: Input;
  readonly vector: Float32Array;
}

/** An input that the vendor does not take, alone at fault; the others of its request are embedded. */
export interface RefusedInput<Input> {
  readonly input: Input;
  readonly why: string;
}

/** What came back of one or more requests. */
export interface EmbeddedPart<Input> {
  readonly embedded: readonly Embedded<Input>[];
  readonly refused: readonly RefusedInput<Input>[];
}

/** What happens while texts are embedded; for progress. */
export type EmbeddingEvent =
  /** A request was answered; `tokens` as the vendor counts them, else estimated. */
  | { readonly type: 'request.finished'; readonly inputs: number; readonly tokens: number }
  /** The vendor asked for fewer requests: all of them wait. */
  | { readonly type: 'rate.limited'; readonly waitMs: number; readonly perSecond: number }
  /** A request failed and is sent again. */
  | { readonly type: 'request.retried'; readonly why: string; readonly waitMs: number }
  /** Another process downloads the model; this one waits for it. */
  | { readonly type: 'model.waiting'; readonly model: string }
  /** A local model is downloaded, a few times in a second; `total` where its host says it. */
  | {
      readonly type: 'model.download';
      readonly model: string;
      readonly bytes: number;
      readonly total: number | undefined;
      readonly bytesPerSecond: number | undefined;
    }
  | BatchEvent;

/** What happens to the jobs at a vendor's batch API; `job` tells them apart. */
export type BatchEvent =
  /** A job was handed to the vendor; `resumed` when that was in an earlier run. */
  | {
      readonly type: 'batch.submitted';
      readonly job: string;
      readonly inputs: number;
      readonly resumed: boolean;
    }
  /** A look at a job that goes on; inputs, as far as the vendor says. */
  | {
      readonly type: 'batch.progress';
      readonly job: string;
      readonly done: number | undefined;
      readonly total: number;
    }
  /**
   * A job is over, or was not taken by the vendor. What it `left` is embedded otherwise; `why` is
   * set when it did not go to its end.
   */
  | {
      readonly type: 'batch.ended';
      readonly job: string;
      readonly embedded: number;
      readonly left: number;
      readonly why: string | undefined;
    }
  /** Jobs fail again and again: the rest of the run is embedded inline. */
  | { readonly type: 'batch.off'; readonly why: string }
  /** The run ends without waiting for jobs; a later one collects them. */
  | {
      readonly type: 'batch.pending';
      readonly jobs: number;
      readonly inputs: number;
      /** When the oldest was submitted, since the epoch. */
      readonly sinceMs: number;
      /** Further inputs wait for one of these jobs to end. */
      readonly more: boolean;
    };

/** How a call is ended and watched. */
export interface EmbedOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: ((event: EmbeddingEvent) => void) | undefined;
  /** Somebody waits: gives up after seconds where it would otherwise try again for minutes. */
  readonly interactive?: boolean | undefined;
}

/** Any number of inputs, taken one by one. */
export type Inputs<Input> = AsyncIterable<Input> | Iterable<Input>;

/**
 * One embedding model behind one endpoint: what search and indexing call.
 *
 * Its methods throw SvcError PROVIDER_* and, when aborted, the signal's reason.
 */
export interface EmbeddingAdapter {
  /** The adapter's id. */
  readonly id: AdapterId;
  /** What the configuration calls it: the adapter's id, or that of a `models.providers` entry. */
  readonly provider: string;
  readonly model: string;
  /** Base URL of where requests go, or `local`; that of the identity may leave out what moves. */
  readonly endpoint: string;
  readonly identity: EmbeddingIdentity;
  /** Whether images and recordings get vectors that texts can be compared with. */
  readonly embedsMedia: boolean;
  /** The vector of a question, of unit length. Interactive: gives up after seconds, not minutes. */
  embedQuery(text: string, options?: EmbedOptions): Promise<Float32Array>;
  /**
   * The vectors of documents, of unit length and all of one size, in parts as they come; the order
   * is free, every input is in exactly one part. Inputs are taken as requests have room, so any
   * number of them may be given.
   */
  embedDocuments<Input extends EmbeddingInput>(
    inputs: Inputs<Input>,
    options?: EmbedOptions,
  ): AsyncIterable<EmbeddedPart<Input>>;
  /** The same through the vendor's batch API; there where the vendor has one and it is switched on. */
  readonly batch?: BatchEmbedding;
  /** Embeds one word, once, without retrying: what `status --deep` and `provider test` report. */
  probe(options?: EmbedOptions): Promise<ProbeResult>;
  close(): Promise<void>;
}

/** A probe that worked. */
export interface ProbeResult {
  /** Length of the vectors. */
  readonly dimensions: number;
  readonly latencyMs: number;
}
