import * as Flags from '@oclif/core/flags';
import { BaseCommand, examples } from '../../cli/base-command.js';
import { withShownHints } from '../../cli/command-context.js';
import {
  missingArgument,
  optionalArg,
  sessionFlags,
  switchFlag,
  targetFlags,
  textFlag,
} from '../../cli/flags.js';
import { type RecallFlags, recallTurn, runRecallHook } from '../../cli/recall-turn.js';
import {
  HOOK_AGENTS,
  type HookAgent,
  openRecallLane,
  type RecallOutput,
  type RecallSwitchOutput,
  recallOutput,
  switchSession,
} from '../../engine/active-memory/index.js';
import { SvcError } from '../../engine/errors/index.js';
import { runningMs } from '../../engine/support/time.js';

export default class MemoryRecall extends BaseCommand {
  static override summary = 'Print what active memory adds to a conversation turn.';
  static override description =
    `Prints a block for the prompt if all gates are open and memory contains something relevant; otherwise prints nothing. The block is marked as untrusted data, and no note can break out of it. It always exits with 0 within plugins.entries.active-memory.config.timeoutMs, so that the turn can go on.

--explain shows the gates and what was found. --hook is for the hooks of coding agents: it reads the agent's JSON on stdin, writes its answer, and never fails.

--switch turns recalls off or on for one conversation, permanently.`;
  static override examples = examples(
    '--session-key agent:main:telegram:direct:42 "when does the backup run?"',
    '--session-key agent:main:main --chat-type direct --explain "which car did we buy?"',
    '--session-key agent:main:telegram:direct:42 --switch off',
    '--hook claude-code',
  );
  static override args = { message: optionalArg('What the person wrote.') };
  static override flags = {
    ...targetFlags,
    ...sessionFlags,
    explain: switchFlag('Show the gates, the query and the results.'),
    hook: Flags.custom<HookAgent>({
      summary: "Read this agent's hook JSON from stdin and write its answer.",
      options: [...HOOK_AGENTS],
    })(),
    model: textFlag('The model answering the turn, used if none is configured.', 'PROVIDER/MODEL'),
    switch: Flags.custom<'off' | 'on'>({
      summary: 'Turn recalls off or on for the conversation.',
      options: ['on', 'off'],
    })(),
    transcript: textFlag('The conversation so far, as a file of JSON lines.', 'FILE'),
    trigger: Flags.string({
      summary: 'What triggered the turn; only user recalls memory.',
      default: 'user',
      helpValue: 'NAME',
    }),
  };

  protected override readonly hookFlag = 'hook';

  async run(): Promise<RecallOutput | RecallSwitchOutput | Record<string, never>> {
    const { args, flags } = await this.parse(MemoryRecall);
    if (flags.hook !== undefined) {
      const { mask, signal } = this;
      await runRecallHook(flags.hook, flags, { context: this.context(), mask, signal });
      return {};
    }
    if (flags.switch !== undefined) return this.switchSession(flags.switch === 'on', flags);
    const { message } = args;
    if (message === undefined) {
      const hint = 'for example: svc memory recall --session-key KEY "when does the backup run?"';
      throw missingArgument('MESSAGE (what the person wrote)', hint);
    }
    const lane = await openRecallLane(this.context(), {
      configFile: flags.config,
      agentId: flags.agent,
      workspace: flags.workspace,
    });
    const turn = recallTurn(message, flags, this.context());
    // The time limit leaves no time for an orderly shutdown.
    this.setGracefulInterrupt(false);
    const limits = { signal: this.signal, leftMs: lane.deadlineMs - runningMs() };
    const outcome = await this.whileWaiting('recalling', () => lane.recall(turn, limits));
    this.addWarnings(outcome.warnings);
    const found = recallOutput(this.mask.data(outcome));
    const view = this.view();
    const gates = withShownHints(found.gates, view);
    const output = { ...found, gates };
    const { renderRecall, whyNothing } = await import('../../ui/memory/recall.js');
    const text = flags.explain ? renderRecall(output, view.style) : (output.block ?? '');
    if (text !== '') this.write(text);
    else if (!flags.quiet) this.note(whyNothing(output));
    await lane.close();
    return output;
  }

  private async switchSession(on: boolean, flags: RecallFlags): Promise<RecallSwitchOutput> {
    const sessionKey = flags['session-key'];
    if (sessionKey === undefined || sessionKey.trim() === '') {
      throw new SvcError('USAGE', '--switch needs a conversation', { hint: 'pass --session-key' });
    }
    const context = this.context();
    const lane = await openRecallLane(context, { configFile: flags.config, agentId: flags.agent });
    const agent = lane.agentOf(sessionKey);
    const warning = await switchSession(context, { agentId: agent, sessionKey, on }, this.signal);
    if (warning !== undefined) this.addWarning(warning);
    this.write(`recalls are ${on ? 'on' : 'off'} for ${sessionKey} of agent ${agent}`);
    return { agent, sessionKey, switchedOn: on };
  }
}
