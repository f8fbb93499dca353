import {
  type EmbeddingAdapter,
  identityKey,
  type PathProvider,
  type ProviderPath,
  providerErrorOf,
} from '../../embeddings/index.js';
import { SvcError, type Warning, type WarningCode } from '../../errors/index.js';
import { mayBeDueToText } from '../../providers/provider-error.js';
import { anySignal, NEVER } from '../../support/async.js';
import { isDamage, type MemoryIndex } from '../index/index.js';

/** Number of query vectors cached in the process. */
const MOST_REMEMBERED = 64;

/** An embedded query. */
export interface QueryVector {
  /** The identity of the vectors it can be compared with. */
  readonly identity: string;
  /** Unit length. */
  readonly vector: Float32Array;
  /** The provider's configured name and its model, for display. */
  readonly provider: string;
  readonly model: string;
}

/** Whether a process of this host embeds passages of the index now. */
export type BeingEmbedded = () => boolean | Promise<boolean>;

/**
 * Embeds queries with the provider whose vectors the index has, or with the fallback when that one fails or
 * is too slow. Never throws provider errors: keyword results are better than none.
 *
 * While passages are being re-embedded, the earlier vectors are used as long as they cover more of the index.
 */
export class QueryEmbedder {
  private readonly path: ProviderPath;
  private readonly isBeingEmbedded: BeingEmbedded;
  private readonly remembered = new Map<string, QueryVector>();

  constructor(path: ProviderPath, isBeingEmbedded: BeingEmbedded) {
    this.path = path;
    this.isBeingEmbedded = isBeingEmbedded;
  }

  /** Undefined when there is nothing to compare with, or no provider answers: then keywords are used. */
  async embed(
    query: string,
    index: MemoryIndex,
    warnings: Warning[],
    signal: AbortSignal = NEVER,
  ): Promise<QueryVector | undefined> {
    if ((await index.vectorIdentities()).length === 0) {
      // Providers that just failed are the reason why there are none.
      const why = [this.path.primary.recentFailure(), this.path.fallback?.recentFailure()];
      const failures = why.filter((error) => error !== undefined);
      warnings.push(
        ...(failures.length === 0 ? [await this.noVectors(index)] : allFailed(failures)),
      );
      return undefined;
    }
    const failures: SvcError[] = [];
    let isMissing = false;
    for (const provider of [this.path.primary, this.path.fallback]) {
      if (provider === undefined) continue;
      const outcome = await this.embedWith(provider, query, index, signal);
      if (outcome instanceof SvcError) failures.push(outcome);
      else if (outcome === undefined) isMissing = true;
      else {
        const { vector, warning } = outcome;
        const what = `${provider.choice.provider} embedded the query instead`;
        if (warning !== undefined) warnings.push(warning);
        warnings.push(...failures.map((error) => failureWarning('PROVIDER_FALLBACK', what, error)));
        if (isMissing) warnings.push(await this.noneOfPrimary(what));
        return vector;
      }
    }
    warnings.push(...allFailed(failures));
    if (failures.length === 0 && isMissing) warnings.push(OTHER_VECTORS);
    return undefined;
  }

  /** Nothing has failed, as while another process is about to embed with it. */
  private async noneOfPrimary(what: string): Promise<Warning> {
    const { provider } = this.path.primary.choice;
    return {
      code: 'PROVIDER_FALLBACK',
      message: `${what}: no passage has a vector of ${provider} yet`,
      hint: (await this.isBeingEmbedded()) ? BEING_EMBEDDED : EMBED_THEM,
    };
  }

  private async noVectors(index: MemoryIndex): Promise<Warning> {
    const { primary, fallback } = this.path;
    const isInJob = (await index.batchJobs()).some(
      ({ identity }) => primary.hasIdentity(identity) || fallback?.hasIdentity(identity),
    );
    const hint = isInJob ? IN_A_JOB : (await this.isBeingEmbedded()) ? BEING_EMBEDDED : EMBED_THEM;
    return pendingWarning('keyword search only: no passage has a vector yet', hint);
  }

  /** Searches leave passages alone while jobs, other processes or other hosts may be embedding them. */
  private async pendingHint(index: MemoryIndex, identity: string): Promise<string> {
    if ((await index.batchJobs(identity)).length > 0) return IN_A_JOB;
    if (await this.isBeingEmbedded()) return BEING_EMBEDDED;
    const hosts = (await index.claims?.others(identity)) ?? [];
    return hosts.length > 0
      ? `being embedded by ${hosts.join(', ')}; "svc memory index" embeds the others`
      : 'each search embeds a few of them; run "svc memory index" to embed all';
  }

  /** Records as a failure of its provider that a query's vector cannot be compared with the index. */
  reject({ provider }: QueryVector, error: SvcError): void {
    const { primary, fallback } = this.path;
    for (const one of [primary, fallback]) {
      if (one?.choice.provider === provider) one.recordFailure(error);
    }
  }

  /** The vector; undefined when the index has nothing comparable; or the provider's error. */
  private async embedWith(
    provider: PathProvider,
    query: string,
    index: MemoryIndex,
    signal: AbortSignal,
  ): Promise<{ vector: QueryVector; warning: Warning | undefined } | SvcError | undefined> {
    const recentFailure = provider.recentFailure();
    if (recentFailure !== undefined) return recentFailure;
    // Includes opening: reading a key or a login may hang as well.
    const limit = anySignal([signal, AbortSignal.timeout(provider.queryTimeoutMs)]);
    try {
      const hintOf = (own: string) => this.pendingHint(index, own);
      const comparable = await comparableVectors(provider, index, hintOf, limit);
      if (comparable === undefined) return undefined;
      const { identity, adapter, warning } = comparable;
      const key = `${identity}\n${query}`;
      const known = this.remembered.get(key);
      if (known !== undefined) return { vector: known, warning };
      const vector = await adapter.embedQuery(query, { signal: limit });
      const result = { identity, vector, provider: adapter.provider, model: adapter.model };
      const [oldest] = this.remembered.keys();
      if (this.remembered.size >= MOST_REMEMBERED && oldest !== undefined)
        this.remembered.delete(oldest);
      this.remembered.set(key, result);
      return { vector: result, warning };
    } catch (error) {
      signal.throwIfAborted();
      if (isDamage(error)) throw error;
      const known = providerErrorOf(error, provider);
      if (!mayBeDueToText(known)) provider.recordFailure(known);
      return known;
    }
  }
}

/**
 * The vectors that cover most of the index (the configured identity's on a tie), an adapter whose queries are comparable
 * with them, and a warning about passages that they do not cover.
 */
async function comparableVectors(
  provider: PathProvider,
  index: MemoryIndex,
  hintOf: (identity: string) => Promise<string>,
  signal: AbortSignal,
) {
  const adapter = await provider.open(signal);
  const own = identityKey(adapter.identity);
  const identities = await index.vectorIdentities();
  const missing = await index.countMissingEmbeddings(own);
  const isInUse = identities.includes(own);
  if (isInUse && missing === 0) return { identity: own, adapter, warning: undefined };
  const counted: { readonly identity: string; readonly missing: number }[] = [];
  for (const identity of identities) {
    if (identity === own) continue;
    counted.push({ identity, missing: await index.countMissingEmbeddings(identity) });
  }
  const fuller = counted
    .filter((other) => !isInUse || other.missing < missing)
    .toSorted((a, b) => a.missing - b.missing);
  const pending = async (message: string): Promise<Warning> =>
    pendingWarning(message, await hintOf(own));
  for (const { identity } of fuller) {
    const earlier = await openEarlier(provider, identity, signal);
    if (earlier === undefined) continue;
    // The previous model's vectors are used until the configured one's are complete.
    const until = `using the earlier vectors (${earlier.model}) until then`;
    const warning = await pending(`${passagesAre(missing)} not re-embedded yet; ${until}`);
    return { identity, adapter: earlier, warning };
  }
  if (!isInUse) return undefined;
  const found = `only keyword search finds ${missing === 1 ? 'it' : 'them'}`;
  const message = `${passagesAre(missing)} not embedded yet; ${found}`;
  return { identity: own, adapter, warning: await pending(message) };
}

/** Undefined when the vendor no longer offers the earlier model. */
async function openEarlier(
  provider: PathProvider,
  identity: string,
  signal: AbortSignal,
): Promise<EmbeddingAdapter | undefined> {
  try {
    return await provider.openAs(identity, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SvcError) return undefined;
    throw error;
  }
}

/** The provider, and then its fallback. */
function allFailed(failures: readonly SvcError[]): readonly Warning[] {
  return failures.map((error, at) => {
    const what = at === 0 ? 'keyword search only' : 'the fallback failed too';
    return failureWarning('PROVIDER_UNAVAILABLE', what, error);
  });
}

function failureWarning(code: WarningCode, what: string, { message, hint }: SvcError): Warning {
  return { code, message: `${what}: ${message}`, hint };
}

function pendingWarning(message: string, hint: string): Warning {
  return { code: 'EMBEDDINGS_PENDING', message, hint };
}

function passagesAre(count: number): string {
  return count === 1 ? '1 passage is' : `${count} passages are`;
}

const IN_A_JOB = 'a batch job is embedding them; "svc memory index" collects what is ready';

const BEING_EMBEDDED = 'being embedded now';
const EMBED_THEM = 'run "svc memory index" to embed them';

const OTHER_VECTORS = pendingWarning(
  'keyword search only: the vectors in the index are from another provider or model',
  'run "svc memory index" to re-embed the passages; "svc memory status" shows the difference',
);
