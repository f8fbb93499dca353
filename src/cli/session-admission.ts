import type { Warning } from '../engine/errors/index.js';
import type { OpenedMemory } from '../engine/memory/open-memory.js';
import { type SessionFlags, sessionFacts } from './session-flags.js';

/** What a conversation gets of memory. */
export interface Admission {
  /** Why it gets nothing; undefined when it may ask. */
  readonly refusal: Warning | undefined;
  /** Whether results name their source. */
  readonly cites: boolean;
}

/** A person at the command line, who is asked for nothing. */
const PERSON: Admission = { refusal: undefined, cites: true };

/** What the conversation that the flags name gets; everything, when they name none. */
export async function admissionOf(
  { agent }: Pick<OpenedMemory, 'agent'>,
  flags: SessionFlags,
): Promise<Admission> {
  const session = sessionFacts(flags);
  if (Object.values(session).every((fact) => fact === undefined)) return PERSON;
  const { citesFor, decideScope } = await import('../engine/scope/index.js');
  const { allowed, why } = decideScope(agent.scope, session);
  return {
    refusal: allowed
      ? undefined
      : {
          code: 'SCOPE_DENIED',
          message: `memory is closed to this conversation: ${why}`,
          hint: 'svc memory scope test shows the rules of memory.ext.scope',
        },
    cites: citesFor(agent.citations, session),
  };
}
