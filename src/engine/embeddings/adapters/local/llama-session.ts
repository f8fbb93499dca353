import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../../errors/index.js';
import { VendorFault } from '../../vendor-fault.js';
import type { LlamaEmbeddingContext, LlamaModel, LoadedLlama, Token } from './llama.js';
import { notAModel } from './model-file.js';

/** What a session is made of. */
export interface SessionOptions {
  readonly loaded: LoadedLlama;
  readonly modelPath: string;
  /** Tokens; less when the model was trained with less. */
  readonly contextSize: number;
  readonly threads: number;
  readonly signal: AbortSignal;
}

/** The library puts a token before and one behind, and wants one place free. */
const RESERVED_TOKENS = 3;

/** A text that surely has a direction in any working model. */
const CONTROL_TEXT = 'word';

/** One model in memory, with one context. */
export class LlamaSession {
  /** Tokens that one text may have. */
  readonly maxTokens: number;
  private readonly model: LlamaModel;
  private readonly context: LlamaEmbeddingContext;

  private constructor(model: LlamaModel, context: LlamaEmbeddingContext, contextSize: number) {
    this.model = model;
    this.context = context;
    this.maxTokens = contextSize - RESERVED_TOKENS;
  }

  /** Loads a model. @throws VendorFault, or the signal's reason */
  static async open(options: SessionOptions): Promise<LlamaSession> {
    const { loaded, modelPath, threads, signal } = options;
    const model = await load(loaded, modelPath, signal);
    const contextSize = Math.min(options.contextSize, model.trainContextSize);
    try {
      const creating = model.createEmbeddingContext({
        contextSize,
        threads: Math.min(threads, loaded.llama.cpuMathCores),
        createSignal: signal,
      });
      const context = await held(creating);
      return new LlamaSession(model, context, contextSize);
    } catch (error) {
      await model.dispose();
      signal.throwIfAborted();
      throw noContext(error);
    }
  }

  /**
   * The vector of a text; of one that is longer than the context, the mean of its pieces'.
   *
   * @throws VendorFault of kind `input` when the model makes nothing of this text, of kind `answer`
   *   when it makes nothing of any
   */
  async embed(text: string): Promise<{ readonly vector: Float32Array; readonly tokens: number }> {
    const tokens = this.model.tokenize(text);
    const sum = await this.meanOf(tokens);
    if (sum?.some((value) => value !== 0) === true) return { vector: sum, tokens: tokens.length };
    const control = await this.meanOf(this.model.tokenize(CONTROL_TEXT));
    if (control?.some((value) => value !== 0) === true) {
      throw new VendorFault({ kind: 'input', message: 'the model knows nothing in this text' });
    }
    throw new VendorFault({
      kind: 'answer',
      message: 'the model gives vectors that are empty or all zero',
      hint: 'point memorySearch.local.modelPath at an embedding model: this file lacks a pooling type',
    });
  }

  private async meanOf(tokens: readonly Token[]): Promise<Float32Array | undefined> {
    let sum: Float32Array | undefined;
    for (let from = 0; from < tokens.length; from += this.maxTokens) {
      const piece = tokens.slice(from, from + this.maxTokens);
      const { vector } = await held(this.context.getEmbeddingFor(piece));
      sum ??= new Float32Array(vector.length);
      for (let i = 0; i < sum.length; i++) {
        sum[i] = (sum[i] ?? 0) + piece.length * (vector[i] ?? 0);
      }
    }
    return sum;
  }
}

async function load(
  { llama, takeComplaint }: LoadedLlama,
  modelPath: string,
  signal: AbortSignal,
): Promise<LlamaModel> {
  takeComplaint();
  try {
    return await held(llama.loadModel({ modelPath, loadSignal: signal }));
  } catch (error) {
    signal.throwIfAborted();
    // What llama.cpp says of it comes from another thread, a moment later.
    let complaint = takeComplaint();
    for (let left = 10; left > 0 && complaint === undefined; left--) {
      await sleep(10);
      complaint = takeComplaint();
    }
    throw notAModel(modelPath, complaint ?? messageOf(error));
  }
}

/**
 * Keeps the process alive while the library works: between its threads there are moments in which nothing
 * else does, and Node.js would end in the middle, without a word.
 */
async function held<T>(work: Promise<T>): Promise<T> {
  const timer = setInterval(() => undefined, LONGEST_TIMER_MS);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}

const LONGEST_TIMER_MS = 2 ** 31 - 1;

function noContext(error: unknown): VendorFault {
  return new VendorFault(
    {
      kind: 'setup',
      message: `the model cannot be set to work: ${messageOf(error)}`,
      hint: 'lower memorySearch.local.contextSize, or choose a smaller model',
    },
    { cause: error },
  );
}
