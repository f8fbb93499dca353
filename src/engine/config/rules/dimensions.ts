import { ADAPTER_TRAITS } from '../adapters.js';
import {
  allowsDimensions,
  defaultModelOf,
  describeDimensions,
  dimensionsOf,
} from '../model-dimensions.js';
import type { Rule } from './finding.js';
import { followProvider } from './providers.js';
import { written } from './search-scope.js';

/**
 * `outputDimensionality` must be a size that the model has (spec/memory-search §2.3). Models that
 * are not known here are left to the vendor; adapters that ignore the key get a warning.
 */
export const dimensionsFitModel: Rule = function* (input, scopes) {
  for (const scope of scopes) {
    const { provider, model, outputDimensionality: size } = scope.settings;
    const places = ['outputDimensionality', 'model', 'provider'].map((key) => scope.where(key));
    const [path, ...others] = places;
    const target = followProvider(input, provider);
    if (size === undefined || path === undefined) continue;
    if (target.kind !== 'adapter' || !scope.owns(...places)) continue;
    const related = written(...others);
    if (!ADAPTER_TRAITS[target.adapter].dimensions) {
      yield {
        severity: 'warning',
        code: 'dimensions-unsupported',
        path,
        message: `the provider ${JSON.stringify(provider)} ignores outputDimensionality`,
        related,
      };
      continue;
    }
    const used = model ?? defaultModelOf(target.adapter);
    const choice = used === undefined ? undefined : dimensionsOf(target.adapter, used);
    if (choice === undefined || allowsDimensions(choice, size)) continue;
    yield {
      severity: 'fault',
      code: 'dimensions-unsupported',
      path,
      message: `the model ${JSON.stringify(used)} has no vectors of ${size} dimensions`,
      expected: describeDimensions(choice),
      related,
    };
  }
};
