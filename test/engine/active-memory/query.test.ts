import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  injectedBlock,
  ownWordsOf,
  withoutRecalls,
} from '../../../src/engine/active-memory/block.js';

import { conversationText, searchQueryOf } from '../../../src/engine/active-memory/query.js';
import type { ConversationTurn, RecallTurn } from '../../../src/engine/active-memory/turn.js';
import { resolveConfig } from '../../../src/engine/config/index.js';

const test = suite('the query of a recall');

function turnOf(message: string, earlier: readonly ConversationTurn[] = []): RecallTurn {
  return { message, earlier: () => earlier, session: {}, trigger: 'user' };
}

const { config } = resolveConfig({}).plugins.entries['active-memory'];
const user = (text: string): ConversationTurn => ({ role: 'user', text });
const assistant = (text: string): ConversationTurn => ({ role: 'assistant', text });

test('a message is searched in the person’s own words', () => {
  const message = [
    '[message_id: 77]',
    'Sender (untrusted metadata):',
    '```json',
    '{"name": "fenced"}',
    '```',
    '<system-reminder>reminder</system-reminder>',
    injectedBlock('- recalled before'),
    '<<<EXTERNAL_UNTRUSTED_CONTENT id="1">>>',
    'a mail says hello',
    '<<<END_EXTERNAL_UNTRUSTED_CONTENT id="1">>>',
    'when does the backup run',
    '~~~',
    'fenced too',
    '~~~',
    'on atlas?',
  ].join('\n');
  assert.is(searchQueryOf(turnOf(message)), 'when does the backup run on atlas?');
});

test('an unclosed block is removed to the end of the text', () => {
  assert.is(ownWordsOf('before\n```\ncode'), 'before');
  assert.is(ownWordsOf('before <<<EXTERNAL_UNTRUSTED_X>>> evil'), 'before');
  assert.is(withoutRecalls('before <active_memory_plugin> old'), 'before');
});

test('inline code at the start of a line hides nothing after it', () => {
  assert.is(ownWordsOf('```npm ci``` fails\nwhy?'), '```npm ci``` fails\nwhy?');
});

test('punctuation is not a search operator', () => {
  const query = searchQueryOf(turnOf('he said "never" -- use --force, foo* and -x but well-known'));
  assert.is(query, 'he said never use force, foo and x but well-known');
});

test('a short message is searched together with the one before', () => {
  const earlier = [user('first question'), user('when does the backup run'), assistant('at 3')];
  assert.is(searchQueryOf(turnOf('and then?', earlier)), 'when does the backup run and then?');
  assert.is(searchQueryOf(turnOf('and then?')), 'and then?');
  // With 12 characters, it is long enough.
  assert.is(searchQueryOf(turnOf('who is Linus', earlier)), 'who is Linus');
  assert.match(searchQueryOf(turnOf('who is Anna', earlier)), /^when does the backup run who/);
  const long = searchQueryOf(turnOf('why?', [user('word '.repeat(100))]));
  assert.ok(long.length <= 120 + 1 + 4, String(long.length));
});

test('agreement or thanks cause no search', () => {
  const earlier = [user('when does the backup run')];
  for (const message of [
    'continue',
    'Thanks, looks good!',
    'yes please do that',
    'OK',
    'go on',
    '👍',
  ]) {
    assert.is(searchQueryOf(turnOf(message, earlier)), '', message);
  }
  assert.is(searchQueryOf(turnOf('??', earlier)), 'when does the backup run ??');
  assert.is(searchQueryOf(turnOf('؟', earlier)), 'when does the backup run ؟');
  for (const message of ['continue the backup', 'is it Ada?', 'stop the server']) {
    assert.is.not(searchQueryOf(turnOf(message)), '', message);
  }
});

test('queries are limited, and long messages are searched by both ends', () => {
  const query = searchQueryOf(turnOf(`alpha ${'filler '.repeat(500)}omega?`));
  assert.ok(query.length <= 480);
  assert.match(query, /^alpha /);
  assert.match(query, /omega\?$/);
  // Of a pasted file, only the ends are read; what is between them could take long.
  const pasted = searchQueryOf(turnOf(`alpha ${' '.repeat(200_000)} omega?`));
  assert.is(pasted, 'alpha omega?');
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 2000 }), (message) => {
      const asked = searchQueryOf(turnOf(message, [user(message)]));
      assert.ok(asked.length <= 480);
      assert.not.match(asked, /["*\n]/);
    }),
  );
});

test('memory of other plugins is no part of a query, and words that only look like it are', () => {
  for (const tag of ['recalled-memory', 'svc_memory', 'system-reminder', 'memory']) {
    assert.is(searchQueryOf(turnOf(`boat <${tag}>car</${tag}> colour`)), 'boat colour');
  }
  assert.match(searchQueryOf(turnOf('the <memory-card> element')), /element/u);
});

test('a message without words causes no search', () => {
  for (const message of ['', ' \n ', '```\ncode only\n```', '"""']) {
    assert.is(searchQueryOf(turnOf(message)), '');
  }
});

test('texts full of unclosed openings take linear time', () => {
  const openings = [
    '<<<EXTERNAL_UNTRUSTED_X>>>',
    '<memory>',
    '```\n',
    '<active_memory_plugin>',
    '[message_id: ',
    '<<<',
    '<<<EXTERNAL_UNTRUSTED_',
    '<memory ',
    '<memory></memory ',
    ' (untrusted',
  ];
  for (const opening of openings) {
    const text = opening.repeat(60_000);
    // Quadratic work on it would take minutes.
    assert.type(ownWordsOf(text), 'string');
  }
});

test('the query mode decides what a model is given', () => {
  const earlier = [
    user('u1'),
    assistant('a1'),
    user('u2'),
    assistant(`a2 ${injectedBlock('- echoed note')}`),
    user('u3'),
  ];
  const turn = turnOf('latest', earlier);
  assert.is(conversationText(turn, { ...config, queryMode: 'message' }), 'latest');
  const recent = conversationText(turn, { ...config, queryMode: 'recent' });
  assert.match(recent, /\nUser: u2\nAssistant: a2\nUser: u3\n\n[^\n]+:\nlatest$/);
  assert.not.match(recent, /u1|a1|echoed/);
  const full = conversationText(turn, { ...config, queryMode: 'full' });
  assert.match(full, /User: u1\nAssistant: a1\nUser: u2\nAssistant: a2\nUser: u3\nUser: latest$/);
});

test('recent turns are as many and as long as configured', () => {
  const earlier = [user('x'.repeat(300)), assistant('y'.repeat(300)), user('z')];
  const only = {
    ...config,
    recentUserTurns: 2,
    recentAssistantTurns: 0,
    recentUserChars: 50,
  };
  const text = conversationText(turnOf('latest', earlier), only);
  assert.match(text, /^[^\n]+\nUser: x{49}…\nUser: z\n/);
  assert.not.match(text, /Assistant/);
  const none = { ...only, recentUserTurns: 0 };
  assert.is(conversationText(turnOf('latest', earlier), none), 'latest');
});

test.run();
