import { BaseCommand, examples } from '../../cli/base-command.js';
import { withShownHint } from '../../cli/command-context.js';
import { targetFlags } from '../../cli/flags.js';
import { loadAgentProviders, type ProviderListOutput } from '../../engine/embeddings/index.js';
import { listProviders } from '../../engine/embeddings/list-providers.js';
import { renderProviderList } from '../../ui/provider/list.js';

export default class ProviderList extends BaseCommand {
  static override summary = 'List embedding providers, and why each is or is not used.';
  static override description =
    'Reads only the configuration, environment and files; contacts no provider. Shows where keys come from, never the keys. "auto" is the position in auto-detection, which selects the first available provider.';
  static override examples = examples('', '--agent main --json');
  static override flags = { agent: targetFlags.agent };

  async run(): Promise<ProviderListOutput> {
    const { flags } = await this.parse(ProviderList);
    const { agentId, settings, world, warnings } = await loadAgentProviders(this.context(), {
      agentId: flags.agent,
      configFile: flags.config,
    });
    this.addWarnings(warnings);
    const view = this.view();
    const providers = listProviders(settings, world).map((listed) => {
      const credential = withShownHint(listed.credential, view);
      return { ...listed, credential, why: view.hintFor(listed.why) };
    });
    this.write(renderProviderList(providers, view));
    const providerName = (role: 'fallback' | 'primary'): string | null =>
      providers.find((listed) => listed.role === role)?.provider ?? null;
    return {
      agent: agentId,
      primary: providerName('primary'),
      fallback: providerName('fallback'),
      providers,
    };
  }
}
