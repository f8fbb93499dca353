import { examples } from '../../cli/base-command.js';
import { optionalArg, type TargetFlags, targetFlags } from '../../cli/flags.js';
import { MemoryCommand } from '../../cli/memory-command.js';
import { showDiagnosis, showMemoryDiagnosis } from '../../cli/show-diagnosis.js';
import { diagnoseNamed } from '../../engine/embeddings/diagnosis/diagnose.js';
import type { ProviderTestOutput } from '../../engine/embeddings/output-schemas.js';
import { loadAgentProviders } from '../../engine/embeddings/provider-world.js';

export default class ProviderTest extends MemoryCommand {
  static override summary = 'Test an embedding provider and show how to fix it.';
  static override description =
    `Embeds a word end to end. Without an argument, tests everything an agent's queries need: the configured provider, its fallback, and the vectors of the index. With a provider, tests only that one, whatever is configured.

Exits with 1 if queries cannot be embedded. On a terminal, the result stays on screen; press r to test again.`;
  static override examples = examples('', 'openai --plain', '--agent main --json');
  static override args = { provider: optionalArg('A provider or an entry of models.providers.') };
  static override flags = { agent: targetFlags.agent };

  async run(): Promise<ProviderTestOutput> {
    const { args, flags } = await this.parse(ProviderTest);
    const output =
      args.provider === undefined
        ? await this.testAgent(flags)
        : await this.testProvider(args.provider, flags);
    if (!output.ok) this.setExitCode(1);
    return output;
  }

  private async testAgent(flags: TargetFlags): Promise<ProviderTestOutput> {
    const memory = await this.openMemory(flags);
    const diagnosis = await showMemoryDiagnosis(memory, await this.commandContext());
    return { agent: memory.agentId, ...diagnosis };
  }

  private async testProvider(provider: string, flags: TargetFlags): Promise<ProviderTestOutput> {
    const context = this.context();
    const options = { agentId: flags.agent, configFile: flags.config };
    const providers = await loadAgentProviders(context, options);
    this.addWarnings(providers.warnings);
    const { agentId: agent } = providers;
    const { clock } = context;
    const diagnosis = await showDiagnosis(
      (signal, onEvent) => diagnoseNamed(provider, providers, { clock, signal, onEvent }),
      `provider ${provider} for agent ${agent}`,
      await this.commandContext(),
    );
    return { agent, ...diagnosis };
  }
}
