import { BaseCommand, examples } from '../../cli/base-command.js';
import { configPathArgs, requiredArg } from '../../cli/flags.js';
import { type ConfigEdit, setConfigValue } from '../../engine/config/authoring.js';
import { renderEdit } from '../../ui/config/config-text.js';

export default class ConfigSet extends BaseCommand {
  static override summary = 'Set one configuration value.';
  static override description =
    'Comments and formatting stay. A value that adds a fault is refused; faults that the file had before can be fixed one by one. Without a file, your user configuration is created. VALUE is JSON, or plain text where the key takes text.';
  static override examples = examples(
    'agents.defaults.memorySearch.query.maxResults 8',
    'memory.citations on',
    `'models.providers["my.host"].baseUrl' https://embeddings.example.com/v1`,
  );
  static override args = {
    ...configPathArgs,
    value: requiredArg('The new value.'),
  };

  async run(): Promise<ConfigEdit> {
    const { args, flags } = await this.parse(ConfigSet);
    const options = { configFile: flags.config, signal: this.signal };
    const edit = await setConfigValue(this.context(), args, options);
    this.addWarnings(edit.warnings);
    this.write(renderEdit(edit));
    return edit;
  }
}
