import {
  type DiagnosisWork,
  diagnose,
  type VectorsOutcome,
} from '../embeddings/diagnosis/diagnose.js';
import { failure } from '../embeddings/diagnosis/provider-checks.js';
import {
  type EmbeddingAdapter,
  identityKey,
  identityKeyDifferences,
  type ProviderPath,
} from '../embeddings/index.js';
import type { CheckOutcome, Diagnosis } from '../embeddings/output-schemas.js';
import { SvcError, type Warning } from '../errors/index.js';
import type { Reranking, RerankUse } from '../rerank/index.js';
import { closing } from '../support/async.js';
import { formatCountOf } from '../support/format.js';
import type { BackendStatus, VectorsState } from './backends/memory-backend.js';
import { QueryEmbedder } from './embedding/query-embedder.js';
import { differencesFrom, type VectorCoverage, vectorCoverage } from './embedding-status.js';
import type { IndexHome } from './home/index.js';
import type { OpenedMemory } from './open-memory.js';
import { isBeingEmbedded } from './sync/index-lock.js';

/** Tests the whole path of a query: provider, fallback, vectors; or the external program if configured. */
export async function diagnoseMemory(
  memory: OpenedMemory,
  { signal, onEvent }: DiagnosisWork,
): Promise<Diagnosis> {
  const { agent, world, locate, providers, reranking, ext } = memory;
  if (ext !== undefined) return ext.diagnose({ signal, onEvent });
  const primary = providers?.primary;
  const fallback = providers?.fallback;
  return diagnose(
    { settings: agent.memorySearch, world, locate, primary, fallback, scope: 'path' },
    {
      signal,
      onEvent,
      checkVectors:
        providers === undefined
          ? undefined
          : (opened) => checkVectors(memory, providers, opened, signal),
      checkRerank: reranking === undefined ? undefined : () => checkRerank(reranking, signal),
    },
  );
}

/** Reranks two texts. Only a warning if that fails, because searches work without it. */
async function checkRerank(reranking: Reranking, signal: AbortSignal): Promise<CheckOutcome> {
  const reranker = await reranking.load();
  const text = reranker.name;
  try {
    const { ms } = await reranker.probe(signal);
    return { state: 'ok', text, note: usedWords(reranker.usedToday()), latencyMs: ms };
  } catch (error) {
    signal.throwIfAborted();
    return { ...failure(text, error), state: 'warning' };
  }
}

/** What was sent today, without the parts that the vendor does not count. */
function usedWords(used: RerankUse | undefined): string | undefined {
  if (used === undefined) return undefined;
  const { searches, tokens, searchUnits } = used;
  const parts = [
    formatCountOf(searches, 'request'),
    ...(tokens === 0 ? [] : [formatCountOf(tokens, 'token')]),
    ...(searchUnits === 0 ? [] : [formatCountOf(searchUnits, 'search unit')]),
  ];
  return `today ${parts.join(', ')}`;
}

/**
 * Checks whether the vector extension loads, every passage has a vector, the vectors match the current
 * provider, and a query can be compared with them.
 *
 * @param opened undefined when the provider could not be opened; then its settings are compared
 */
async function checkVectors(
  { backend, home, agent }: OpenedMemory,
  providers: ProviderPath,
  opened: Promise<EmbeddingAdapter | undefined>,
  signal: AbortSignal,
): Promise<VectorsOutcome> {
  const status = await backend.status({ extension: true });
  const adapter = await opened;
  const { index, vectors } = status;
  if (index.state === 'missing' || vectors === undefined) return noIndex(index);
  const ofPrimary = differencesFrom(providers.primary.choice, agent.memorySearch);
  const coverage = vectorCoverage(
    status,
    (stored) =>
      adapter === undefined
        ? ofPrimary(stored)
        : identityKeyDifferences(stored, identityKey(adapter.identity)),
    differencesFrom(providers.fallback?.choice, agent.memorySearch),
  );
  // Whether pgvector pays depends on the size of the database, which doctor checks.
  const isShared = home.others !== undefined;
  const wanted = agent.memorySearch.store.vector.enabled && !isShared;
  const extension = isShared ? 'pgvector' : 'sqlite-vec';
  const isEmbedding = isBeingEmbedded(status.indexFile);
  const outcome = outcomeOf(coverage, vectors.extension, { extension, wanted, isEmbedding });
  const embedder = new QueryEmbedder(providers, () => isEmbedding);
  const primary = providers.primary.choice.provider;
  return withQuestion(outcome, home, { embedder, primary }, signal);
}

function noIndex(index: BackendStatus['index']): VectorsOutcome {
  const hint = index.state === 'newer' ? 'run "svc upgrade"' : 'run "svc memory index"';
  if (!('why' in index)) return { state: 'off', text: 'no index yet', hint };
  return { state: 'warning', text: 'unusable index', cause: index.why, hint };
}

function outcomeOf(
  coverage: VectorCoverage,
  extension: VectorsState['extension'],
  {
    extension: name,
    wanted,
    isEmbedding,
  }: { readonly extension: string; readonly wanted: boolean; readonly isEmbedding: boolean },
): VectorsOutcome {
  const { done, all, dimensions } = coverage;
  const found = {
    text: extension?.loaded === true ? `${name} ${extension.version}` : 'compared in process',
    ...(dimensions === null || coverage.state === 'other' ? {} : { dimensions }),
    passages: { done, all },
  };
  const pending = pendingCause(coverage);
  if (pending !== undefined) {
    const until = isEmbedding
      ? 'being embedded now; until that is done'
      : 'run "svc memory index" to embed them; until then';
    const hint = `${until} only keyword search finds them`;
    return { state: 'warning', ...found, code: 'EMBEDDINGS_PENDING', cause: pending, hint };
  }
  if (wanted && extension?.loaded === false) {
    const cause = `the vector extension cannot be loaded: ${extension.why}`;
    const hint =
      'results are the same without it; set memorySearch.store.vector.extensionPath to use another';
    return { state: 'warning', ...found, code: 'VECTOR_EXTENSION_UNAVAILABLE', cause, hint };
  }
  return { state: 'ok', ...found };
}

function pendingCause({
  state,
  done,
  all,
  refused,
  differences,
}: VectorCoverage): string | undefined {
  switch (state) {
    case 'other':
      return `the vectors in the index do not match the settings: ${differences.join(', ')}`;
    case 'empty':
      return all === 0 ? undefined : 'no passages have vectors of the provider yet';
    case 'partial':
      return `${formatCountOf(all - done - refused, 'passage')} without a vector`;
    case 'whole':
      return undefined;
  }
}

const QUESTION = 'ping';

/**
 * Adds what became of a test query, which is embedded with the code that searches use. No vector is not reported: a
 * search embeds what is missing first, and the provider checks report the cause.
 */
async function withQuestion(
  outcome: VectorsOutcome,
  home: IndexHome,
  { embedder, primary }: { readonly embedder: QueryEmbedder; readonly primary: string },
  signal: AbortSignal,
): Promise<VectorsOutcome> {
  const opened = await home.open();
  if (opened.state !== 'ready') return outcome;
  using index = closing(opened.index);
  try {
    if ((await index.vectorIdentities()).length === 0) return outcome;
    const warnings: Warning[] = [];
    const vector = await embedder.embed(QUESTION, index, warnings, signal);
    if (vector === undefined) return outcome;
    // Fails if it cannot be compared with those of the index.
    await index.vectorCandidates(vector.identity, vector.vector, 1);
    const isPrimary = vector.provider === primary;
    const found = { ...outcome, usable: isPrimary ? 'primary' : 'fallback' } as const;
    const warning = warnings.find(({ code }) => code === 'PROVIDER_FALLBACK');
    if (warning === undefined) return found;
    const { code, message: cause, hint } = warning;
    return { ...found, state: 'warning', code, cause, hint };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof SvcError)) throw error;
    return { ...failure(outcome.text, error), usable: null };
  }
}
