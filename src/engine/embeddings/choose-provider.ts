import type { ResolvedMemorySearch, ResolvedModelProvider } from '../config/index.js';
import { SvcError, type Warning } from '../errors/index.js';
import { withheldHint } from '../providers/provider-error.js';
import {
  ADAPTER_IDS,
  ADAPTER_KINDS,
  type AdapterId,
  AUTO_ORDER,
  type Availability,
  adapterOf,
  canonicalProvider,
  isAdapterId,
  isCustomAddress,
  PROVIDERS,
} from '../providers/registry.js';
import { withoutEndSlashes } from '../providers/vendor-fault.js';
import { suggestName } from '../support/text.js';
import { type CredentialPlace, findCredential, whyNoValue } from './credentials.js';
import type { ProviderWorld } from './provider-world.js';

/** An entry of `models.providers` with its id. */
export type ProviderEntry = ResolvedModelProvider & { readonly id: string };

/** What is known about a provider without calling it. */
export interface ProviderChoice {
  /** The adapter's id, or that of a `models.providers` entry. */
  readonly provider: string;
  readonly adapter: AdapterId;
  /** `auto` if the environment decided, so that another process may choose another one. */
  readonly by: 'auto' | 'configured';
  /** Undefined leaves it to the adapter. */
  readonly model: string | undefined;
  readonly baseUrl: string | undefined;
  readonly credential: CredentialPlace;
  readonly entry: ProviderEntry | undefined;
  /** Whether `remote.*`, `model` and `outputDimensionality` apply: never to the fallback. */
  readonly isPrimary: boolean;
}

/** The provider that an agent's settings select; undefined for keyword search only. */
export function chooseProvider(
  settings: ResolvedMemorySearch,
  world: ProviderWorld,
): ProviderChoice | undefined {
  if (settings.provider === 'none') return undefined;
  if (settings.provider !== 'auto') return choiceOf(settings.provider, settings, world, true);
  // An address without a name is an OpenAI-compatible one (spec/memory-search §2.2).
  if (settings.remote.baseUrl !== undefined) return choiceOf('openai', settings, world, true);
  if (leadsToOpenAi(settings, world)) return auto('openai', settings, world);
  const found = AUTO_ORDER.find((id) => availability(id, settings, world).available);
  return found === undefined
    ? undetectedFallback(settings, world)
    : auto(found, withoutRemoteKey(settings), world);
}

/** The fallback, if auto-detection found nothing and could not have found it. */
function undetectedFallback(
  settings: ResolvedMemorySearch,
  world: ProviderWorld,
): ProviderChoice | undefined {
  const fallback = chooseFallback(settings, world);
  const isUsed = fallback !== undefined && !AUTO_ORDER.some((id) => id === fallback.provider);
  return isUsed ? { ...fallback, by: 'auto' } : undefined;
}

/**
 * Warns if auto-detection passes over the local model that the settings name: its user may not want texts to leave
 * this machine.
 *
 * @param chosen undefined for keyword search only
 */
export function localModelWarning(
  chosen: ProviderChoice | undefined,
  settings: ResolvedMemorySearch,
  world: ProviderWorld,
): Warning | undefined {
  const { provider, fallback, local } = settings;
  if (provider !== 'auto' || fallback === 'local' || local.modelPath === undefined) {
    return undefined;
  }
  const detected = availability('local', settings, world);
  if (detected.available || leadsToOpenAi(settings, world)) return undefined;
  const used = chosen === undefined ? 'keyword search only,' : `using ${chosen.provider}`;
  return {
    code: 'LOCAL_MODEL_UNUSED',
    message: `${used} instead of the local model: ${detected.why}`,
    hint: 'set memorySearch.provider to local to use no other, or remove local.modelPath',
  };
}

function leadsToOpenAi({ remote }: ResolvedMemorySearch, { config, env }: ProviderWorld): boolean {
  if (remote.baseUrl !== undefined) return true;
  const { apiKey } = remote;
  return apiKey !== undefined && whyNoValue(apiKey, config.secrets, env) === undefined;
}

/** A key without a value must not hide the keys of other vendors. */
function withoutRemoteKey(settings: ResolvedMemorySearch): ResolvedMemorySearch {
  return { ...settings, remote: { ...settings.remote, apiKey: undefined } };
}

/** The provider to use when the first one fails. */
export function chooseFallback(
  settings: ResolvedMemorySearch,
  world: ProviderWorld,
): ProviderChoice | undefined {
  const { fallback } = settings;
  return fallback === 'none' ? undefined : choiceOf(fallback, settings, world, false);
}

/**
 * Selects a provider by name, whatever is configured. `model` and `remote.*` apply only if the
 * settings select it too.
 *
 * @param name an adapter's id or kind, or the id of a `models.providers` entry
 * @throws SvcError PROVIDER_UNKNOWN
 */
export function chooseNamed(
  name: string,
  settings: ResolvedMemorySearch,
  world: ProviderWorld,
): ProviderChoice {
  const provider = providerNamed(name, world);
  const chosen = chooseProvider(settings, world);
  return chosen?.provider === provider ? chosen : choiceOf(provider, settings, world, false);
}

/** Whether auto-detection can use an adapter. Reads only the environment and files. */
export function availability(
  id: AdapterId,
  settings: ResolvedMemorySearch,
  world: ProviderWorld,
): Availability {
  const { detect } = PROVIDERS[id];
  if (detect === 'never') {
    return { available: false, why: 'never chosen automatically; name it in provider' };
  }
  if (detect !== 'key') return detect({ settings, ...world });
  // A key without a vendor's name is for OpenAI's API.
  return keyAvailability(
    auto(id, id === 'openai' ? settings : withoutRemoteKey(settings), world),
    world,
  );
}

function keyAvailability(
  { credential, provider, isPrimary }: ProviderChoice,
  { config, env }: ProviderWorld,
): Availability {
  switch (credential.state) {
    case 'found': {
      const { input, source } = credential;
      const why = whyNoValue(input, config.secrets, env);
      if (why === undefined) return { available: true, because: source };
      return { available: false, why: `skipped, ${source} cannot be used: ${why}` };
    }
    case 'missing':
      return { available: false, why: credential.hint };
    case 'not_needed': {
      const { withheld } = credential;
      const why =
        withheld === undefined ? 'no key' : withheldHint(withheld, { provider, isPrimary });
      return { available: false, why };
    }
    case 'login':
      return { available: true, because: credential.source };
  }
}

function unknownProvider(provider: string, world: ProviderWorld): SvcError {
  const configured = Object.keys(world.config.models.providers);
  const known = [...ADAPTER_IDS, ...ADAPTER_KINDS.keys(), ...configured];
  const suggestion = suggestName(provider, known);
  const list = 'run "svc provider list" to see all providers';
  return new SvcError(
    'PROVIDER_UNKNOWN',
    `unknown embedding provider ${JSON.stringify(provider)}`,
    { hint: suggestion === undefined ? list : `did you mean "${suggestion}"? ${list}` },
  );
}

function auto(id: AdapterId, settings: ResolvedMemorySearch, world: ProviderWorld): ProviderChoice {
  const choice = choiceOf(id, settings, world, true);
  return { ...choice, by: 'auto' };
}

/** The `models.providers` entry with an id; that of an adapter may be named by its kind. */
export function entryOf(
  id: string,
  { config }: Pick<ProviderWorld, 'config'>,
): ProviderEntry | undefined {
  const { providers } = config.models;
  const named = (name: string): ProviderEntry | undefined => {
    const entry = Object.hasOwn(providers, name) ? providers[name] : undefined;
    return entry && { id: name, ...entry };
  };
  const own = named(id);
  if (own !== undefined || !isAdapterId(id)) return own;
  const ofKind = named(PROVIDERS[id].kind ?? id);
  return (ofKind?.api ?? id) === id ? ofKind : undefined;
}

/** The id that a name stands for: that of an entry, or of an adapter, which may be named by its kind. */
export function providerNamed(name: string, world: Pick<ProviderWorld, 'config'>): string {
  return entryOf(name, world) === undefined ? canonicalProvider(name) : name;
}

function choiceOf(
  provider: string,
  settings: ResolvedMemorySearch,
  world: ProviderWorld,
  isPrimary: boolean,
): ProviderChoice {
  const entry = entryOf(provider, world);
  const adapter = adapterOf(entry?.api ?? provider) ?? adapterOf(provider);
  if (adapter === undefined) throw unknownProvider(provider, world);
  const facts = PROVIDERS[adapter];
  const remote = isPrimary ? settings.remote : undefined;
  const address = remote?.baseUrl ?? entry?.baseUrl;
  const configuredUrl = address === undefined ? undefined : withoutEndSlashes(address);
  const customEndpoint = isCustomAddress(facts, configuredUrl);
  const baseUrl =
    configuredUrl ??
    (canonicalProvider(provider) === adapter ? facts.endpointIn?.(world.env) : undefined);
  const configured = (isPrimary ? settings.model : undefined) ?? entry?.models[0]?.id;
  // The default model may only embed text.
  const model = configured ?? (settings.multimodal.enabled ? facts.media?.model : undefined);
  return {
    provider,
    adapter,
    by: 'configured',
    model:
      model === undefined
        ? undefined
        : modelName(model, { provider, vendor: adapter, prefixes: facts.prefixes, customEndpoint }),
    baseUrl,
    credential: findCredential({
      provider,
      vendor: facts,
      remoteKey: remote?.apiKey,
      entry,
      address: baseUrl,
      stateDir: world.stateDir,
      env: world.env,
    }),
    entry,
    isPrimary,
  };
}

/** Who serves a model. */
interface ModelPlace {
  /** The vendor's id, or that of a `models.providers` entry. */
  readonly provider: string;
  readonly vendor: string;
  /** Of the vendor. */
  readonly prefixes: readonly string[];
  readonly customEndpoint: boolean;
}

/**
 * A configured model without the prefix of the vendor or `models.providers` entry
 * (spec/memory-search §2.1). An entry may be a gateway, which names models by their vendors.
 */
export function modelName(
  model: string,
  { provider, vendor, prefixes, customEndpoint }: ModelPlace,
): string {
  const mayBeGateway = provider !== vendor && customEndpoint;
  const cut = mayBeGateway ? prefixes.filter((prefix) => prefix !== vendor) : prefixes;
  for (const prefix of [provider, ...cut]) {
    if (model.startsWith(`${prefix}/`)) return model.slice(prefix.length + 1);
  }
  return model;
}

const QUERY_TIMEOUT_SECONDS = 5;

export function queryTimeoutMs(
  { adapter }: Pick<ProviderChoice, 'adapter'>,
  { query }: Pick<ResolvedMemorySearch, 'query'>,
): number {
  const usual = PROVIDERS[adapter].queryTimeoutSeconds ?? QUERY_TIMEOUT_SECONDS;
  return Math.round((query.timeoutSeconds ?? usual) * 1000);
}
