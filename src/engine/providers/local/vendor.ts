import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { deferred, unlessAborted } from '../../support/async.js';
import { ifReadable } from '../../support/files.js';
import { runningMs } from '../../support/time.js';
import { promptsOf } from '../open-models.js';
import type {
  EmbeddingVendor,
  ProviderSettings,
  VendorAnswer,
  VendorRequest,
  VendorTools,
} from '../vendor.js';
import { VendorFault } from '../vendor-fault.js';
import { INSTALL_HINT, type LlamaSession, loadLlama, openSession } from './llama.js';
import {
  checkModelFile,
  fileIdentity,
  modelFileState,
  modelMissing,
  parseModelReference,
  type RemoteReference,
} from './model.js';
import { runtimeState } from './runtime/store.js';

/** Assumed context before the model is loaded. */
const USUAL_CONTEXT = 2048;
/** For the library's own tokens and the prompt. */
const RESERVED_TOKENS = 32;
/** Requests take turns, so a query waits for those before it: all of them together should take seconds. */
const MAX_INPUTS = 4;

/**
 * A GGUF model in this process, through node-llama-cpp. Loads nothing before the first request.
 *
 * The identity of a file contains a fingerprint of its content; that of a reference is the
 * reference, since it is downloaded once.
 *
 * @throws VendorFault if `modelPath` is invalid or the file is missing
 */
export function createLocalVendor(
  settings: ProviderSettings,
  options: LocalVendorOptions,
): EmbeddingVendor {
  const reference = parseModelReference(settings.local.modelPath);
  const prompts = promptsOf(reference.name);
  const model = reference.kind === 'file' ? fileIdentity(reference.path) : reference.name;
  const engine = new LocalEngine(settings.local, options);
  return {
    endpoint: 'local',
    model,
    documentForm: prompts.documentForm,
    limits: {
      maxInputs: MAX_INPUTS,
      maxTokensPerInput: Math.min(settings.local.contextSize, USUAL_CONTEXT) - RESERVED_TOKENS,
      maxTokensPerRequest: Number.POSITIVE_INFINITY,
    },
    embed: (request) => {
      const texts = request.inputs.map((input) => prompts.write(input, request.role));
      return engine.embed(texts, request);
    },
    close: () => engine.close(),
  };
}

interface LocalVendorOptions {
  readonly runtimesDir: string;
  /** For `HF_ENDPOINT` and `HF_TOKEN`. */
  readonly env: VendorTools['env'];
  readonly threads?: number;
}

/** Keeps the model in memory from the first request on. */
class LocalEngine {
  private readonly local: ProviderSettings['local'];
  private readonly options: LocalVendorOptions;
  private readonly turns = new Turns();
  private session: LlamaSession | undefined;

  constructor(local: ProviderSettings['local'], options: LocalVendorOptions) {
    this.local = local;
    this.options = options;
  }

  /** Embeds texts one by one. @throws VendorFault, or the signal's reason */
  async embed(texts: readonly string[], request: VendorRequest): Promise<VendorAnswer> {
    // Checked before waiting: a query must not wait for a download to learn that the model is
    // missing.
    if (this.session === undefined) this.findParts(request);
    return this.turns.take(request.signal, async () => {
      this.session ??= await this.open(request);
      return this.embedAll(this.session, texts, request);
    });
  }

  async close(): Promise<void> {
    await this.turns.ended();
    const { session } = this;
    this.session = undefined;
    await session?.close();
  }

  /** Can be stopped between two texts; one takes a fraction of a second. */
  private async embedAll(
    session: LlamaSession,
    texts: readonly string[],
    { signal, timeoutMs }: VendorRequest,
  ): Promise<VendorAnswer> {
    const deadlineMs = runningMs() + timeoutMs;
    const vectors: Float32Array[] = [];
    let tokens = 0;
    for (const text of texts) {
      signal.throwIfAborted();
      if (runningMs() > deadlineMs) {
        throw new VendorFault(
          'timeout',
          `${vectors.length} of ${texts.length} texts were embedded in ${timeoutMs / 1000} s`,
          {
            hint: 'choose a smaller model, or raise memorySearch.sync.embeddingBatchTimeoutSeconds',
          },
        );
      }
      const embedded = await session.embed(text);
      vectors.push(embedded.vector);
      tokens += embedded.tokens;
    }
    return { vectors, tokens };
  }

  private async open(request: VendorRequest): Promise<LlamaSession> {
    const { runtime, model } = this.findParts(request);
    const modelPath = typeof model === 'string' ? model : await this.download(model, request);
    checkModelFile(modelPath);
    const { contextSize } = this.local;
    const { threads = usableCores() } = this.options;
    const { signal } = request;
    const loaded = await loadLlama(runtime, threads);
    signal.throwIfAborted();
    return openSession({ loaded, modelPath, contextSize, threads, signal });
  }

  /**
   * The runtime, and the path of the model or what to download.
   *
   * @throws VendorFault `setup` if something has to be installed or downloaded first
   */
  private findParts({ mayDownload }: VendorRequest) {
    const state = runtimeState(this.options.runtimesDir);
    if (state.state === 'missing') {
      throw new VendorFault('setup', state.why, { hint: INSTALL_HINT });
    }
    const { runtime } = state;
    const file = modelFileState(this.local);
    if (file.present) return { runtime, model: file.path };
    if (file.remote === undefined) throw modelMissing(file.path);
    if (mayDownload) return { runtime, model: file.remote };
    throw new VendorFault('setup', `the model ${file.remote.name} is not downloaded yet`, {
      hint: `${INSTALL_HINT} or "svc memory index" to download it`,
    });
  }

  private async download(reference: RemoteReference, request: VendorRequest): Promise<string> {
    const { downloadModel } = await import('./download/download-model.js');
    const { env } = this.options;
    const { modelCacheDir } = this.local;
    const { signal, pacing, onEvent } = request;
    const options = { modelCacheDir, env, pacing, signal, onEvent };
    return (await downloadModel(reference, options)).path;
  }
}

/** Runs work in order of arrival, one at a time. */
class Turns {
  private last: Promise<void> = Promise.resolve();

  /** @throws what the work throws; the signal's reason if aborted while waiting */
  async take<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const before = this.last;
    const end = deferred<void>();
    this.last = before.then(() => end.promise);
    try {
      await unlessAborted(before, signal);
      return await work();
    } finally {
      end.resolve();
    }
  }

  /** Resolves when all work has ended. */
  async ended(): Promise<void> {
    await this.last;
  }
}

/**
 * The number of threads that can run in parallel: available cores, limited by the CPU share of a
 * container.
 *
 * @param cgroupDir folder with the limits of this process's control group
 */
export function usableCores(cgroupDir = '/sys/fs/cgroup'): number {
  const cores = availableParallelism();
  const share = cpuShare(cgroupDir);
  return share === undefined ? cores : Math.max(1, Math.min(cores, Math.floor(share)));
}

/** `cpu.max` is `max` or microseconds per period (kernel.org, "Control Group v2", CPU). */
function cpuShare(cgroupDir: string): number | undefined {
  // Missing on another system or an old kernel.
  const text = ifReadable(() => readFileSync(`${cgroupDir}/cpu.max`, 'utf8')) ?? '';
  const [, quota, period] = /^(\d+) (\d+)/u.exec(text) ?? [];
  return quota === undefined ? undefined : Number(quota) / Number(period);
}
