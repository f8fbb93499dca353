import {
  defaultAgentId,
  type LoadedConfig,
  listAgents,
  loadConfig,
} from '../../engine/config/index.js';
import type { HandOptions } from '../../engine/dreaming/changing-dreams.js';
import { type DreamTarget, dreamTargets } from '../../engine/dreaming/dream-targets.js';
import { BaseCommand } from '../base-command.js';

/** The flags that choose a workspace. */
export interface DreamFlags {
  readonly agent?: string | undefined;
  readonly config?: string | undefined;
}

/** What commands about dreaming share: whose workspace is meant. */
export abstract class DreamCommand<Result extends object> extends BaseCommand<Result> {
  /** The one workspace that is meant: the default agent's when none is named. */
  protected async dreamTarget(flags: DreamFlags): Promise<DreamTarget> {
    const loaded = await this.loadConfig(flags);
    const wanted = flags.agent ?? defaultAgentId(loaded.resolved);
    const [target] = dreamTargets(loaded, this.context(), wanted);
    if (target === undefined) throw new TypeError(`no workspace of ${wanted}`);
    const sharing = listAgents(loaded.resolved);
    if (sharing.length === 1 || flags.agent !== undefined) return target;
    // Whoever shares the folder shares its dreams.
    const all = dreamTargets(loaded, this.context());
    return all.find(({ workspace }) => workspace.dir === target.workspace.dir) ?? target;
  }

  protected async loadConfig(flags: DreamFlags): Promise<LoadedConfig> {
    const loaded = await loadConfig(this.context(), { configFile: flags.config });
    for (const warning of loaded.warnings) this.addWarning(warning);
    return loaded;
  }

  /** For deciding by hand, which waits for a sweep that is running. */
  protected handOptions(): HandOptions {
    return {
      clock: this.context().clock,
      signal: this.signal,
      onWait: () => this.note('waiting for a sweep that is running'),
    };
  }
}
