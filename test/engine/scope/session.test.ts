import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  agentIdOf,
  type ChatType,
  chatTypeOf,
  conversationIdOf,
  type SessionFacts,
} from '../../../src/engine/scope/decide-scope.js';
import { codePoint } from '../../support/code-point.js';

const test = suite('what a session key tells');

type Row = readonly [session: SessionFacts, type: ChatType | undefined];

const CHAT_TYPES: readonly Row[] = [
  [{ sessionKey: 'agent:main:explicit:deploy' }, 'explicit'],
  [{ sessionKey: 'agent:main:explicit:a:group:b' }, 'explicit'],
  [{ sessionKey: 'agent:main:telegram:group:7' }, 'group'],
  [{ sessionKey: 'agent:main:slack:channel:c1:group:7' }, 'group'],
  [{ sessionKey: 'agent:main:slack:channel:c1' }, 'channel'],
  [{ sessionKey: 'agent:main:slack:channel:c1:direct:u1' }, 'channel'],
  [{ sessionKey: 'agent:main:telegram:direct:42' }, 'direct'],
  [{ sessionKey: 'agent:main:signal:dm:42' }, 'direct'],
  [{ sessionKey: ' AGENT:Main:Telegram:GROUP:7 ' }, 'group'],
  [{ sessionKey: 'group:7' }, 'group'],
  [{ sessionKey: 'telegram:direct:42' }, 'direct'],
  // The main session is the person's own, whatever carries it.
  [{ sessionKey: 'agent:main:main', channel: 'telegram' }, 'direct'],
  [{ sessionKey: 'agent:main:main' }, 'direct'],
  [{ sessionKey: 'agent:main:main', channel: ' ' }, 'direct'],
  [{ sessionKey: 'main:main:main', channel: 'telegram' }, undefined],
  [{ sessionKey: 'agent:main:main', chatType: 'group' }, 'group'],
  [{ sessionKey: 'agent:main:main:x', channel: 'telegram' }, undefined],
  [{ sessionKey: 'agent:main:strange', channel: ' WebChat ' }, 'direct'],
  [{ channel: 'webchat' }, 'direct'],
  [{ sessionKey: 'agent:main:telegram:group:7', channel: 'webchat' }, 'group'],
  // An agent's own name says nothing.
  [{ sessionKey: 'agent:group:x:y' }, undefined],
  [{ sessionKey: 'agent:direct:telegram:group:7' }, 'group'],
  // The word has to stand alone, and to name somebody.
  [{ sessionKey: 'agent:main:telegram:groups:7' }, undefined],
  [{ sessionKey: 'agent:main:telegram:direct' }, undefined],
  [{ sessionKey: 'explicit:x' }, undefined],
  [{ sessionKey: 'agent::telegram:x' }, undefined],
  [{ sessionKey: '' }, undefined],
  [{ channel: 'telegram' }, undefined],
  [{}, undefined],
  // What the agent says itself goes first.
  [{ sessionKey: 'agent:main:telegram:group:7', chatType: 'direct' }, 'direct'],
  [{ chatType: 'channel' }, 'channel'],
];

for (const [session, type] of CHAT_TYPES) {
  test(`${JSON.stringify(session)} is ${type ?? 'of no known type'}`, () => {
    assert.is(chatTypeOf(session), type);
  });
}

const CONVERSATIONS: readonly (readonly [key: string, id: string | undefined])[] = [
  ['agent:main:telegram:direct:42', '42'],
  ['agent:main:telegram:group:-100:topic:9', '-100'],
  ['agent:main:slack:channel:C1:thread:17.5', 'c1'],
  ['agent:main:matrix:channel:!room:example.org', '!room:example.org'],
  ['agent:group:telegram:dm:42', '42'],
  ['direct:42', '42'],
  ['agent:main:telegram:direct:group:7', 'group:7'],
  ['agent:main:telegram:direct:thread:7', undefined],
  ['agent:main:telegram:direct', undefined],
  ['agent:main:main', undefined],
  ['', undefined],
];

for (const [key, id] of CONVERSATIONS) {
  test(`the conversation of "${key}" is ${id ?? 'not known'}`, () => {
    assert.is(conversationIdOf(key), id);
  });
}

test('the agent is the second part of a whole key', () => {
  assert.is(agentIdOf('agent:Home:telegram:direct:1'), 'home');
  for (const key of ['agent:home', 'agent:home:', 'agent::main', 'home:main', '']) {
    assert.is(agentIdOf(key), undefined, key);
  }
});

test('no text is too strange to be read', () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint }), (sessionKey) => {
      chatTypeOf({ sessionKey });
      agentIdOf(sessionKey);
      const id = conversationIdOf(sessionKey);
      assert.ok(id === undefined || id !== '');
    }),
  );
});

test.run();
