import type {
  BatchEmbedding,
  BatchEmbedOptions,
  KeyedInput,
  KeyedPart,
} from './batch/batch-embedding.js';
import type {
  EmbeddedPart,
  EmbeddingAdapter,
  EmbeddingEvent,
  EmbeddingIdentity,
  EmbeddingInput,
  EmbedOptions,
  InputRole,
  Inputs,
  ProbeResult,
} from './embedding-adapter.js';
import { asProviderError } from './provider-error.js';
import type { ProviderSettings } from './provider-settings.js';
import { broken, normalise, wrongCount } from './read-vectors.js';
import { embedDocuments } from './requests/embed-documents.js';
import { halve, splitToFit } from './requests/input-text.js';
import { INTERACTIVE, ONCE, PATIENT, Pacer, type RetryRules } from './requests/pacer.js';
import { shownAddress } from './shown-address.js';
import type { EmbeddingVendor, VendorAnswer, VendorBatch } from './vendor.js';
import { VendorFault } from './vendor-fault.js';

/** What every adapter gets besides the vendor: a steady clock and chance, so that tests choose them. */
export interface AdapterTools {
  /** Milliseconds on a steady clock. */
  readonly nowMs: () => number;
  readonly random: () => number;
}

/** Makes the port out of a vendor: packing, pacing, checks, errors for people. */
export function createAdapter(
  vendor: EmbeddingVendor,
  settings: ProviderSettings,
  tools: AdapterTools,
): EmbeddingAdapter {
  return new VendorAdapter(vendor, settings, tools);
}

const NEVER = new AbortController().signal;
const ignore = (): void => undefined;
const PROBE_TEXT = 'ping';

interface Call {
  readonly role: InputRole;
  readonly rules: RetryRules;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly mayDownload: boolean;
  readonly onEvent: (event: EmbeddingEvent) => void;
}

class VendorAdapter implements EmbeddingAdapter {
  readonly id: EmbeddingAdapter['id'];
  readonly provider: string;
  readonly model: string;
  readonly endpoint: string;
  readonly identity: EmbeddingIdentity;
  readonly embedsMedia: boolean;
  readonly batch?: BatchEmbedding;
  private readonly vendor: EmbeddingVendor;
  private readonly settings: ProviderSettings;
  private readonly tools: AdapterTools;
  private readonly pacer: Pacer;
  /** Length of the vectors, once one was seen: later ones must have the same. */
  private size: number | undefined;

  constructor(vendor: EmbeddingVendor, settings: ProviderSettings, tools: AdapterTools) {
    this.vendor = vendor;
    this.settings = settings;
    this.tools = tools;
    this.pacer = new Pacer(tools.nowMs, tools.random);
    this.id = vendor.adapter;
    this.provider = settings.provider;
    this.model = vendor.model;
    this.endpoint = shownAddress(vendor.endpoint);
    const asked = vendor.dimensions === undefined ? settings.dimensions : vendor.dimensions;
    this.size = asked ?? undefined;
    this.identity = {
      adapter: vendor.adapter,
      endpoint: shownAddress(vendor.identityEndpoint ?? vendor.endpoint),
      model: vendor.model,
      dimensions: asked ?? null,
      documentForm: vendor.documentForm,
    };
    this.embedsMedia = vendor.limits.media !== undefined;
    const { batch } = vendor;
    if (batch !== undefined && settings.batch.enabled) {
      this.batch = { embed: (inputs, options) => this.embedInBatches(batch, inputs, options) };
    }
  }

  async embedQuery(text: string, options: EmbedOptions = {}): Promise<Float32Array> {
    return this.explained(async () => {
      const budget = AbortSignal.timeout(this.settings.queryTimeoutMs);
      const call = this.call('query', INTERACTIVE, options);
      // A question may be longer than the model takes: its beginning says most of it.
      const [input] = splitToFit({ text }, this.vendor.limits);
      if (input === undefined) throw broken('there is nothing to embed');
      const signal = AbortSignal.any([call.signal, budget]);
      const { vectors } = await this.sendBeginning(input, { ...call, signal });
      return normalise(vectors[0] ?? new Float32Array());
    }, options.signal);
  }

  /** Sends an input, or as much of its beginning as the vendor takes. */
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
    const rules = options.interactive === true ? INTERACTIVE : PATIENT;
    const call = this.call('document', rules, options);
    try {
      yield* embedDocuments(inputs, {
        send: (contents) => this.send(contents, call),
        limits: this.vendor.limits,
        concurrency: this.settings.concurrency,
        signal: call.signal,
        onEvent: call.onEvent,
      });
    } catch (error) {
      throw this.named(error, options.signal);
    }
  }

  private async *embedInBatches(
    vendor: VendorBatch,
    inputs: Inputs<KeyedInput>,
    options: BatchEmbedOptions,
  ): AsyncGenerator<KeyedPart> {
    // Loaded when used: a question needs none of it.
    const { startBatchRun } = await import('./batch/start-batch-run.js');
    const { timeoutMs, onEvent, rules } = this.call('document', PATIENT, options);
    try {
      yield* startBatchRun(inputs, options, {
        vendor,
        settings: this.settings.batch,
        limits: this.vendor.limits,
        nowMs: this.tools.nowMs,
        timeoutMs,
        pacing: this.pacer.pacing(rules, onEvent),
        accept: (vector) => this.accept(vector),
        embedDocuments: (some, inline) => this.embedDocuments(some, inline),
      });
    } catch (error) {
      throw this.named(error, options.signal);
    }
  }

  async probe(options: EmbedOptions = {}): Promise<ProbeResult> {
    return this.explained(async () => {
      const call = this.call('query', ONCE, options);
      const signal = AbortSignal.any([
        call.signal,
        AbortSignal.timeout(this.settings.queryTimeoutMs),
      ]);
      const started = this.tools.nowMs();
      const { vectors } = await this.send([{ text: PROBE_TEXT }], { ...call, signal });
      const vector = normalise(vectors[0] ?? new Float32Array());
      return { dimensions: vector.length, latencyMs: this.tools.nowMs() - started };
    }, options.signal);
  }

  async close(): Promise<void> {
    await this.vendor.close?.();
  }

  private call(role: InputRole, rules: RetryRules, options: EmbedOptions): Call {
    const { documentTimeoutMs, queryTimeoutMs } = this.settings;
    return {
      role,
      rules,
      timeoutMs: role === 'document' ? documentTimeoutMs : queryTimeoutMs,
      signal: options.signal ?? NEVER,
      // A person who waits for an answer does not wait for half a gigabyte.
      mayDownload: role === 'document' && options.interactive !== true,
      onEvent: options.onEvent ?? ignore,
    };
  }

  private async send(inputs: readonly EmbeddingInput[], call: Call): Promise<VendorAnswer> {
    const { rules, ...rest } = call;
    const pacing = this.pacer.pacing(rules, call.onEvent);
    const answer = await this.vendor.embed({ ...rest, inputs, pacing });
    if (answer.vectors.length !== inputs.length) {
      throw wrongCount(answer.vectors.length, inputs.length);
    }
    for (const vector of answer.vectors) this.accept(vector);
    return answer;
  }

  /** Brings a vector to unit length. @throws VendorFault when it has not the length of the others */
  private accept(vector: Float32Array): Float32Array {
    normalise(vector);
    this.size ??= vector.length;
    if (vector.length !== this.size) throw this.wrongLength(vector.length, this.size);
    return vector;
  }

  private wrongLength(got: number, wanted: number): VendorFault {
    const { details } = broken(`vectors of ${got} dimensions where ${wanted} were expected`);
    if (this.identity.dimensions === null) return new VendorFault(details);
    const hint = `the model does not give every length: set outputDimensionality to ${got}, or remove it`;
    return new VendorFault({ ...details, hint });
  }

  private async explained<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.named(error, signal);
    }
  }

  private named(error: unknown, signal: AbortSignal | undefined): unknown {
    if (signal?.aborted === true) return signal.reason;
    return asProviderError(error, {
      provider: this.provider,
      model: this.model,
      endpoint: this.vendor.endpoint,
      keySource: this.settings.credential?.source,
    });
  }
}
