import * as Flags from '@oclif/core/flags';
import { examples } from '../../../cli/base-command.js';
import { readSince } from '../../../cli/flag-times.js';
import { limitFlag, targetFlags, textFlag } from '../../../cli/flags.js';
import { MemoryCommand } from '../../../cli/memory-command.js';
import { EXPORT_FORMATS, SESSION_READERS } from '../../../engine/config/index.js';
import {
  findSessions,
  missingPlaceWarnings,
  type SessionListOutput,
} from '../../../engine/memory/sessions/index.js';
import { renderSessions } from '../../../ui/memory/sessions.js';

export default class MemorySessionsList extends MemoryCommand {
  static override summary = 'List conversations, newest first.';
  static override description =
    'Lists the conversations that are searched, and everything in the archive. "kept" means that the archive has a copy, "archived" that the agent has deleted its own. Conversations are archived if memorySearch.sync.sessions.retention is "keep".';
  static override examples = examples(
    '',
    '--reader claude-code --since 30d',
    '--before 2026-01-01 --json',
  );
  static override flags = {
    agent: targetFlags.agent,
    reader: Flags.option({
      options: [...SESSION_READERS, ...EXPORT_FORMATS],
      summary: 'Show only those of this reader, or of this data export.',
    })(),
    since: textFlag('Show those continued since a date or for a duration (7d).', 'WHEN'),
    before: textFlag('Show those last continued before a date or 7d ago.', 'WHEN'),
    limit: limitFlag(50, 100_000),
  };

  async run(): Promise<SessionListOutput> {
    const { flags } = await this.parse(MemorySessionsList);
    const context = this.context();
    const times = this.times();
    const memory = await this.openMemory(flags);
    const filter = {
      reader: flags.reader,
      sinceMs: await readSince(flags.since, times),
      beforeMs: await readSince(flags.before, times, '--before'),
    };
    const matches = await findSessions(memory, context, filter);
    this.addWarnings(missingPlaceWarnings(memory));
    const sessions = matches.slice(0, flags.limit).map(({ file: _, ...entry }) => entry);
    const output = { agent: memory.agentId, sessions, total: matches.length };
    const isFiltered = Object.values(filter).some((value) => value !== undefined);
    const isOff = memory.sources.transcripts === undefined;
    const scope = isOff ? 'off' : isFiltered ? 'filtered' : 'on';
    this.write(renderSessions(output, this.view(), scope));
    return output;
  }
}
