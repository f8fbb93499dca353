import type { Platform } from '../../local-runtime/runtime-package.js';
import { type InstalledRuntime, runtimeState } from '../../local-runtime/runtime-store.js';
import type { ProviderSettings } from '../../provider-settings.js';
import type { VendorAnswer, VendorRequest, VendorTools } from '../../vendor.js';
import { VendorFault } from '../../vendor-fault.js';
import { INSTALL_HINT, type LoadedLlama, loadLlama } from './llama.js';
import { LlamaSession } from './llama-session.js';
import { checkModelFile, modelFileState, modelMissing } from './model-file.js';
import { parseModelReference, type RemoteReference } from './model-reference.js';
import { Turns } from './turns.js';

/** What the local vendor needs besides its settings. */
export interface LocalVendorOptions {
  /** See runtimesDir. */
  readonly runtimesDir: string;
  readonly platform: Pick<Platform, 'arch' | 'os'>;
  /** `HF_ENDPOINT` and `HF_TOKEN` are read from it. */
  readonly env: VendorTools['env'];
  /** Threads to compute with; see usableCores. */
  readonly threads: number;
  /** Milliseconds on a steady clock. */
  readonly nowMs: () => number;
}

/** What is needed to load the model. */
interface Parts {
  readonly runtime: InstalledRuntime;
  readonly model: { readonly path: string } | { readonly toDownload: RemoteReference };
}

/** The model in memory, from the first request on. */
export class LocalEngine {
  private readonly local: ProviderSettings['local'];
  private readonly options: LocalVendorOptions;
  private readonly turns = new Turns();
  /** Kept when a model fails to load: the next one needs it too. */
  private loaded: LoadedLlama | undefined;
  private session: LlamaSession | undefined;

  constructor(local: ProviderSettings['local'], options: LocalVendorOptions) {
    this.local = local;
    this.options = options;
  }

  /** Embeds the texts of a request one by one. @throws VendorFault, or the signal's reason */
  async embed(texts: readonly string[], request: VendorRequest): Promise<VendorAnswer> {
    // Before its turn comes: a question must not wait for the end of a download to be told.
    if (this.session === undefined) this.findParts(request);
    return this.turns.take(request.signal, async () => {
      this.session ??= await this.open(request);
      return this.embedAll(this.session, texts, request);
    });
  }

  async close(): Promise<void> {
    await this.turns.ended();
    const { loaded } = this;
    this.session = undefined;
    this.loaded = undefined;
    await loaded?.llama.dispose();
  }

  /** Between two texts it may be stopped; one takes about as long as a blink. */
  private async embedAll(
    session: LlamaSession,
    texts: readonly string[],
    { signal, timeoutMs }: VendorRequest,
  ): Promise<VendorAnswer> {
    const deadlineMs = this.options.nowMs() + timeoutMs;
    const vectors: Float32Array[] = [];
    let tokens = 0;
    for (const text of texts) {
      signal.throwIfAborted();
      if (this.options.nowMs() > deadlineMs) {
        throw new VendorFault({
          kind: 'timeout',
          message: `${vectors.length} of ${texts.length} texts were embedded in ${timeoutMs / 1000} s`,
          hint: 'choose a smaller model, or raise memorySearch.sync.embeddingBatchTimeoutSeconds',
        });
      }
      const embedded = await session.embed(text);
      vectors.push(embedded.vector);
      tokens += embedded.tokens;
    }
    return { vectors, tokens };
  }

  private async open(request: VendorRequest): Promise<LlamaSession> {
    const { runtime, model } = this.findParts(request);
    const modelPath = 'path' in model ? model.path : await this.download(model.toDownload, request);
    checkModelFile(modelPath);
    const { contextSize } = this.local;
    const { threads } = this.options;
    const { signal } = request;
    this.loaded ??= await loadLlama(runtime, threads);
    signal.throwIfAborted();
    return LlamaSession.open({ loaded: this.loaded, modelPath, contextSize, threads, signal });
  }

  /** @throws VendorFault of kind `setup` when something has to be installed or downloaded first */
  private findParts({ mayDownload }: VendorRequest): Parts {
    const { runtimesDir, platform } = this.options;
    const state = runtimeState(runtimesDir, platform);
    if (state.state === 'missing') {
      throw new VendorFault({ kind: 'setup', message: state.why, hint: INSTALL_HINT });
    }
    const { runtime } = state;
    const file = modelFileState(this.local);
    if (file.present) return { runtime, model: { path: file.path } };
    const reference = parseModelReference(this.local.modelPath);
    if (reference.kind === 'file') throw modelMissing(file.path);
    if (mayDownload) return { runtime, model: { toDownload: reference } };
    throw new VendorFault({
      kind: 'setup',
      message: `the model ${reference.name} is not downloaded yet`,
      hint: `${INSTALL_HINT}, or "svc memory index", which downloads it too`,
    });
  }

  private async download(reference: RemoteReference, request: VendorRequest): Promise<string> {
    const { downloadModel } = await import('./download/download-model.js');
    const { env, nowMs } = this.options;
    const { modelCacheDir } = this.local;
    const { signal, pacing, onEvent } = request;
    const options = { modelCacheDir, env, pacing, signal, onEvent, nowMs };
    return (await downloadModel(reference, options)).path;
  }
}
