import {
  ADAPTER_ALIASES,
  ADAPTER_IDS,
  type AdapterId,
  adapterOf,
  dimensionsToAsk,
  type ResolvedMemorySearch,
} from '../config/index.js';
import { ADAPTER_FACTS, type CostClass, usualDimensions } from './adapter-facts.js';
import {
  AUTO_ORDER,
  type Availability,
  availability,
  chooseFallback,
  chooseNamed,
  chooseProvider,
  type ProviderChoice,
  type ProviderWorld,
} from './choose-provider.js';
import { type CredentialView, credentialView } from './credential-view.js';
import { shownAddress } from './shown-address.js';
import { whyChosen } from './why-chosen.js';

/** One provider that an agent could use. */
export interface ListedProvider {
  /** An adapter's id, or that of a `models.providers` entry. */
  readonly provider: string;
  readonly adapter: AdapterId;
  /** The adapter's kind, which is accepted wherever its id is; null where there is none. */
  readonly kind: string | null;
  /** What it does for the agent; null when nothing. */
  readonly role: 'fallback' | 'primary' | null;
  /** Whether `provider`, `fallback` or `models.providers` name it. */
  readonly configured: boolean;
  readonly credential: CredentialView;
  /** What is configured, else the adapter's default; null where the vendor's list decides. */
  readonly model: string | null;
  /** What is asked for, else what the model gives unasked; null where that is not known. */
  readonly dimensions: number | null;
  /** Base URL, or `local`; null where region or account decide. */
  readonly endpoint: string | null;
  readonly cost: CostClass;
  /** Whether the vendor has a batch API. */
  readonly batch: boolean;
  /** Place in auto-detection, from 1; null for what is never detected. */
  readonly autoPlace: number | null;
  /** Whether auto-detection would take it if it came to it. */
  readonly available: boolean;
  /** Why it is chosen, or why not; a clause for people. */
  readonly why: string;
}

/** What a provider is listed beside. */
interface Scene {
  readonly settings: ResolvedMemorySearch;
  readonly world: ProviderWorld;
  readonly primary: ProviderChoice | undefined;
  readonly fallback: ProviderChoice | undefined;
}

/**
 * All adapters in the order of auto-detection, then the entries of `models.providers` that lead to
 * one. Looks at the environment and at files, asks nobody.
 *
 * @throws SvcError PROVIDER_UNKNOWN when the settings name one that does not exist
 */
export function listProviders(
  settings: ResolvedMemorySearch,
  world: ProviderWorld,
): readonly ListedProvider[] {
  const primary = chooseProvider(settings, world);
  const scene = { settings, world, primary, fallback: chooseFallback(settings, world) };
  const never = ADAPTER_IDS.filter((id) => !AUTO_ORDER.includes(id));
  const own = Object.entries(world.config.models.providers).flatMap(([id, { api }]) =>
    isAdapter(id) || adapterOf(api ?? id) === undefined ? [] : [id],
  );
  return [...AUTO_ORDER, ...never, ...own].map((provider) => listed(provider, scene));
}

function isAdapter(id: string): id is AdapterId {
  return ADAPTER_IDS.some((adapter) => adapter === id);
}

function listed(provider: string, scene: Scene): ListedProvider {
  const { settings, world, primary, fallback } = scene;
  const role = roleOf(provider, scene);
  const choice =
    [primary, fallback].find((chosen) => chosen?.provider === provider) ??
    chooseNamed(provider, settings, world);
  const { adapter } = choice;
  const facts = ADAPTER_FACTS[adapter];
  const model = choice.model ?? facts.model;
  const wanted = choice.isPrimary ? settings.outputDimensionality : undefined;
  const asked = model === null ? wanted : dimensionsToAsk(adapter, model, wanted);
  const found = isAdapter(provider) ? availability(provider, settings, world) : BY_NAME_ONLY;
  const place = isAdapter(provider) ? AUTO_ORDER.indexOf(provider) + 1 : 0;
  return {
    provider,
    adapter,
    kind: kindOf(adapter),
    role,
    configured: choice.entry !== undefined || isNamed(provider, settings),
    credential: credentialView(choice, settings, world),
    model,
    dimensions: asked ?? (model === null ? null : usualDimensions(adapter, model)),
    endpoint: choice.baseUrl === undefined ? facts.endpoint : shownAddress(choice.baseUrl),
    cost: choice.baseUrl === undefined || facts.cost !== 'per_token' ? facts.cost : 'unknown',
    batch: facts.batch,
    autoPlace: place === 0 ? null : place,
    available: found.available,
    why: role === null ? whyNot(found, scene) : why(choice, scene),
  };
}

const BY_NAME_ONLY: Availability = {
  available: false,
  why: 'used only when provider or fallback names it',
};

function roleOf(provider: string, { primary, fallback }: Scene): ListedProvider['role'] {
  if (primary?.provider === provider) return 'primary';
  // What stands in for nothing is never asked.
  return primary !== undefined && fallback?.provider === provider ? 'fallback' : null;
}

function isNamed(provider: string, { provider: first, fallback }: ResolvedMemorySearch): boolean {
  return provider === first || provider === fallback;
}

function kindOf(adapter: AdapterId): string | null {
  const kind = Object.entries(ADAPTER_ALIASES).find(([, id]) => id === adapter);
  return kind?.[0] ?? null;
}

function why(choice: ProviderChoice, { settings, world }: Scene): string {
  const reason = whyChosen(choice, settings, world);
  return reason.kind === 'setting'
    ? `memorySearch.${reason.key}`
    : `auto-detected by ${reason.sign}`;
}

function whyNot(found: Availability, { settings, primary }: Scene): string {
  if (settings.provider === 'none') return 'memorySearch.provider is "none"';
  if (!found.available) return found.why;
  return settings.provider === 'auto'
    ? `${primary?.provider ?? 'another'} comes first`
    : `memorySearch.provider is "${settings.provider}"`;
}
