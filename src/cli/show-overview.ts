import type { OpenedMemory } from '../engine/memory/index.js';
import { type OverallStatus, overallStatusOutput } from '../engine/overview/index.js';
import type { OverallStatusOutput } from '../engine/overview/output-schemas.js';
import { renderOverallStatus } from '../ui/overview/overall-status.js';
import { type CommandContext, withShownHints } from './command-context.js';

/** Shows the overall status on one page: `svc status`, and the home screen without a terminal. */
export function showOverview(
  memories: readonly OpenedMemory[],
  found: OverallStatus,
  { view, mask, write }: CommandContext,
): OverallStatusOutput {
  const shown = found.agents.map(({ status, ...agent }) => {
    return { ...agent, status: { ...status, faults: withShownHints(status.faults, view) } };
  });
  const overall = { ...found, agents: shown, faults: withShownHints(found.faults, view) };
  const agents = shown.map(({ memory, status, embedding }) => {
    return { agentId: memory.name, status, embedding };
  });
  const isAnyUnknown = agents.length < memories.length;
  // Masked before lines are cut and wrapped: half a secret would not be recognized.
  write(renderOverallStatus(mask.data({ ...overall, agents, isAnyUnknown }), view));
  return overallStatusOutput(overall);
}
