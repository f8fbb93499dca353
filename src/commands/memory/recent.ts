import { examples } from '../../cli/base-command.js';
import { choicesFlag, limitFlag, targetFlags, textFlag } from '../../cli/flags.js';
import { MemoryCommand } from '../../cli/memory-command.js';
import type { RecentOutput } from '../../engine/memory/inspect/output-schemas.js';
import { recentChanges } from '../../engine/memory/inspect/recent.js';
import { renderRecent } from '../../ui/memory/inspect.js';

export default class MemoryRecent extends MemoryCommand {
  static override summary = 'Show the files that changed last.';
  static override description =
    'Lists indexed files by modification time, the newest first. Updates the index first, as a search does.';
  static override examples = examples(
    '',
    '--since 7d --source memory',
    '--since "last week" --limit 50 --json',
  );
  static override flags = {
    ...targetFlags,
    limit: limitFlag(20),
    since: textFlag('Only changes since this date: a date, "last week", or 7d.', 'DATE'),
    source: choicesFlag(['memory', 'sessions'], 'Only this source.'),
  };

  async run(): Promise<RecentOutput> {
    const { flags } = await this.parse(MemoryRecent);
    const memory = await this.openMemory(flags);
    const { since, limit, source: sources } = flags;
    const nowMs = this.context().clock.now();
    const filter = { since, sources, limit };
    const changes = await this.query('reading', (work) =>
      recentChanges(memory, filter, { ...work, nowMs }),
    );
    this.write(renderRecent(changes, this.view()));
    return { agent: memory.agentId, ...changes };
  }
}
