import * as Args from '@oclif/core/args';
import { BaseCommand, examples } from '../../cli/base-command.js';
import { completionScript, SCRIPT_SHELLS } from '../../cli/completion-script.js';

export default class CompletionScript extends BaseCommand {
  static override summary = 'Print the completion script of a shell.';
  static override description =
    'For your own setup of the shell; svc completion install does all of it for bash, zsh and fish.';
  static override examples = examples('zsh > _svc', 'powershell');
  static override args = {
    shell: Args.custom<(typeof SCRIPT_SHELLS)[number]>({
      description: 'The shell.',
      options: [...SCRIPT_SHELLS],
    })({ required: true }),
  };
  protected override readonly answersVerbatim = true;

  async run() {
    const { args } = await this.parse(CompletionScript);
    const script = await completionScript(args.shell);
    this.write(script);
    return { shell: args.shell, script };
  }
}
