import type { ResolvedConfig } from '../config/index.js';
import type { ScopeTestOutput } from './output-schemas.js';
import {
  agentIdOf,
  channelOf,
  chatTypeOf,
  conversationIdOf,
  inferChatType,
  normalizedKeyOf,
  rawKeyOf,
  type SessionFacts,
} from './session.js';

/** `memory.ext.scope` with defaults: which conversations may search memory, with every backend. */
export type Scope = ResolvedConfig['memory']['ext']['scope'];
export type Match = NonNullable<Scope['rules'][number]['match']>;

export interface ScopeDecision {
  readonly allowed: boolean;
  /** Index in `scope.rules`; undefined when the default decided. */
  readonly rule: number | undefined;
  /** One clause for people. */
  readonly why: string;
}

/**
 * Decides whether a conversation may search memory: by the first matching rule, else by the default. All
 * parts of a match must apply; a rule without a match applies to every conversation. A conversation of
 * which nothing is known gets the default.
 */
export function decideScope(scope: Scope, session: SessionFacts): ScopeDecision {
  const rule = scope.rules.findIndex(({ match }) => matches(match, session));
  const found = scope.rules[rule];
  if (found === undefined) {
    const reason = isUnknown(session) ? 'the session is unknown' : 'no rule matched';
    const why = `${reason}, and the default is ${scope.default}`;
    return { allowed: scope.default === 'allow', rule: undefined, why };
  }
  const why = `rule ${rule + 1} matched: ${found.action} ${describeMatch(found.match)}`;
  return { allowed: found.action === 'allow', rule, why };
}

/** Such as `chatType "direct" and channel "web"`. */
function describeMatch(match: Match | undefined): string {
  const parts = Object.entries(match ?? {}).filter(([, value]) => value !== undefined);
  if (parts.length === 0) return 'every session';
  return parts.map(([name, value]) => `${name} ${JSON.stringify(value)}`).join(' and ');
}

function matches(match: Match | undefined, session: SessionFacts): boolean {
  return !isUnknown(session) && (match === undefined || applies(match, session));
}

function isUnknown(session: SessionFacts): boolean {
  return (
    rawKeyOf(session) === undefined &&
    chatTypeOf(session) === undefined &&
    channelOf(session) === undefined
  );
}

function applies(match: Match, session: SessionFacts): boolean {
  const { channel, chatType, keyPrefix, rawKeyPrefix } = match;
  return (
    (channel === undefined || lower(channel) === channelOf(session)) &&
    (chatType === undefined || chatType === chatTypeOf(session)) &&
    (keyPrefix === undefined || beginsWith(comparedKey(keyPrefix, session), keyPrefix)) &&
    (rawKeyPrefix === undefined || beginsWith(rawKeyOf(session), rawKeyPrefix))
  );
}

/** A prefix with an agent refers to the raw key. */
function comparedKey(keyPrefix: string, session: SessionFacts): string | undefined {
  return lower(keyPrefix).startsWith('agent:') ? rawKeyOf(session) : normalizedKeyOf(session);
}

function beginsWith(key: string | undefined, prefix: string): boolean {
  return key?.startsWith(lower(prefix)) ?? false;
}

function lower(text: string): string {
  return text.trim().toLowerCase();
}

/** How a decision was made: the facts from the session key, each rule, and the result. */
export function explainScope(
  scope: Scope,
  citations: ScopeTestOutput['citations']['mode'],
  session: SessionFacts,
): ScopeTestOutput {
  const { allowed, rule, why } = decideScope(scope, session);
  const key = rawKeyOf(session);
  const known = inferChatType(session);
  return {
    allowed,
    rule: rule === undefined ? null : rule + 1,
    why,
    session: {
      key: key ?? null,
      normalizedKey: normalizedKeyOf(session) ?? null,
      agent: key === undefined ? null : (agentIdOf(key) ?? null),
      chatType: known?.type ?? null,
      chatTypeFrom: known?.reason ?? null,
      channel: channelOf(session) ?? null,
      conversation: key === undefined ? null : (conversationIdOf(key) ?? null),
    },
    default: scope.default,
    rules: scope.rules.map(({ action, match }) => {
      return { action, match: match ?? null, matches: matches(match, session) };
    }),
    citations: { mode: citations, cites: citations !== 'off' },
  };
}
