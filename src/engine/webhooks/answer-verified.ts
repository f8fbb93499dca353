import type { Flows } from '../flows/index.js';
import { actionAnswer, plainAnswer, rejection, type WebhookAnswer } from './answers.js';
import type { Requested } from './map/requested.js';
import type { ServedRoute } from './routes.js';

/** An answer, and the action if the request got that far. */
export interface Answered {
  readonly answer: WebhookAnswer;
  readonly action: string | null;
}

/**
 * Performs what a verified request asks for: the same for a delivery and for its replay.
 *
 * @throws what flows throw when a change could not be stored
 */
export async function answerVerified(
  requested: Requested,
  { id, caller }: Pick<ServedRoute, 'caller' | 'id'>,
  flows: Pick<Flows, 'perform'>,
): Promise<Answered> {
  switch (requested.type) {
    case 'refused':
      return refused(rejection(id, requested.code, { error: requested.error }));
    case 'challenge': {
      const body = { [requested.field]: requested.text };
      return { answer: plainAnswer(200, body), action: 'challenge' };
    }
    case 'ping':
    case 'ignored': {
      const code = requested.type;
      const body = { ok: true, routeId: id, code, result: {} };
      return { answer: plainAnswer(code === 'ping' ? 200 : 202, body), action: code };
    }
    case 'action': {
      const { action, idempotency } = requested;
      const answer = await flows.perform(action, caller, idempotency);
      return { answer: actionAnswer(id, answer), action: action.action };
    }
  }
}

/** Before there was an action. */
export function refused(answer: WebhookAnswer): Answered {
  return { answer, action: null };
}
