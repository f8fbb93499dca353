import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.js';
import { targetFlags, withEnvironment } from '../../cli/flags.js';
import { type RecallFlags, recallTurn, runRecallHook, wantsHook } from '../../cli/recall-turn.js';
import { sessionFlags } from '../../cli/session-flags.js';
import { HOOK_AGENTS, type HookAgent } from '../../engine/active-memory/hooks.js';
import { openRecallLane } from '../../engine/active-memory/lane.js';
import type {
  RecallOutput,
  RecallSwitchOutput,
} from '../../engine/active-memory/output-schemas.js';
import { switchSession } from '../../engine/active-memory/session-toggles.js';
import { messageOf, SvcError } from '../../engine/errors/index.js';

type RecallDocument = RecallOutput | RecallSwitchOutput | Record<string, never>;

export default class MemoryRecall extends BaseCommand<RecallDocument> {
  static override summary = 'Print what active memory adds to a turn of a conversation.';
  static override description =
    `Prints a block for the prompt when all gates are open and memory holds something; nothing otherwise. The block is marked as untrusted data, and no note can break out of it. Whatever goes wrong, the turn goes on: within plugins.entries.active-memory.config.timeoutMs this ends, with exit code 0.

--explain says which gate was closed. --hook is for the hooks of coding agents: it reads the agent's JSON on stdin and writes its answer, and never fails.

--switch turns recalls off or on for one conversation, for good.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> --session-key agent:main:telegram:direct:42 "when does the backup run?"',
    '<%= config.bin %> <%= command.id %> --session-key agent:main:main --chat-type direct --explain "which car did we buy?"',
    '<%= config.bin %> <%= command.id %> --session-key agent:main:telegram:direct:42 --switch off',
    '<%= config.bin %> <%= command.id %> --hook claude-code',
  ];
  static override args = {
    // Stdin is the hook's input; oclif would take it for the message.
    message: Args.string({ description: 'What the person wrote.', ignoreStdin: true }),
  };
  static override flags = {
    ...targetFlags,
    ...sessionFlags,
    ...withEnvironment({
      explain: Flags.boolean({ summary: 'Say what was checked, asked and found.' }),
      hook: Flags.custom<HookAgent>({
        summary: "Read this agent's hook JSON on stdin and write its answer.",
        options: [...HOOK_AGENTS],
      })(),
      model: Flags.string({
        summary: 'The model that answers the turn, where the configuration names none.',
        helpValue: 'PROVIDER/MODEL',
      }),
      switch: Flags.custom<'off' | 'on'>({
        summary: 'Turn recalls off or on for the conversation, and recall nothing.',
        options: ['on', 'off'],
      })(),
      transcript: Flags.string({
        summary: 'The conversation so far, a file of JSON lines.',
        helpValue: 'FILE',
      }),
      trigger: Flags.string({
        summary: 'What began the turn; memory is recalled for user alone.',
        default: 'user',
        helpValue: 'NAME',
      }),
    }),
  };

  /** A hook's stdout belongs to its answer, whatever the environment asks for. */
  override jsonEnabled(): boolean {
    return !wantsHook(this.argv, process.env) && super.jsonEnabled();
  }

  async run(): Promise<RecallDocument> {
    const { args, flags } = await this.parse(MemoryRecall);
    if (flags.hook !== undefined) {
      await runRecallHook(flags.hook, flags, this.context(), this.mask, this.signal);
      return {};
    }
    if (flags.switch !== undefined) return this.switchSession(flags.switch === 'on', flags);
    const { message } = args;
    if (message === undefined) {
      throw new SvcError('USAGE', 'there is no message to recall for', {
        hint: 'give what the person wrote: svc memory recall --session-key KEY "when does the backup run?"',
      });
    }
    const lane = await openRecallLane(this.context(), {
      configFile: flags.config,
      agentId: flags.agent,
      workspace: flags.workspace,
    });
    const turn = recallTurn(message, flags, this.context().cwd);
    const outcome = await lane.recall(turn, {
      signal: this.signal,
      leftMs: lane.deadlineMs - performance.now(),
    });
    for (const warning of outcome.warnings) this.addWarning(warning);
    const { recallOutput } = await import('../../engine/active-memory/output.js');
    const output = recallOutput(this.mask.data(outcome));
    const { renderRecall, whyNothing } = await import('../../ui/memory/recall.js');
    const { createStyle } = await import('../../ui/style.js');
    const style = createStyle(this.terminal(flags).color);
    const text = flags.explain ? renderRecall(output, style) : (output.block ?? '');
    if (text !== '') this.write(text);
    else if (!flags.quiet) this.note(whyNothing(output));
    return output;
  }

  /** A hook must not end with an error: some codes make an agent refuse the prompt. */
  protected override async catch(error: Error): Promise<void> {
    if (!wantsHook(this.argv, process.env)) return super.catch(error);
    process.stderr.write(`${this.mask.text(messageOf(error))}\n`);
    process.exitCode = 0;
  }

  private async switchSession(on: boolean, flags: RecallFlags): Promise<RecallSwitchOutput> {
    const sessionKey = flags['session-key'];
    if (sessionKey === undefined || sessionKey.trim() === '') {
      throw new SvcError('USAGE', '--switch needs to know which conversation is meant', {
        hint: 'give --session-key as well',
      });
    }
    const context = this.context();
    const lane = await openRecallLane(context, { configFile: flags.config, agentId: flags.agent });
    const agent = lane.agentOf(sessionKey);
    await switchSession(context, agent, sessionKey, on, this.signal);
    this.write(`recalls are ${on ? 'on' : 'off'} for ${sessionKey} of agent ${agent}`);
    return { agent, sessionKey, switchedOn: on };
  }
}
