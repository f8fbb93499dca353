import * as Args from '@oclif/core/args';
import { examples } from '../../cli/base-command.js';
import { type TargetFlags, targetFlags } from '../../cli/flags.js';
import { MemoryCommand } from '../../cli/memory-command.js';
import { type Diagnose, showDiagnosis } from '../../cli/show-diagnosis.js';
import { diagnoseNamed } from '../../engine/embeddings/diagnosis/diagnose.js';
import type { ProviderTestOutput } from '../../engine/embeddings/output-schemas.js';
import { loadAgentProviders } from '../../engine/embeddings/provider-world.js';
import { diagnoseMemory } from '../../engine/memory/diagnose-memory.js';

/** What is tested, and for which agent. */
interface Subject {
  readonly agent: string | null;
  readonly title: string;
  readonly start: Diagnose;
}

export default class ProviderTest extends MemoryCommand<ProviderTestOutput> {
  static override summary = 'Test an embedding provider and show how to fix it.';
  static override description =
    `Embeds a word end to end. Without an argument, tests everything an agent's queries need: the configured provider, its fallback, and the vectors of the index. With a provider, tests only that one, whatever is configured.

Exits with 1 if queries cannot be embedded. On a terminal, the result stays on screen; press r to test again.`;
  static override examples = examples('', 'openai --plain', '--agent main --json');
  static override args = {
    provider: Args.string({ description: 'A provider or an entry of models.providers.' }),
  };
  static override flags = { agent: targetFlags.agent };

  async run(): Promise<ProviderTestOutput> {
    const { args, flags } = await this.parse(ProviderTest);
    const { agent, title, start } =
      args.provider === undefined
        ? await this.agentSubject(flags)
        : await this.providerSubject(args.provider, flags);
    const diagnosis = await showDiagnosis(start, title, await this.commandContext());
    if (!diagnosis.ok) this.setExitCode(1);
    return { agent, ...diagnosis };
  }

  private async agentSubject(flags: TargetFlags): Promise<Subject> {
    const memory = await this.openMemory(flags);
    return {
      agent: memory.agentId,
      title: `provider path of agent ${memory.name}`,
      start: (signal, onEvent) => diagnoseMemory(memory, { signal, onEvent }),
    };
  }

  private async providerSubject(provider: string, flags: TargetFlags): Promise<Subject> {
    const context = this.context();
    const options = { agentId: flags.agent, configFile: flags.config };
    const providers = await loadAgentProviders(context, options);
    this.addWarnings(providers.warnings);
    const { clock } = context;
    return {
      agent: providers.agentId,
      title: `provider ${provider} for agent ${providers.agentId}`,
      start: (signal, onEvent) => diagnoseNamed(provider, providers, { clock, signal, onEvent }),
    };
  }
}
