import type { AdapterId } from '../config/index.js';
import type { Clock, EngineContext } from '../context.js';
import type { EmbeddingEvent, EmbeddingInput, InputRole, TextInput } from './embedding-adapter.js';
import type { Pacing } from './requests/pacer.js';

/** What one request may hold. Tokens are the vendor's; see estimateTokens for how they are guessed. */
export interface RequestLimits {
  readonly maxInputs: number;
  readonly maxTokensPerInput: number;
  /** Of all inputs together; Infinity where the vendor has no such limit. */
  readonly maxTokensPerRequest: number;
  /** UTF-16 units of one input, where the vendor counts characters besides tokens. */
  readonly maxCharsPerInput?: number;
  /** Absent where only texts are taken. */
  readonly media?: MediaLimits;
}

/** What one request may hold of images and recordings. */
export interface MediaLimits {
  /** Of all media together, before they are encoded. */
  readonly maxBytesPerRequest: number;
  readonly maxImagesPerRequest: number;
  /**
   * The types that the vendor documents. What else there is goes alone, since it is likely to be
   * refused, and with it the whole request.
   */
  readonly documented: ReadonlySet<string>;
}

/** One answered request. */
export interface VendorAnswer {
  /** One for each input, in the order of the inputs, as the vendor gave them. */
  readonly vectors: readonly Float32Array[];
  /** Tokens billed, where the vendor says so. */
  readonly tokens?: number | undefined;
}

/** One request for vectors. */
export interface VendorRequest {
  readonly inputs: readonly EmbeddingInput[];
  readonly role: InputRole;
  readonly signal: AbortSignal;
  /** How long it may take, without waiting for its turn; milliseconds. */
  readonly timeoutMs: number;
  /** When to send, and when again. */
  readonly pacing: Pacing;
  /** Whether what takes minutes may come first, as the download of a model. */
  readonly mayDownload: boolean;
  /** Told of what comes before the request itself, as the download of a model. */
  readonly onEvent: (event: EmbeddingEvent) => void;
}

/**
 * One vendor's service, as an adapter file gives it: how one request is sent and its answer read.
 * Packing, splitting, checking and normalising are done once for all of them, in create-adapter.ts.
 */
export interface EmbeddingVendor {
  readonly adapter: AdapterId;
  /** Base URL, or `local`; part of the identity. */
  readonly endpoint: string;
  /** What the identity has instead of it, where several addresses give the same vectors. */
  readonly identityEndpoint?: string;
  readonly model: string;
  readonly limits: RequestLimits;
  /**
   * The length of vectors that requests ask for, part of the identity; null leaves it to the model.
   * Absent, it is `settings.dimensions`.
   */
  readonly dimensions?: number | null;
  /** The label or prefix that documents get; part of the identity. */
  readonly documentForm: string;
  /** The vendor's batch API, where it has one for embeddings. */
  readonly batch?: VendorBatch;
  /** Sends one request, again as its pacing has it. @throws VendorFault, or the signal's reason */
  embed(request: VendorRequest): Promise<VendorAnswer>;
  close?(): Promise<void>;
}

/** What a vendor may need of the world besides its settings. */
export interface VendorTools {
  /** Absolute path of the folder for what outlasts a process, as logins. */
  readonly stateDir: string;
  readonly clock: Clock;
  readonly env: EngineContext['env'];
}

/** How a call to a batch API is ended and paced. */
export interface BatchCall {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly pacing: Pacing;
}

/** One document of a batch job. */
export interface BatchEntry {
  /** Comes back with the vector; the job's input says nothing else of the document. */
  readonly key: string;
  readonly input: TextInput;
}

/** A job at the vendor: ids of the vendor's by name, to be kept as JSON and asked again later. */
export type BatchHandle = Readonly<Record<string, string>>;

/** How far a job is. */
export type BatchStatus =
  | {
      readonly state: 'running';
      readonly done: number | undefined;
      readonly total: number | undefined;
    }
  /**
   * Ended; results are there for the finished part, which may be all, some or none. `why` is set
   * when it did not go to its end, as `expired`.
   */
  | { readonly state: 'ended'; readonly why?: string | undefined }
  /**
   * Ended without results; nothing of it is paid for. `queueFull`: only because too much waits at
   * the vendor already, so a smaller job may pass.
   */
  | { readonly state: 'failed'; readonly why: string; readonly queueFull?: boolean };

/** What came of one entry; the vector as the vendor gave it. */
export type BatchResult =
  | { readonly key: string; readonly vector: Float32Array }
  | { readonly key: string; readonly why: string };

/**
 * A vendor's batch API: cheaper, and done within a day. All methods throw VendorFault; of kind
 * `model` (404) when the job or its results are gone.
 */
export interface VendorBatch {
  /** What one job may hold; bytes of its input as it is uploaded. */
  readonly limits: { readonly maxEntries: number; readonly maxBytes: number };
  /**
   * Uploads the entries and starts a job. The start itself is not sent again when it may have
   * worked (see notTwice): the caller asks {@link find} first.
   *
   * @param label goes with the job, so that {@link find} knows it again
   */
  submit(entries: readonly BatchEntry[], label: string, call: BatchCall): Promise<BatchHandle>;
  /**
   * A job that was started under a label, when its handle was lost. When there is none, what was
   * uploaded under the label is deleted, so that a start that is late finds nothing to work on.
   */
  find(label: string, call: BatchCall): Promise<BatchHandle | undefined>;
  status(handle: BatchHandle, call: BatchCall): Promise<BatchStatus>;
  /** In any order; entries that are missing were not done. A broken one is left out. */
  results(handle: BatchHandle, call: BatchCall): AsyncIterable<BatchResult>;
  cancel(handle: BatchHandle, call: BatchCall): Promise<void>;
  /** Deletes what the job left at the vendor; what is gone already is no fault. */
  discard(handle: BatchHandle, call: BatchCall): Promise<void>;
}
