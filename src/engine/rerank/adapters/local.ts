import { messageOf } from '../../errors/index.js';
import {
  freeModel,
  keepingAlive,
  type LlamaModel,
  type LlamaRankingContext,
  type LoadedLlama,
  loadLlama,
  loadModel,
  requireRuntime,
} from '../../providers/local/llama.js';
import {
  checkModelFile,
  fileIdentity,
  type MissingModel,
  modelFileState,
} from '../../providers/local/model.js';
import { usableCores } from '../../providers/local/vendor.js';
import type { LocalSettings } from '../../providers/vendor.js';
import { VendorFault } from '../../providers/vendor-fault.js';
import { unlessAborted } from '../../support/async.js';
import { shellWord } from '../../support/text.js';
import type { RankedDocument, Reranker } from '../reranker.js';

/** Models read a few hundred tokens well; longer texts only take time. */
const MAX_DOCUMENT_CHARS = 4000;
/** Query and passage in one input; more memory would rarely be used. */
const MAX_CONTEXT = 4096;

/**
 * Loads a GGUF reranking model into this process.
 *
 * @param settings `modelPath`: a path, or a reference that was downloaded
 * @param runtimes the folder of runtimes
 * @throws VendorFault, or the signal's reason
 */
export async function openLocalReranker(
  settings: LocalSettings & { readonly modelPath: string },
  runtimes: string,
  signal: AbortSignal,
): Promise<Reranker> {
  const runtime = requireRuntime(runtimes);
  const path = await withOwnHint(async () => {
    const file = modelFileState(settings);
    if (!file.present) throw notDownloaded(file, settings.modelPath);
    checkModelFile(file.path);
    return file.path;
  });
  const loaded = await loadLlama(runtime, usableCores());
  signal.throwIfAborted();
  const model = await withOwnHint(() => loadModel(loaded, path, signal));
  try {
    const context = await rankingContext({ model, path, llama: loaded.llama, signal }, settings);
    return rerankerOf(context, fileIdentity(path), () => freeModel(model));
  } catch (error) {
    await freeModel(model);
    throw error;
  }
}

function rerankerOf(
  context: LlamaRankingContext,
  identity: string,
  close: () => Promise<void>,
): Reranker {
  return {
    identity: ['local', identity].join('\n'),
    listwise: false,
    maxDocumentChars: MAX_DOCUMENT_CHARS,
    rank: async ({ query, documents, signal }) => {
      const ranked: RankedDocument[] = [];
      // One by one, since the library does the same, and so it can be stopped between two.
      for (const [index, text] of documents.entries()) {
        signal.throwIfAborted();
        const scoring = keepingAlive(context.rank(query, text, { onOverflow: 'maxChunk' }));
        ranked.push({ index, score: await unlessAborted(scoring, signal) });
      }
      return { ranked, cost: {} };
    },
    close,
  };
}

interface LoadedModel extends Pick<LoadedLlama, 'llama'> {
  readonly model: LlamaModel;
  readonly path: string;
  readonly signal: AbortSignal;
}

async function rankingContext(
  { model, path, llama, signal }: LoadedModel,
  { contextSize }: LocalSettings,
): Promise<LlamaRankingContext> {
  if (!model.fileInsights.supportsRanking) {
    throw setupFault(`${path} is not a reranking model: it has no classifier`);
  }
  try {
    const creating = model.createRankingContext({
      contextSize: Math.min(contextSize, model.trainContextSize, MAX_CONTEXT),
      threads: Math.min(usableCores(), llama.cpuMathCores),
      createSignal: signal,
    });
    return await keepingAlive(creating);
  } catch (error) {
    signal.throwIfAborted();
    throw setupFault(`cannot run the model: ${messageOf(error)}`);
  }
}

function notDownloaded({ path, remote }: MissingModel, model: string) {
  if (remote === undefined) return setupFault(`model file not found: ${path}`);
  return new VendorFault('setup', `the model ${model} is not downloaded yet`, {
    hint: `run "svc provider install local --model ${shellWord(model)}"`,
  });
}

const HINT =
  'set memorySearch.query.rerank.model to a GGUF reranking model, such as one of bge-reranker';

function setupFault(message: string): VendorFault {
  return new VendorFault('setup', message, { hint: HINT });
}

/** The hints of files and models are about embedding. */
async function withOwnHint<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof VendorFault) || error.details.hint?.includes('--model') === true) {
      throw error;
    }
    throw error.with({ hint: HINT });
  }
}
