import { statSync } from 'node:fs';
import { unlessSystemError } from '../../support/files.js';
import { type Provider, SELF_HOSTED } from '../provider.js';
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
    const { modelPath } = settings.local;
    if (modelPath === undefined) return { available: false, why: 'local.modelPath is unset' };
    if (unlessSystemError(() => statSync(modelPath))?.isFile() !== true) {
      return { available: false, why: `local.modelPath is not a file (${modelPath})` };
    }
    const runtime = runtimeState(runtimesDir(stateDir));
    if (runtime.state === 'ready') return { available: true, because: 'local.modelPath is a file' };
    return { available: false, why: `${runtime.why}: run "svc provider install local"` };
  },
  // Each command loads the model from disk first.
  queryTimeoutSeconds: 30,
  open: async (settings, { stateDir, env }) => {
    const { createLocalVendor } = await import('./vendor.js');
    return createLocalVendor(settings, { runtimesDir: runtimesDir(stateDir), env });
  },
};
