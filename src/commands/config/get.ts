import { BaseCommand, examples } from '../../cli/base-command.js';
import { configPathArgs } from '../../cli/flags.js';
import { getConfigValue } from '../../engine/config/authoring.js';
import { renderConfigValue } from '../../ui/config/config-text.js';

export default class ConfigGet extends BaseCommand {
  static override summary = 'Print one configuration value, or its default.';
  static override description =
    'Text is printed without quotes, anything else as JSON. Secrets are masked unless they are references. Exits with 1 when the key is not set and has no fixed default.';
  static override examples = examples(
    'agents.defaults.memorySearch.query.maxResults',
    'memory --json',
  );
  static override args = configPathArgs;

  async run() {
    const { args, flags } = await this.parse(ConfigGet);
    const entry = await getConfigValue(this.context(), args.path, { configFile: flags.config });
    this.addWarnings(entry.warnings);
    if (entry.origin === 'unset') {
      const fallback =
        entry.fallback === undefined ? '' : `; default: ${entry.fallback.replaceAll('`', '')}`;
      this.note(`${entry.path} is not set${fallback}`);
      this.setExitCode(1);
    } else {
      this.write(renderConfigValue(entry));
    }
    return { ...entry, value: entry.value ?? null, file: entry.file ?? null };
  }
}
