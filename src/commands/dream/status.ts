import { DreamCommand } from '../../cli/dream/dream-command.js';
import { targetFlags } from '../../cli/flags.js';
import { withCurrentDreams } from '../../engine/dreaming/current-dreams.js';
import { dreamStatus } from '../../engine/dreaming/dream-status.js';
import { dreamTargets } from '../../engine/dreaming/dream-targets.js';
import { statusOutput } from '../../engine/dreaming/output.js';
import type { DreamStatusOutput } from '../../engine/dreaming/output-schemas.js';
import { renderDreamStatus } from '../../ui/dream/status.js';

export default class DreamStatus extends DreamCommand<DreamStatusOutput> {
  static override summary =
    'Show how consolidation stands: schedule, last sweep, claims, MEMORY.md.';
  static override description =
    'All workspaces, or that of one agent. "ready" are the open claims that pass every gate: what the next sweep looks at first.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --agent main --json',
  ];
  static override flags = { agent: targetFlags.agent };

  async run(): Promise<DreamStatusOutput> {
    const { flags } = await this.parse(DreamStatus);
    const loaded = await this.loadConfig(flags);
    const view = this.view(flags);
    const workspaces: DreamStatusOutput['workspaces'][number][] = [];
    for (const target of dreamTargets(loaded, this.context(), flags.agent)) {
      const status = await withCurrentDreams(target, this.signal, (dreams) =>
        dreamStatus(target, dreams, view.nowMs),
      );
      workspaces.push(statusOutput(status, view.nowMs));
    }
    const { enabled, frequency } = loaded.resolved.plugins.entries['memory-core'].config.dreaming;
    const output = { enabled, frequency, workspaces };
    this.write(renderDreamStatus(output, view));
    return output;
  }
}
