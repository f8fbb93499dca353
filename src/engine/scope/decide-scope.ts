import type { ResolvedConfig } from '../config/index.js';
import { channelOf, chatTypeOf, normalizedKeyOf, rawKeyOf, type SessionFacts } from './session.js';

/** `memory.ext.scope`, filled: which conversations may search memory, whoever answers. */
export type Scope = ResolvedConfig['memory']['ext']['scope'];
/** Which conversations a rule is for. */
export type Match = NonNullable<Scope['rules'][number]['match']>;

/** Whether a conversation may search memory, and what decided. */
export interface ScopeDecision {
  readonly allowed: boolean;
  /** Position in `scope.rules`, from 0; undefined when the default decided. */
  readonly rule: number | undefined;
  /** One clause for people. */
  readonly why: string;
}

/**
 * Decides whether a conversation may search memory: the first rule whose match holds, else the
 * default. The parts of a match must all hold; a rule without one is for everybody. A conversation
 * of which nothing is known is left to the default.
 */
export function decideScope(scope: Scope, session: SessionFacts): ScopeDecision {
  const rule = scope.rules.findIndex(({ match }) => matches(match, session));
  const found = scope.rules[rule];
  if (found === undefined) {
    const reason = isUnknown(session) ? 'nothing is known of the session' : 'no rule matched';
    const why = `${reason}, and the default is ${scope.default}`;
    return { allowed: scope.default === 'allow', rule: undefined, why };
  }
  const why = `rule ${rule + 1} matched: ${found.action} ${describeMatch(found.match)}`;
  return { allowed: found.action === 'allow', rule, why };
}

/** A match in words, like `chatType "direct" and channel "web"`. */
function describeMatch(match: Match | undefined): string {
  const parts = Object.entries(match ?? {}).filter(([, wanted]) => wanted !== undefined);
  if (parts.length === 0) return 'every session';
  return parts.map(([name, wanted]) => `${name} ${JSON.stringify(wanted)}`).join(' and ');
}

/** Whether a rule with this match is for a conversation. */
export function matches(match: Match | undefined, session: SessionFacts): boolean {
  return !isUnknown(session) && (match === undefined || holds(match, session));
}

function isUnknown(session: SessionFacts): boolean {
  return (
    rawKeyOf(session) === undefined &&
    chatTypeOf(session) === undefined &&
    channelOf(session) === undefined
  );
}

function holds(match: Match, session: SessionFacts): boolean {
  const { channel, chatType, keyPrefix, rawKeyPrefix } = match;
  return (
    (channel === undefined || lower(channel) === channelOf(session)) &&
    (chatType === undefined || chatType === chatTypeOf(session)) &&
    (keyPrefix === undefined || beginsWith(comparedKey(keyPrefix, session), keyPrefix)) &&
    (rawKeyPrefix === undefined || beginsWith(rawKeyOf(session), rawKeyPrefix))
  );
}

/** A prefix that names the agent can only mean the raw key. */
function comparedKey(keyPrefix: string, session: SessionFacts): string | undefined {
  return lower(keyPrefix).startsWith('agent:') ? rawKeyOf(session) : normalizedKeyOf(session);
}

function beginsWith(key: string | undefined, prefix: string): boolean {
  return key?.startsWith(lower(prefix)) ?? false;
}

function lower(text: string): string {
  return text.trim().toLowerCase();
}
