import * as Flags from '@oclif/core/flags';
import { examples } from '../../../cli/base-command.js';
import { sessionArgs, targetFlags } from '../../../cli/flags.js';
import { MemoryCommand } from '../../../cli/memory-command.js';
import {
  findSession,
  readSession,
  type SessionOutput,
  sessionMarkdown,
} from '../../../engine/memory/sessions/index.js';

const FORMATS = ['md', 'json'] as const;

export default class MemorySessionsExport extends MemoryCommand<SessionOutput> {
  static override summary = 'Print a conversation as Markdown or JSON.';
  static override description =
    'Prints everything that was said. Secrets are masked, and forgotten text is left out. --format json is the document of svc memory sessions show --json.';
  static override examples = examples('5e55104e > conversation.md', '5e55104e --format json');
  static override args = sessionArgs;
  static override flags = {
    agent: targetFlags.agent,
    format: Flags.option({ summary: 'Format (md).', options: FORMATS })(),
  };

  async run(): Promise<SessionOutput> {
    const { args, flags } = await this.parse(MemorySessionsExport);
    const context = this.context();
    const memory = await this.openMemory(flags);
    const session = await findSession(memory, context, args.session);
    const output = await readSession(session, memory);
    this.write(
      flags.format === 'json' ? JSON.stringify(output, undefined, 2) : sessionMarkdown(output),
    );
    return output;
  }
}
