import type { EmbeddingInput } from '../../embedding-adapter.js';
import { runtimesDir } from '../../local-runtime/runtime-store.js';
import type { ProviderSettings } from '../../provider-settings.js';
import { plainText } from '../../requests/input-text.js';
import type { EmbeddingVendor, VendorTools } from '../../vendor.js';
import { promptsOf } from '../open-models.js';
import { LocalEngine, type LocalVendorOptions } from './local-engine.js';
import { fileIdentity } from './model-file.js';
import { parseModelReference } from './model-reference.js';
import { usableCores } from './usable-cores.js';

/** What a model is taken to be trained with before it has been loaded. */
const USUAL_CONTEXT = 2048;
/** The library's own tokens, and the words that a model wants before each text. */
const RESERVED_TOKENS = 32;
/** Few, since they are computed one after the other: a request should take seconds. */
const MAX_INPUTS = 16;

/**
 * A GGUF model in this process, through node-llama-cpp. Nothing is loaded before the first request.
 *
 * The identity of a configured file has a fingerprint of its content; that of a reference is the
 * reference, which is downloaded once and kept.
 *
 * @throws VendorFault when `modelPath` names no model, or a file that is not there
 */
export function createLocalVendor(
  settings: ProviderSettings,
  { stateDir, env }: VendorTools,
): EmbeddingVendor {
  return localVendor(settings, {
    runtimesDir: runtimesDir(stateDir),
    platform: { os: process.platform, arch: process.arch },
    env,
    threads: usableCores(),
    nowMs: () => performance.now(),
  });
}

/** The same, with what is taken from this machine given by the caller. @throws VendorFault */
export function localVendor(
  settings: ProviderSettings,
  options: LocalVendorOptions,
): EmbeddingVendor {
  const reference = parseModelReference(settings.local.modelPath);
  const prompts = promptsOf(reference.name);
  const model = reference.kind === 'file' ? fileIdentity(reference.path) : reference.name;
  const engine = new LocalEngine(settings.local, options);
  return {
    adapter: 'local',
    endpoint: 'local',
    model,
    // `outputDimensionality` is for models that can be asked for a length.
    dimensions: null,
    documentForm: prompts.documentForm,
    limits: {
      maxInputs: MAX_INPUTS,
      maxTokensPerInput: Math.min(settings.local.contextSize, USUAL_CONTEXT) - RESERVED_TOKENS,
      maxTokensPerRequest: Number.POSITIVE_INFINITY,
    },
    embed: (request) => {
      const texts = request.inputs.map((input: EmbeddingInput) =>
        request.role === 'query' ? prompts.query(plainText(input)) : prompts.document(input),
      );
      return engine.embed(texts, request);
    },
    close: () => engine.close(),
  };
}
