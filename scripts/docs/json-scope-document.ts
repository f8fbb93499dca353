import { scopeTestOutputSchema } from '../../src/engine/scope/output-schemas.js';
import { type JsonDocument, WARNINGS } from './json-document.js';

/** The document of `svc memory scope test`. */
export const SCOPE_DOCUMENT: JsonDocument = {
  title: 'svc memory scope test',
  introduction:
    'Whether a conversation may search memory, and why; see [scope.md](scope.md). Exits with 1 when `allowed` is false.',
  schema: scopeTestOutputSchema,
  meanings: {
    allowed: 'Whether it may.',
    rule: 'Which of the `rules` decided, counted from 1; `null`: the default did.',
    why: 'For people.',
    session: 'What is known of the conversation; `null` for what is not.',
    'session.key': 'The session key as it is compared: trimmed, in small letters.',
    'session.normalizedKey': 'The key without `agent:<id>:`.',
    'session.agent': 'The agent that the key names.',
    'session.chatType': 'What kind of conversation it is.',
    'session.chatTypeFrom':
      'What told the chat type. `given`: `--chat-type`. `key`: a word in the key. `main`: the main conversation of an agent, on a channel. `webchat`: what carries it.',
    'session.channel': 'Where it takes place.',
    'session.conversation': 'Whom or what the conversation is with, as the key has it.',
    default: '`memory.ext.scope.default`.',
    rules: '`memory.ext.scope.rules`, in order.',
    'rules[].action': 'What the rule does.',
    'rules[].match': 'Which conversations it is for; `null`: every one.',
    'rules[].match.channel': 'Compared to `session.channel`.',
    'rules[].match.chatType': 'Compared to `session.chatType`.',
    'rules[].match.keyPrefix':
      'Compared to the beginning of `session.normalizedKey`; of `session.key` when it begins with `agent:`.',
    'rules[].match.rawKeyPrefix': 'Compared to the beginning of `session.key`.',
    'rules[].matches': 'Whether the whole match holds. Only the first rule that matches counts.',
    citations: 'Whether snippets end with their source in this conversation.',
    'citations.mode': '`memory.citations`.',
    'citations.cites': 'Whether they do.',
    ...WARNINGS,
  },
  example: {
    allowed: true,
    rule: 1,
    why: 'rule 1 matched: allow chatType "direct"',
    session: {
      key: 'agent:main:telegram:direct:42',
      normalizedKey: 'telegram:direct:42',
      agent: 'main',
      chatType: 'direct',
      chatTypeFrom: 'key',
      channel: 'telegram',
      conversation: '42',
    },
    default: 'deny',
    rules: [
      { action: 'allow', match: { chatType: 'direct' }, matches: true },
      { action: 'allow', match: { chatType: 'channel' }, matches: false },
    ],
    citations: { mode: 'auto', cites: true },
    warnings: [],
  },
};
