import { type Diagnosis, type DiagnosisEvent, diagnose } from '../../embeddings/diagnosis/index.js';
import type { OpenedMemory } from '../open-memory.js';
import { checkVectors } from './check-vectors.js';

/** How a diagnosis is watched and ended. */
export interface DiagnosisWork {
  readonly signal: AbortSignal;
  readonly onEvent: (event: DiagnosisEvent) => void;
}

/**
 * Looks at the whole way that a question of this memory goes: provider, fallback, vectors; or the external
 * program, where that is configured.
 *
 * @throws the signal's reason
 */
export async function diagnoseMemory(
  memory: OpenedMemory,
  { signal, onEvent }: DiagnosisWork,
): Promise<Diagnosis> {
  const { agent, world, locate, providers, ext } = memory;
  if (ext !== undefined) return ext.diagnose({ signal, onEvent });
  const primary = providers?.primary;
  const fallback = providers?.fallback;
  return diagnose(
    { settings: agent.memorySearch, world, locate, primary, fallback, scope: 'path' },
    {
      signal,
      onEvent,
      checkVectors:
        primary === undefined ? undefined : (opened) => checkVectors(memory, primary, opened),
    },
  );
}
