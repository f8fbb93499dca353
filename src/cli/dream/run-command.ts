import * as Flags from '@oclif/core/flags';
import { dreamTargets } from '../../engine/dreaming/dream-targets.js';
import type { DreamRunOutput, NotSweptOutput } from '../../engine/dreaming/output-schemas.js';
import { PHASES, type PhaseName } from '../../engine/dreaming/store/sweep-records.js';
import { renderRun } from '../../ui/dream/sweeps.js';
import { targetFlags, withEnvironment } from '../flags.js';
import { reportError } from '../report-error.js';
import { DreamCommand, type DreamFlags } from './dream-command.js';
import { shownSweeps } from './shown-sweeps.js';

interface SweepFlags extends DreamFlags {
  readonly plain: boolean;
  readonly quiet: boolean;
}

/** Which sweep is run. */
interface SweepWish {
  readonly only: readonly PhaseName[] | undefined;
  readonly dryRun: boolean;
  readonly remReport: boolean;
}

/** What all commands that run sweeps share. */
export abstract class SweepCommand extends DreamCommand<DreamRunOutput> {
  protected async sweep(flags: SweepFlags, wish: SweepWish): Promise<DreamRunOutput> {
    const loaded = await this.loadConfig(flags);
    const context = this.context();
    const { clock, homeDir } = context;
    const targets = dreamTargets(loaded, context, flags.agent);
    const quiet = flags.quiet || this.jsonEnabled();
    const { screen, progress } = this.terminal(flags);
    const output = await shownSweeps(targets, {
      ...wish,
      clock,
      homeDir,
      signal: this.signal,
      steps: {
        live: screen && progress,
        quiet,
        mask: this.mask,
        note: (line) => this.note(line),
      },
      mask: this.mask,
      openNarrator: async () => {
        const { openNarrator } = await import('../../engine/dreaming/model/open-narrator.js');
        const { narrator, warnings } = await openNarrator(loaded, context, this.signal);
        for (const warning of warnings) this.addWarning(warning);
        return narrator;
      },
      failed: ({ workspace }, error) => this.tellFailure(workspace.dir, error),
    });
    this.write(renderRun(output, this.view(flags)));
    if (!output.ok) this.setExitCode(1);
    return output;
  }

  private tellFailure(workspace: string, error: unknown): NotSweptOutput['error'] {
    const { code, message, hint } = reportError(error, this.mask);
    this.note(`error: ${workspace}: ${message}${hint === undefined ? '' : `\n mend: ${hint}`}`);
    return hint === undefined ? { code, message } : { code, message, hint };
  }
}

/**
 * `svc dream run` under one of its names. A class for each of them: oclif writes the name into the class,
 * and reads what the command takes from the class itself.
 */
export function dreamRunCommand() {
  return class DreamRunCommand extends SweepCommand {
    static override summary = 'Consolidate memory now: what proved useful goes into MEMORY.md.';
    static override description =
      `Runs a sweep over the workspaces of all agents, one after the other. The light phase gathers what the last days' notes say, the REM phase looks for patterns, and the deep phase promotes the claims that pass every gate. No model is needed.

A phase that fails does not keep the others from running, nor a workspace the next one; exits with 1 then. It runs whether or not dreaming is switched on, twice a day if you like: what was counted is not counted again. svc dream undo takes it back.`;
    static override examples = [
      '<%= config.bin %> <%= command.id %>',
      '<%= config.bin %> <%= command.id %> --dry-run',
      '<%= config.bin %> <%= command.id %> --agent main --phase light --phase rem --json',
    ];
    static override flags = {
      agent: targetFlags.agent,
      ...withEnvironment({
        phase: Flags.custom<PhaseName>({
          summary: 'Only this phase, switched on or not.',
          options: [...PHASES],
          multiple: true,
        })(),
        'dry-run': Flags.boolean({ summary: 'Show what would change, and write nothing.' }),
      }),
    };

    async run(): Promise<DreamRunOutput> {
      const { flags } = await this.parse(DreamRunCommand);
      const wish = { only: flags.phase, dryRun: flags['dry-run'] ?? false, remReport: false };
      return this.sweep(flags, wish);
    }
  };
}
