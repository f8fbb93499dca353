import * as Flags from '@oclif/core/flags';
import { backfillOutput, rollbackOutput } from '../../engine/dreaming/backfill/output.js';
import type { DreamBackfillOutput } from '../../engine/dreaming/backfill/output-schemas.js';
import { rollBackBackfill, runBackfill } from '../../engine/dreaming/backfill/run-backfill.js';
import { SvcError } from '../../engine/errors/index.js';
import { renderBackfill } from '../../ui/dream/backfill.js';
import { targetFlags, withEnvironment } from '../flags.js';
import { DreamCommand } from './dream-command.js';

/**
 * `svc dream backfill` under one of its names. A class for each of them: oclif writes the name into the
 * class, and reads what the command takes from the class itself.
 */
export function dreamBackfillCommand() {
  return class DreamBackfillCommand extends DreamCommand<DreamBackfillOutput> {
    static override summary = 'Look through old daily notes for what is worth remembering.';
    static override description =
      'For notes from before dreaming was on. Statements that look lasting get signals of their own, decisions and lessons two, standing facts one; what an old day was spent with gets none. They are promoted once searches ask for them, as all others. MEMORY.md is not changed, each statement counts once however often this is run, and --rollback takes exactly one run back.';
    static override examples = [
      '<%= config.bin %> <%= command.id %> --path memory --dry-run',
      '<%= config.bin %> <%= command.id %> --path memory/2025-03-04.md --agent main --json',
      '<%= config.bin %> <%= command.id %> --rollback 20261120T030000',
    ];
    static override flags = {
      agent: targetFlags.agent,
      ...withEnvironment({
        path: Flags.string({
          summary: 'A daily note, or a folder of them; relative to the workspace.',
          helpValue: 'PATH',
        }),
        'dry-run': Flags.boolean({ summary: 'Show what would change, and write nothing.' }),
        rollback: Flags.string({
          summary: 'Take a backfill back, by the id that svc dream list shows.',
          helpValue: 'ID',
        }),
      }),
    };

    async run(): Promise<DreamBackfillOutput> {
      const { flags } = await this.parse(DreamBackfillCommand);
      const { path, rollback, 'dry-run': dryRun = false } = flags;
      if ((path === undefined) === (rollback === undefined) || (dryRun && path === undefined)) {
        throw new SvcError(
          'USAGE',
          'either --path or --rollback is needed, --dry-run with --path',
          {
            hint: 'svc dream backfill --path memory --dry-run shows what it would do',
          },
        );
      }
      const target = await this.dreamTarget(flags);
      const hand = this.handOptions();
      const output =
        path === undefined
          ? rollbackOutput(
              target,
              rollback ?? '',
              await rollBackBackfill(target, rollback ?? '', hand),
            )
          : backfillOutput(target, await runBackfill(target, path, { ...hand, dryRun }));
      this.write(renderBackfill(output));
      return output;
    }
  };
}
