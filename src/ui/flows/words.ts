import type { FlowStatus, TaskStatus } from '../../engine/flows/index.js';
import type { Paint, Style } from '../style.js';

/** How much of an id is enough to tell one from another, as a rule. */
export const ID_CHARS = 8;

/** The colour of a state; the word says it too. */
export function statusPaint(status: FlowStatus | TaskStatus, style: Style): Paint {
  switch (status) {
    case 'running':
      return style.cyan;
    case 'succeeded':
      return style.green;
    case 'failed':
    case 'timed_out':
    case 'lost':
      return style.red;
    case 'blocked':
    case 'waiting':
      return style.yellow;
    case 'cancelled':
      return style.dim;
    case 'queued':
      return (text) => text;
  }
}

/** The first line of a text that people wrote. */
export function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0] ?? '';
}
