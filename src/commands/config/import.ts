import { existsSync } from 'node:fs';
import * as Flags from '@oclif/core/flags';
import { BaseCommand, examples } from '../../cli/base-command.js';
import { optionalArg, switchFlag, yesFlag } from '../../cli/flags.js';
import {
  applyImport,
  type ConfigImportOutput,
  IMPORT_PROGRAMS,
  type ImportPlan,
  importOutput,
  prepareImport,
  writesAnything,
} from '../../engine/imports/index.js';
import { whileNotesAreLocked } from '../../engine/notes/index.js';
import { renderConfigImport } from '../../ui/config/config-text.js';

export default class ConfigImport extends BaseCommand {
  static override summary = 'Take over settings and notes from another program.';
  static override description =
    `Shows what is taken, translated and left, and the changes, before it writes anything. Settings of svc.json stay; conflicts are reported. Secrets are never copied, and nothing of the other program is changed.

openclaw: settings and the workspace. qmd and basic-memory: their folders become extra paths. claude-mem: notes are written into memory/claude-mem of the workspace; importing again adds only what is new.`;
  static override examples = examples(
    '--from openclaw --dry-run',
    '--from qmd ./index.yml --yes',
    '--from basic-memory --yes --json',
    '--from claude-mem --yes',
  );
  static override args = {
    file: optionalArg('File or folder of the other program; by default where it keeps it.'),
  };
  static override flags = {
    ...yesFlag,
    from: Flags.option({
      options: IMPORT_PROGRAMS,
      summary: 'The program to import from.',
      required: true,
      helpValue: 'PROGRAM',
    })(),
    'dry-run': switchFlag('Show the change without writing it.'),
  };

  async run(): Promise<ConfigImportOutput> {
    const { args, flags } = await this.parse(ConfigImport);
    const request = { program: flags.from, path: args.file, configFile: flags.config };
    const plan = await prepareImport(request, this.context());
    this.write(renderConfigImport(plan, this.view()));
    if (flags['dry-run'] || !writesAnything(plan)) return importOutput(plan, false);
    const agreed = await this.agrees('Write these changes?', flags);
    if (agreed) await this.apply(plan);
    this.write(agreed ? 'imported' : 'nothing written');
    if (agreed && !existsSync(plan.agent.workspaceDir)) {
      this.write(this.hintFor('next: create the workspace, with "svc config init"'));
    }
    return importOutput(plan, agreed);
  }

  private async apply(plan: ImportPlan): Promise<void> {
    const { agent, notes } = plan;
    const write = () => applyImport(plan, this.context(), this.signal);
    if (notes.length === 0) return write();
    // Otherwise, a note that another process adds to a file that is being replaced would be lost.
    return whileNotesAreLocked({ agent, agentId: agent.id }, this.noteOptions(), write);
  }
}
