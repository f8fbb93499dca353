import { examples } from '../../cli/base-command.js';
import { DreamCommand } from '../../cli/dream/dream-command.js';
import { targetFlags } from '../../cli/flags.js';
import {
  type DreamStatusOutput,
  dreamStatus,
  dreamTargets,
  withCurrentDreams,
} from '../../engine/dreaming/index.js';
import { renderDreamStatus } from '../../ui/dream/status.js';

export default class DreamStatus extends DreamCommand {
  static override summary = 'Show the status of dreaming: schedule, last sweep and claims.';
  static override description =
    'Covers all workspaces, or that of one agent. Claims passing every gate are those that the next sweep considers; svc dream candidates marks those that it would promote.';
  static override examples = examples('', '--agent main --json');
  static override flags = { agent: targetFlags.agent };

  async run(): Promise<DreamStatusOutput> {
    const { flags } = await this.parse(DreamStatus);
    const loaded = await this.loadConfig();
    const view = this.view();
    const workspaces: DreamStatusOutput['workspaces'][number][] = [];
    const moment = { nowMs: view.nowMs, signal: this.signal };
    for (const target of dreamTargets(loaded, this.context(), flags.agent)) {
      const status = await this.whileWaiting('reading claims', () =>
        withCurrentDreams(target, this.signal, (dreams) => dreamStatus(target, dreams, moment)),
      );
      workspaces.push(status);
    }
    const { enabled, frequency } = loaded.resolved.plugins.entries['memory-core'].config.dreaming;
    const output = { enabled, frequency, workspaces };
    this.write(renderDreamStatus(output, view));
    return output;
  }
}
