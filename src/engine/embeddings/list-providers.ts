import type { ResolvedMemorySearch } from '../config/index.js';
import {
  ADAPTER_IDS,
  type AdapterId,
  AUTO_ORDER,
  type Availability,
  adapterOf,
  dimensionsOf,
  dimensionsToAsk,
  isAdapterId,
  isCustomAddress,
  PROVIDERS,
  type Provider,
} from '../providers/registry.js';
import { shownAddress } from '../providers/vendor-fault.js';
import {
  availability,
  chooseFallback,
  chooseNamed,
  chooseProvider,
  entryOf,
  type ProviderChoice,
} from './choose-provider.js';
import { credentialView, shownModel, whyChosen } from './describe-provider.js';
import type { ListedProvider } from './output-schemas.js';
import type { ProviderWorld } from './provider-world.js';

interface Selection {
  readonly settings: ResolvedMemorySearch;
  readonly world: ProviderWorld;
  readonly primary: ProviderChoice | undefined;
  readonly fallback: ProviderChoice | undefined;
}

/**
 * All adapters in the order of auto-detection, then custom entries of `models.providers`. Reads
 * only the environment and files.
 *
 * @throws SvcError PROVIDER_UNKNOWN if the settings name an unknown provider
 */
export function listProviders(
  settings: ResolvedMemorySearch,
  world: ProviderWorld,
): readonly ListedProvider[] {
  const primary = chooseProvider(settings, world);
  const selection = { settings, world, primary, fallback: chooseFallback(settings, world) };
  const never = ADAPTER_IDS.filter((id) => !AUTO_ORDER.includes(id));
  const isListedAs = (adapter: AdapterId, id: string): boolean =>
    entryOf(adapter, world)?.id === id && ![settings.provider, settings.fallback].includes(id);
  const configured = Object.entries(world.config.models.providers).flatMap(([id, { api }]) => {
    const adapter = adapterOf(api ?? id);
    return adapter === undefined || isAdapterId(id) || isListedAs(adapter, id) ? [] : [id];
  });
  return [...AUTO_ORDER, ...never, ...configured].map((provider) =>
    listedProvider(provider, selection),
  );
}

function listedProvider(provider: string, selection: Selection): ListedProvider {
  const { settings, world, primary, fallback } = selection;
  const role = roleOf(provider, selection);
  const choice =
    [primary, fallback].find((chosen) => chosen?.provider === provider) ??
    chooseNamed(provider, settings, world);
  const { adapter } = choice;
  const facts = PROVIDERS[adapter];
  const model = shownModel(choice, settings);
  const setting = choice.isPrimary ? settings.outputDimensionality : undefined;
  const requested = model === null ? setting : dimensionsToAsk(facts, model, setting);
  const detected = isAdapterId(provider) ? availability(provider, settings, world) : BY_NAME_ONLY;
  const place = isAdapterId(provider) ? AUTO_ORDER.indexOf(provider) + 1 : 0;
  return {
    provider,
    adapter,
    kind: facts.kind,
    role,
    configured:
      choice.entry !== undefined || [settings.provider, settings.fallback].includes(provider),
    credential: credentialView(choice, settings, world),
    model,
    dimensions: requested ?? (model === null ? null : usualDimensions(facts, model)),
    endpoint: choice.baseUrl === undefined ? facts.endpoint : shownAddress(choice.baseUrl),
    cost:
      facts.cost === 'per_token' && isCustomAddress(facts, choice.baseUrl) ? 'unknown' : facts.cost,
    batch: facts.batch,
    autoPlace: place === 0 ? null : place,
    available: detected.available,
    why: role === null ? whyNotUsed(detected, selection) : whyUsed(choice, selection),
  };
}

const BY_NAME_ONLY: Availability = {
  available: false,
  why: 'only used if provider or fallback names it',
};

function roleOf(provider: string, { primary, fallback }: Selection): ListedProvider['role'] {
  if (primary?.provider === provider) return 'primary';
  // If nothing is detected, a usable fallback is the primary.
  return primary !== undefined && fallback?.provider === provider ? 'fallback' : null;
}

function whyUsed(choice: ProviderChoice, { settings, world }: Selection): string {
  const reason = whyChosen(choice, settings, world);
  return reason.kind === 'setting'
    ? `memorySearch.${reason.key}`
    : `auto-detected by ${reason.sign}`;
}

function whyNotUsed(detected: Availability, { settings, primary }: Selection): string {
  if (settings.provider === 'none') return 'memorySearch.provider is "none"';
  if (!detected.available) return detected.why;
  return settings.provider === 'auto'
    ? `${primary?.provider ?? 'another'} takes precedence`
    : `memorySearch.provider is "${settings.provider}"`;
}

/** Among models with a list of lengths. */
const USUAL_OF_LISTED = 1024;

/** The default vector length of a model; null if unknown. */
export function usualDimensions(provider: Provider, model: string): number | null {
  const name = model.slice(model.lastIndexOf('/') + 1);
  const usual = ADAPTER_IDS.map((id) => PROVIDERS[id].usualDimensions?.[name]).find(Boolean);
  if (usual !== undefined) return usual;
  const choice = dimensionsOf(provider, model);
  switch (choice?.kind) {
    case 'fixed':
      return choice.size;
    case 'range':
      return choice.to;
    case 'listed':
      return choice.sizes.includes(USUAL_OF_LISTED) ? USUAL_OF_LISTED : null;
    case undefined:
      return null;
  }
}
