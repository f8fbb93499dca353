import { BaseCommand, examples } from '../../cli/base-command.js';
import { requiredArg, textFlag } from '../../cli/flags.js';
import { writeStderr } from '../../cli/stderr.js';
import { login } from '../../engine/providers/github-copilot/login.js';
import type { LoginOutput } from '../../engine/providers/output-schemas.js';
import { renderLogin, renderLoginEvent } from '../../ui/provider/list.js';

export default class ProviderLogin extends BaseCommand {
  static override summary = 'Sign in to an embedding provider.';
  static override description =
    `Only GitHub Copilot has a login; other providers use keys. Shows a code to enter in a browser on any machine, waits for it, tests the login and stores it, readable only by you.

The client ID belongs to a GitHub OAuth app with "Enable Device Flow". Without one, set COPILOT_GITHUB_TOKEN, GH_TOKEN or GITHUB_TOKEN instead.`;
  static override examples = examples(
    'github-copilot --github-client-id Iv1.0123456789abcdef',
    'github-copilot --github-url https://acme.ghe.com --json',
  );
  static override args = { provider: requiredArg('The provider, such as github-copilot.') };
  static override flags = {
    'github-client-id': textFlag('Client ID of a GitHub OAuth app with device flow.', 'ID'),
    'github-url': textFlag('GitHub Enterprise instead of https://github.com.', 'URL'),
    'github-api-url': textFlag('Its API, if that does not follow from its address.', 'URL'),
  };

  async run(): Promise<LoginOutput> {
    const { args, flags } = await this.parse(ProviderLogin);
    const result = await login(this.context(), {
      provider: args.provider,
      clientId: flags['github-client-id'],
      githubUrl: flags['github-url'],
      githubApiUrl: flags['github-api-url'],
      signal: this.signal,
      // Even with --json and --quiet: signing in needs the code.
      onEvent: (event) => writeStderr(this.mask.text(renderLoginEvent(event))),
    });
    this.write(renderLogin(result));
    return result;
  }
}
