import { setConfigValue } from '../../engine/config/authoring.js';
import { nextSweepMs } from '../../engine/dreaming/dream-status.js';
import { iso } from '../../engine/dreaming/output.js';
import type { DreamSwitchOutput } from '../../engine/dreaming/output-schemas.js';
import { renderSwitch } from '../../ui/dream/status.js';
import { DreamCommand, type DreamFlags } from './dream-command.js';

const PATH = 'plugins.entries.memory-core.config.dreaming.enabled';

/** What `svc dream enable` and `svc dream disable` share. */
export abstract class DreamSwitchCommand extends DreamCommand<DreamSwitchOutput> {
  protected async turn(
    enabled: boolean,
    flags: DreamFlags & { readonly plain: boolean },
  ): Promise<DreamSwitchOutput> {
    const edit = setConfigValue(
      this.context(),
      { path: PATH, value: String(enabled) },
      { configFile: flags.config },
    );
    // What was just written holds from now on.
    const target = await this.dreamTarget(flags);
    const view = this.view(flags);
    const nextMs = nextSweepMs(target, view.nowMs);
    const { file, path, changed } = edit;
    const nextRunAt = nextMs === undefined ? null : iso(nextMs);
    const output = { enabled, file, path, changed, nextRunAt };
    this.write(renderSwitch(output, view));
    return output;
  }
}
