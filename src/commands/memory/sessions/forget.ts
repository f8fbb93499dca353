import { examples } from '../../../cli/base-command.js';
import { sessionArgs, targetFlags, yesFlag } from '../../../cli/flags.js';
import { MemoryCommand } from '../../../cli/memory-command.js';
import { type ForgetOutput, forgetOutput } from '../../../engine/memory/forget/index.js';
import {
  archiveOf,
  findSession,
  planForgetSession,
} from '../../../engine/memory/sessions/index.js';
import { renderForgetPlan, renderForgetResult } from '../../../ui/memory/forget.js';

export default class MemorySessionsForget extends MemoryCommand {
  static override summary = 'Forget a conversation, permanently.';
  static override description =
    'Works like svc memory forget with the path of the conversation: its text is erased from the index, from the archive and from everything derived from it, and is not indexed again from any file. The transcript of the agent is not changed. Undoing it restores only what the agent still has.';
  static override examples = examples('5e55104e --yes');
  static override args = sessionArgs;
  static override flags = { agent: targetFlags.agent, ...yesFlag };

  async run(): Promise<ForgetOutput> {
    const { args, flags } = await this.parse(MemorySessionsForget);
    const context = this.context();
    const work = this.workOptions();
    const memory = await this.openMemory(flags);
    await this.completeForgetting(memory);
    const session = await findSession(memory, context, args.session);
    const plan = await this.whileWaiting('searching', () =>
      planForgetSession(session, memory, work),
    );
    this.write(renderForgetPlan(plan, { ...this.view(), files: 'never changed' }));
    if (!(await this.agrees('Forget this conversation?', flags))) {
      this.write('nothing was forgotten');
      return forgetOutput(memory, plan, undefined, []);
    }
    const forgetting = await memory.backend.forgetting();
    const entry = await forgetting.hide(plan, { fromFile: false }, work);
    // It stays forgotten if a store fails.
    this.write(this.hintFor(renderForgetResult(entry)));
    const stores = await this.followForgetting(memory, forgetting);
    await this.warnOfOtherAgents(memory, plan);
    const isArchivedOnly = session.state === 'archived' || session.state === 'imported';
    if (isArchivedOnly) await archiveOf(memory, context).remove([session.path]);
    return forgetOutput(memory, plan, entry, stores);
  }
}
