import type {
  AdapterSettings,
  BatchEmbedding,
  BatchJobStore,
  KeyedInput,
  StoredBatchJob,
} from '../../../../src/engine/embeddings/embedding-adapter.js';
import { vendorAdapter } from '../../../../src/engine/embeddings/vendor-adapter.js';
import type { EmbeddingEvent } from '../../../../src/engine/providers/embedding-event.js';
import type {
  BatchSettings,
  EmbeddingVendor,
  VendorBatch,
} from '../../../../src/engine/providers/vendor.js';
import { OPENAI_KEY, type OpenAiFake } from '../../../fakes/openai.js';
import { testSettings } from '../../providers/conformance.js';
import { openVendor } from '../../providers/support.js';

/** Batch switched on, with pauses that cost nothing. */
export const BATCH: BatchSettings = {
  enabled: true,
  concurrency: 2,
  wait: true,
  pollIntervalMs: 1,
  timeoutMinutes: 60,
};

/** Settings of OpenAI against its fake. */
export function openAiSettings(
  fake: { readonly origin: string },
  change: Partial<AdapterSettings> = {},
): AdapterSettings {
  return testSettings({
    adapter: 'openai',
    baseUrl: `${fake.origin}/v1`,
    credential: { value: OPENAI_KEY, source: 'env OPENAI_API_KEY' },
    batch: BATCH,
    ...change,
  });
}

/** The batch embedding of a fresh adapter, as a process that was just started has it. */
export function batchOf(
  settings: AdapterSettings,
  vendor: Promise<EmbeddingVendor> | EmbeddingVendor = openVendor(settings),
  nowMs: () => number = () => performance.now(),
): BatchEmbedding {
  return {
    isOn: settings.batch.enabled,
    embed: async function* (inputs, options) {
      const { batch } = vendorAdapter(await vendor, settings, { nowMs, random: () => 0 });
      if (batch === undefined) throw new Error('this vendor has no batch API');
      yield* batch.embed(inputs, options);
    },
  };
}

/** OpenAI with other limits of a job, so that tests stay small. */
export async function withJobLimits(
  settings: AdapterSettings,
  limits: VendorBatch['limits'],
): Promise<EmbeddingVendor> {
  const vendor = await openVendor(settings);
  if (vendor.batch === undefined) throw new Error('OpenAI has a batch API');
  return { ...vendor, batch: { ...vendor.batch, limits } };
}

/** Jobs in memory, which outlive the processes that a test kills. */
export class MemoryJobs {
  readonly jobs = new Map<string, StoredBatchJob>();

  store(): BatchJobStore {
    return {
      list: async () => [...this.jobs.values()],
      save: async (job) => void this.jobs.set(job.id, job),
      remove: async (id) => void this.jobs.delete(id),
    };
  }
}

/** So many different inputs. */
export function inputsOf(count: number, first = 0): KeyedInput[] {
  return Array.from({ length: count }, (_, i) => ({
    key: `key-${first + i}`,
    text: `note ${first + i} of many`,
  }));
}

/** Keeps the vectors of several runs, as an index does. */
export class Indexer {
  readonly vectors = new Map<string, Float32Array>();
  readonly refused = new Map<string, string>();
  readonly events: EmbeddingEvent[] = [];
  /** Keys whose vector came a second time. */
  readonly repeated: string[] = [];

  /** Embeds what is not there yet. */
  async run(
    batch: BatchEmbedding,
    inputs: readonly KeyedInput[],
    jobs: BatchJobStore,
    signal?: AbortSignal,
  ): Promise<void> {
    const missing = inputs.filter(({ key }) => !this.vectors.has(key) && !this.refused.has(key));
    const options = {
      jobs,
      signal,
      clock: { now: () => 1_700_000_000_000 },
      fewInline: true,
      waits: true,
    };
    const onEvent = (event: EmbeddingEvent): void => void this.events.push(event);
    for await (const part of batch.embed(missing, { ...options, onEvent })) {
      for (const { input, vector } of part.embedded) {
        const { key } = input;
        if (this.vectors.has(key)) this.repeated.push(key);
        this.vectors.set(key, vector);
      }
      for (const { input, why } of part.refused) this.refused.set(input.key, why);
    }
  }

  /** The events of one type. */
  eventsOf<T extends EmbeddingEvent['type']>(type: T): Extract<EmbeddingEvent, { type: T }>[] {
    return this.events.filter(
      (event): event is Extract<EmbeddingEvent, { type: T }> => event.type === type,
    );
  }
}

/** Texts that were paid for more than once, by jobs or inline. */
export function paidTwice(fake: OpenAiFake): string[] {
  fake.batch.finishAll();
  const seen = new Set<string>();
  return [...fake.batch.paid, ...fake.inlineTexts].filter((text) => {
    const twice = seen.has(text);
    seen.add(text);
    return twice;
  });
}
