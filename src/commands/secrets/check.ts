import { BaseCommand } from '../../cli/base-command.js';
import { checkSecrets } from '../../engine/secrets/check-secrets.js';
import type { SecretsCheckOutput } from '../../engine/secrets/output-schemas.js';
import { renderSecretsCheck } from '../../ui/secrets-check.js';

export default class SecretsCheck extends BaseCommand<SecretsCheckOutput> {
  static override summary = 'List every secret of the configuration, and whether it can be read.';
  static override description =
    'Really reads them: variables, files, and programs, each asked once. Says where each secret stands, where it comes from and how long it is, never the value. Exits with 1 when one cannot be read.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --json',
    '<%= config.bin %> <%= command.id %> --config ./svc.json',
  ];

  async run(): Promise<SecretsCheckOutput> {
    const { flags } = await this.parse(SecretsCheck);
    const { file, secrets, warnings } = await checkSecrets(this.context(), {
      configFile: flags.config,
      signal: this.signal,
    });
    for (const warning of warnings) this.addWarning(warning);
    this.write(renderSecretsCheck(this.mask.data({ file, secrets }), this.view(flags)));
    const ok = secrets.every(({ resolves }) => resolves);
    if (!ok) this.setExitCode(1);
    return { file: file ?? null, ok, secrets };
  }
}
