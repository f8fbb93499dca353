import type { Clock } from '../../context.js';
import {
  type EmbeddingAdapter,
  type EmbeddingEvent,
  type EmbedOptions,
  identityKey,
  type PathProvider,
  type ProviderPath,
} from '../../embeddings/index.js';
import { textsAlone } from '../../embeddings/media-support.js';
import { SvcError } from '../../errors/index.js';
import type { RefusedContent } from '../index/media-index.js';
import type { EmbeddingEntry, MemoryIndex } from '../index/memory-index.js';
import type { EmbeddingSummary, SyncEvent } from '../sync/events.js';
import { batchJobsOf } from './batch-jobs.js';
import { missingWork } from './embedding-work.js';
import { distinct, missingMediaFiles, missingTexts } from './passages.js';

/** Which passages are to get vectors, and from whom. */
export interface EmbedMissingOptions {
  readonly path: ProviderPath;
  /**
   * When more passages than this have none, they are left for `svc memory index`; for searches,
   * which must not make a person wait. Undefined embeds all of them.
   */
  readonly atMost: number | undefined;
  /** Chunks that were written just before; those among them that have a vector are told. */
  readonly written: number;
  /** Where the media files lie. */
  readonly workspaceDir: string;
  /** Unused vectors kept for texts that may come back; 0 for none. */
  readonly cacheEntries: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onEvent: (event: SyncEvent) => void;
}

/**
 * Gives every passage of an index a vector of the configured provider; of the fallback when that one
 * fails. Each answer is stored as it comes: what is paid for is on disk, whatever happens next.
 *
 * Vectors of the two are kept apart, each under its own identity, so a run that changes over half way
 * begins anew with the fallback.
 *
 * @throws the signal's reason, and what the index throws; a provider's failure is in the summary
 */
export async function embedMissing(
  index: MemoryIndex,
  options: EmbedMissingOptions,
): Promise<EmbeddingSummary> {
  const { primary, fallback } = options.path;
  const first = await embedWith(index, primary, options);
  if (first.failure === undefined || fallback === undefined) return first;
  options.onEvent({
    type: 'embed.fallback',
    from: primary.choice.provider,
    to: fallback.choice.provider,
    why: first.failure.message,
  });
  const second = await embedWith(index, fallback, options);
  return { ...second, insteadOf: { provider: first.provider, failure: first.failure } };
}

async function embedWith(
  index: MemoryIndex,
  provider: PathProvider,
  options: EmbedMissingOptions,
): Promise<EmbeddingSummary> {
  const run = new Run(provider, options);
  const resting = options.atMost === undefined ? undefined : provider.resting();
  if (resting !== undefined) return run.summary(resting);
  try {
    const adapter = await provider.open(options.signal);
    await run.embed(index, adapter);
    return run.summary(undefined);
  } catch (error) {
    options.signal.throwIfAborted();
    if (!(error instanceof SvcError) || !isProviderFailure(error)) throw error;
    provider.failed(error);
    return run.summary(error);
  }
}

/** Anything else is about the index, and then the other provider would fail as well. */
function isProviderFailure({ code }: SvcError): boolean {
  return code.startsWith('PROVIDER_') || code === 'SECRET_UNRESOLVED';
}

/** One provider's part of a run. */
class Run {
  private readonly provider: PathProvider;
  private readonly options: EmbedMissingOptions;
  private model: string | undefined;
  private mediaLeft: EmbeddingSummary['mediaLeft'];
  private embedded = 0;
  private known = 0;
  private refused = 0;
  private refusal: string | undefined;
  private pending = 0;
  private tokens = 0;
  private requests = 0;

  constructor(provider: PathProvider, options: EmbedMissingOptions) {
    this.provider = provider;
    this.options = options;
    this.model = provider.choice.model;
  }

  async embed(index: MemoryIndex, adapter: EmbeddingAdapter): Promise<void> {
    const { atMost, written, cacheEntries, clock, path, signal, onEvent } = this.options;
    const atMs = clock.now();
    const { provider, model } = adapter;
    this.model = model;
    const identity = identityKey(adapter.identity);
    if (!adapter.embedsMedia) await this.leaveMedia(index, adapter, identity);
    const { chunks, media, size } = await missingWork(index, adapter, identity);
    this.known = Math.max(0, written - chunks);
    if (atMost !== undefined && size > atMost) {
      this.pending = chunks;
      return;
    }
    onEvent({ type: 'embed.started', provider, model, passages: chunks, known: this.known });
    if (chunks > media) await this.embedTexts(index, adapter, identity);
    if (media > 0) await this.embedMedia(index, adapter, identity);
    signal.throwIfAborted();
    // The other provider's vectors stay for the day that this one fails.
    const other = this.provider === path.primary ? path.fallback : path.primary;
    const keep = other === undefined ? [] : await identitiesOf(index, other, signal);
    await index.tidyEmbeddings({ keepIdentities: [identity, ...keep], cacheEntries, atMs });
    this.pending = await index.countMissingEmbeddings(identity);
  }

  summary(failure: SvcError | undefined): EmbeddingSummary {
    return {
      provider: this.provider.choice.provider,
      model: this.model ?? null,
      embedded: this.embedded,
      known: this.known,
      refused: this.refused,
      ...(this.refusal === undefined ? {} : { refusal: this.refusal }),
      pending: this.pending,
      tokens: this.tokens,
      requests: this.requests,
      ...(this.mediaLeft === undefined ? {} : { mediaLeft: this.mediaLeft }),
      ...(failure === undefined ? {} : { failure: failureOf(failure) }),
    };
  }

  private async embedTexts(
    index: MemoryIndex,
    adapter: EmbeddingAdapter,
    identity: string,
  ): Promise<void> {
    const { atMost, clock } = this.options;
    const passages = missingTexts(index, identity);
    if (adapter.batch === undefined || atMost !== undefined) {
      for await (const { embedded, refused } of adapter.embedDocuments(passages, this.work())) {
        const entries = embedded.map(({ input, vector }) => ({ hash: input.hash, vector }));
        await this.store(
          index,
          identity,
          entries,
          refused.map(({ input, why }) => ({ hash: input.hash, why, isMedia: false })),
        );
      }
      return;
    }
    const work = { ...this.work(), clock, jobs: batchJobsOf(index, identity) };
    for await (const { embedded, refused } of adapter.batch.embed(distinct(passages), work)) {
      const hashOf = (key: string): Buffer => Buffer.from(key, 'hex');
      await this.store(
        index,
        identity,
        embedded.map(({ key, vector }) => ({ hash: hashOf(key), vector })),
        refused.map(({ key, why }) => ({ hash: hashOf(key), why, isMedia: false })),
      );
    }
  }

  /** After the texts, and apart from them: whatever is wrong with a file, they have their vectors. */
  private async embedMedia(
    index: MemoryIndex,
    adapter: EmbeddingAdapter,
    identity: string,
  ): Promise<void> {
    const files = distinct(missingMediaFiles(index, identity, this.options.workspaceDir));
    for await (const { embedded, refused } of adapter.embedDocuments(files, this.work())) {
      const [first] = refused;
      if (first !== undefined) this.refusal ??= `${first.input.path}: ${first.why}`;
      await this.store(
        index,
        identity,
        embedded.map(({ input, vector }) => ({ hash: input.hash, vector })),
        refused.map(({ input, why }) => ({ hash: input.hash, why, isMedia: true })),
      );
    }
  }

  /** Nobody waits for vectors that the model cannot make. */
  private async leaveMedia(
    index: MemoryIndex,
    { id, provider, model }: EmbeddingAdapter,
    identity: string,
  ): Promise<void> {
    const { images, audio } = await index.mediaCounts();
    if (images + audio === 0) return;
    const obstacle = textsAlone(id, provider, model);
    this.mediaLeft = { files: images + audio, ...obstacle };
    const missing = await index.missingMedia(identity, 0, images + audio);
    const { why } = obstacle;
    await index.refuseEmbeddings(
      identity,
      missing.map(({ hash }) => ({ hash, why, isMedia: true })),
    );
  }

  private work(): EmbedOptions {
    const { signal, atMost } = this.options;
    return { signal, onEvent: this.onAdapterEvent, interactive: atMost !== undefined };
  }

  private async store(
    index: MemoryIndex,
    identity: string,
    entries: readonly EmbeddingEntry[],
    refused: readonly RefusedContent[],
  ): Promise<void> {
    if (entries.length > 0) await index.putEmbeddings(identity, entries);
    if (refused.length > 0) await index.refuseEmbeddings(identity, refused);
    this.embedded += entries.length;
    this.refused += refused.length;
    this.refusal ??= refused[0]?.why;
    this.options.onEvent({ type: 'embed.stored', passages: entries.length + refused.length });
  }

  private readonly onAdapterEvent = (event: EmbeddingEvent): void => {
    if (event.type === 'request.finished') {
      this.requests += 1;
      this.tokens += event.tokens;
    }
    this.options.onEvent({ type: 'embed.provider', event });
  };
}

async function identitiesOf(
  index: MemoryIndex,
  provider: PathProvider,
  signal: AbortSignal,
): Promise<string[]> {
  // Nothing kept but one's own: no need to ask the other provider what its identity is.
  if ((await index.vectorIdentities()).length < 2) return [];
  try {
    return [identityKey((await provider.open(signal)).identity)];
  } catch {
    signal.throwIfAborted();
    // It cannot be opened now; whose its vectors are cannot be told, so all are kept.
    return [...(await index.vectorIdentities())];
  }
}

function failureOf({ code, message, hint }: SvcError): NonNullable<EmbeddingSummary['failure']> {
  return hint === undefined ? { code, message } : { code, message, hint };
}
