import * as z from 'zod/mini';
import {
  type DocumentOf,
  documentSchema,
  field,
  listField,
  objectField,
  objectOrNullField,
} from '../errors/output-schema.js';

const action = z.enum(['allow', 'deny']);
const chatType = z.enum(['direct', 'group', 'channel', 'explicit']);

/** `svc memory scope test --json`. */
export const scopeTestOutputSchema = documentSchema({
  allowed: field.flag('Whether the conversation may search memory.'),
  rule: field(
    z.nullable(z.int().check(z.minimum(1))),
    'Which of the `rules` decided, counted from 1; `null` for the default.',
  ),
  why: field.text('For people.'),
  session: objectField('What is known of the conversation; `null` for unknown facts.', {
    key: field.textOrNull('The session key, trimmed and in lower case.'),
    normalizedKey: field.textOrNull('The key without `agent:<id>:`.'),
    agent: field.textOrNull('The agent in the key.'),
    chatType: field(z.nullable(chatType), 'What kind of conversation it is.'),
    chatTypeFrom: field(
      z.nullable(z.enum(['given', 'key', 'main', 'webchat'])),
      'How the chat type is known. `given`: `--chat-type`. `key`: a word in the key. `main`: the main session of an agent. `webchat`: the channel.',
    ),
    channel: field.textOrNull('The channel, such as `telegram`.'),
    conversation: field.textOrNull('The partner in the key.'),
  }),
  default: field(action, '`memory.ext.scope.default`.'),
  rules: listField('`memory.ext.scope.rules`, in order.', {
    action: field(action, 'What the rule does.'),
    match: objectOrNullField('Which conversations it applies to; `null` for all.', {
      channel: field.optionalText('Compared with `session.channel`.'),
      chatType: field(z.optional(chatType), 'Compared with `session.chatType`.'),
      keyPrefix: field.optionalText(
        'Compared with the start of `session.normalizedKey`, or of `session.key` when it starts with `agent:`.',
      ),
      rawKeyPrefix: field.optionalText('Compared with the start of `session.key`.'),
    }),
    matches: field.flag('Whether it matches. Only the first matching rule counts.'),
  }),
  citations: objectField('Whether snippets end with their source.', {
    mode: field(z.enum(['auto', 'on', 'off']), '`memory.citations`.'),
    cites: field.flag('False only for `off`.'),
  }),
});

export type ScopeTestOutput = DocumentOf<typeof scopeTestOutputSchema>;
