import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { messageOf } from '../../../errors/index.js';
import { RUNTIME_PACKAGE } from '../../local-runtime/runtime-package.js';
import type { InstalledRuntime } from '../../local-runtime/runtime-store.js';
import { VendorFault } from '../../vendor-fault.js';

/*
 * What is used of node-llama-cpp (its guide, "Using Embedding"). It is not among the dependencies, so
 * its own types are not there when svc is checked.
 */

/** A number of the model's vocabulary. */
export type Token = number;

/** `LlamaEmbeddingContext`: calls are queued, vectors are not normalised. */
export interface LlamaEmbeddingContext {
  getEmbeddingFor(input: readonly Token[]): Promise<{ readonly vector: readonly number[] }>;
}

/** `LlamaModel`. */
export interface LlamaModel {
  readonly trainContextSize: number;
  tokenize(text: string): Token[];
  dispose(): Promise<void>;
  createEmbeddingContext(options: {
    readonly contextSize: number;
    readonly threads: number;
    readonly createSignal: AbortSignal;
  }): Promise<LlamaEmbeddingContext>;
}

/** `Llama`: the native part. */
export interface Llama {
  /** Cores that are of use for computing; fewer than all where two share one unit. */
  readonly cpuMathCores: number;
  loadModel(options: {
    readonly modelPath: string;
    readonly loadSignal: AbortSignal;
  }): Promise<LlamaModel>;
  /** With all models and contexts. */
  dispose(): Promise<void>;
}

/** The native part with what it has to say. */
export interface LoadedLlama {
  readonly llama: Llama;
  /**
   * Why a model did not load, in the words of llama.cpp, which say more than what is thrown. Once
   * told, it is forgotten.
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

/** Says how to mend a runtime that is missing or broken. */
export const INSTALL_HINT = 'run "svc provider install local"';

/**
 * Loads the runtime from where it was installed. Its messages are kept from stderr.
 *
 * @param threads at most so many; more threads than cores wait for each other, and a call takes a
 *   hundred times as long
 * @throws VendorFault when it does not load
 */
export async function loadLlama(runtime: InstalledRuntime, threads: number): Promise<LoadedLlama> {
  const said: string[] = [];
  try {
    const entry = join(runtime.folder, 'node_modules', RUNTIME_PACKAGE, 'dist', 'index.js');
    const module: unknown = await import(pathToFileURL(entry).href);
    if (!isLlamaModule(module)) throw new Error(`${entry} has no getLlama`);
    const llama = await module.getLlama({
      gpu: runtime.gpu || runtime.platform === 'darwin-arm64' ? 'auto' : false,
      build: 'never',
      skipDownload: true,
      progressLogs: false,
      logLevel: 'error',
      logger: (_level, message) => {
        if (said.length < MAX_SAID) said.push(message.replaceAll(/\s+/gu, ' ').trim());
      },
      maxThreads: threads,
    });
    return { llama, takeComplaint: () => complaintIn(said.splice(0)) };
  } catch (error) {
    throw new VendorFault(
      {
        kind: 'setup',
        message: `${RUNTIME_PACKAGE} does not load: ${messageOf(error)}`,
        hint: `${INSTALL_HINT} --force`,
      },
      { cause: error },
    );
  }
}

/** More messages than one failure has. */
const MAX_SAID = 20;

function complaintIn(said: readonly string[]): string | undefined {
  const named = said.map((line) => /error loading model: (.*)/u.exec(line)?.[1]);
  return named.find((line) => line !== undefined) ?? said[0];
}

function isLlamaModule(module: unknown): module is LlamaModule {
  if (typeof module !== 'object' || module === null) return false;
  return 'getLlama' in module && typeof module.getLlama === 'function';
}
