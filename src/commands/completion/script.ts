import * as Args from '@oclif/core/args';
import { BaseCommand, examples } from '../../cli/base-command.js';
import { print } from '../../cli/print.js';

/** The script calls a function of the bash-completion package, which not every bash has. */
const WITHOUT_PACKAGE = `declare -F _get_comp_words_by_ref >/dev/null || _get_comp_words_by_ref() {
    words=("\${COMP_WORDS[@]}")
    cword=$COMP_CWORD
    cur=\${COMP_WORDS[COMP_CWORD]}
    prev=\${COMP_WORDS[COMP_CWORD-1]}
}
`;

export default class CompletionScript extends BaseCommand {
  static override summary = 'Print the completion script of a shell.';
  static override description =
    'For your own setup of the shell; svc completion install does all of it for bash, zsh and fish.';
  static override examples = examples('zsh > _svc', 'powershell');
  static override args = {
    shell: Args.string({
      required: true,
      description: 'bash, zsh, fish or powershell.',
      options: ['bash', 'zsh', 'fish', 'powershell'],
    }),
  };

  async run() {
    const { args } = await this.parse(CompletionScript);
    const { script } = await import('@bomb.sh/tab');
    if (args.shell === 'bash') print(WITHOUT_PACKAGE);
    script(args.shell, 'svc', 'svc');
    return {};
  }
}
