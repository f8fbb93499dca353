import type { AgentNews } from './agent-glance.js';
import type { DreamsGlance } from './dreams-glance.js';
import type { FlowsGlance } from './flows-glance.js';
import type { ListenerGlance } from './listener-glance.js';
import type { OverallFault } from './overall-status.js';

/** Where the settings come from. */
export type ConfigNews =
  /** There is none: the defaults hold. */
  | { readonly state: 'none'; readonly hasNotes: boolean }
  | { readonly state: 'read'; readonly file: string }
  | { readonly state: 'faulty'; readonly fault: OverallFault };

/** Something that the doctor found without asking anybody. */
export interface QuietFinding {
  readonly severity: 'fault' | 'warning';
  readonly message: string;
  readonly hint?: string | undefined;
}

/** Everything at a glance; each part is told as soon as it is known, and again when it changed. */
export interface OverviewNews {
  readonly config: ConfigNews;
  /** In the order of the configuration. */
  readonly agents: readonly AgentNews[];
  readonly listener: ListenerGlance;
  readonly flows: FlowsGlance;
  readonly dreams: readonly DreamsGlance[];
  readonly findings: readonly QuietFinding[];
}
