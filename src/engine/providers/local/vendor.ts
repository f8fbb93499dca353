import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { deferred, unlessAborted } from '../../support/async.js';
import { unlessSystemError } from '../../support/files.js';
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
import {
  INSTALL_HINT,
  type LlamaSession,
  loadLlama,
  openSession,
  requireRuntime,
} from './llama.js';
import {
  checkModelFile,
  fileIdentity,
  modelFileState,
  modelMissing,
  parseModelReference,
} from './model.js';

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
  { local }: ProviderSettings,
  options: LocalVendorOptions,
): EmbeddingVendor {
  const reference = parseModelReference(local.modelPath);
  const prompts = promptsOf(reference.name);
  const turns = takingTurns();
  /** Keeps the model in memory from the first request on. */
  let session: LlamaSession | undefined;
  return {
    endpoint: 'local',
    model: reference.kind === 'file' ? fileIdentity(reference.path) : reference.name,
    documentForm: prompts.documentForm,
    limits: {
      maxInputs: MAX_INPUTS,
      maxTokensPerInput: Math.min(local.contextSize, USUAL_CONTEXT) - RESERVED_TOKENS,
      maxTokensPerRequest: Number.POSITIVE_INFINITY,
    },
    embed: async (request) => {
      const texts = request.inputs.map((input) => prompts.write(input, request.role));
      // Checked before waiting: a query must not wait for a download to learn that the model is
      // missing.
      if (session === undefined) findParts(local, options, request);
      return turns.take(request.signal, async () => {
        session ??= await open(local, options, request);
        return embedAll(session, texts, request);
      });
    },
    close: async () => {
      await turns.ended();
      const opened = session;
      session = undefined;
      await opened?.close();
    },
  };
}

interface LocalVendorOptions {
  readonly runtimesDir: string;
  /** For `HF_ENDPOINT` and `HF_TOKEN`. */
  readonly env: VendorTools['env'];
  readonly threads?: number;
}

/** Embeds texts one by one. Can be stopped between two of them; one takes a fraction of a second. */
async function embedAll(
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
      const message = `${vectors.length} of ${texts.length} texts were embedded in ${timeoutMs / 1000} s`;
      throw new VendorFault('timeout', message, {
        hint: 'choose a smaller model, or raise memorySearch.sync.embeddingBatchTimeoutSeconds',
      });
    }
    const embedded = await session.embed(text);
    vectors.push(embedded.vector);
    tokens += embedded.tokens;
  }
  return { vectors, tokens };
}

async function open(
  local: ProviderSettings['local'],
  options: LocalVendorOptions,
  request: VendorRequest,
): Promise<LlamaSession> {
  const { runtime, model } = findParts(local, options, request);
  const { modelCacheDir, contextSize } = local;
  const { env, threads = usableCores() } = options;
  const { signal, pacing, onEvent } = request;
  let modelPath = model;
  if (typeof modelPath !== 'string') {
    const { downloadModel } = await import('./download/download-model.js');
    const download = { modelCacheDir, env, pacing, signal, onEvent };
    modelPath = (await downloadModel(modelPath, download)).path;
  }
  checkModelFile(modelPath);
  const loaded = await loadLlama(runtime, threads);
  signal.throwIfAborted();
  return openSession({ loaded, modelPath, contextSize, threads, signal });
}

/**
 * The runtime, and the path of the model or what to download.
 *
 * @throws VendorFault `setup` if something has to be installed or downloaded first
 */
function findParts(
  local: ProviderSettings['local'],
  { runtimesDir }: LocalVendorOptions,
  { mayDownload }: VendorRequest,
) {
  const runtime = requireRuntime(runtimesDir);
  const file = modelFileState(local);
  if (file.present) return { runtime, model: file.path };
  if (file.remote === undefined) throw modelMissing(file.path);
  if (mayDownload) return { runtime, model: file.remote };
  throw new VendorFault('setup', `the model ${file.remote.name} is not downloaded yet`, {
    hint: `${INSTALL_HINT} or "svc memory index" to download it`,
  });
}

/** Runs work in order of arrival, one at a time. */
function takingTurns() {
  let last: Promise<void> = Promise.resolve();
  return {
    /** @throws what the work throws; the signal's reason if aborted while waiting */
    take: async <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
      const before = last;
      const end = deferred<void>();
      last = before.then(() => end.promise);
      try {
        await unlessAborted(before, signal);
        return await work();
      } finally {
        end.resolve();
      }
    },
    /** Resolves when all work has ended. */
    ended: (): Promise<void> => last,
  };
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
  const text = unlessSystemError(() => readFileSync(`${cgroupDir}/cpu.max`, 'utf8')) ?? '';
  const [, quota, period] = /^(\d+) (\d+)/u.exec(text) ?? [];
  return quota === undefined ? undefined : Number(quota) / Number(period);
}
