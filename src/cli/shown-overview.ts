import type { OpenedMemory } from '../engine/memory/open-memory.js';
import type { OverviewPlace } from '../engine/overview/other-work.js';
import { overallStatusOutput } from '../engine/overview/output.js';
import type { OverallStatusOutput } from '../engine/overview/output-schemas.js';
import { overallStatus } from '../engine/overview/overall-status.js';
import type { SecretMask } from '../engine/secrets/mask/secret-mask.js';
import { renderOverallStatus } from '../ui/overview/overall-status.js';
import type { View } from './base-command.js';

/** How the page of everything is shown. */
export interface ShownOverviewOptions extends OverviewPlace {
  readonly view: View;
  readonly mask: SecretMask;
  /** Writes to stdout; nothing in JSON mode. */
  readonly write: (text: string) => void;
}

/** Shows everything on one page: what `svc status` is, and home where there is no terminal. */
export async function shownOverview(
  memories: readonly OpenedMemory[],
  { context, configFile, view, mask, write }: ShownOverviewOptions,
): Promise<OverallStatusOutput> {
  const overall = await overallStatus(memories, { context, configFile });
  const { serving, work, nextRuns, faults } = overall;
  write(
    renderOverallStatus(
      // Before lines are cut and wrapped: half a secret is no longer known for one.
      mask.data({
        serving,
        work,
        nextRuns,
        faults,
        agents: overall.agents.map(({ memory, status, embedding }) => {
          return { agentId: memory.name, status, embedding };
        }),
      }),
      view,
    ),
  );
  return overallStatusOutput(overall);
}
