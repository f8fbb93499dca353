import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.js';
import { withEnvironment } from '../../cli/flags.js';
import { login } from '../../engine/embeddings/login/login.js';
import type { LoginOutput } from '../../engine/embeddings/output-schemas.js';
import { renderLogin, renderLoginEvent } from '../../ui/provider/login.js';

export default class ProviderLogin extends BaseCommand<LoginOutput> {
  static override summary = 'Sign in to an embedding provider that has a login.';
  static override description =
    `GitHub Copilot is the one that has a login; the others take a key. Shows a code to type into a browser on any machine, waits for it, tries the login once and keeps it for your user alone.

The client id is that of an OAuth app at GitHub with "Enable Device Flow". Without one, set COPILOT_GITHUB_TOKEN, GH_TOKEN or GITHUB_TOKEN in place of a login.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> github-copilot --github-client-id Iv1.0123456789abcdef',
    '<%= config.bin %> <%= command.id %> github-copilot --github-url https://acme.ghe.com --json',
  ];
  static override args = {
    provider: Args.string({ description: 'The provider, as github-copilot.', required: true }),
  };
  static override flags = withEnvironment({
    'github-client-id': Flags.string({
      summary: 'Client id of an OAuth app at GitHub with device flow.',
      helpValue: 'ID',
    }),
    'github-url': Flags.string({
      summary: 'GitHub Enterprise in place of https://github.com.',
      helpValue: 'URL',
    }),
    'github-api-url': Flags.string({
      summary: 'Its API, where that does not follow from its address.',
      helpValue: 'URL',
    }),
  });

  async run(): Promise<LoginOutput> {
    const { args, flags } = await this.parse(ProviderLogin);
    const result = await login(this.context(), {
      provider: args.provider,
      clientId: flags['github-client-id'],
      githubUrl: flags['github-url'],
      githubApiUrl: flags['github-api-url'],
      signal: this.signal,
      // Also with --json and --quiet: nobody can sign in without the code.
      onEvent: (event) => void process.stderr.write(this.mask.text(renderLoginEvent(event))),
    });
    this.write(renderLogin(result));
    return result;
  }
}
