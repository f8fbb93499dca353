import { existsSync } from 'node:fs';
import type { LoadedConfig } from '../config/index.js';
import type { EngineContext } from '../context.js';
import { SvcError } from '../errors/index.js';
import { type Flows, flowsFile, openFlows } from '../flows/index.js';

/** All flows and their tasks, counted by their states; empty where nobody has made any. */
export type FlowsGlance = ReturnType<Flows['operator']['counts']> & {
  /** Why they cannot be counted. */
  readonly fault: string | undefined;
};

const NONE: FlowsGlance = { flows: {}, tasks: {}, fault: undefined };

/**
 * Counts flows whenever something was committed. Their file is opened once, and not before somebody
 * made it: looking makes nothing.
 */
export class FlowsLook {
  private readonly context: EngineContext;
  private readonly loaded: LoadedConfig;
  private opened: Flows | undefined;
  private seen: string | undefined;

  constructor(context: EngineContext, loaded: LoadedConfig) {
    this.context = context;
    this.loaded = loaded;
  }

  /** @returns undefined when nothing changed since the last look */
  look(): FlowsGlance | undefined {
    try {
      const flows = this.open();
      const version = flows?.version() ?? 'none';
      if (version === this.seen) return undefined;
      this.seen = version;
      return flows === undefined ? NONE : { ...flows.operator.counts(), fault: undefined };
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      if (this.seen === error.message) return undefined;
      this.seen = error.message;
      return { ...NONE, fault: error.message };
    }
  }

  /** What a first look gives. */
  first(): FlowsGlance {
    return this.look() ?? NONE;
  }

  async close(): Promise<void> {
    await this.opened?.close();
    this.opened = undefined;
  }

  private open(): Flows | undefined {
    if (this.opened === undefined && existsSync(flowsFile(this.context))) {
      this.opened = openFlows(this.context, this.loaded.resolved);
    }
    return this.opened;
  }
}
