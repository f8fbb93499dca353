import * as Flags from '@oclif/core/flags';
import type { ChatType, SessionFacts } from '../engine/scope/index.js';
import { withEnvironment } from './flags.js';

const CHAT_TYPES = ['direct', 'group', 'channel', 'explicit'] as const satisfies ChatType[];

/** What an agent says of the conversation that asks. */
export const sessionFlags = withEnvironment({
  'session-key': Flags.string({
    summary: 'The conversation that asks, such as agent:main:telegram:direct:42.',
    helpValue: 'KEY',
  }),
  'chat-type': Flags.custom<ChatType>({
    summary: 'What kind of conversation it is, whatever its key tells.',
    options: CHAT_TYPES,
  })(),
  channel: Flags.string({
    summary: 'Where the conversation takes place, such as telegram.',
    helpValue: 'NAME',
  }),
});

/** The values of {@link sessionFlags}. */
export interface SessionFlags {
  readonly 'session-key'?: string | undefined;
  readonly 'chat-type'?: ChatType | undefined;
  readonly channel?: string | undefined;
}

/** What the flags say of the conversation. */
export function sessionFacts(flags: SessionFlags): SessionFacts {
  return {
    sessionKey: flags['session-key'],
    chatType: flags['chat-type'],
    channel: flags.channel,
  };
}
