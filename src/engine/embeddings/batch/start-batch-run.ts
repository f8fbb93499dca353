import type { EmbeddingAdapter, Inputs } from '../embedding-adapter.js';
import type { BatchEmbedOptions, KeyedInput, KeyedPart } from './batch-embedding.js';
import { BatchHealth, type BatchRun } from './batch-run.js';
import { embedInBatches } from './embed-in-batches.js';
import { openJobRecords } from './job-records.js';

/** What an adapter lends to a run. */
export interface BatchGround
  extends Pick<BatchRun, 'accept' | 'limits' | 'nowMs' | 'settings' | 'vendor'> {
  readonly timeoutMs: number;
  readonly pacing: BatchRun['call']['pacing'];
  readonly embedDocuments: EmbeddingAdapter['embedDocuments'];
}

/** One run of BatchEmbedding. It ends at the abort of its signal, and when its reader leaves. */
export async function* startBatchRun(
  inputs: Inputs<KeyedInput>,
  options: BatchEmbedOptions,
  ground: BatchGround,
): AsyncGenerator<KeyedPart> {
  const { timeoutMs, pacing, embedDocuments, ...shared } = ground;
  const left = new AbortController();
  const signal =
    options.signal === undefined ? left.signal : AbortSignal.any([options.signal, left.signal]);
  const onEvent = options.onEvent ?? (() => undefined);
  const run: BatchRun = {
    ...shared,
    onEvent,
    call: { signal, timeoutMs, pacing },
    records: openJobRecords(options.jobs, options.clock),
    health: new BatchHealth(onEvent),
    inline: async function* (some) {
      for await (const { embedded, refused } of embedDocuments(some, { signal, onEvent })) {
        yield {
          embedded: embedded.map(({ input, vector }) => ({ key: input.key, vector })),
          refused: refused.map(({ input, why }) => ({ key: input.key, why })),
        };
      }
    },
  };
  const stop = (): void => left.abort();
  try {
    yield* embedInBatches(inputs, run, stop);
  } finally {
    stop();
  }
}
