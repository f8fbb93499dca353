import { normalizedKeyOf, type SessionFacts } from './session.js';

/**
 * Whether snippets end with their source in this conversation. `auto` cites in direct ones: not in
 * those that are said to be a group or a channel, or whose key names one. Without a key, or with one
 * that cannot be read, a conversation counts as direct.
 */
export function citesFor(mode: 'auto' | 'on' | 'off', session: SessionFacts): boolean {
  if (mode !== 'auto') return mode === 'on';
  if (session.chatType !== undefined) return !isShared(session.chatType);
  return !(normalizedKeyOf(session)?.split(':') ?? []).some(isShared);
}

function isShared(word: string): boolean {
  return word === 'group' || word === 'channel';
}
