import { examples } from '../../../cli/base-command.js';
import { sessionArgs, targetFlags } from '../../../cli/flags.js';
import { MemoryCommand } from '../../../cli/memory-command.js';
import {
  findSession,
  readSession,
  type SessionOutput,
  sessionMarkdown,
} from '../../../engine/memory/sessions/index.js';
import { safeLines } from '../../../ui/safe-text.js';

export default class MemorySessionsExport extends MemoryCommand {
  static override summary = 'Print a conversation as Markdown.';
  static override description =
    'Prints everything that was said. Secrets are masked, and forgotten text is left out.';
  static override examples = examples('5e55104e > conversation.md');
  static override args = sessionArgs;
  static override flags = { agent: targetFlags.agent };

  async run(): Promise<SessionOutput> {
    const { args, flags } = await this.parse(MemorySessionsExport);
    const context = this.context();
    const memory = await this.openMemory(flags);
    const session = await findSession(memory, context, args.session);
    const output = await readSession(session, memory);
    const markdown = sessionMarkdown(output);
    // A pipe gets the text unchanged.
    this.write(process.stdout.isTTY ? safeLines(markdown) : markdown);
    return output;
  }
}
