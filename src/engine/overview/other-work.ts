import { loadConfig } from '../config/index.js';
import type { EngineContext } from '../context.js';
import { dreamTargets } from '../dreaming/dream-targets.js';
import { type DreamsGlance, DreamsLook } from './dreams-glance.js';
import { type FlowsGlance, FlowsLook } from './flows-glance.js';
import { type ListenerGlance, listenerGlance } from './listener-glance.js';
import type { Serving } from './serving.js';

/** What goes on besides memories. */
export interface OtherWork {
  readonly listener: ListenerGlance;
  readonly flows: FlowsGlance;
  /** One a workspace. */
  readonly dreams: readonly DreamsGlance[];
}

/** Where everything is kept that is looked at. */
export interface OverviewPlace {
  readonly context: EngineContext;
  /** The file named by `--config`. */
  readonly configFile: string | undefined;
}

/** Looks once. @throws SvcError CONFIG_* */
export async function otherWork(
  { context, configFile }: OverviewPlace,
  serving: Serving | undefined,
): Promise<OtherWork> {
  const { clock, state } = context;
  const loaded = await loadConfig(context, { configFile });
  const flows = new FlowsLook(context, loaded);
  try {
    return {
      listener: listenerGlance(serving, loaded, state.stateDir),
      flows: flows.first(),
      dreams: new DreamsLook(dreamTargets(loaded, context)).look(clock.now()) ?? [],
    };
  } finally {
    await flows.close();
  }
}
