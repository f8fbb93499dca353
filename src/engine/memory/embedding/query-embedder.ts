import { identityKey, type PathProvider, type ProviderPath } from '../../embeddings/index.js';
import { messageOf, SvcError, type Warning } from '../../errors/index.js';
import type { MemoryIndex } from '../index/memory-index.js';
import type { QueryEmbedder, QueryVector } from '../search/semantic.js';

/** Questions whose vectors are remembered while the process runs. */
const REMEMBERED = 64;

/**
 * Embeds questions with the provider whose vectors the index holds, and with the fallback when that
 * one fails. Never throws for a provider's sake: an answer by words is better than none.
 */
export class PathQueryEmbedder implements QueryEmbedder {
  private readonly path: ProviderPath;
  private readonly remembered = new Map<string, QueryVector>();

  constructor(path: ProviderPath) {
    this.path = path;
  }

  async embed(
    query: string,
    index: MemoryIndex,
    warnings: Warning[],
    signal: AbortSignal = NEVER,
  ): Promise<QueryVector | undefined> {
    const identities = new Set(await index.vectorIdentities());
    if (identities.size === 0) {
      // A provider that failed just now is why there are none.
      const why = this.path.primary.resting();
      warnings.push(why === undefined ? noVectors() : failed(why, undefined));
      return undefined;
    }
    const failures: SvcError[] = [];
    let isMissing = false;
    for (const provider of [this.path.primary, this.path.fallback]) {
      if (provider === undefined) continue;
      const outcome = await this.embedWith(provider, query, identities, signal);
      if (outcome instanceof SvcError) failures.push(outcome);
      else if (outcome === undefined) isMissing = true;
      else {
        warnings.push(...failures.map((error) => failed(error, provider.choice.provider)));
        return outcome;
      }
    }
    warnings.push(...failures.map((error) => failed(error, undefined)));
    if (failures.length === 0 && isMissing) warnings.push(otherVectors());
    return undefined;
  }

  /** The vector; undefined when the index holds none to compare it with; or why there is none. */
  private async embedWith(
    provider: PathProvider,
    query: string,
    identities: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<QueryVector | SvcError | undefined> {
    const resting = provider.resting();
    if (resting !== undefined) return resting;
    try {
      const adapter = await provider.open(signal);
      const identity = identityKey(adapter.identity);
      if (!identities.has(identity)) return undefined;
      const key = `${identity}\n${query}`;
      const known = this.remembered.get(key);
      if (known !== undefined) return known;
      const vector = await adapter.embedQuery(query, { signal });
      const result = { identity, vector, provider: adapter.provider, model: adapter.model };
      this.remember(key, result);
      return result;
    } catch (error) {
      signal.throwIfAborted();
      const known =
        error instanceof SvcError
          ? error
          : new SvcError('PROVIDER_REFUSED', messageOf(error), { cause: error });
      provider.failed(known);
      return known;
    }
  }

  private remember(key: string, vector: QueryVector): void {
    const [oldest] = this.remembered.keys();
    if (this.remembered.size >= REMEMBERED && oldest !== undefined) this.remembered.delete(oldest);
    this.remembered.set(key, vector);
  }
}

const NEVER = new AbortController().signal;

function failed(error: SvcError, instead: string | undefined): Warning {
  const hint = error.hint === undefined ? {} : { hint: error.hint };
  return instead === undefined
    ? {
        code: 'PROVIDER_UNAVAILABLE',
        message: `found by words alone: ${error.message}`,
        ...hint,
      }
    : {
        code: 'PROVIDER_FALLBACK',
        message: `${instead} embedded the question instead: ${error.message}`,
        ...hint,
      };
}

function noVectors(): Warning {
  return {
    code: 'EMBEDDINGS_PENDING',
    message: 'found by words alone: no passage has a vector yet',
    hint: 'svc memory index embeds them',
  };
}

function otherVectors(): Warning {
  return {
    code: 'EMBEDDINGS_PENDING',
    message: 'found by words alone: the vectors in the index are of another provider or model',
    hint: 'svc memory index embeds the passages anew; svc memory status says what differs',
  };
}
