import { BaseCommand, examples } from '../../cli/base-command.js';
import { inspectConfig } from '../../engine/config/index.js';
import { maskConfigText } from '../../engine/config/masked-text.js';
import { renderValidation } from '../../ui/config/config-text.js';

export default class ConfigValidate extends BaseCommand {
  static override summary = 'Check the configuration and show every fault with its line.';
  static override description =
    'Exits with 2 when there are faults. Warnings do not change the exit code.';
  static override examples = examples('', '--json', '--config ./svc.json');

  /** The warnings of this document are about the file, not about the run. */
  protected override readonly addsWarnings = false;

  async run() {
    const { flags } = await this.parse(ConfigValidate);
    const inspection = await inspectConfig(this.context(), { configFile: flags.config });
    const { faults, warnings, text } = inspection;
    const shown = { ...inspection, text: text === undefined ? text : maskConfigText(text) };
    this.write(renderValidation(shown, this.view()));
    const valid = faults.length === 0;
    if (!valid) this.setExitCode(2);
    return { valid, file: inspection.file ?? null, faults, warnings };
  }
}
