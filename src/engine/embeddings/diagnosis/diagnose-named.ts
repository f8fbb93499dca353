import type { Clock } from '../../context.js';
import { chooseNamed } from '../choose-provider.js';
import type { EmbeddingAdapter } from '../embedding-adapter.js';
import { openProvider } from '../open-provider.js';
import type { AgentProviders } from '../provider-world.js';
import { diagnose } from './diagnose.js';
import type { Diagnosis, DiagnosisEvent } from './events.js';
import type { DiagnosedProvider } from './subject.js';

/**
 * Looks at one provider, whatever the agent's settings choose, with the agent's settings where they
 * are about it.
 *
 * @param name an adapter's id or kind, or the id of a `models.providers` entry
 * @throws SvcError PROVIDER_UNKNOWN; the signal's reason
 */
export async function diagnoseNamed(
  name: string,
  { settings, world, locate }: AgentProviders,
  work: {
    readonly clock: Clock;
    readonly signal: AbortSignal;
    readonly onEvent: (event: DiagnosisEvent) => void;
  },
): Promise<Diagnosis> {
  const choice = chooseNamed(name, settings, world);
  let opened: EmbeddingAdapter | undefined;
  const primary: DiagnosedProvider = {
    choice,
    open: async (signal) => {
      opened = await openProvider(choice, { settings, world, clock: work.clock, signal });
      return opened;
    },
  };
  const subject = {
    settings,
    world,
    locate,
    primary,
    fallback: undefined,
    scope: 'named',
  } as const;
  try {
    return await diagnose(subject, work);
  } finally {
    await opened?.close();
  }
}
