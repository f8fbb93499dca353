import { textOnlyObstacle } from '../../embeddings/describe-provider.js';
import {
  type BatchJobStore,
  type EmbeddedPart,
  type EmbeddingAdapter,
  type EmbedOptions,
  identityKey,
  isSuperseded,
  type PathProvider,
  type ProviderPath,
  providerErrorOf,
} from '../../embeddings/index.js';
import { SvcError } from '../../errors/index.js';
import type { EmbeddingEvent } from '../../providers/embedding-event.js';
import { isProviderFailure } from '../../providers/provider-error.js';
import { anySignal, NEVER } from '../../support/async.js';
import type { Clock } from '../../support/context.js';
import { runningMs } from '../../support/time.js';
import type { EmbeddingEntry, MemoryIndex, MissingMedia, RefusedContent } from '../index/index.js';
import type { IndexedAgent } from '../output-schemas.js';
import {
  isForJobs,
  mediaFiles,
  mediaSize,
  missingMedia,
  missingTexts,
  missingWork,
  pieceOfKey,
  withoutDuplicates,
} from './passages.js';

/** What was embedded; see docs/json.md. */
export type EmbeddingSummary = NonNullable<IndexedAgent['embedding']>;
/** Why passages were not embedded. */
export type EmbeddingFailure = NonNullable<EmbeddingSummary['failure']>;

/** Progress of embedding. */
export type EmbedEvent =
  /** Embedding starts; `passages` have no vector yet, `known` of those just written have one. */
  | {
      readonly type: 'embed.started';
      readonly provider: string;
      readonly model: string;
      readonly passages: number;
      readonly known: number;
    }
  /** The provider's requests. */
  | { readonly type: 'embed.provider'; readonly event: EmbeddingEvent }
  /** Passages done: stored, or refused by the provider. */
  | { readonly type: 'embed.stored'; readonly passages: number }
  | {
      readonly type: 'embed.fallback';
      readonly from: string;
      readonly to: string;
      readonly why: string;
    };

/** How passages are embedded. */
export interface EmbeddingWork {
  readonly path: ProviderPath;
  /** For a search: embed at most this many, within a search's time limit. Undefined embeds all. */
  readonly atMost: number | undefined;
  /** Whether to wait for batch jobs, if the settings say so. */
  readonly waitsForJobs: boolean;
  /** How many unused vectors to keep; 0 for none. */
  readonly cacheEntries: number;
}

export interface EmbedMissingOptions extends EmbeddingWork {
  /** Number of chunks just written, to report those that already have a vector. */
  readonly written: number;
  readonly workspaceDir: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onEvent: (event: EmbedEvent) => void;
}

/**
 * Gives every passage a vector from the configured provider, or from the fallback when it fails. Each
 * response is stored as it arrives, so that nothing paid for is lost.
 *
 * Vectors of the two are stored under separate identities, so after a failure the fallback starts over.
 *
 * @throws the signal's reason and index errors; a provider's failure is in the summary
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
  const run = new EmbeddingRun(index, provider, options);
  const isSearch = options.atMost !== undefined;
  const recentFailure = isSearch ? provider.recentFailure() : undefined;
  if (recentFailure !== undefined) {
    await run.countPending();
    return run.summary(recentFailure);
  }
  const limit = isSearch ? AbortSignal.timeout(provider.queryTimeoutMs) : NEVER;
  const signal = anySignal([options.signal, limit]);
  try {
    const adapter = await provider.open(signal);
    await run.embed(adapter, signal);
    return run.summary(undefined);
  } catch (error) {
    options.signal.throwIfAborted();
    // It answers, just not fast enough for everything.
    await run.countPending();
    if (limit.aborted && error === signal.reason && run.hasProgress()) {
      return run.summary(undefined);
    }
    const failure = limit.aborted ? providerErrorOf(error, provider) : error;
    if (!(failure instanceof SvcError) || !isProviderFailure(failure)) throw failure;
    provider.recordFailure(failure);
    return run.summary(failure);
  } finally {
    await run.release();
  }
}

/** What a provider was asked for; only media have a path. */
type Answers = EmbeddedPart<{ readonly key: string; readonly path?: string }>;

/** Share of a search's time in which requests are started, so that most of them finish. */
const TIME_TO_START = 0.6;

class EmbeddingRun {
  private readonly index: MemoryIndex;
  private readonly provider: PathProvider;
  private readonly options: EmbedMissingOptions;
  private model: string | undefined;
  private mediaLeft: EmbeddingSummary['mediaLeft'];
  private known = 0;
  private pending = 0;
  private otherHosts: readonly string[] = [];
  private identity: string | undefined;
  private hasDoneTexts = false;
  /** The size of what a search gave to the provider so far, in passages. */
  private sizeSoFar = 0;
  private embedded = 0;
  private refused = 0;
  private refusal: string | undefined;
  /** Answers to pieces of contents that are still incomplete. */
  private readonly answersByContent = new Map<string, Answers['embedded' | 'refused'][number][]>();
  private readonly startedMs = runningMs();
  private tokens = 0;
  private requests = 0;

  constructor(index: MemoryIndex, provider: PathProvider, options: EmbedMissingOptions) {
    this.index = index;
    this.provider = provider;
    this.options = options;
    this.model = provider.choice.model;
  }

  async embed(adapter: EmbeddingAdapter, signal: AbortSignal): Promise<void> {
    const { index } = this;
    const { atMost, written, onEvent } = this.options;
    const { provider, model } = adapter;
    this.model = model;
    const identity = identityKey(adapter.identity);
    const skippedMedia = adapter.embedsMedia ? 0 : await this.skipMedia(adapter, identity);
    const missing = await missingWork(index, adapter, identity);
    const { chunks, media } = missing;
    this.known = Math.max(0, written - chunks - skippedMedia);
    this.identity = identity;
    this.pending = chunks;
    if (atMost !== undefined && isForJobs(adapter, missing, atMost)) return;
    const passages = Math.min(chunks, atMost ?? Number.POSITIVE_INFINITY);
    onEvent({ type: 'embed.started', provider, model, passages, known: this.known });
    await this.embedTexts(adapter, identity, signal, chunks > media);
    this.hasDoneTexts = true;
    if (media > 0) await this.embedMedia(adapter, identity, signal);
    signal.throwIfAborted();
    await this.tidy(identity);
  }

  /** Counts passages without a vector; without any vector if the provider could not be opened. */
  async countPending(): Promise<void> {
    const { index } = this;
    const known = this.identity === undefined ? await index.vectorIdentities() : [this.identity];
    const { chunks } = await index.statistics();
    const counts = [chunks];
    for (const identity of known) counts.push(await index.countMissingEmbeddings(identity));
    this.pending = Math.min(...counts);
  }

  /** Leaves what it did not embed to other hosts. */
  async release(): Promise<void> {
    if (this.identity !== undefined && this.pending > 0) {
      await this.index.claims?.release(this.identity);
    }
  }

  /** Whether the provider has answered. */
  hasProgress(): boolean {
    return this.hasDoneTexts || this.embedded + this.refused > 0;
  }

  /** Vectors of another identity are kept while they may stand in for missing ones. */
  private async tidy(identity: string): Promise<void> {
    const { index } = this;
    const { cacheEntries, clock, path, signal } = this.options;
    this.pending = await index.countMissingEmbeddings(identity);
    if (this.pending > 0) this.otherHosts = (await index.claims?.others(identity)) ?? [];
    // Keep the other provider's vectors in case this one fails.
    const other = this.provider === path.primary ? path.fallback : path.primary;
    const otherIdentities =
      this.pending > 0
        ? await index.vectorIdentities()
        : other === undefined
          ? []
          : await identitiesOf(index, other, signal);
    const keepIdentities = [identity, ...otherIdentities];
    const atMs = clock.now();
    await index.tidyEmbeddings({ keepIdentities, isSuperseded, cacheEntries, atMs });
  }

  summary(failure: SvcError | undefined): EmbeddingSummary {
    const { embedded, refused, refusal } = this;
    return {
      provider: this.provider.choice.provider,
      model: this.model ?? null,
      embedded,
      known: this.known,
      refused,
      ...(refusal === undefined ? {} : { refusal }),
      pending: this.pending,
      ...(this.otherHosts.length === 0 ? {} : { embeddedBy: this.otherHosts }),
      tokens: this.tokens,
      requests: this.requests,
      ...(this.mediaLeft === undefined ? {} : { mediaLeft: this.mediaLeft }),
      ...(failure === undefined
        ? {}
        : { failure: { code: failure.code, message: failure.message, hint: failure.hint } }),
    };
  }

  /** @param isMissing whether any text lacks a vector; if none does, jobs of earlier runs are still collected */
  private async embedTexts(
    adapter: EmbeddingAdapter,
    identity: string,
    signal: AbortSignal,
    isMissing: boolean,
  ): Promise<void> {
    const { atMost, clock, waitsForJobs } = this.options;
    const embedOptions = this.embedOptions(signal);
    const missing = missingTexts(this.index, identity);
    const jobs = batchJobsOf(this.index, identity);
    const { batch } = adapter;
    const usesJobs =
      batch !== undefined && atMost === undefined && (batch.isOn || (await jobs.list()).length > 0);
    if (!usesJobs) {
      const pieces =
        atMost === undefined
          ? missing
          : // Of a passage, all pieces or none.
            this.upToLimit(missing, atMost, ({ key }) => (pieceOfKey(key).piece === 0 ? 1 : 0));
      for await (const part of adapter.embedDocuments(pieces, embedOptions)) {
        await this.store(identity, part);
      }
      return;
    }
    const fewInline = (await this.index.vectorIdentities()).includes(identity);
    const options = { ...embedOptions, clock, jobs, fewInline, waits: waitsForJobs && isMissing };
    for await (const part of batch.embed(withoutDuplicates(missing), options)) {
      await this.store(identity, part);
    }
  }

  /** After the texts, so that a bad file cannot block them. */
  private async embedMedia(
    adapter: EmbeddingAdapter,
    identity: string,
    signal: AbortSignal,
  ): Promise<void> {
    const { atMost, workspaceDir } = this.options;
    const missing = missingMedia(this.index, identity);
    const searched = atMost === undefined ? missing : this.upToLimit(missing, atMost, mediaSize);
    const onChanged = (changed: MissingMedia): void => {
      this.sizeSoFar -= mediaSize(changed);
    };
    const files = withoutDuplicates(mediaFiles(searched, workspaceDir, onChanged));
    for await (const part of adapter.embedDocuments(files, this.embedOptions(signal))) {
      await this.store(identity, part);
    }
  }

  /** Stores and counts the contents of which every piece is answered; some pieces of one may be refused. */
  private async store(identity: string, { embedded, refused }: Answers): Promise<void> {
    const entries: EmbeddingEntry[] = [];
    const refusals: RefusedContent[] = [];
    for (const answer of [...embedded, ...refused]) {
      const { content, pieces } = pieceOfKey(answer.input.key);
      const answered = this.answersByContent.get(content) ?? [];
      answered.push(answer);
      this.answersByContent.set(content, answered);
      if (answered.length < pieces) continue;
      this.answersByContent.delete(content);
      const hash = Buffer.from(content, 'hex');
      const vectors = answered.flatMap((one) => ('vector' in one ? [one.vector] : []));
      if (vectors.length > 0) entries.push({ hash, vectors });
      else {
        const [first] = answered.flatMap((one) => ('why' in one ? [one] : []));
        const { why = '', input: { path } = {} } = first ?? {};
        this.refusal ??= path === undefined ? why : `${path}: ${why}`;
        refusals.push({ hash, why, isMedia: path !== undefined });
      }
    }
    if (entries.length > 0) await this.index.putEmbeddings(identity, entries);
    if (refusals.length > 0) await this.index.refuseEmbeddings(identity, refusals);
    this.embedded += entries.length;
    this.refused += refusals.length;
    const passages = entries.length + refusals.length;
    if (passages > 0) this.options.onEvent({ type: 'embed.stored', passages });
  }

  /** Skips media that the model cannot embed. @returns how many were skipped now */
  private async skipMedia(
    { identity: { adapter }, provider, model }: EmbeddingAdapter,
    identity: string,
  ): Promise<number> {
    const { index } = this;
    const { images, audio } = await index.mediaCounts();
    if (images + audio === 0) return 0;
    const obstacle = textOnlyObstacle(adapter, provider, model);
    this.mediaLeft = { files: images + audio, ...obstacle };
    const { files } = await index.countMissingMedia(identity);
    // Files with the same content are listed once.
    const missing = await index.missingMedia(identity, 0, images + audio);
    const { why } = obstacle;
    await index.refuseEmbeddings(
      identity,
      missing.map(({ hash }) => ({ hash, why, isMedia: true })),
    );
    return files;
  }

  /** Passages within the limits of one search, in size and time. */
  private async *upToLimit<T>(
    passages: AsyncIterable<T>,
    atMost: number,
    sizeOf: (passage: T) => number,
  ): AsyncGenerator<T> {
    const untilMs = this.startedMs + this.provider.queryTimeoutMs * TIME_TO_START;
    for await (const passage of passages) {
      const size = sizeOf(passage);
      if (size > 0 && (runningMs() > untilMs || this.sizeSoFar >= atMost)) return;
      // A file too large for one search must not block smaller ones.
      if (this.sizeSoFar + size > atMost) continue;
      this.sizeSoFar += size;
      yield passage;
    }
  }

  private embedOptions(signal: AbortSignal): EmbedOptions {
    const { atMost } = this.options;
    return { signal, onEvent: this.onAdapterEvent, interactive: atMost !== undefined };
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
  // Only our own identity is stored, so there is no need to open the other provider.
  if ((await index.vectorIdentities()).length < 2) return [];
  try {
    return [identityKey((await provider.open(signal)).identity)];
  } catch {
    signal.throwIfAborted();
    // It cannot be opened, so its identity is unknown: keep everything.
    return [...(await index.vectorIdentities())];
  }
}

/** The batch jobs stored with an index, for one identity. */
function batchJobsOf(index: MemoryIndex, identity: string): BatchJobStore {
  return {
    list: () => index.batchJobs(identity),
    save: (job) => index.saveBatchJob({ ...job, identity }),
    remove: (id) => index.removeBatchJob(id),
  };
}
