import type { ResolvedMemorySearch, SecretInput } from '../config/index.js';
import { parseModelReference } from '../providers/local/model.js';
import { withheldHint } from '../providers/provider-error.js';
import { ADAPTER_IDS, type AdapterId, PROVIDERS } from '../providers/registry.js';
import { describeSecret } from '../secrets/index.js';
import { availability, type ProviderChoice } from './choose-provider.js';
import { whyNoValue } from './credentials.js';
import type { ListedProvider } from './output-schemas.js';
import type { ProviderWorld } from './provider-world.js';

/*
 * Facts about a provider that need no opening, which could read secrets, load a model or call a
 * service.
 */

/**
 * The model to show: the configured one, else the default; null if the vendor's list decides. A
 * local model is shown without secrets in its address.
 */
export function shownModel(
  { adapter, model }: ProviderChoice,
  { local }: ResolvedMemorySearch,
): string | null {
  const { runsOn, model: usual } = PROVIDERS[adapter];
  if (runsOn !== 'process') return model ?? usual;
  try {
    return parseModelReference(local.modelPath).name;
  } catch {
    // Opening it reports what is wrong.
    return null;
  }
}

/** What selected a provider: a `memorySearch` setting, or a sign found by auto-detection. */
export type ChoiceReason =
  | { readonly kind: 'setting'; readonly key: 'fallback' | 'provider' | `remote.${string}` }
  | { readonly kind: 'sign'; readonly sign: string };

export function whyChosen(
  choice: ProviderChoice,
  settings: ResolvedMemorySearch,
  world: ProviderWorld,
): ChoiceReason {
  if (!choice.isPrimary) return { kind: 'setting', key: 'fallback' };
  if (settings.provider !== 'auto') return { kind: 'setting', key: 'provider' };
  const { baseUrl, apiKey } = settings.remote;
  if (baseUrl !== undefined) return { kind: 'setting', key: 'remote.baseUrl' };
  const { credential } = choice;
  const byKey = credential.state === 'found' && credential.source === 'remote.apiKey';
  if (apiKey !== undefined && byKey) return { kind: 'setting', key: 'remote.apiKey' };
  const detected = availability(choice.adapter, settings, world);
  return { kind: 'sign', sign: detected.available ? detected.because : detected.why };
}

/** Where a provider's key is, never the key. */
export type CredentialView = ListedProvider['credential'];

/** Reads only the environment and checks which files exist. */
export function credentialView(
  choice: ProviderChoice,
  settings: ResolvedMemorySearch,
  world: ProviderWorld,
): CredentialView {
  const { adapter, credential } = choice;
  if (credential.state === 'found') {
    return { state: 'found', ...sourceOf(credential.source, credential.input, world), hint: null };
  }
  if (credential.state === 'login') {
    return { state: 'found', source: credential.source, set: true, hint: null };
  }
  if (PROVIDERS[adapter].key.ambient === true) {
    const detected = availability(adapter, settings, world);
    if (detected.available)
      return { state: 'found', source: detected.because, set: true, hint: null };
    return { state: 'missing', source: null, set: false, hint: detected.why };
  }
  if (credential.state === 'missing') {
    return { state: 'missing', source: null, set: false, hint: credential.hint };
  }
  const { withheld } = credential;
  if (withheld === undefined) return { state: 'not_needed', source: null, set: null, hint: null };
  const hint = withheldHint(withheld, choice);
  return { state: 'not_needed', source: `env ${withheld}`, set: true, hint };
}

function sourceOf(place: string, input: SecretInput, { config, env }: ProviderWorld) {
  const isMissing = whyNoValue(input, config.secrets, env) !== undefined;
  if (input.kind === 'plain') return { source: place, set: !isMissing };
  const reference = describeSecret(input);
  const source = place === reference ? place : `${place} (${reference})`;
  return { source, set: input.source === 'env' || isMissing ? !isMissing : null };
}

/** Why images and recordings get no vectors, and how to change that. */
export interface MediaObstacle {
  readonly why: string;
  readonly hint: string;
}

/** The model that hints recommend for media. */
const RECOMMENDED = ADAPTER_IDS.flatMap((id) => {
  const { media } = PROVIDERS[id];
  return media === undefined ? [] : [{ id, model: media.model }];
})[0];
const HINT = `set memorySearch.provider to ${RECOMMENDED?.id} and memorySearch.model to ${RECOMMENDED?.model}`;

/**
 * Why the chosen provider cannot embed images and recordings; undefined if it can. Opens nothing.
 *
 * @param choice undefined if there is no provider
 */
export function mediaObstacle(
  choice: ProviderChoice | undefined,
  settings: ResolvedMemorySearch,
): MediaObstacle | undefined {
  if (choice === undefined) return { why: 'no embedding provider is in use', hint: HINT };
  const model = shownModel(choice, settings);
  const { media } = PROVIDERS[choice.adapter];
  if (media !== undefined && (model === null || media.takes(model))) return undefined;
  return textOnlyObstacle(choice.adapter, choice.provider, model);
}

/** The obstacle of a model that only embeds text. */
export function textOnlyObstacle(
  adapter: AdapterId,
  provider: string,
  model: string | null,
): MediaObstacle {
  const { media } = PROVIDERS[adapter];
  if (media === undefined || model === null) {
    return { why: `provider ${provider} only embeds text`, hint: HINT };
  }
  return {
    why: `model ${model} only embeds text`,
    hint: `set memorySearch.model to ${media.model}; this re-embeds everything`,
  };
}
