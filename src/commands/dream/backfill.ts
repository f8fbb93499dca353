import { examples } from '../../cli/base-command.js';
import { DreamCommand } from '../../cli/dream/dream-command.js';
import { switchFlag, targetFlags, textFlag } from '../../cli/flags.js';
import {
  backfillOutput,
  type DreamBackfillOutput,
  type DreamTarget,
  rollBackBackfill,
  runBackfill,
  workspaceOutput,
} from '../../engine/dreaming/index.js';
import { SvcError } from '../../engine/errors/index.js';
import { expandHome } from '../../engine/support/paths.js';
import { renderBackfill } from '../../ui/dream/candidates.js';

export default class DreamBackfill extends DreamCommand {
  static override aliases = ['memory:rem-backfill'];
  static override summary = 'Find lasting statements in old daily notes.';
  static override description =
    'For notes from before dreaming was enabled. Statements that look lasting get signals: two for decisions and lessons, one for permanent facts, none for events of the day. They are promoted once searches recall them, like any other claim. MEMORY.md is not changed. Each statement counts only once, however often you run this, and --rollback undoes exactly one run.';
  static override examples = examples(
    '--path memory --dry-run',
    '--path memory/2025-03-04.md --agent main --json',
    '--rollback 20261120T030000',
  );
  static override flags = {
    agent: targetFlags.agent,
    path: textFlag('A daily note or a folder, relative to the workspace.', 'PATH'),
    'dry-run': switchFlag('Show what would change without writing anything.'),
    rollback: textFlag('Undo a backfill, by its ID from svc dream list.', 'ID'),
  };

  async run(): Promise<DreamBackfillOutput> {
    const { flags } = await this.parse(DreamBackfill);
    const { path, rollback, 'dry-run': dryRun = false } = flags;
    if ((path === undefined) === (rollback === undefined) || (dryRun && path === undefined)) {
      throw new SvcError('USAGE', 'pass either --path (optionally with --dry-run) or --rollback', {
        hint: 'preview with "svc dream backfill --path memory --dry-run"',
      });
    }
    const target = await this.dreamTarget(flags.agent);
    const output =
      path === undefined
        ? await this.rollBack(target, rollback ?? '')
        : backfillOutput(
            target,
            await runBackfill(target, expandHome(path, this.context().homeDir), {
              ...this.manualChangeOptions(),
              dryRun,
            }),
          );
    this.write(renderBackfill(output, this.view()));
    return output;
  }

  private async rollBack(target: DreamTarget, id: string): Promise<DreamBackfillOutput> {
    const claims = await rollBackBackfill(target, id, this.manualChangeOptions());
    return { ...workspaceOutput(target), id, rolledBack: { claims } };
  }
}
