import type {
  AdapterSettings,
  EmbeddingAdapter,
} from '../../../../src/engine/embeddings/embedding-adapter.js';
import { vendorAdapter } from '../../../../src/engine/embeddings/vendor-adapter.js';
import { bedrock } from '../../../../src/engine/providers/bedrock/index.js';
import { createBedrockVendor } from '../../../../src/engine/providers/bedrock/vendor.js';
import { asProviderError } from '../../../../src/engine/providers/provider-error.js';
import { AWS_KEYS } from '../../../fakes/bedrock.js';
import { testSettings } from '../conformance.js';

/** An adapter of Bedrock; throws what the caller of the port would see. */
export function bedrockAdapter(
  change: Partial<AdapterSettings>,
  env: Readonly<Record<string, string>> = AWS_KEYS,
): EmbeddingAdapter {
  const settings = testSettings({ adapter: 'bedrock', ...change });
  try {
    const tools = { stateDir: '/nonexistent', clock: Date, env };
    const model = settings.model ?? bedrock.model ?? '';
    const vendor = createBedrockVendor({ ...settings, model }, tools, bedrock);
    return vendorAdapter(vendor, settings, { nowMs: () => performance.now(), random: () => 0 });
  } catch (error) {
    throw asProviderError(error, {
      provider: settings.provider,
      model: settings.model,
      endpoint: undefined,
      keySource: undefined,
    });
  }
}
