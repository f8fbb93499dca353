import { BaseCommand, examples } from '../../../cli/base-command.js';
import type { TokenListOutput } from '../../../engine/mcp/index.js';
import { readTokens, tokenOutput, tokensFile } from '../../../engine/mcp/tokens/token-store.js';
import { renderTokens } from '../../../ui/mcp/tokens.js';

export default class McpTokenList extends BaseCommand {
  static override summary = 'List the tokens of clients on other machines.';
  static override description =
    'Shows what each token allows and when it expires. The tokens themselves are not stored.';
  static override examples = examples('', '--json');

  async run(): Promise<TokenListOutput> {
    await this.parse(McpTokenList);
    const { state, clock } = this.context();
    const nowMs = clock.now();
    const tokens = readTokens(state.stateDir).map((token) => tokenOutput(token, nowMs));
    this.write(renderTokens(tokens, this.view()));
    return { file: tokensFile(state.stateDir), tokens };
  }
}
