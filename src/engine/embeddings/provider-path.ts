import type { ResolvedMemorySearch } from '../config/index.js';
import type { Clock } from '../context.js';
import type { SvcError } from '../errors/index.js';
import {
  chooseFallback,
  chooseProvider,
  type ProviderChoice,
  type ProviderWorld,
} from './choose-provider.js';
import type { EmbeddingAdapter } from './embedding-adapter.js';

/** A provider that is opened when it is first needed. */
export interface PathProvider {
  readonly choice: ProviderChoice;
  /**
   * The same adapter every time; one that failed to open is tried anew.
   *
   * @throws SvcError PROVIDER_*, SECRET_UNRESOLVED
   */
  open(signal: AbortSignal): Promise<EmbeddingAdapter>;
  /**
   * Why it is left alone for a while: it failed just now, and whoever goes on searching must not wait
   * for that each time. Undefined when it is worth trying.
   */
  resting(): SvcError | undefined;
  /** Notes a failure; begins a rest. */
  failed(error: SvcError): void;
}

/** The providers of one agent: the chosen one, then its fallback. */
export interface ProviderPath {
  readonly primary: PathProvider;
  readonly fallback: PathProvider | undefined;
  close(): Promise<void>;
}

const REST_MS = 30_000;

/**
 * Makes the path that an agent's settings lead to; undefined when nothing can embed. Nothing is
 * loaded and nobody is asked before a provider is opened.
 *
 * @throws SvcError PROVIDER_UNKNOWN
 */
export function createProviderPath(
  settings: ResolvedMemorySearch,
  world: ProviderWorld,
  clock: Clock,
): ProviderPath | undefined {
  const choice = chooseProvider(settings, world);
  if (choice === undefined) return undefined;
  const opened: Promise<EmbeddingAdapter>[] = [];
  const provider = (chosen: ProviderChoice): PathProvider => {
    let adapter: Promise<EmbeddingAdapter> | undefined;
    let rest: { readonly untilMs: number; readonly error: SvcError } | undefined;
    const start = async (signal: AbortSignal): Promise<EmbeddingAdapter> => {
      const { openProvider } = await import('./open-provider.js');
      return openProvider(chosen, { settings, world, clock, signal });
    };
    return {
      choice: chosen,
      open: (signal) => {
        if (adapter !== undefined) return adapter;
        const opening = start(signal);
        adapter = opening;
        opening.then(
          () => opened.push(opening),
          () => {
            adapter = undefined;
          },
        );
        return opening;
      },
      resting: () => (rest !== undefined && clock.now() < rest.untilMs ? rest.error : undefined),
      failed: (error) => {
        rest = { untilMs: clock.now() + REST_MS, error };
      },
    };
  };
  const fallback = chooseFallback(settings, world);
  return {
    primary: provider(choice),
    fallback: fallback === undefined ? undefined : provider(fallback),
    close: async () => {
      for (const adapter of opened) await (await adapter).close();
    },
  };
}
