import type { AdapterId } from '../config/index.js';

/** A key with where it came from; the value is for requests alone and is never shown. */
export interface Credential {
  readonly value: string;
  /** For people, without the value: `env OPENAI_API_KEY`, `remote.apiKey`. */
  readonly source: string;
}

/** How the vendor's batch API is used; `remote.batch`. */
export interface BatchSettings {
  readonly enabled: boolean;
  /** Jobs under way at the same time. */
  readonly concurrency: number;
  /** Whether a run waits for its jobs; otherwise a later one collects them. */
  readonly wait: boolean;
  /** The first pause between two looks at a job; pauses grow from there to half a minute. */
  readonly pollIntervalMs: number;
  /** How long a run waits for one job before it cancels it. */
  readonly timeoutMinutes: number;
}

/** Everything that an adapter is told; secrets resolved, prefixes cut, paths absolute. */
export interface ProviderSettings {
  /** What the configuration calls it: the adapter's id, or that of a `models.providers` entry. */
  readonly provider: string;
  readonly adapter: AdapterId;
  /** As configured, without the vendor's prefix; undefined means the adapter's default. */
  readonly model: string | undefined;
  /** As configured, without a slash at the end; undefined means the vendor's own endpoint. */
  readonly baseUrl: string | undefined;
  readonly credential: Credential | undefined;
  /** Further headers of every request; secrets resolved. */
  readonly headers: Readonly<Record<string, string>>;
  /** `outputDimensionality`. */
  readonly dimensions: number | undefined;
  readonly inputTypes: {
    readonly query?: string | undefined;
    readonly document?: string | undefined;
  };
  /** Inline calls under way at the same time. */
  readonly concurrency: number;
  /** How long one inline call may take while indexing, in milliseconds. */
  readonly documentTimeoutMs: number;
  /** The same for a question, all tries together. */
  readonly queryTimeoutMs: number;
  readonly batch: BatchSettings;
  readonly local: {
    /** Absolute path, or an `hf:` or http(s) reference; undefined means the default model. */
    readonly modelPath: string | undefined;
    /** Absolute path. */
    readonly modelCacheDir: string;
    /** Tokens. */
    readonly contextSize: number;
  };
}
