import { asProviderError } from '../providers/provider-error.js';
import { broken, normalise, wrongCount } from '../providers/read-vectors.js';
import { dimensionsToAsk, PROVIDERS } from '../providers/registry.js';
import { halve, splitToFit } from '../providers/requests/input-text.js';
import {
  createPacer,
  INTERACTIVE,
  ONCE,
  PATIENT,
  type RetryRules,
} from '../providers/requests/pacer.js';
import type {
  EmbeddingInput,
  EmbeddingVendor,
  InputRole,
  VendorAnswer,
  VendorBatch,
  VendorRequest,
} from '../providers/vendor.js';
import { shownAddress, VendorFault } from '../providers/vendor-fault.js';
import { anySignal, NEVER } from '../support/async.js';
import { runningMs } from '../support/time.js';
import { embedDocuments } from './embed-documents.js';
import type {
  AdapterSettings,
  BatchEmbedding,
  EmbeddedPart,
  EmbeddingAdapter,
  EmbedOptions,
  Inputs,
} from './embedding-adapter.js';
import { identityContextSize } from './identity.js';

/** Injected by tests to control time and chance. */
export interface AdapterTools {
  /** Monotonic clock. */
  readonly nowMs: () => number;
  readonly random: () => number;
}

const ignore = (): void => undefined;
const PROBE_TEXT = 'ping';
/** Few inputs per request, so that a slow model answers some before a search stops waiting. */
const INTERACTIVE_INPUTS = 16;

type Call = Omit<VendorRequest, 'inputs'>;

/** A vendor with packing, pacing, validation and readable errors. */
export function vendorAdapter(
  vendor: EmbeddingVendor,
  settings: AdapterSettings,
  { nowMs, random }: AdapterTools = { nowMs: runningMs, random: Math.random },
): EmbeddingAdapter {
  const { limits, model } = vendor;
  const { adapter, documentTimeoutMs, isPrimary, provider, queryTimeoutMs } = settings;
  const pacer = createPacer(nowMs, random);
  const dimensions = dimensionsToAsk(PROVIDERS[adapter], model, settings.dimensions);
  /** Length of the first vector; all others must match. */
  let vectorLength = dimensions;
  const endpoint = (): string => shownAddress(vendor.sentTo?.() ?? vendor.endpoint);
  const callOf = (role: InputRole, rules: RetryRules, options: EmbedOptions): Call => {
    const onEvent = options.onEvent ?? ignore;
    return {
      role,
      pacing: pacer.pacing(rules, onEvent),
      timeoutMs: role === 'document' ? documentTimeoutMs : queryTimeoutMs,
      signal: options.signal ?? NEVER,
      // An interactive caller does not wait for a 500 MB download.
      mayDownload: role === 'document' && options.interactive !== true,
      onEvent,
    };
  };
  /** Normalizes a vector. @throws VendorFault if it is not as long as earlier ones */
  const accept = (vector: Float32Array): Float32Array => {
    normalise(vector);
    vectorLength ??= vector.length;
    if (vector.length === vectorLength) return vector;
    const fault = broken(
      `vectors of ${vector.length} dimensions where ${vectorLength} were expected`,
    );
    if (dimensions === undefined) throw fault;
    const hint = `the model does not support this length: set outputDimensionality to ${vector.length}, or remove it`;
    throw fault.with({ hint });
  };
  const send = async (inputs: readonly EmbeddingInput[], call: Call): Promise<VendorAnswer> => {
    const answer = await vendor.embed({ ...call, inputs });
    if (answer.vectors.length !== inputs.length) {
      throw wrongCount(answer.vectors.length, inputs.length);
    }
    for (const vector of answer.vectors) accept(vector);
    return answer;
  };
  /** Sends an input, shortened as far as the vendor requires. */
  const sendBeginning = async (input: EmbeddingInput, call: Call): Promise<VendorAnswer> => {
    try {
      return await send([input], call);
    } catch (error) {
      const tooLarge = error instanceof VendorFault && error.details.kind === 'too_large';
      const [beginning] = (tooLarge ? halve(input) : undefined) ?? [];
      if (beginning === undefined) throw error;
      return sendBeginning(beginning, call);
    }
  };
  /** Converts an error; an abort to the signal's reason. */
  const providerError = (
    error: unknown,
    signal: AbortSignal | undefined,
    timeoutMs?: number,
  ): unknown => {
    if (signal?.aborted === true) return signal.reason;
    return asProviderError(error, {
      provider,
      model,
      endpoint: endpoint(),
      keySource: settings.credential?.source,
      queryTimeoutMs: timeoutMs,
      withheldKey: settings.withheldKey,
      isPrimary,
    });
  };
  /** Runs work that a search waits for, for as long as a query may take, and converts its errors. */
  const withinQueryTime = async <T>(
    rules: RetryRules,
    options: EmbedOptions,
    work: (call: Call) => Promise<T>,
  ): Promise<T> => {
    const call = callOf('query', rules, options);
    const signal = anySignal([call.signal, AbortSignal.timeout(queryTimeoutMs)]);
    try {
      return await work({ ...call, signal });
    } catch (error) {
      throw providerError(error, options.signal, queryTimeoutMs);
    }
  };
  async function* embedAll<Input extends EmbeddingInput>(
    inputs: Inputs<Input>,
    options: EmbedOptions = {},
  ): AsyncGenerator<EmbeddedPart<Input>> {
    const interactive = options.interactive === true;
    const call = callOf('document', interactive ? INTERACTIVE : PATIENT, options);
    try {
      yield* embedDocuments(inputs, {
        send: (contents) => send(contents, call),
        limits: interactive
          ? { ...limits, maxInputs: Math.min(limits.maxInputs, INTERACTIVE_INPUTS) }
          : limits,
        concurrency: settings.concurrency,
        signal: call.signal,
        onEvent: call.onEvent,
      });
    } catch (error) {
      throw providerError(error, options.signal);
    }
  }
  const batchOf = (batch: VendorBatch): BatchEmbedding => ({
    isOn: settings.batch.enabled,
    embed: async function* (inputs, options) {
      // Loaded on demand: queries do not need it.
      const { startBatchRun } = await import('./batch/batch-run.js');
      const { onEvent, ...call } = callOf('document', PATIENT, options);
      try {
        yield* startBatchRun(inputs, options, {
          vendor: batch,
          settings: settings.batch,
          limits,
          nowMs,
          call,
          onEvent,
          accept,
          embedDocuments: embedAll,
        });
      } catch (error) {
        throw providerError(error, options.signal);
      }
    },
  });
  return {
    provider,
    model,
    get endpoint() {
      return endpoint();
    },
    identity: {
      adapter,
      endpoint: shownAddress(vendor.endpoint),
      model,
      dimensions: dimensions ?? null,
      documentForm: vendor.documentForm,
      contextSize: identityContextSize(PROVIDERS[adapter], settings),
    },
    embedsMedia: limits.media !== undefined,
    embedQuery: (text, options = {}) =>
      withinQueryTime(INTERACTIVE, options, async (call) => {
        // If a query is too long, its beginning has to do.
        const [input] = splitToFit({ text }, limits);
        if (input === undefined) throw broken('the text is empty');
        const { vectors } = await sendBeginning(input, call);
        return normalise(vectors[0] ?? new Float32Array());
      }),
    embedDocuments: embedAll,
    // A fallback may be another account, which does not have the jobs of the provider.
    ...(vendor.batch !== undefined && isPrimary !== false ? { batch: batchOf(vendor.batch) } : {}),
    probe: (options = {}) =>
      withinQueryTime(ONCE, options, async (call) => {
        const started = nowMs();
        const { vectors } = await send([{ text: PROBE_TEXT }], call);
        const vector = normalise(vectors[0] ?? new Float32Array());
        return { dimensions: vector.length, latencyMs: Math.round(nowMs() - started) };
      }),
    close: async () => vendor.close?.(),
  };
}
