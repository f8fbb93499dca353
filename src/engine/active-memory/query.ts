import { speaker } from '../support/format.js';
import { firstChars, lastChars, oneLine } from '../support/text.js';
import { clipWords, ownWordsOf, withoutRecalls } from './block.js';
import type { ActiveMemorySettings } from './gates.js';
import type { ConversationTurn, RecallTurn } from './turn.js';

type QuerySettings = Pick<
  ActiveMemorySettings['config'],
  | 'queryMode'
  | 'recentAssistantChars'
  | 'recentAssistantTurns'
  | 'recentUserChars'
  | 'recentUserTurns'
>;

/** Limits of the query, in UTF-16 units (facts §1.3). */
const MAX_QUERY = 480;
const SHORT_MESSAGE = 12;
const MAX_PREFIX = 120;
/** Only this much of a message is read. */
const MAX_READ = 64 * 1024;
/** Only the end of a longer conversation is sent. */
const MAX_CONVERSATION = 32_000;

/**
 * The search query: the person's message, preceded by their previous one if it is too short to mean anything
 * ("and then?"). Empty if the message has no words, or only agrees or says thanks.
 */
export function searchQueryOf({ message, earlier }: RecallTurn): string {
  const own = plainWords(readable(message));
  if (isAnswerOnly(own)) return '';
  if (own === '' || own.length >= SHORT_MESSAGE) return bothEnds(own, MAX_QUERY);
  const before = earlier().findLast(({ role }) => role === 'user');
  const prefix =
    before === undefined ? '' : clipWords(plainWords(readable(before.text)), MAX_PREFIX);
  return `${prefix} ${own}`.trim();
}

/** Messages made only of these words ask nothing. */
const ANSWER_WORDS = new Set(
  `a again ahead all and as at go be can carry continue cool correct do done exactly fine for go good
  great hello hey hi is it just keep lgtm looks me my nice no nope now of ok okay on one perfect please
  proceed right so sounds stop sure thank thanks that the then this to try very wait well yeah yep yes
  you`.split(/\s+/u),
);

function isAnswerOnly(text: string): boolean {
  const words = text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? [];
  // Such as a thumbs-up; a question mark alone asks the previous message again.
  if (words.length === 0) return !/[?؟？]/u.test(text);
  return words.every((word) => ANSWER_WORDS.has(word)) && words.some((word) => !ASKING.has(word));
}

/** These alone refer to the previous message, so they do ask something. */
const ASKING = new Set(['and', 'so', 'then']);

/** Keeps both ends of a long message, such as a pasted file. */
function readable(text: string): string {
  if (text.length <= MAX_READ) return text;
  return `${firstChars(text, MAX_READ / 2)}\n${lastChars(text, MAX_READ / 2)}`;
}

/** Removes characters that search would treat as operators. */
function plainWords(text: string): string {
  return oneLine(
    ownWordsOf(text)
      .replaceAll(/["*\0]/gu, ' ')
      .replaceAll(/(?<=^|\s)-+/gu, ' '),
  );
}

/** A long message asks its question at the start or at the end. */
function bothEnds(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const half = Math.floor((maxChars - 1) / 2);
  const head = firstChars(text, half).replace(/(?<!\s)\s+\S*$/u, '');
  const tail = lastChars(text, half).replace(/^\S*\s+/u, '');
  return `${head} ${tail}`;
}

/** The conversation as sent to a model, by `queryMode`. */
export function conversationText(turn: RecallTurn, settings: QuerySettings): string {
  const message = firstChars(withoutRecalls(readable(turn.message)), MAX_CONVERSATION);
  switch (settings.queryMode) {
    case 'message':
      return message;
    case 'recent': {
      const lines = recentTurns(turn.earlier(), settings).map(rolePrefixed);
      if (lines.length === 0) return message;
      return `Conversation just before:\n${lines.join('\n')}\n\nLatest message:\n${message}`;
    }
    case 'full': {
      const lines = [
        ...turn.earlier().map(withoutEarlierRecalls),
        { role: 'user' as const, text: message },
      ];
      const text = lastChars(lines.map(rolePrefixed).join('\n'), MAX_CONVERSATION);
      return `Whole conversation:\n${text}`;
    }
  }
}

/** The last turns of each side, within the configured limits, in order. */
function recentTurns(
  earlier: readonly ConversationTurn[],
  settings: QuerySettings,
): readonly ConversationTurn[] {
  const left = { user: settings.recentUserTurns, assistant: settings.recentAssistantTurns };
  const chars = { user: settings.recentUserChars, assistant: settings.recentAssistantChars };
  const chosen: ConversationTurn[] = [];
  for (const turn of earlier.toReversed()) {
    if (left.user + left.assistant === 0) break;
    if (left[turn.role] === 0) continue;
    const { role, text } = withoutEarlierRecalls(turn);
    if (text === '') continue;
    left[role] -= 1;
    chosen.unshift({ role, text: clipWords(oneLine(text), chars[role]) });
  }
  return chosen;
}

function withoutEarlierRecalls({ role, text }: ConversationTurn): ConversationTurn {
  return { role, text: withoutRecalls(text) };
}

function rolePrefixed({ role, text }: ConversationTurn): string {
  return `${speaker(role)}: ${text}`;
}
