import type { FlowSchedule } from '../../../src/engine/flows/index.js';
import { ADA } from '../../support/flows.js';

/** A schedule that is due at one moment, and never again. @param onMake called when its flow is made */
export function dueOnce(dueMs: number, onMake: () => void = () => undefined): FlowSchedule {
  return {
    id: 'nightly',
    rhythm: 'once',
    lastDue: (afterMs, untilMs) => (afterMs < dueMs && dueMs <= untilMs ? dueMs : undefined),
    overlap: 'allow',
    caller: ADA,
    make: () => {
      onMake();
      return { type: 'action', action: { action: 'create_flow', goal: 'once' } };
    },
  };
}
