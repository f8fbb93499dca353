import { textOnlyObstacle } from '../../embeddings/describe-provider.js';
import {
  type BatchJobStore,
  type EmbeddedPart,
  type EmbeddingAdapter,
  type EmbedOptions,
  fieldsOf,
  identityKey,
  isSuperseded,
  type PathProvider,
  type ProviderPath,
  providerErrorOf,
} from '../../embeddings/index.js';
import { SvcError, skipSvcError } from '../../errors/index.js';
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
  const run = embeddingRun(index, provider, options);
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

function embeddingRun(index: MemoryIndex, provider: PathProvider, options: EmbedMissingOptions) {
  const { atMost, written, path, clock, cacheEntries, waitsForJobs, workspaceDir, onEvent } =
    options;
  let { model } = provider.choice;
  let mediaLeft: EmbeddingSummary['mediaLeft'];
  let known = 0;
  let pending = 0;
  let otherHosts: readonly string[] = [];
  let identityInUse: string | undefined;
  let hasDoneTexts = false;
  let tokens = 0;
  let requests = 0;
  const answers = answerStore(index, onEvent);
  const limit = atMost === undefined ? undefined : searchLimit(atMost, provider.queryTimeoutMs);

  async function embed(adapter: EmbeddingAdapter, signal: AbortSignal): Promise<void> {
    const identity = identityKey(adapter.identity);
    model = adapter.model;
    const skippedMedia = adapter.embedsMedia ? 0 : await skipMedia(adapter, identity);
    let missing = await missingWork(index, adapter, identity);
    known = Math.max(0, written - missing.chunks - skippedMedia);
    identityInUse = identity;
    pending = missing.chunks;
    if (atMost !== undefined && isForJobs(adapter, missing, atMost)) return;
    for (let before = -1; before < answers.counts().embedded; ) {
      before = answers.counts().embedded;
      await embedAll(missing, adapter, identity, signal);
      if (limit !== undefined) break;
      // Other syncs mirror notes that change meanwhile.
      missing = await missingWork(index, adapter, identity);
      if (missing.chunks === missing.media || missing.isInJobs) break;
    }
    signal.throwIfAborted();
    await tidy(identity);
  }

  async function embedAll(
    { chunks, media }: Awaited<ReturnType<typeof missingWork>>,
    adapter: EmbeddingAdapter,
    identity: string,
    signal: AbortSignal,
  ): Promise<void> {
    const passages = Math.min(chunks, atMost ?? Number.POSITIVE_INFINITY);
    onEvent({
      type: 'embed.started',
      provider: adapter.provider,
      model: adapter.model,
      passages,
      known,
    });
    await embedTexts(adapter, identity, signal, chunks > media);
    hasDoneTexts = true;
    if (media > 0) await embedMedia(adapter, identity, signal);
  }

  /** Counts passages without a vector; without any vector if the provider could not be opened. */
  async function countPending(): Promise<void> {
    const identities =
      identityInUse === undefined ? await index.vectorIdentities() : [identityInUse];
    const { chunks } = await index.statistics();
    const counts = [chunks];
    for (const identity of identities) counts.push(await index.countMissingEmbeddings(identity));
    pending = Math.min(...counts);
  }

  /** Leaves what it did not embed to other hosts. */
  async function release(): Promise<void> {
    if (identityInUse !== undefined && pending > 0) await index.claims?.release(identityInUse);
  }

  /** Whether the provider has answered. */
  function hasProgress(): boolean {
    const { embedded, refused } = answers.counts();
    return hasDoneTexts || embedded + refused > 0;
  }

  /** Vectors of another identity are kept while they may stand in for missing ones. */
  async function tidy(identity: string): Promise<void> {
    pending = await index.countMissingEmbeddings(identity);
    if (pending > 0) otherHosts = (await index.claims?.others(identity)) ?? [];
    // Keep the other provider's vectors in case this one fails.
    const other = provider === path.primary ? path.fallback : path.primary;
    const otherIdentities =
      pending > 0
        ? await index.vectorIdentities()
        : other === undefined
          ? []
          : await identitiesOf(index, other, options.signal);
    const own = [identity, ...otherIdentities];
    const elsewhere = path.primary.choice.by === 'auto' ? await fromElsewhere(index, own) : [];
    const keepIdentities = [...own, ...elsewhere];
    const atMs = clock.now();
    await index.tidyEmbeddings({ keepIdentities, isSuperseded, cacheEntries, atMs });
  }

  function summary(failure: SvcError | undefined): EmbeddingSummary {
    const { embedded, ...refusals } = answers.counts();
    return {
      provider: provider.choice.provider,
      model: model ?? null,
      embedded,
      known,
      ...refusals,
      pending,
      ...(otherHosts.length === 0 ? {} : { embeddedBy: otherHosts }),
      tokens,
      requests,
      ...(mediaLeft === undefined ? {} : { mediaLeft }),
      ...(failure === undefined
        ? {}
        : { failure: { code: failure.code, message: failure.message, hint: failure.hint } }),
    };
  }

  /** @param isMissing whether any text lacks a vector; if none does, jobs of earlier runs are still collected */
  async function embedTexts(
    adapter: EmbeddingAdapter,
    identity: string,
    signal: AbortSignal,
    isMissing: boolean,
  ): Promise<void> {
    const missing = missingTexts(index, identity);
    const jobs = batchJobsOf(index, identity);
    const { batch } = adapter;
    const usesJobs =
      batch !== undefined && limit === undefined && (batch.isOn || (await jobs.list()).length > 0);
    if (!usesJobs) {
      // Of a passage, all pieces or none.
      const sizeOf = ({ key }: { key: string }) => (pieceOfKey(key).piece === 0 ? 1 : 0);
      const pieces = limit?.within(missing, sizeOf) ?? missing;
      for await (const part of adapter.embedDocuments(pieces, embedOptions(signal))) {
        await answers.store(identity, part);
      }
      return;
    }
    const fewInline = (await index.vectorIdentities()).includes(identity);
    const waits = waitsForJobs && isMissing;
    const jobOptions = { ...embedOptions(signal), clock, jobs, fewInline, waits };
    for await (const part of batch.embed(withoutDuplicates(missing), jobOptions)) {
      await answers.store(identity, part);
    }
  }

  /** After the texts, so that a bad file cannot block them. */
  async function embedMedia(
    adapter: EmbeddingAdapter,
    identity: string,
    signal: AbortSignal,
  ): Promise<void> {
    const missing = missingMedia(index, identity);
    const searched = limit?.within(missing, mediaSize) ?? missing;
    const onChanged = (changed: MissingMedia): void => limit?.giveBack(mediaSize(changed));
    const files = withoutDuplicates(mediaFiles(searched, workspaceDir, onChanged));
    for await (const part of adapter.embedDocuments(files, embedOptions(signal))) {
      await answers.store(identity, part);
    }
  }

  /** Skips media that the model cannot embed. @returns how many were skipped now */
  async function skipMedia(adapter: EmbeddingAdapter, identity: string): Promise<number> {
    const { images, audio } = await index.mediaCounts();
    if (images + audio === 0) return 0;
    const obstacle = textOnlyObstacle(adapter.identity.adapter, adapter.provider, adapter.model);
    mediaLeft = { files: images + audio, ...obstacle };
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

  function embedOptions(signal: AbortSignal): EmbedOptions {
    const onAdapterEvent = (event: EmbeddingEvent): void => {
      if (event.type === 'request.finished') {
        requests += 1;
        tokens += event.tokens;
      }
      onEvent({ type: 'embed.provider', event });
    };
    return { signal, onEvent: onAdapterEvent, interactive: atMost !== undefined };
  }

  return { embed, countPending, release, hasProgress, summary };
}

/** What a provider was asked for; only media have a path. */
type Answers = EmbeddedPart<{ readonly key: string; readonly path?: string }>;

/** Stores contents, and counts them, once every piece of one is answered; some pieces may be refused. */
function answerStore(index: MemoryIndex, onEvent: EmbedMissingOptions['onEvent']) {
  const incomplete = new Map<string, Answers['embedded' | 'refused'][number][]>();
  let embedded = 0;
  let refused = 0;
  let refusal: string | undefined;

  async function store(identity: string, answers: Answers): Promise<void> {
    const entries: EmbeddingEntry[] = [];
    const refusals: RefusedContent[] = [];
    for (const answer of [...answers.embedded, ...answers.refused]) {
      const { content, pieces } = pieceOfKey(answer.input.key);
      const answered = incomplete.get(content) ?? [];
      answered.push(answer);
      incomplete.set(content, answered);
      if (answered.length < pieces) continue;
      incomplete.delete(content);
      const hash = Buffer.from(content, 'hex');
      const vectors = answered.flatMap((one) => ('vector' in one ? [one.vector] : []));
      if (vectors.length > 0) entries.push({ hash, vectors });
      else {
        const [first] = answered.flatMap((one) => ('why' in one ? [one] : []));
        const { why = '', input: { path: file } = {} } = first ?? {};
        refusal ??= file === undefined ? why : `${file}: ${why}`;
        refusals.push({ hash, why, isMedia: file !== undefined });
      }
    }
    if (entries.length > 0) await index.putEmbeddings(identity, entries);
    if (refusals.length > 0) await index.refuseEmbeddings(identity, refusals);
    embedded += entries.length;
    refused += refusals.length;
    const passages = entries.length + refusals.length;
    if (passages > 0) onEvent({ type: 'embed.stored', passages });
  }

  const counts = () => ({ embedded, refused, ...(refusal === undefined ? {} : { refusal }) });
  return { store, counts };
}

/** Share of a search's time in which requests are started, so that most of them finish. */
const TIME_TO_START = 0.6;

/** Limits what one search gives to a provider, in size and time. @param most the size, in passages */
function searchLimit(most: number, queryTimeoutMs: number) {
  const untilMs = runningMs() + queryTimeoutMs * TIME_TO_START;
  let given = 0;

  async function* within<T>(
    passages: AsyncIterable<T>,
    sizeOf: (passage: T) => number,
  ): AsyncGenerator<T> {
    for await (const passage of passages) {
      const size = sizeOf(passage);
      if (size > 0 && (runningMs() > untilMs || given >= most)) return;
      // A file too large for one search must not block smaller ones.
      if (given + size > most) continue;
      given += size;
      yield passage;
    }
  }

  /** For what was not sent after all. */
  const giveBack = (size: number): void => {
    given -= size;
  };
  return { within, giveBack };
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
  } catch (error) {
    signal.throwIfAborted();
    skipSvcError(error);
    // It cannot be opened, so its identity is unknown: keep everything.
    return [...(await index.vectorIdentities())];
  }
}

/**
 * The identities of vectors from none of the places that these came from. A process without the keys of the shell detects
 * another provider, and would pay for all of its vectors again whenever the two take turns.
 */
async function fromElsewhere(
  index: MemoryIndex,
  own: readonly string[],
): Promise<readonly string[]> {
  const placeOf = (key: string): string => {
    const { adapter, endpoint } = fieldsOf(key);
    return JSON.stringify([adapter, endpoint]);
  };
  const places = own.map(placeOf);
  const identities = await index.vectorIdentities();
  return identities.filter((key) => !isSuperseded(key) && !places.includes(placeOf(key)));
}

/** The batch jobs stored with an index, for one identity. */
function batchJobsOf(index: MemoryIndex, identity: string): BatchJobStore {
  return {
    list: () => index.batchJobs(identity),
    save: (job) => index.saveBatchJob({ ...job, identity }),
    remove: (id) => index.removeBatchJob(id),
  };
}
