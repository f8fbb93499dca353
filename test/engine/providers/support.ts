import type {
  AdapterSettings,
  EmbeddingAdapter,
} from '../../../src/engine/embeddings/embedding-adapter.js';
import { vendorAdapter } from '../../../src/engine/embeddings/vendor-adapter.js';
import { PROVIDERS } from '../../../src/engine/providers/registry.js';
import type { EmbeddingVendor, VendorTools } from '../../../src/engine/providers/vendor.js';
import { VendorFault } from '../../../src/engine/providers/vendor-fault.js';
import { NEVER } from '../../../src/engine/support/async.js';
import type { FakeVendor } from '../../fakes/fake-vendor.js';
import { errorOf } from '../../support/failure.js';

/** The port over a vendor, without jitter in its waits. */
export function adapterOver(vendor: EmbeddingVendor, settings: AdapterSettings): EmbeddingAdapter {
  return vendorAdapter(vendor, settings, { nowMs: () => performance.now(), random: () => 0 });
}

/** A vendor as the registry opens it. */
export async function openVendor(
  settings: AdapterSettings,
  tools: Partial<VendorTools> = {},
): Promise<EmbeddingVendor> {
  const allTools = { stateDir: '/nonexistent', env: {}, clock: Date, ...tools };
  return PROVIDERS[settings.adapter].open(settings, allTools, NEVER);
}

/** The port over it. */
export async function openAdapter(
  settings: AdapterSettings,
  tools: Partial<VendorTools> = {},
): Promise<EmbeddingAdapter> {
  return adapterOver(await openVendor(settings, tools), settings);
}

/** The JSON bodies that a fake was sent. */
export function bodiesOf(fake: FakeVendor): readonly Record<string, unknown>[] {
  return fake.requests.map(({ body }) => JSON.parse(body.toString('utf8')));
}

/** Runs work with a fake, and closes the fake. */
export async function withFake<T>(
  starting: Promise<FakeVendor>,
  work: (fake: FakeVendor) => Promise<T>,
): Promise<T> {
  const fake = await starting;
  try {
    return await work(fake);
  } finally {
    await fake.close();
  }
}

/** The VendorFault that something fails with. */
export const faultOf = (work: Promise<unknown>): Promise<VendorFault> => errorOf(VendorFault, work);
