import type { LocateSetting, ResolvedMemorySearch } from '../../config/index.js';
import type { ProviderChoice, ProviderWorld } from '../choose-provider.js';
import type { EmbeddingAdapter } from '../embedding-adapter.js';

/** A provider to look at. */
export interface DiagnosedProvider {
  readonly choice: ProviderChoice;
  /** @throws SvcError PROVIDER_*, SECRET_UNRESOLVED */
  open(signal: AbortSignal): Promise<EmbeddingAdapter>;
}

/** What a diagnosis is about. */
export interface DiagnosisSubject {
  readonly settings: ResolvedMemorySearch;
  readonly world: ProviderWorld;
  readonly locate: LocateSetting;
  /** Undefined where memory is searched by words alone. */
  readonly primary: DiagnosedProvider | undefined;
  readonly fallback: DiagnosedProvider | undefined;
  /** `named`: somebody asked for this provider, whatever is configured; no fallback is looked at. */
  readonly scope: 'named' | 'path';
}
