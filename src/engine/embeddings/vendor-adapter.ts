import { asProviderError } from '../providers/provider-error.js';
import { broken, normalise, wrongCount } from '../providers/read-vectors.js';
import { dimensionsToAsk, PROVIDERS } from '../providers/registry.js';
import { halve, splitToFit } from '../providers/requests/input-text.js';
import { INTERACTIVE, ONCE, PATIENT, Pacer, type RetryRules } from '../providers/requests/pacer.js';
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
  BatchEmbedOptions,
  EmbeddedPart,
  EmbeddingAdapter,
  EmbeddingIdentity,
  EmbedOptions,
  Inputs,
  KeyedInput,
  KeyedPart,
  ProbeResult,
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
export class VendorAdapter implements EmbeddingAdapter {
  readonly provider: string;
  readonly model: string;
  readonly identity: EmbeddingIdentity;
  readonly embedsMedia: boolean;
  readonly batch?: BatchEmbedding;
  private readonly vendor: EmbeddingVendor;
  private readonly settings: AdapterSettings;
  private readonly tools: AdapterTools;
  private readonly pacer: Pacer;
  /** Length of the first vector; all others must match. */
  private vectorLength: number | undefined;

  constructor(
    vendor: EmbeddingVendor,
    settings: AdapterSettings,
    tools: AdapterTools = { nowMs: runningMs, random: Math.random },
  ) {
    this.vendor = vendor;
    this.settings = settings;
    this.tools = tools;
    this.pacer = new Pacer(tools.nowMs, tools.random);
    this.provider = settings.provider;
    this.model = vendor.model;
    const provider = PROVIDERS[settings.adapter];
    this.vectorLength = dimensionsToAsk(provider, vendor.model, settings.dimensions);
    this.identity = {
      adapter: settings.adapter,
      endpoint: shownAddress(vendor.endpoint),
      model: vendor.model,
      dimensions: this.vectorLength ?? null,
      documentForm: vendor.documentForm,
      contextSize: identityContextSize(provider, settings),
    };
    this.embedsMedia = vendor.limits.media !== undefined;
    const { batch } = vendor;
    // A fallback may be another account, which does not have the jobs of the provider.
    if (batch !== undefined && settings.isPrimary !== false) {
      this.batch = {
        isOn: settings.batch.enabled,
        embed: (inputs, options) => this.embedInBatches(batch, inputs, options),
      };
    }
  }

  get endpoint(): string {
    return shownAddress(this.vendor.sentTo?.() ?? this.vendor.endpoint);
  }

  async embedQuery(text: string, options: EmbedOptions = {}): Promise<Float32Array> {
    return this.withinQueryTime(INTERACTIVE, options, async (call) => {
      // If a query is too long, its beginning has to do.
      const [input] = splitToFit({ text }, this.vendor.limits);
      if (input === undefined) throw broken('the text is empty');
      const { vectors } = await this.sendBeginning(input, call);
      return normalise(vectors[0] ?? new Float32Array());
    });
  }

  /** Sends an input, shortened as far as the vendor requires. */
  private async sendBeginning(input: EmbeddingInput, call: Call): Promise<VendorAnswer> {
    try {
      return await this.send([input], call);
    } catch (error) {
      const tooLarge = error instanceof VendorFault && error.details.kind === 'too_large';
      const [beginning] = (tooLarge ? halve(input) : undefined) ?? [];
      if (beginning === undefined) throw error;
      return this.sendBeginning(beginning, call);
    }
  }

  async *embedDocuments<Input extends EmbeddingInput>(
    inputs: Inputs<Input>,
    options: EmbedOptions = {},
  ): AsyncGenerator<EmbeddedPart<Input>> {
    const interactive = options.interactive === true;
    const call = this.call('document', interactive ? INTERACTIVE : PATIENT, options);
    const { limits } = this.vendor;
    try {
      yield* embedDocuments(inputs, {
        send: (contents) => this.send(contents, call),
        limits: interactive
          ? { ...limits, maxInputs: Math.min(limits.maxInputs, INTERACTIVE_INPUTS) }
          : limits,
        concurrency: this.settings.concurrency,
        signal: call.signal,
        onEvent: call.onEvent,
      });
    } catch (error) {
      throw this.providerError(error, options.signal);
    }
  }

  private async *embedInBatches(
    vendor: VendorBatch,
    inputs: Inputs<KeyedInput>,
    options: BatchEmbedOptions,
  ): AsyncGenerator<KeyedPart> {
    // Loaded on demand: queries do not need it.
    const { startBatchRun } = await import('./batch/batch-run.js');
    const { onEvent, ...call } = this.call('document', PATIENT, options);
    try {
      yield* startBatchRun(inputs, options, {
        vendor,
        settings: this.settings.batch,
        limits: this.vendor.limits,
        nowMs: this.tools.nowMs,
        call,
        onEvent,
        accept: (vector) => this.accept(vector),
        embedDocuments: (some, inline) => this.embedDocuments(some, inline),
      });
    } catch (error) {
      throw this.providerError(error, options.signal);
    }
  }

  async probe(options: EmbedOptions = {}): Promise<ProbeResult> {
    return this.withinQueryTime(ONCE, options, async (call) => {
      const started = this.tools.nowMs();
      const { vectors } = await this.send([{ text: PROBE_TEXT }], call);
      const vector = normalise(vectors[0] ?? new Float32Array());
      return { dimensions: vector.length, latencyMs: this.tools.nowMs() - started };
    });
  }

  async close(): Promise<void> {
    await this.vendor.close?.();
  }

  private call(role: InputRole, rules: RetryRules, options: EmbedOptions): Call {
    const { documentTimeoutMs, queryTimeoutMs } = this.settings;
    const onEvent = options.onEvent ?? ignore;
    return {
      role,
      pacing: this.pacer.pacing(rules, onEvent),
      timeoutMs: role === 'document' ? documentTimeoutMs : queryTimeoutMs,
      signal: options.signal ?? NEVER,
      // An interactive caller does not wait for a 500 MB download.
      mayDownload: role === 'document' && options.interactive !== true,
      onEvent,
    };
  }

  private async send(inputs: readonly EmbeddingInput[], call: Call): Promise<VendorAnswer> {
    const answer = await this.vendor.embed({ ...call, inputs });
    if (answer.vectors.length !== inputs.length) {
      throw wrongCount(answer.vectors.length, inputs.length);
    }
    for (const vector of answer.vectors) this.accept(vector);
    return answer;
  }

  /** Normalizes a vector. @throws VendorFault if it is not as long as earlier ones */
  private accept(vector: Float32Array): Float32Array {
    normalise(vector);
    this.vectorLength ??= vector.length;
    if (vector.length !== this.vectorLength)
      throw this.wrongLength(vector.length, this.vectorLength);
    return vector;
  }

  private wrongLength(got: number, wanted: number): VendorFault {
    const fault = broken(`vectors of ${got} dimensions where ${wanted} were expected`);
    if (this.identity.dimensions === null) return fault;
    const hint = `the model does not support this length: set outputDimensionality to ${got}, or remove it`;
    return fault.with({ hint });
  }

  /** Runs work that a search waits for, for as long as a query may take, and converts its errors. */
  private async withinQueryTime<T>(
    rules: RetryRules,
    options: EmbedOptions,
    work: (call: Call) => Promise<T>,
  ): Promise<T> {
    const { queryTimeoutMs } = this.settings;
    const call = this.call('query', rules, options);
    const signal = anySignal([call.signal, AbortSignal.timeout(queryTimeoutMs)]);
    try {
      return await work({ ...call, signal });
    } catch (error) {
      throw this.providerError(error, options.signal, queryTimeoutMs);
    }
  }

  /** Converts an error; an abort to the signal's reason. */
  private providerError(
    error: unknown,
    signal: AbortSignal | undefined,
    queryTimeoutMs?: number | undefined,
  ): unknown {
    if (signal?.aborted === true) return signal.reason;
    return asProviderError(error, {
      provider: this.provider,
      model: this.model,
      endpoint: this.endpoint,
      keySource: this.settings.credential?.source,
      queryTimeoutMs,
      withheldKey: this.settings.withheldKey,
      isPrimary: this.settings.isPrimary,
    });
  }
}
