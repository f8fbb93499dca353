import { injectedBlock } from './block.js';
import type { RecallOutcome } from './outcome.js';
import type { RecallOutput } from './output-schemas.js';

/** `svc memory recall --json`. */
export function recallOutput(outcome: RecallOutcome): RecallOutput {
  const { status, agentId, sessionKey, chatType, gates, question, recalled } = outcome;
  return {
    status,
    agent: agentId,
    sessionKey: sessionKey ?? null,
    chatType: chatType ?? null,
    gates: [
      ...gates.passed.map((passed) => ({ ...passed, open: true })),
      ...(gates.open ? [] : [closedGate(gates)]),
    ],
    closedBy: gates.open ? null : gates.closedBy,
    query: question?.query ?? null,
    queryMode: question?.queryMode ?? null,
    promptStyle: question?.promptStyle ?? null,
    mode: outcome.mode ?? null,
    summary: recalled?.summary ?? null,
    block: recalled === undefined ? null : injectedBlock(recalled.summary),
    sources: recalled?.sources ?? [],
    model: recalled?.model ?? null,
    cached: outcome.cached,
    breaker: outcome.breaker,
    elapsedMs: Math.round(outcome.elapsedMs * 10) / 10,
  };
}

function closedGate(
  gates: Extract<RecallOutcome['gates'], { open: false }>,
): RecallOutput['gates'][number] {
  const { closedBy, why, mend } = gates;
  return { gate: closedBy, open: false, why, ...(mend === undefined ? {} : { mend }) };
}
