import { isDeepStrictEqual } from 'node:util';
import type { ResolvedMemorySearch } from '../config/index.js';
import { messageOf, SvcError } from '../errors/index.js';
import { asProviderError } from '../providers/provider-error.js';
import { SharedOpening } from '../support/async.js';
import type { Clock } from '../support/context.js';
import { isWithin } from '../support/time.js';
import {
  chooseFallback,
  chooseProvider,
  type ProviderChoice,
  queryTimeoutMs,
} from './choose-provider.js';
import type { EmbeddingAdapter } from './embedding-adapter.js';
import {
  canCompare,
  expectedDifferences,
  expectedIdentity,
  fieldsOf,
  identityKey,
} from './identity.js';
import type { ProviderWorld } from './provider-world.js';

/** An agent's provider and its fallback. */
export type ProviderPath = NonNullable<ReturnType<typeof createProviderPath>>;

/** A provider that is opened on first use. */
export type PathProvider = ProviderPath['primary'];

const REST_MS = 30_000;

/** The failures of a service, which is skipped for a while after one: not every search has to wait for it. */
export function recentFailures(clock: Clock) {
  let last: { readonly sinceMs: number; readonly error: SvcError } | undefined;
  return {
    /** The failure because of which it is skipped; undefined if it may be used. */
    recent: (): SvcError | undefined =>
      last !== undefined && isWithin(last.sinceMs, clock.now(), REST_MS) ? last.error : undefined,
    record: (error: SvcError): void => {
      last = { sinceMs: clock.now(), error };
    },
  };
}

/**
 * Creates the providers of an agent; undefined for keyword search only. Loads and calls nothing
 * before a provider is opened.
 *
 * @throws SvcError PROVIDER_UNKNOWN
 */
export function createProviderPath(
  settings: ResolvedMemorySearch,
  world: ProviderWorld,
  clock: Clock,
) {
  const choice = chooseProvider(settings, world);
  if (choice === undefined) return undefined;
  const openings: SharedOpening<EmbeddingAdapter>[] = [];
  const provider = (chosen: ProviderChoice, choose: typeof chooseProvider) => {
    const adapters = new Map<string, SharedOpening<EmbeddingAdapter>>();
    const failures = recentFailures(clock);
    const openOnce = (
      name: string,
      choice: ProviderChoice,
      usedSettings: ResolvedMemorySearch,
      signal: AbortSignal,
    ): Promise<EmbeddingAdapter> => {
      const known = adapters.get(name);
      if (known !== undefined) return known.get(signal);
      const opening = new SharedOpening(async (lasting) => {
        const { openProvider } = await import('./open-provider.js');
        // Somebody may have signed in since.
        const isMissing = choice.credential.state === 'missing';
        const { credential } = (isMissing ? choose(settings, world) : undefined) ?? choice;
        const options = { settings: usedSettings, world, clock, signal: lasting };
        return openProvider({ ...choice, credential }, options);
      });
      adapters.set(name, opening);
      openings.push(opening);
      return opening.get(signal);
    };
    /**
     * Returns the same adapter every time, until its key is refused; opening is retried after a failure.
     *
     * @throws SvcError PROVIDER_*, SECRET_UNRESOLVED
     */
    const open = (signal: AbortSignal) => openOnce('configured', chosen, settings, signal);
    return {
      choice: chosen,
      /** Whether its vectors have an identity, as far as settings determine that: opens nothing. */
      hasIdentity: (identity: string): boolean =>
        expectedDifferences(identity, expectedIdentity(chosen, settings)).length === 0,
      /** `query.timeoutSeconds`. */
      queryTimeoutMs: queryTimeoutMs(chosen, settings),
      open,
      /**
       * An adapter whose queries can be compared with vectors made before the model or length was
       * changed; undefined if they came from elsewhere.
       *
       * @param identity key of those vectors
       * @throws SvcError PROVIDER_*, SECRET_UNRESOLVED
       */
      openAs: async (
        identity: string,
        signal: AbortSignal,
      ): Promise<EmbeddingAdapter | undefined> => {
        const current = await open(signal);
        if (canCompare(identityKey(current.identity), identity)) return current;
        const { adapter, endpoint, model, dimensions } = fieldsOf(identity);
        const isSamePlace = adapter === chosen.adapter && endpoint === current.identity.endpoint;
        if (!isSamePlace || typeof model !== 'string') return undefined;
        const outputDimensionality = typeof dimensions === 'number' ? dimensions : undefined;
        const earlierSettings = { ...settings, outputDimensionality };
        const earlier = await openOnce(identity, { ...chosen, model }, earlierSettings, signal);
        return canCompare(identityKey(earlier.identity), identity) ? earlier : undefined;
      },
      /** As in {@link recentFailures}. */
      recentFailure: failures.recent,
      recordFailure: (error: SvcError): void => {
        failures.record(error);
        // The key may have been replaced where it is stored: it is read again.
        if (error.code === 'PROVIDER_AUTH') adapters.clear();
      },
    };
  };
  const fallback = chooseFallback(settings, world);
  const isUseful = !isDeepStrictEqual({ ...choice, by: 'configured', isPrimary: false }, fallback);
  return {
    primary: provider(choice, chooseProvider),
    /** Undefined also if it is the detected provider itself, which would fail in the same way. */
    fallback: fallback === undefined || !isUseful ? undefined : provider(fallback, chooseFallback),
    close: async (): Promise<void> => {
      const ended = openings.map((opening) => opening.end());
      for (const adapter of ended) await (await adapter)?.close();
    },
  };
}

/** Converts any error of a provider during a search. */
export function providerErrorOf(
  error: unknown,
  { choice, queryTimeoutMs }: Pick<PathProvider, 'choice' | 'queryTimeoutMs'>,
): SvcError {
  const { provider, model, baseUrl: endpoint, isPrimary } = choice;
  const place = { provider, model, endpoint, queryTimeoutMs, isPrimary };
  const known = asProviderError(error, place);
  if (known instanceof SvcError) return known;
  return new SvcError('PROVIDER_REFUSED', messageOf(known), { cause: known });
}
