import { BaseCommand } from '../../cli/base-command.js';
import { targetFlags } from '../../cli/flags.js';
import { listProviders } from '../../engine/embeddings/list-providers.js';
import type { ProviderListOutput } from '../../engine/embeddings/provider-output-schemas.js';
import { loadAgentProviders } from '../../engine/embeddings/provider-world.js';
import { renderProviderList } from '../../ui/provider/list.js';

export default class ProviderList extends BaseCommand<ProviderListOutput> {
  static override summary = 'List the embedding providers: which is used, and why not the others.';
  static override description =
    'Looks at the configuration, the environment and files; asks no provider. Keys are named by where they come from and never shown. "auto" is the place in auto-detection, which takes the first provider that can be used.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --agent main --json',
  ];
  static override flags = { agent: targetFlags.agent };

  async run(): Promise<ProviderListOutput> {
    const { flags } = await this.parse(ProviderList);
    const { agentId, settings, world, warnings } = await loadAgentProviders(this.context(), {
      agentId: flags.agent,
      configFile: flags.config,
    });
    for (const warning of warnings) this.addWarning(warning);
    const providers = listProviders(settings, world);
    this.write(renderProviderList(providers, this.view(flags)));
    const named = (role: 'fallback' | 'primary'): string | null =>
      providers.find((listed) => listed.role === role)?.provider ?? null;
    return { agent: agentId, primary: named('primary'), fallback: named('fallback'), providers };
  }
}
