import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.js';
import { withEnvironment } from '../../cli/flags.js';
import { type InitializedConfig, initConfig } from '../../engine/config/authoring.js';
import { safeLine } from '../../ui/safe-text.js';

export default class ConfigInit extends BaseCommand<InitializedConfig> {
  static override summary = 'Write a commented configuration to start from.';
  static override description =
    'Writes your own configuration, or the file named by --config, and the JSON Schema for editors beside it. A file that is there is kept unless --force is given.';
  static override examples = [
    '<%= config.bin %> config init',
    '<%= config.bin %> config init --config ./svc.json',
    '<%= config.bin %> config init --force',
  ];
  static override flags = withEnvironment({
    force: Flags.boolean({ summary: 'Replace a file that is there.' }),
  });

  async run(): Promise<InitializedConfig> {
    const { flags } = await this.parse(ConfigInit);
    const written = initConfig(this.context(), { configFile: flags.config, force: flags.force });
    this.write(`wrote ${safeLine(written.file)}\nwrote ${safeLine(written.schemaFile)}\n`);
    return written;
  }
}
