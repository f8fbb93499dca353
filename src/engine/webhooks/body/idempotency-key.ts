import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FlowAction, Idempotency } from '../../flows/index.js';

/** The header by which a client says that two requests are one. */
export const IDEMPOTENCY_HEADER = 'idempotency-key';

/** Signs that can be seen; as long as any usual key. */
const KEY = /^[\x21-\x7e]{1,255}$/u;

/** Actions that would be done twice; the others carry a revision, or change nothing when repeated. */
const KEYED_ACTIONS: ReadonlySet<FlowAction['action']> = new Set(['create_flow', 'run_task']);

/**
 * What a request is known again by; `invalid` for a key that is none, undefined where none is given or
 * needed. The action is hashed as it was understood: white space and the order of its fields make no
 * difference.
 */
export function idempotencyOf(
  headers: IncomingHttpHeaders,
  action: FlowAction,
): Idempotency | 'invalid' | undefined {
  const key = headers[IDEMPOTENCY_HEADER];
  if (key === undefined || !KEYED_ACTIONS.has(action.action)) return undefined;
  if (typeof key !== 'string' || !KEY.test(key)) return 'invalid';
  return { key, bodyHash: hash('sha256', JSON.stringify(action), 'hex') };
}
