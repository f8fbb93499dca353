import type { ChatChoice } from '../chat/index.js';
import type { Warning } from '../errors/index.js';
import { SvcError } from '../errors/index.js';
import type { ActiveMemorySettings } from './gates.js';
import type { OpenLane } from './open-lane.js';

/** The model that condenses, or why the one that is configured cannot. */
export type NamedModel =
  | { readonly name: string; readonly choice: ChatChoice }
  | { readonly name: string; readonly choice: undefined; readonly warning: Warning };

/**
 * The model for a turn: the configured one, else the one that answers the turn, else the fallback
 * (facts §1.4). Undefined when none is named or the turn's cannot be asked from here: then no model
 * is used.
 */
export async function modelFor(
  { model, modelFallback }: ActiveMemorySettings['config'],
  runModel: string | undefined,
  { loaded, context }: OpenLane,
): Promise<NamedModel | undefined> {
  if ((model ?? runModel ?? modelFallback) === undefined) return undefined;
  const { chooseChatModel } = await import('../chat/index.js');
  const world = { config: loaded.resolved, env: context.env };
  const named = (name: string): NamedModel => {
    try {
      return { name, choice: chooseChatModel(name, world) };
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      const hint = error.hint === undefined ? {} : { hint: error.hint };
      const warning: Warning = { code: 'RECALL_FAILED', message: error.message, ...hint };
      return { name, choice: undefined, warning };
    }
  };
  if (model !== undefined) return named(model);
  const ofTurn = runModel === undefined ? undefined : named(runModel);
  if (ofTurn?.choice !== undefined && ofTurn.choice.credential.state !== 'missing') return ofTurn;
  return modelFallback === undefined ? undefined : named(modelFallback);
}
