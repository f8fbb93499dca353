import { bedrock } from '../../../../src/engine/embeddings/adapters/bedrock/index.js';
import { createBedrockVendor } from '../../../../src/engine/embeddings/adapters/bedrock/vendor.js';
import { createAdapter } from '../../../../src/engine/embeddings/create-adapter.js';
import type { EmbeddingAdapter } from '../../../../src/engine/embeddings/embedding-adapter.js';
import { asProviderError } from '../../../../src/engine/embeddings/provider-error.js';
import type { ProviderSettings } from '../../../../src/engine/embeddings/vendor.js';
import { AWS_KEYS } from '../../../fakes/bedrock.js';
import { testSettings } from '../conformance.js';

/** An adapter of Bedrock; throws what the caller of the port would see. */
export function bedrockAdapter(
  change: Partial<ProviderSettings>,
  env: Readonly<Record<string, string>> = AWS_KEYS,
): EmbeddingAdapter {
  const settings = testSettings({ adapter: 'bedrock', ...change });
  try {
    const tools = { stateDir: '/nonexistent', clock: Date, env };
    const model = settings.model ?? bedrock.model ?? '';
    const vendor = createBedrockVendor({ ...settings, model }, tools, bedrock);
    return createAdapter(vendor, settings, { nowMs: () => performance.now(), random: () => 0 });
  } catch (error) {
    throw asProviderError(error, {
      provider: settings.provider,
      model: settings.model,
      endpoint: undefined,
      keySource: undefined,
    });
  }
}
