import { SvcError } from '../../errors/index.js';
import type { EngineContext } from '../../support/context.js';
import type { ForgetPlan, MemoryStore } from '../forget/index.js';
import { forgetPlaces, readForgotten } from '../forgotten/index.js';
import type { OpenedMemory } from '../open-memory.js';
import type { WorkOptions } from '../sync/index.js';
import { archiveOf, type FoundSession, readSession } from './find-sessions.js';

/**
 * Finds what forgetting a conversation removes. One that is in the archive but not searched is forgotten by deleting
 * it there.
 */
export async function planForgetSession(
  session: FoundSession,
  memory: OpenedMemory,
  context: EngineContext,
  work: WorkOptions,
): Promise<ForgetPlan> {
  const forgetting = await memory.backend.forgetting();
  try {
    return await forgetting.plan({ target: session.path }, work);
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'DOCUMENT_NOT_INDEXED') throw error;
  }
  const { path, file } = session;
  const { turns } = await readSession(session, memory, context);
  const parts = turns.map(({ text }) => text);
  const passage = {
    path,
    absolutePath: file.absolutePath,
    source: 'sessions' as const,
    kind: 'transcript' as const,
    startLine: 1,
    endLine: Math.max(1, turns.at(-1)?.line ?? 1),
    text: parts.join('\n'),
    parts,
    fileHash: undefined,
    whole: true,
  };
  return { passages: [passage], alsoIn: [] };
}

/** The archive as a store that forgotten text is removed from; undefined if there is none. */
export function archiveStore(
  memory: Pick<OpenedMemory, 'agent'>,
  context: EngineContext,
): MemoryStore | undefined {
  const archive = archiveOf(memory, context);
  if (!archive.exists) return undefined;
  return {
    follow: async () => {
      const forgotten = await readForgotten(forgetPlaces(context.state, memory.agent.id));
      const changed = archive.erase((text) => forgotten.leftOf(text));
      return { store: 'archive of conversations', changed, clean: true };
    },
  };
}
