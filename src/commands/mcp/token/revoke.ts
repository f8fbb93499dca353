import { BaseCommand, examples } from '../../../cli/base-command.js';
import { requiredArg } from '../../../cli/flags.js';
import type { TokenRevokeOutput } from '../../../engine/mcp/index.js';
import { revokeToken, tokenOutput } from '../../../engine/mcp/tokens/token-store.js';
import { safeLine } from '../../../ui/safe-text.js';

export default class McpTokenRevoke extends BaseCommand {
  static override summary = 'Revoke the token of a client.';
  static override description =
    'A running "svc mcp --http" refuses its next request, and ends its open streams within a second.';
  static override examples = examples('ada-laptop', 'ci --json');
  static override args = { token: requiredArg('Name of the token.') };

  async run(): Promise<TokenRevokeOutput> {
    const { args } = await this.parse(McpTokenRevoke);
    const { state, clock } = this.context();
    const nowMs = clock.now();
    const { stateDir } = state;
    const token = await revokeToken(args.token, { stateDir, nowMs, signal: this.signal });
    this.write(`revoked ${safeLine(token.name)}`);
    return { revoked: tokenOutput(token, nowMs) };
  }
}
