import type { AdapterId } from '../config/index.js';
import type { EmbeddingEvent, EmbeddingInput, InputRole } from './embedding-adapter.js';
import type { Pacing } from './requests/pacer.js';

/** What one request may hold. Tokens are the vendor's; see estimateTokens for how they are guessed. */
export interface RequestLimits {
  readonly maxInputs: number;
  readonly maxTokensPerInput: number;
  /** Of all inputs together; Infinity where the vendor has no such limit. */
  readonly maxTokensPerRequest: number;
  /** UTF-16 units of one input, where the vendor counts characters besides tokens. */
  readonly maxCharsPerInput?: number;
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
  readonly model: string;
  readonly limits: RequestLimits;
  /** The label or prefix that documents get; part of the identity. */
  readonly documentForm: string;
  /** Sends one request, again as its pacing has it. @throws VendorFault, or the signal's reason */
  embed(request: VendorRequest): Promise<VendorAnswer>;
  close?(): Promise<void>;
}
