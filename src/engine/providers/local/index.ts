import { messageOf } from '../../errors/index.js';
import { type Provider, SELF_HOSTED } from '../provider.js';
import type { ProviderSettings } from '../vendor.js';
import { modelFileState } from './model.js';
import { DEFAULT_MODEL, runtimeState, runtimesDir } from './runtime/store.js';

/** Models that run in this process with node-llama-cpp, which is installed on demand. */
export const local: Provider<'local'> = {
  ...SELF_HOSTED,
  id: 'local',
  kind: null,
  prefixes: [],
  runsOn: 'process',
  cost: 'free',
  endpoint: 'local',
  model: DEFAULT_MODEL,
  dimensions: {},
  usualDimensions: { 'embeddinggemma-300m-qat-Q8_0.gguf': 768 },
  key: { variables: [], required: false, hint: 'it runs on this machine and needs no key' },
  detect: ({ settings, stateDir }) => {
    if (settings.local.modelPath === undefined) {
      return { available: false, why: 'local.modelPath is unset' };
    }
    const absent = whyNotOnDisk(settings.local);
    if (absent !== undefined) return { available: false, why: absent };
    const runtime = runtimeState(runtimesDir(stateDir));
    if (runtime.state === 'ready') return { available: true, because: 'local.modelPath' };
    return { available: false, why: `${runtime.why}: run "svc provider install local"` };
  },
  // Each command loads the model from disk first.
  queryTimeoutSeconds: 30,
  open: async (settings, { stateDir, env }) => {
    const { createLocalVendor } = await import('./vendor.js');
    return createLocalVendor(settings, { runtimesDir: runtimesDir(stateDir), env });
  },
};

/** Undefined if the model is a file or was downloaded (spec/memory-search §2.1). */
function whyNotOnDisk(settings: ProviderSettings['local']): string | undefined {
  try {
    const model = modelFileState(settings);
    if (model.present) return undefined;
    if (model.remote === undefined) return `local.modelPath is not a file (${model.path})`;
    return `the model is not downloaded yet (${model.remote.name}): run "svc provider install local"`;
  } catch (error) {
    return messageOf(error);
  }
}
