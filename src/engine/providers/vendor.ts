import type { EngineContext } from '../support/context.js';
import type { EmbeddingEvent } from './embedding-event.js';
import type { Pacing } from './requests/pacer.js';

/** Some vendors embed documents and queries differently. */
export type InputRole = 'document' | 'query';

export interface TextInput {
  /** Never blank. */
  readonly text: string;
  /** The headings above the text; prepended unless the vendor has a field for titles. */
  readonly title?: string | undefined;
  readonly media?: undefined;
}

export interface MediaInput {
  /** Its label; never blank. */
  readonly text: string;
  readonly title?: undefined;
  /** `mimeType` is `image/png`, for example. */
  readonly media: { readonly mimeType: string; readonly data: Buffer };
}

/** Only {@link EmbeddingAdapter.embedsMedia} adapters accept media. */
export type EmbeddingInput = MediaInput | TextInput;

/** Limits of one request. Tokens are estimated, see estimateTokens. */
export interface RequestLimits {
  readonly maxInputs: number;
  readonly maxTokensPerInput: number;
  /** Infinity if there is no limit. */
  readonly maxTokensPerRequest: number;
  /** In UTF-16 code units, for vendors that limit characters too. */
  readonly maxCharsPerInput?: number;
  /** Undefined for text-only models. */
  readonly media?: MediaLimits;
}

export interface MediaLimits {
  /** Of all media together, before base64. */
  readonly maxBytesPerRequest: number;
  readonly maxImagesPerRequest: number;
  /** Types the vendor documents. Others are sent alone, since they may fail the whole request. */
  readonly documented: ReadonlySet<string>;
}

export interface VendorAnswer {
  /** One for each input, in order, not normalized. */
  readonly vectors: readonly Float32Array[];
  /** Billed tokens, if reported. */
  readonly tokens?: number | undefined;
}

/** How something is asked of a vendor. */
export interface VendorCall {
  readonly signal: AbortSignal;
  /** Limit of one try, without waiting for its turn. */
  readonly timeoutMs: number;
  /** Decides when to send and when to retry. */
  readonly pacing: Pacing;
}

export interface VendorRequest extends VendorCall {
  readonly inputs: readonly EmbeddingInput[];
  readonly role: InputRole;
  /** Whether minutes of preparation, such as a model download, are acceptable. */
  readonly mayDownload: boolean;
  /** Reports preparation such as a model download. */
  readonly onEvent: (event: EmbeddingEvent) => void;
}

/**
 * One vendor's service: how a request is sent and its answer read. vendor-adapter.ts does packing,
 * splitting, validation and normalization for all vendors.
 */
export interface EmbeddingVendor {
  /** Base URL, or `local`; part of the identity, so the same for all addresses with the same vectors. */
  readonly endpoint: string;
  /** Where requests currently go, if elsewhere; undefined before another service has named it. */
  readonly sentTo?: () => string | undefined;
  readonly model: string;
  readonly limits: RequestLimits;
  readonly documentForm: string;
  readonly batch?: VendorBatch;
  /** Sends one request with retries. @throws VendorFault, or the signal's reason */
  embed(request: VendorRequest): Promise<VendorAnswer>;
  close?(): Promise<void>;
}

/** The value goes into requests only and is never shown. */
export interface Credential {
  readonly value: string;
  /** For example, `env OPENAI_API_KEY`, `remote.apiKey`. */
  readonly source: string;
}

/** `remote.batch`. */
export interface BatchSettings {
  readonly enabled: boolean;
  /** Jobs at the same time. */
  readonly concurrency: number;
  /** Whether a run waits for its jobs. */
  readonly wait: boolean;
  /** Undefined for pauses that grow. */
  readonly pollIntervalMs?: number | undefined;
  readonly timeoutMinutes: number;
}

/** `local`, with absolute paths. */
export interface LocalSettings {
  readonly modelPath?: string | undefined;
  readonly modelCacheDir: string;
  readonly contextSize: number;
}

/** Settings of a provider, with secrets resolved, prefixes removed and absolute paths. */
export interface ProviderSettings {
  readonly provider: string;
  /** Without the vendor's prefix; undefined means the default. */
  readonly model: string | undefined;
  /** Without trailing slash; undefined means the vendor's own endpoint. */
  readonly baseUrl: string | undefined;
  readonly credential: Credential | undefined;
  /** A variable whose key is withheld from this address. */
  readonly withheldKey?: string | undefined;
  /** As in `ProviderPlace`, for hints. */
  readonly isPrimary?: boolean | undefined;
  /** Sent with every request; secrets resolved. */
  readonly headers: Readonly<Record<string, string>>;
  readonly dimensions: number | undefined;
  readonly inputTypes: {
    readonly query?: string | undefined;
    readonly document?: string | undefined;
  };
  /** Concurrent inline requests. */
  readonly concurrency: number;
  /** Limit of one inline request while indexing. */
  readonly documentTimeoutMs: number;
  /** Limit of a query, including retries. */
  readonly queryTimeoutMs: number;
  readonly batch: BatchSettings;
  readonly local: LocalSettings;
}

export interface VendorTools extends Pick<EngineContext, 'clock' | 'env'> {
  /** State folder, for logins and runtimes. */
  readonly stateDir: string;
}

/** One document of a batch job. */
export interface BatchEntry {
  /** Identifies the vector in the results. */
  readonly key: string;
  readonly input: TextInput;
}

/** The vendor's ids of a job, by name; stored as JSON. */
export type BatchHandle = Readonly<Record<string, string>>;

export type BatchStatus =
  | {
      readonly state: 'running';
      readonly done: number | undefined;
      readonly total: number | undefined;
    }
  /**
   * Ended, with results for all, some or none of the entries. `why` is set if it did not complete,
   * as `expired`.
   */
  | { readonly state: 'ended'; readonly why?: string | undefined }
  /**
   * Ended without results or cost. `queueFull`: the vendor's queue is full, so a smaller job may
   * pass.
   */
  | { readonly state: 'failed'; readonly why: string; readonly queueFull?: boolean };

/** The result of one entry; vectors are not normalized. */
export type BatchResult =
  | { readonly key: string; readonly vector: Float32Array }
  | { readonly key: string; readonly why: string };

/**
 * A vendor's batch API: cheaper, done within a day. Methods throw VendorFault, with status 404 when
 * a job or its results are gone.
 */
export interface VendorBatch {
  /** Limits of one job; bytes of the uploaded input. */
  readonly limits: { readonly maxEntries: number; readonly maxBytes: number };
  /**
   * Uploads the entries and starts a job. If the start may have worked it is not repeated (see
   * startJob): the caller first asks {@link find}.
   *
   * @param label identifies the job for {@link find}
   */
  submit(entries: readonly BatchEntry[], label: string, call: VendorCall): Promise<BatchHandle>;
  /**
   * Finds a job by its label when its handle was lost. If there is none, deletes what was uploaded,
   * so that a delayed start finds nothing to work on.
   */
  find(label: string, call: VendorCall): Promise<BatchHandle | undefined>;
  status(handle: BatchHandle, call: VendorCall): Promise<BatchStatus>;
  /** In any order; unfinished and broken entries are left out. */
  results(handle: BatchHandle, call: VendorCall): AsyncIterable<BatchResult>;
  cancel(handle: BatchHandle, call: VendorCall): Promise<void>;
  /** Deletes what the job left at the vendor; succeeds if it is gone already. */
  discard(handle: BatchHandle, call: VendorCall): Promise<void>;
}
