import type { EngineContext } from '../engine/context.js';
import type { OpenedMemory } from '../engine/memory/open-memory.js';
import { overallStatusOutput } from '../engine/overview/output.js';
import type { OverallStatusOutput } from '../engine/overview/output-schemas.js';
import { overallStatus } from '../engine/overview/overall-status.js';
import type { SecretMask } from '../engine/secrets/mask/secret-mask.js';
import { renderOverallStatus } from '../ui/overview/overall-status.js';
import { createStyle } from '../ui/style.js';
import type { TerminalSupport } from './terminal.js';

/** How the page of everything is shown. */
export interface ShownOverviewOptions {
  readonly context: EngineContext;
  readonly terminal: TerminalSupport;
  readonly mask: SecretMask;
  /** Writes to stdout; nothing in JSON mode. */
  readonly write: (text: string) => void;
}

/** Shows everything on one page: what `svc status` is, and home where there is no terminal. */
export async function shownOverview(
  memories: readonly OpenedMemory[],
  { context, terminal, mask, write }: ShownOverviewOptions,
): Promise<OverallStatusOutput> {
  const { state, clock, homeDir } = context;
  const overall = await overallStatus(memories, state.stateDir);
  const { serving, nextRuns, faults } = overall;
  write(
    renderOverallStatus(
      // Before lines are cut and wrapped: half a secret is no longer known for one.
      mask.data({
        serving,
        nextRuns,
        faults,
        agents: overall.agents.map(({ memory, status, embedding }) => {
          return { agentId: memory.name, status, embedding };
        }),
      }),
      {
        style: createStyle(terminal.color),
        nowMs: clock.now(),
        columns: process.stdout.isTTY ? terminal.columns : undefined,
        homeDir,
      },
    ),
  );
  return overallStatusOutput(overall);
}
