import { dimensionsToAsk, type ResolvedMemorySearch } from '../config/index.js';
import { ADAPTER_FACTS } from './adapter-facts.js';
import type { ProviderChoice } from './choose-provider.js';
import { identityKeyDifferences } from './identity-key.js';
import { shownAddress } from './shown-address.js';

/**
 * What the settings say of a provider's identity. What only the provider's own code knows (where a
 * region or an account decides, what it puts before documents) is absent and counts as equal.
 */
export interface ExpectedIdentity {
  readonly adapter: string;
  readonly endpoint?: string;
  readonly model?: string;
  readonly dimensions?: number | null;
  readonly documentForm?: string;
}

/** For a status that opens no provider: that may read secrets, load a model or ask somebody. */
export function expectedIdentity(
  choice: ProviderChoice,
  settings: ResolvedMemorySearch,
): ExpectedIdentity {
  const { adapter, isPrimary } = choice;
  const endpoint = endpointOf(choice);
  const model = modelOf(choice);
  const asked = isPrimary ? settings.outputDimensionality : undefined;
  const label = isPrimary ? (settings.documentInputType ?? settings.inputType) : undefined;
  return {
    adapter,
    ...(endpoint === undefined ? {} : { endpoint }),
    // What a model can be asked for depends on it.
    ...(model === undefined
      ? {}
      : { model, dimensions: dimensionsToAsk(adapter, model, asked) ?? null }),
    ...(adapter === 'openai' ? { documentForm: label ?? '' } : {}),
  };
}

/** Undefined for a local one, which is known by its file, and where the vendor's list decides. */
function modelOf({ adapter, model }: ProviderChoice): string | undefined {
  return adapter === 'local' ? undefined : (model ?? ADAPTER_FACTS[adapter].model ?? undefined);
}

/** Their addresses depend on more than the settings: the environment, the key, the region. */
const MOVABLE: ReadonlySet<string> = new Set(['bedrock', 'github-copilot', 'ollama', 'voyage']);

function endpointOf({ adapter, baseUrl }: ProviderChoice): string | undefined {
  // Some adapters cut what people put behind the host: not a difference to speak of.
  if (adapter === 'gemini' || adapter === 'ollama') return undefined;
  if (baseUrl !== undefined) return shownAddress(baseUrl);
  return MOVABLE.has(adapter) ? undefined : (ADAPTER_FACTS[adapter].endpoint ?? undefined);
}

/** The fields in which a stored identity differs from what the settings say, for people. */
export function expectedDifferences(stored: string, expected: ExpectedIdentity): readonly string[] {
  const known: unknown = JSON.parse(stored);
  const filled = { ...(typeof known === 'object' ? known : {}), ...expected };
  return identityKeyDifferences(stored, JSON.stringify(filled));
}
