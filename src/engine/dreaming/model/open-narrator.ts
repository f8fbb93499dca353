import type { LoadedConfig } from '../../config/index.js';
import type { EngineContext } from '../../context.js';
import { SvcError, type Warning } from '../../errors/index.js';
import { modelNarrator, type Narrator } from './narrator.js';

/** Who words the diary, or why nobody does. */
export interface OpenedNarrator {
  /** Undefined when no model is configured, or it may not be used. */
  readonly narrator: Narrator | undefined;
  readonly warnings: readonly Warning[];
}

/**
 * Opens the model that `dreaming.model` names, where `subagent` allows it. A model that cannot be used is a
 * warning: dreaming needs none.
 */
export async function openNarrator(
  loaded: LoadedConfig,
  context: EngineContext,
  signal: AbortSignal,
): Promise<OpenedNarrator> {
  const { config, subagent } = loaded.resolved.plugins.entries['memory-core'];
  const { model } = config.dreaming;
  if (model === undefined) return { narrator: undefined, warnings: [] };
  const refusal = refusalOf(model, subagent);
  if (refusal !== undefined) return { narrator: undefined, warnings: [refusal] };
  const { chooseChatModel, openChatModel } = await import('../../chat/index.js');
  const { providerWorld } = await import('../../embeddings/provider-world.js');
  const world = providerWorld(loaded, context);
  try {
    const opened = await openChatModel(chooseChatModel(model, world), world, signal);
    return { narrator: modelNarrator(opened), warnings: [] };
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    const hint = error.hint === undefined ? {} : { hint: error.hint };
    return {
      narrator: undefined,
      warnings: [{ code: 'DREAM_MODEL_UNUSED', message: error.message, ...hint }],
    };
  }
}

function refusalOf(
  model: string,
  {
    allowModelOverride,
    allowedModels,
  }: LoadedConfig['resolved']['plugins']['entries']['memory-core']['subagent'],
): Warning | undefined {
  const entry = 'plugins.entries.memory-core.subagent';
  if (!allowModelOverride) {
    return {
      code: 'DREAM_MODEL_UNUSED',
      message: `dreaming.model ${model} is not used: ${entry}.allowModelOverride is off`,
      hint: `svc config set ${entry}.allowModelOverride true`,
    };
  }
  const isAllowed =
    allowedModels.length === 0 || allowedModels.includes('*') || allowedModels.includes(model);
  return isAllowed
    ? undefined
    : {
        code: 'DREAM_MODEL_UNUSED',
        message: `dreaming.model ${model} is not used: it is not among ${entry}.allowedModels`,
        hint: `add it there, or "*" for any`,
      };
}
