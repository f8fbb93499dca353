import * as Args from '@oclif/core/args';
import { BaseCommand, examples } from '../../cli/base-command.js';
import { completionScript } from '../../cli/completion-script.js';
import { switchFlag, yesFlag } from '../../cli/flags.js';
import {
  COMPLETION_SHELLS,
  type CompletionPlan,
  type CompletionShell,
  installCompletion,
  planCompletion,
  removeCompletion,
} from '../../engine/set-up/shell-completion.js';
import { safeLine, shownPath } from '../../ui/safe-text.js';

export default class CompletionInstall extends BaseCommand {
  static override summary = 'Install shell completion for commands, flags and values.';
  static override description =
    'Completes commands, flags, agents, providers, configuration keys, webhook routes, flows, tasks and files. Writes a script into the state folder and one line into the startup file of the shell (fish needs no line), and shows both before it asks. Without SHELL it uses the shell named by the variable SHELL.';
  static override examples = examples('bash --yes', 'fish', 'bash --remove');
  static override args = {
    shell: Args.custom<CompletionShell>({
      description: 'The shell.',
      options: [...COMPLETION_SHELLS],
    })(),
  };
  static override flags = {
    ...yesFlag,
    remove: switchFlag('Remove the completion again.'),
  };

  async run() {
    const { args, flags } = await this.parse(CompletionInstall);
    const context = this.context();
    const plan = planCompletion(args.shell, { ...context, platform: process.platform });
    const shown = (path: string): string => shownPath(path, context.homeDir);
    if (flags.remove) {
      const removed = removeCompletion(plan);
      this.write(removed ? `removed completion for ${plan.shell}` : 'completion is not installed');
      return this.output(plan, false);
    }
    const { scriptFile, startup } = plan;
    this.note(`${plan.isInstalled ? 'updates' : 'writes'} ${shown(scriptFile)}`);
    if (startup !== undefined && !plan.isInstalled) {
      this.note(`adds to ${shown(startup.file)}:\n  ${safeLine(startup.line)}`);
      if (!(await this.agrees('Write this?', flags))) {
        this.write('nothing written');
        return this.output(plan, false);
      }
    }
    installCompletion(plan, await completionScript(plan.shell));
    this.write(`installed completion for ${plan.shell}; it works in every new ${plan.shell}`);
    return this.output(plan, true);
  }

  private output(plan: CompletionPlan, installed: boolean) {
    const { shell, scriptFile, startup } = plan;
    return { shell, scriptFile, startupFile: startup?.file ?? null, installed };
  }
}
