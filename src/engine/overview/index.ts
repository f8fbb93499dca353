// The door of this room, apart from about.ts, bug-report.ts and package-version.ts for commands that need
// nothing else, and output-schemas.ts.

export type { AgentGlance, AgentNews } from './agents-reader.js';
export { OverviewFollower, type OverviewNews, type QuietFinding } from './follow-overview.js';
export {
  type OverallFault,
  type OverallStatus,
  overallStatus,
  overallStatusOutput,
} from './overall-status.js';
export type { StorageGlance } from './storage-glance.js';
export type { DreamsGlance, FlowsGlance, ListenerGlance } from './work.js';
