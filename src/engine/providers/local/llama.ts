import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { messageOf } from '../../errors/index.js';
import { withinTime } from '../../support/async.js';
import { LONGEST_TIMER_MS } from '../../support/time.js';
import { VendorFault } from '../vendor-fault.js';
import { notAModel } from './model.js';
import { type InstalledRuntime, RUNTIME_PACKAGE, runtimeState } from './runtime/store.js';

/*
 * The parts of node-llama-cpp in use (its guide, "Using Embedding"). It is not a dependency, so its
 * types are not available.
 */

type Token = number;

/** Calls are queued; vectors are not normalized. */
interface LlamaEmbeddingContext {
  getEmbeddingFor(input: readonly Token[]): Promise<{ readonly vector: readonly number[] }>;
}

/** Scores are between 0 and 1; calls are queued. */
export interface LlamaRankingContext {
  rank(
    query: string,
    document: string,
    options: { readonly onOverflow: 'maxChunk' },
  ): Promise<number>;
}

interface ContextOptions {
  readonly contextSize: number;
  readonly threads: number;
  readonly createSignal: AbortSignal;
}

export interface LlamaModel {
  readonly trainContextSize: number;
  readonly fileInsights: { readonly supportsRanking: boolean };
  tokenize(text: string): Token[];
  dispose(): Promise<void>;
  createEmbeddingContext(options: ContextOptions): Promise<LlamaEmbeddingContext>;
  /** Only if the model supports it. */
  createRankingContext(options: ContextOptions): Promise<LlamaRankingContext>;
}

interface Llama {
  /** Useful cores; fewer than all if two share one unit. */
  readonly cpuMathCores: number;
  loadModel(options: {
    readonly modelPath: string;
    readonly loadSignal: AbortSignal;
  }): Promise<LlamaModel>;
}

/** The native part and its log. */
export interface LoadedLlama {
  readonly llama: Llama;
  /**
   * Why a model did not load, in the words of llama.cpp, which say more than the error. Clears the
   * log.
   */
  readonly takeComplaint: () => string | undefined;
}

interface LlamaModule {
  getLlama(options: {
    readonly gpu: 'auto' | false;
    readonly build: 'never';
    readonly skipDownload: true;
    readonly progressLogs: false;
    readonly logLevel: 'error';
    readonly logger: (level: string, message: string) => void;
    readonly maxThreads: number;
  }): Promise<Llama>;
}

/** Hint for a missing or broken runtime. */
export const INSTALL_HINT = 'run "svc provider install local"';

/** The installed runtime. @param dir see runtimesDir @throws VendorFault */
export function requireRuntime(dir: string): InstalledRuntime {
  const state = runtimeState(dir);
  if (state.state === 'ready') return state.runtime;
  throw new VendorFault('setup', state.why, { hint: INSTALL_HINT });
}

/** By the library's file: what is native exists once in a process, as its log and its threads do. */
const loadedFrom = new Map<string, Promise<LoadedLlama>>();

/**
 * Loads the installed runtime, once in a process, and captures its log. It stays loaded: the library
 * never finishes disposing of it if a model failed to load and was collected since.
 *
 * @param threads maximum, from the first call; more threads than cores make calls a hundred times
 * slower
 * @throws VendorFault
 */
export async function loadLlama(runtime: InstalledRuntime, threads: number): Promise<LoadedLlama> {
  const entry = join(runtime.folder, 'node_modules', RUNTIME_PACKAGE, 'dist', 'index.js');
  const loading = loadedFrom.get(entry) ?? load(entry, runtime, threads);
  loadedFrom.set(entry, loading);
  try {
    return await loading;
  } catch (error) {
    loadedFrom.delete(entry);
    throw new VendorFault('setup', `cannot load ${RUNTIME_PACKAGE}: ${messageOf(error)}`, {
      hint: `${INSTALL_HINT} --force`,
      cause: error,
    });
  }
}

async function load(
  entry: string,
  runtime: InstalledRuntime,
  threads: number,
): Promise<LoadedLlama> {
  const module: unknown = await import(pathToFileURL(entry).href);
  if (!isLlamaModule(module)) throw new Error(`${entry} has no getLlama`);
  const logged: string[] = [];
  const llama = await keepingAlive(
    module.getLlama({
      gpu: runtime.gpu || runtime.platform === 'darwin-arm64' ? 'auto' : false,
      build: 'never',
      skipDownload: true,
      progressLogs: false,
      logLevel: 'error',
      logger: (_level, message) => {
        if (logged.length < MAX_LOGGED) logged.push(message.replaceAll(/\s+/gu, ' ').trim());
      },
      maxThreads: threads,
    }),
  );
  return { llama, takeComplaint: () => complaintIn(logged.splice(0)) };
}

/** More than one failure logs. */
const MAX_LOGGED = 20;

function complaintIn(logged: readonly string[]): string | undefined {
  const reasons = logged.map((line) => /error loading model: (.*)/u.exec(line)?.[1]);
  return reasons.find((line) => line !== undefined) ?? logged[0];
}

function isLlamaModule(module: unknown): module is LlamaModule {
  if (typeof module !== 'object' || module === null) return false;
  return 'getLlama' in module && typeof module.getLlama === 'function';
}

/** The library adds a token at each end and needs one free. */
const RESERVED_TOKENS = 3;

/** A text that every working model embeds. */
const CONTROL_TEXT = 'word';

/** A model in memory, with one context. */
export interface LlamaSession {
  /**
   * Embeds a text; if it exceeds the context, returns the mean of its pieces.
   *
   * @throws VendorFault `input` if the model gives no vector for this text, `answer` if it gives
   * none for any
   */
  embed(text: string): Promise<{ readonly vector: Float32Array; readonly tokens: number }>;
  /** Frees the model. */
  close(): Promise<void>;
}

/**
 * @param options `contextSize`: less if the model was trained with less
 * @throws VendorFault, or the signal's reason
 */
export async function openSession(options: {
  readonly loaded: LoadedLlama;
  readonly modelPath: string;
  readonly contextSize: number;
  readonly threads: number;
  readonly signal: AbortSignal;
}): Promise<LlamaSession> {
  const { loaded, modelPath, threads, signal } = options;
  const model = await loadModel(loaded, modelPath, signal);
  const contextSize = Math.min(options.contextSize, model.trainContextSize);
  const creating = model.createEmbeddingContext({
    contextSize,
    threads: Math.min(threads, loaded.llama.cpuMathCores),
    createSignal: signal,
  });
  const context = await keepingAlive(creating).catch(async (error: unknown) => {
    await freeModel(model);
    signal.throwIfAborted();
    throw new VendorFault('setup', `cannot run the model: ${messageOf(error)}`, {
      hint: 'lower memorySearch.local.contextSize, or choose a smaller model',
      cause: error,
    });
  });
  const maxTokens = contextSize - RESERVED_TOKENS;
  /** Undefined if all values are zero. */
  const meanOf = async (tokens: readonly Token[]): Promise<Float32Array | undefined> => {
    let sum: Float32Array | undefined;
    for (let from = 0; from < tokens.length; from += maxTokens) {
      const piece = tokens.slice(from, from + maxTokens);
      const { vector } = await keepingAlive(context.getEmbeddingFor(piece));
      sum ??= new Float32Array(vector.length);
      for (let i = 0; i < sum.length; i++) {
        sum[i] = (sum[i] ?? 0) + piece.length * (vector[i] ?? 0);
      }
    }
    return sum?.some((value) => value !== 0) === true ? sum : undefined;
  };
  return {
    embed: async (text) => {
      const tokens = model.tokenize(text);
      const vector = await meanOf(tokens);
      if (vector !== undefined) return { vector, tokens: tokens.length };
      if ((await meanOf(model.tokenize(CONTROL_TEXT))) !== undefined) {
        throw new VendorFault('input', 'the model returns no vector for this text');
      }
      throw new VendorFault('answer', 'the model returns empty or zero vectors', {
        hint: 'point memorySearch.local.modelPath at an embedding model: this file lacks a pooling type',
      });
    },
    close: () => freeModel(model),
  };
}

/** @throws VendorFault, or the signal's reason */
export async function loadModel(
  { llama, takeComplaint }: LoadedLlama,
  modelPath: string,
  signal: AbortSignal,
): Promise<LlamaModel> {
  takeComplaint();
  try {
    return await keepingAlive(llama.loadModel({ modelPath, loadSignal: signal }));
  } catch (error) {
    signal.throwIfAborted();
    // llama.cpp logs from another thread, slightly later.
    let complaint = takeComplaint();
    for (let left = 10; left > 0 && complaint === undefined; left--) {
      await sleep(10);
      complaint = takeComplaint();
    }
    throw notAModel(modelPath, complaint ?? messageOf(error));
  }
}

/** A model is freed in milliseconds, unless the library waits for a context that failed and was collected. */
const FREE_MS = 5000;

/** Frees a model and its contexts. */
export async function freeModel(model: LlamaModel): Promise<void> {
  await withinTime(FREE_MS, undefined, () => model.dispose());
}

/**
 * Keeps the process alive: while the library switches threads, Node.js may find nothing to wait for
 * and exit silently.
 */
export async function keepingAlive<T>(work: Promise<T>): Promise<T> {
  const timer = setInterval(() => undefined, LONGEST_TIMER_MS);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}
