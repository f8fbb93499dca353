import { type LoadedConfig, loadConfig } from '../engine/config/index.js';
import { BaseCommand } from './base-command.js';

/** Base of the commands that work on the shared store. */
export abstract class StorageCommand<Result extends object> extends BaseCommand<Result> {
  protected async loadConfig(flags: {
    readonly config?: string | undefined;
  }): Promise<LoadedConfig> {
    const loaded = await loadConfig(this.context(), { configFile: flags.config });
    for (const warning of loaded.warnings) this.addWarning(warning);
    return loaded;
  }
}
