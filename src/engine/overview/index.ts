// Commands that need nothing else import about.ts, bug-report.ts or upgrade.ts directly.

export type { AgentOverview } from './agents-reader.js';
export { type BackgroundFinding, type Overview, overviewFollower } from './follow-overview.js';
export {
  type OverallFault,
  type OverallStatus,
  overallStatus,
  overallStatusOutput,
} from './overall-status.js';
export type { DreamsSummary, FlowsSummary, ListenerSummary, StorageSummary } from './work.js';
