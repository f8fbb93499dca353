import * as Flags from '@oclif/core/flags';
import { BaseCommand, examples } from '../../../cli/base-command.js';
import { readLifetime } from '../../../cli/flag-times.js';
import {
  choicesFlag,
  requiredArg,
  sessionFacts,
  sessionFlags,
  textFlag,
} from '../../../cli/flags.js';
import { resolveAgent } from '../../../engine/config/index.js';
import type { TokenCreateOutput } from '../../../engine/mcp/index.js';
import {
  createToken,
  READING_SCOPES,
  TOKEN_SCOPES,
  tokenOutput,
} from '../../../engine/mcp/tokens/token-store.js';
import { renderCreatedToken } from '../../../ui/mcp/tokens.js';

export default class McpTokenCreate extends BaseCommand {
  static override summary = 'Create a token for clients on other machines.';
  static override description =
    `Prints the token once; only its hash is stored. A running "svc mcp --http" accepts it at once.

Give each person or machine a token of their own, so that you can revoke one. A token can be limited to one agent, to searching or reading, and to a conversation, which the rules of memory.ext.scope then apply to.`;
  static override examples = examples(
    'ada-laptop',
    'ci --agent main --scope search --expires 30d',
    'team-room --chat-type channel --channel slack --expires never',
  );
  static override args = { name: requiredArg('Name of the token, such as ada-laptop.') };
  static override flags = {
    ...sessionFlags,
    agent: textFlag('Open the memory of this agent; by default that of the server.', 'ID', {
      char: 'a',
    }),
    scope: choicesFlag(
      TOKEN_SCOPES,
      'Allow only this: searching, reading files, adding to notes. Repeatable.',
      'search|read|write',
    ),
    expires: Flags.string({
      summary: 'When it expires: a duration, a date, or never.',
      helpValue: 'WHEN',
      default: '90d',
    }),
  };

  /** The result is a secret, so it must not be masked. */
  protected override readonly answersVerbatim = true;

  async run(): Promise<TokenCreateOutput> {
    const { args, flags } = await this.parse(McpTokenCreate);
    const context = this.context();
    const nowMs = context.clock.now();
    const lifetimeMs = await readLifetime(flags.expires, this.times());
    const { agent, scope: scopes = [...READING_SCOPES] } = flags;
    if (agent !== undefined) {
      resolveAgent(await this.readConfig(), agent, context);
    }
    const { sessionKey, chatType, channel } = sessionFacts(flags);
    const { token, value } = await createToken(
      {
        name: args.name,
        agent: agent ?? null,
        scopes,
        sessionKey: sessionKey ?? null,
        chatType: chatType ?? null,
        channel: channel ?? null,
        lifetimeMs,
      },
      { stateDir: context.state.stateDir, nowMs, signal: this.signal },
    );
    this.write(value);
    if (!flags.quiet) this.note(renderCreatedToken(token, nowMs));
    return { ...tokenOutput(token, nowMs), token: value };
  }
}
