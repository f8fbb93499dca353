import {
  ADAPTER_IDS,
  ADAPTER_KINDS,
  allowsDimensions,
  describeDimensions,
  dimensionsOf,
  PROVIDERS,
} from '../../providers/registry.js';
import { suggestName } from '../../support/text.js';
import type { ConfigPath } from '../config-path.js';
import type { ConfigInput } from '../schema/index.js';
import {
  configuredModel,
  eachScope,
  fault,
  followProvider,
  type Rule,
  type RuleFinding,
  type SearchScope,
  warning,
  writtenPaths,
} from './rule.js';

const ADAPTER_NAMES = [...ADAPTER_IDS, ...ADAPTER_KINDS.keys()];

export const providersAreKnown: Rule = eachScope(function* (scope, input) {
  for (const key of ['provider', 'fallback'] as const) {
    const path = scope.writtenHere(key);
    if (path === undefined) continue;
    const name = scope.settings[key];
    if (key === 'fallback' && name === 'auto') yield unknownProvider(input, path, name, undefined);
    const target = followProvider(input, name);
    if (target.kind === 'unknown') yield unknownProvider(input, path, name, target.entry);
  }
});

function unknownProvider(
  input: ConfigInput,
  path: ConfigPath,
  name: string,
  entry: ConfigPath | undefined,
): RuleFinding {
  const entryIds = Object.keys(input.models?.providers ?? {});
  const special = path.at(-1) === 'provider' ? ['auto', 'none'] : ['none'];
  const suggestion = suggestName(name, [...ADAPTER_NAMES, ...entryIds, ...special]);
  return fault('unknown-provider', path, {
    message:
      entry === undefined
        ? `unknown embedding provider ${JSON.stringify(name)}`
        : `the models.providers entry ${JSON.stringify(name)} has no embedding adapter as its api`,
    expected: `${special.join(', ')}, one of ${ADAPTER_IDS.join(', ')}, or the id of a models.providers entry whose api is one of these`,
    suggestion: entry === undefined ? suggestion : undefined,
    related: entry && [entry],
  });
}

/** A fallback identical to the provider would fail with it. */
export const fallbackDiffers: Rule = eachScope(function* (scope) {
  const { provider, fallback } = scope.settings;
  const [providerPath, path] = [scope.writtenAt('provider'), scope.writtenAt('fallback')];
  if (path === undefined || provider !== fallback || provider === 'none') return;
  if (!scope.concerns(path, providerPath)) return;
  yield fault('fallback-is-provider', path, {
    message: `fallback and provider are both ${JSON.stringify(provider)}`,
    expected: 'none, or an adapter other than the provider',
    related: writtenPaths(providerPath),
  });
});

/** Provider and fallback must be able to embed media (spec §2.7). */
export const mediaCanBeEmbedded: Rule = eachScope(function* (scope, input) {
  if (!scope.settings.multimodal.enabled) return;
  yield* blindAdapter(input, scope, 'provider');
  yield* blindAdapter(input, scope, 'fallback');
});

function* blindAdapter(
  input: ConfigInput,
  scope: SearchScope,
  key: 'provider' | 'fallback',
): Generator<RuleFinding> {
  const path = scope.writtenAt(key);
  const enabled = scope.writtenAt('multimodal', 'enabled');
  const target = followProvider(input, scope.settings[key]);
  if (path === undefined || target.kind !== 'adapter' || !scope.concerns(path, enabled)) return;
  if (PROVIDERS[target.adapter].media !== undefined) return;
  const able = ADAPTER_IDS.filter((id) => PROVIDERS[id].media !== undefined);
  yield fault('multimodal-unsupported', path, {
    message: `multimodal.enabled is true, but the ${key} ${JSON.stringify(scope.settings[key])} cannot embed images and audio`,
    expected: able.join(', '),
    related: writtenPaths(enabled),
  });
}

/**
 * The model must support `outputDimensionality` (spec/memory-search §2.3). Unknown models are not
 * checked; adapters that ignore the key get a warning.
 */
export const dimensionsFitModel: Rule = eachScope(function* (scope, input) {
  const { provider, outputDimensionality: size } = scope.settings;
  const configured = configuredModel(input, scope);
  const path = scope.writtenAt('outputDimensionality');
  const others = [configured?.path, scope.writtenAt('provider')];
  const target = followProvider(input, provider);
  if (size === undefined || path === undefined) return;
  if (target.kind !== 'adapter' || !scope.concerns(path, ...others)) return;
  const related = writtenPaths(...others);
  const facts = PROVIDERS[target.adapter];
  if (!facts.asksDimensions) {
    yield warning('dimensions-unsupported', path, {
      message: `the provider ${JSON.stringify(provider)} ignores outputDimensionality`,
      related,
    });
    return;
  }
  const used = configured?.model ?? facts.model;
  const choice = used === null ? undefined : dimensionsOf(facts, used);
  if (choice === undefined || allowsDimensions(choice, size)) return;
  yield fault('dimensions-unsupported', path, {
    message: `the model ${JSON.stringify(used)} does not support vectors of ${size} dimensions`,
    expected: describeDimensions(choice),
    related,
  });
});
