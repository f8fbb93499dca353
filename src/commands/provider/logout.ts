import { BaseCommand, examples } from '../../cli/base-command.js';
import { requiredArg, yesFlag } from '../../cli/flags.js';
import { logout } from '../../engine/providers/github-copilot/login.js';
import type { LogoutOutput } from '../../engine/providers/output-schemas.js';
import { renderLogout } from '../../ui/provider/list.js';

export default class ProviderLogout extends BaseCommand {
  static override summary = 'Delete a stored login of an embedding provider.';
  static override description =
    'Asks for confirmation. Deletes the login and its cached token; tokens in the environment are not affected.';
  static override examples = examples('github-copilot', 'github-copilot --yes --json');
  static override args = { provider: requiredArg('The provider, such as github-copilot.') };
  static override flags = yesFlag;

  async run(): Promise<LogoutOutput> {
    const { args, flags } = await this.parse(ProviderLogout);
    const result = await logout(this.context(), args.provider, (file) =>
      this.agrees(`Delete ${file}?`, flags),
    );
    this.write(renderLogout(result));
    return result;
  }
}
