import { BaseCommand, examples } from '../../cli/base-command.js';
import { checkSecrets } from '../../engine/secrets/check-secrets.js';
import type { SecretsCheckOutput } from '../../engine/secrets/output-schemas.js';
import { renderSecretsCheck } from '../../ui/secrets-check.js';

export default class SecretsCheck extends BaseCommand {
  static override summary = 'Check that every secret of the configuration can be read.';
  static override description =
    'Reads every secret: from variables, from files, and from programs, each run once. Shows the key, the source and the length of each secret, never its value. Exits with 1 if one cannot be read.';
  static override examples = examples('', '--json', '--config ./svc.json');

  async run(): Promise<SecretsCheckOutput> {
    const { flags } = await this.parse(SecretsCheck);
    const options = { configFile: flags.config, signal: this.signal };
    const checking = (): ReturnType<typeof checkSecrets> => checkSecrets(this.context(), options);
    const { file, secrets, warnings } = await this.whileWaiting('reading secrets', checking);
    this.addWarnings(warnings);
    this.write(renderSecretsCheck(this.mask.data({ file, secrets }), this.view()));
    const ok = secrets.every(({ resolves }) => resolves);
    if (!ok) this.setExitCode(1);
    return { file: file ?? null, ok, secrets };
  }
}
