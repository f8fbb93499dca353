import type { CheckOutcome } from '../../embeddings/diagnosis/index.js';
import { expectedDifferences, expectedIdentity } from '../../embeddings/expected-identity.js';
import {
  type EmbeddingAdapter,
  identityKey,
  identityKeyDifferences,
  type PathProvider,
} from '../../embeddings/index.js';
import type { BackendStatus, VectorsState } from '../backends/memory-backend.js';
import { type VectorCoverage, vectorCoverage } from '../embedding/vector-coverage.js';
import type { OpenedMemory } from '../open-memory.js';

/**
 * Tells three things apart: whether the vector extension loads, whether every passage has a vector,
 * and whether the vectors are those of the provider that answers now.
 *
 * @param opened undefined when the provider could not be opened: then the settings must do
 */
export async function checkVectors(
  { backend, agent }: OpenedMemory,
  { choice }: PathProvider,
  opened: Promise<EmbeddingAdapter | undefined>,
): Promise<CheckOutcome> {
  const status = await backend.status({ extension: true });
  const adapter = await opened;
  const { index, vectors } = status;
  if (index.state === 'missing' || vectors === undefined) return noIndex(index);
  const expected = expectedIdentity(choice, agent.memorySearch);
  const coverage = vectorCoverage(status, (stored) =>
    adapter === undefined
      ? expectedDifferences(stored, expected)
      : identityKeyDifferences(stored, identityKey(adapter.identity)),
  );
  return outcomeOf(coverage, vectors.extension, agent.memorySearch.store.vector.enabled);
}

function noIndex(index: BackendStatus['index']): CheckOutcome {
  const mend = 'svc memory index';
  if (index.state !== 'unusable') return { state: 'off', text: 'no index yet', mend };
  return { state: 'warning', text: 'unusable index', cause: index.why, mend };
}

function outcomeOf(
  coverage: VectorCoverage,
  extension: VectorsState['extension'],
  wanted: boolean,
): CheckOutcome {
  const { done, all, dimensions } = coverage;
  const found = {
    text: extension?.loaded === true ? `sqlite-vec ${extension.version}` : 'compared in process',
    ...(dimensions === null || coverage.state === 'other' ? {} : { dimensions }),
    passages: { done, all },
  };
  const pending = pendingCause(coverage);
  if (pending !== undefined) {
    const mend = 'svc memory index embeds them; until then they are found by their words';
    return { state: 'warning', ...found, code: 'EMBEDDINGS_PENDING', cause: pending, mend };
  }
  if (wanted && extension?.loaded === false) {
    const cause = `the vector extension cannot be loaded: ${extension.why}`;
    const mend =
      'results are the same without it; memorySearch.store.vector.extensionPath names another';
    return { state: 'warning', ...found, code: 'VECTOR_EXTENSION_UNAVAILABLE', cause, mend };
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
      return `the vectors in the index are of another identity: ${differences.join(', ')}`;
    case 'empty':
      return all === 0 ? undefined : 'no passage has a vector yet';
    case 'partial':
      return `${all - done - refused} passages have no vector yet`;
    case 'whole':
      return undefined;
  }
}
