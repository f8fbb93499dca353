import { BaseCommand, examples } from '../../cli/base-command.js';
import { readSince, sinceFlag } from '../../cli/flag-times.js';
import { limitFlag, targetFlags } from '../../cli/flags.js';
import { resolveAgent } from '../../engine/config/index.js';
import {
  MOST_SEARCHES,
  readSearchLog,
  searchLogFile,
} from '../../engine/memory/lookups/search-log.js';
import type { LogOutput } from '../../engine/memory/output-schemas.js';
import { renderSearchLog } from '../../ui/memory/inspect.js';

export default class MemoryLog extends BaseCommand {
  static override summary = 'Show recent searches, their hits and what was opened.';
  static override description =
    'Lists the searches of an agent on this host, the newest first. Searches are only logged if memory.searchLog is on, because the log keeps what people ask. It has the last 1,000, with secrets masked, readable by you alone.';
  static override examples = examples('', '--since 7d --limit 50 --json');
  static override flags = {
    agent: targetFlags.agent,
    limit: limitFlag(20, MOST_SEARCHES),
    since: sinceFlag,
  };

  async run(): Promise<LogOutput> {
    const { flags } = await this.parse(MemoryLog);
    const context = this.context();
    const view = this.view();
    const sinceMs = await readSince(flags.since, this.times());
    const loaded = await this.loadConfig();
    const { id } = resolveAgent(loaded, flags.agent, context);
    const file = searchLogFile(context.state, id);
    const searches = readSearchLog(file, { sinceMs, limit: flags.limit });
    const enabled = loaded.resolved.memory.searchLog;
    this.write(renderSearchLog(searches, view));
    if (!enabled && !flags.quiet) {
      const howTo = 'run "svc config set memory.searchLog true" to log them';
      this.note(`searches are not logged; ${this.hintFor(howTo)}`);
    }
    return { agent: id, enabled, searches };
  }
}
