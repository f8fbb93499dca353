import { BaseCommand, examples } from '../../cli/base-command.js';
import { configPathArgs } from '../../cli/flags.js';
import { type ConfigEdit, unsetConfigValue } from '../../engine/config/authoring.js';
import { renderEdit } from '../../ui/config/config-text.js';

export default class ConfigUnset extends BaseCommand {
  static override summary = 'Remove one configuration value, so that its default applies.';
  static override description =
    'Comments and formatting stay. Keys that svc does not know are removed, too.';
  static override examples = examples(
    'agents.defaults.memorySearch.query.maxResults',
    'memory.citations --json',
  );
  static override args = configPathArgs;

  async run(): Promise<ConfigEdit> {
    const { args, flags } = await this.parse(ConfigUnset);
    const options = { configFile: flags.config, signal: this.signal };
    const edit = await unsetConfigValue(this.context(), args, options);
    this.addWarnings(edit.warnings);
    this.write(renderEdit(edit));
    return edit;
  }
}
