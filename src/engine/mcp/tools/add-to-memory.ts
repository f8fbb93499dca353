import { SvcError } from '../../errors/index.js';
import { anySignal } from '../../support/async.js';
import { admission, type McpWorld, type McpWriting } from '../mcp-world.js';
import type { AddAnswer, AddInput } from './schemas.js';

/** A sweep of dreaming can take minutes; an agent does not wait that long. */
const LONGEST_WAIT_MS = 20_000;

/**
 * Adds text to a note for the server's session, and reports it to the audit log.
 *
 * @param signal aborts when the client cancels
 * @throws SvcError as addNote
 */
export async function addToMemory(
  input: AddInput,
  signal: AbortSignal,
  { memory: live, session }: McpWorld,
  { context, onWrite }: McpWriting,
): Promise<AddAnswer> {
  const memory = await live.opened();
  const refusal = admission(memory.agent.scope, session);
  if (refusal !== undefined) {
    return { outcome: 'refused', id: null, disabled: true, warnings: [refusal] };
  }
  const { addNote } = await import('../../notes/index.js');
  const late = AbortSignal.timeout(LONGEST_WAIT_MS);
  const options = { context, signal: anySignal([signal, late]) };
  const added = await addNote(memory, { ...input, origin: 'mcp' }, options).catch((cause) => {
    throw late.aborted ? busy(cause) : cause;
  });
  const { outcome, id, citation, text } = added;
  if (id !== null)
    await onWrite({ write: id, citation, agent: memory.agentId, chars: text.length });
  return { outcome, id, citation, warnings: [] };
}

function busy(cause: unknown): SvcError {
  return new SvcError('NOTE_BUSY', 'another process is writing notes; nothing was added', {
    hint: 'try again in a few minutes',
    cause,
  });
}

/** The text result of `memory_add`. */
export function addText({ outcome, id, citation, warnings }: AddAnswer): string {
  switch (outcome) {
    case 'added':
      return `added to ${citation} as ${id}`;
    case 'known':
      return `${citation} already has it; nothing was added`;
    case 'refused':
      return warnings.map(({ message }) => `warning: ${message}`).join('\n');
  }
}
