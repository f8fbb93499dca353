import { examples } from '../../../cli/base-command.js';
import { sessionArgs, targetFlags } from '../../../cli/flags.js';
import { needsPager, page } from '../../../cli/foreground.js';
import { MemoryCommand } from '../../../cli/memory-command.js';
import {
  findSession,
  readSession,
  type SessionOutput,
} from '../../../engine/memory/sessions/index.js';
import { renderSession } from '../../../ui/memory/sessions.js';

export default class MemorySessionsShow extends MemoryCommand {
  static override summary = 'Show a conversation.';
  static override description =
    'Shows what was said, with the lines that citations use; on a terminal in a pager if it is long. Secrets are masked, and forgotten text is left out.';
  static override examples = examples('5e55104e', 'sessions/main/2026-02-03.jsonl --json');
  static override args = sessionArgs;
  static override flags = { agent: targetFlags.agent };

  async run(): Promise<SessionOutput> {
    const { args, flags } = await this.parse(MemorySessionsShow);
    const context = this.context();
    const memory = await this.openMemory(flags);
    const session = await findSession(memory, context, args.session);
    const output = await readSession(session, memory);
    const text = this.mask.text(renderSession(output, this.view()));
    if (this.terminal().screen && needsPager(text)) await page(text, context.env);
    else this.write(text);
    return output;
  }
}
