import type { LocateSetting, ResolvedMemorySearch } from '../../config/index.js';
import type { ProviderChoice } from '../choose-provider.js';
import type { EmbeddingAdapter } from '../embedding-adapter.js';
import type { CheckName, CheckOutcome, Diagnosis } from '../output-schemas.js';
import type { ProviderWorld } from '../provider-world.js';

export type DiagnosisEvent =
  | { readonly type: 'check.started'; readonly check: CheckName }
  | {
      readonly type: 'check.finished';
      readonly check: CheckName;
      readonly outcome: CheckOutcome;
    }
  | { readonly type: 'diagnosis.finished'; readonly diagnosis: Diagnosis };

/** What a diagnosis reports to while it runs. */
export interface DiagnosisWork {
  readonly signal: AbortSignal;
  readonly onEvent: (event: DiagnosisEvent) => void;
}

export interface DiagnosedProvider {
  readonly choice: ProviderChoice;
  /** @throws SvcError PROVIDER_*, SECRET_UNRESOLVED */
  open(signal: AbortSignal): Promise<EmbeddingAdapter>;
}

export interface DiagnosisSubject {
  readonly settings: ResolvedMemorySearch;
  readonly world: ProviderWorld;
  readonly locate: LocateSetting;
  /** Undefined for keyword search only. */
  readonly primary: DiagnosedProvider | undefined;
  readonly fallback: DiagnosedProvider | undefined;
  /** `named`: one provider, whatever is configured, without a fallback. */
  readonly scope: 'named' | 'path';
}
