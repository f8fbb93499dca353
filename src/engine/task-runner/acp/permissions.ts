import type {
  PermissionOption,
  PermissionOptionKind,
  RequestPermissionOutcome,
  ToolKind,
} from '@agentclientprotocol/sdk';
import type { PermissionPolicy } from '../runner-settings.js';

/** Tools that change nothing and reach nothing outside, by the agent's own word. */
const READING: ReadonlySet<ToolKind> = new Set(['read', 'search', 'think']);

/** Once before always: what is granted or refused here is for this one request. */
const GRANTS: readonly PermissionOptionKind[] = ['allow_once', 'allow_always'];
const REFUSALS: readonly PermissionOptionKind[] = ['reject_once', 'reject_always'];

/**
 * Answers an agent that asks for permission; nobody is there to be asked. Where the agent offers no
 * answer of the kind that is due, the request is called off.
 *
 * @param kind of the tool; undefined when the agent has not told it
 */
export function decidePermission(
  policy: PermissionPolicy,
  kind: ToolKind | undefined,
  options: readonly PermissionOption[],
): RequestPermissionOutcome {
  const isGranted =
    policy === 'allow' || (policy === 'read' && kind !== undefined && READING.has(kind));
  for (const wanted of isGranted ? GRANTS : REFUSALS) {
    const option = options.find((offered) => offered.kind === wanted);
    if (option !== undefined) return { outcome: 'selected', optionId: option.optionId };
  }
  return { outcome: 'cancelled' };
}
