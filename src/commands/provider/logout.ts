import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { confirm } from '../../cli/confirm.js';
import { yesFlag } from '../../cli/flags.js';
import { logout } from '../../engine/embeddings/login/logout.js';
import type { LogoutOutput } from '../../engine/embeddings/output-schemas.js';
import { renderLogout } from '../../ui/provider/login.js';

export default class ProviderLogout extends BaseCommand<LogoutOutput> {
  static override summary = 'Delete a stored login to an embedding provider.';
  static override description =
    'Asks first. Deletes the login and the token that was made of it; tokens in the environment are not touched.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> github-copilot',
    '<%= config.bin %> <%= command.id %> github-copilot --yes --json',
  ];
  static override args = {
    provider: Args.string({ description: 'The provider, as github-copilot.', required: true }),
  };
  static override flags = yesFlag;

  async run(): Promise<LogoutOutput> {
    const { args, flags } = await this.parse(ProviderLogout);
    const result = await logout(this.context(), {
      provider: args.provider,
      agree: async (file) =>
        flags.yes || confirm(`Delete ${file}?`, this.terminal(flags).screen, this.signal),
    });
    this.write(renderLogout(result));
    return result;
  }
}
