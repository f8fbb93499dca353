import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { injectedBlock } from '../../../src/engine/active-memory/block.js';
import {
  HOOK_AGENTS,
  hookAnswer,
  readConversationTail,
  readHookCall,
  sessionKeyOf,
} from '../../../src/engine/active-memory/turn.js';
import { tempFolder } from '../../support/temp-folder.js';

const test = suite('hooks of coding agents');

const CLAUDE = {
  session_id: 's-1',
  transcript_path: '/t.jsonl',
  cwd: '/work',
  permission_mode: 'default',
  hook_event_name: 'UserPromptSubmit',
  prompt: 'hello',
};
const CODEX = { ...CLAUDE, turn_id: 't', model: 'gpt', transcript_path: null };
const COPILOT = {
  hook_event_name: 'UserPromptSubmit',
  session_id: 's-1',
  timestamp: '2026-03-01T00:00:00.000Z',
  cwd: '/work',
  prompt: 'hello',
};
const QWEN = { ...CLAUDE, prompt_id: 's-1########0', submitted_prompt: 'hello' };
const GEMINI = { ...CLAUDE, hook_event_name: 'BeforeAgent', timestamp: '2026-03-01T00:00:00Z' };

test('each agent’s input is read as it documents it', () => {
  const call = { prompt: 'hello', sessionId: 's-1', trigger: 'user' };
  assert.equal(readHookCall('claude-code', JSON.stringify(CLAUDE)), {
    ...call,
    transcriptFile: '/t.jsonl',
  });
  assert.equal(readHookCall('codex', JSON.stringify(CODEX)), {
    ...call,
    transcriptFile: undefined,
  });
  assert.equal(readHookCall('copilot-cli', JSON.stringify(COPILOT)), {
    ...call,
    transcriptFile: undefined,
  });
  assert.equal(readHookCall('gemini-cli', JSON.stringify(GEMINI)), {
    ...call,
    transcriptFile: '/t.jsonl',
  });
  assert.equal(readHookCall('qwen-code', JSON.stringify(QWEN)), {
    ...call,
    transcriptFile: '/t.jsonl',
  });
  // It runs the hook again after each call of a tool.
  assert.is(readHookCall('qwen-code', JSON.stringify({ ...QWEN, prompt: '' })), undefined);
});

test('other spellings of field names are accepted, and missing fields do no harm', () => {
  const vscode = { sessionId: 'v', hookEventName: 'UserPromptSubmit', prompt: 'hi', cwd: '/' };
  assert.is(readHookCall('claude-code', JSON.stringify(vscode))?.sessionId, 'v');
  assert.is(readHookCall('claude-code', '{"prompt":"hi"}')?.sessionId, undefined);
});

test('a prompt for a sub-agent does not count as a person’s', () => {
  const sub = JSON.stringify({ ...CODEX, agent_id: 'a', agent_type: 'explore' });
  assert.is(readHookCall('codex', sub)?.trigger, 'subagent');
  // `claude --agent reviewer`
  const main = JSON.stringify({ ...CLAUDE, agent_type: 'reviewer' });
  assert.is(readHookCall('claude-code', main)?.trigger, 'user');
});

test('a notice of a task or from another session does not count as a person’s', () => {
  const triggerOf = (prompt: string) =>
    readHookCall('claude-code', JSON.stringify({ ...CLAUDE, prompt }))?.trigger;
  const notices = [
    '<task-notification>\n<task-id>b5jtbmqnp</task-id>\n<summary>CI is green</summary>\n</task-notification>',
    '<cross-session-message from="b">hi</cross-session-message>',
    '[SYSTEM NOTIFICATION - NOT USER INPUT]\nThis is an automated event.',
  ];
  for (const notice of notices) assert.is(triggerOf(notice), 'subagent', notice);
  assert.is(triggerOf('what is <task-notification>?'), 'user');
});

test('another event, a missing prompt or invalid JSON is ignored', () => {
  const texts = [
    JSON.stringify({ ...CLAUDE, hook_event_name: 'SessionStart' }),
    JSON.stringify({ ...CLAUDE, prompt: undefined }),
    JSON.stringify({ ...CLAUDE, prompt: 7 }),
    JSON.stringify({ ...CLAUDE, prompt: ' ' }),
    JSON.stringify([CLAUDE]),
    '',
    'null',
    '{',
    '\0\u001B[2J',
  ];
  for (const text of texts) assert.is(readHookCall('claude-code', text), undefined, text);
  assert.is(readHookCall('gemini-cli', JSON.stringify(CLAUDE)), undefined);
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      for (const agent of HOOK_AGENTS) readHookCall(agent, text);
    }),
  );
});

test('an answer is one line of JSON with only fields that the agents know', () => {
  for (const agent of HOOK_AGENTS) {
    const text = hookAnswer(agent, injectedBlock('- a "quoted"\n- note'));
    assert.match(text, /^\{.*\}\n$/);
    assert.is(text.split('\n').length, 2);
    const answer = JSON.parse(text);
    if (agent === 'copilot-cli') {
      assert.equal(Object.keys(answer), ['additionalContext']);
      continue;
    }
    const { hookSpecificOutput: output, ...rest } = answer;
    assert.equal(rest, {});
    assert.equal(Object.keys(output), ['hookEventName', 'additionalContext']);
    assert.is(output.hookEventName, agent === 'gemini-cli' ? 'BeforeAgent' : 'UserPromptSubmit');
  }
});

test('the longest block fits the limit of every agent', () => {
  assert.ok(injectedBlock('"'.repeat(1000)).length < 10_000);
});

test('an id of an agent becomes a session key, unless it could pose as another', () => {
  assert.is(sessionKeyOf('main', 'codex', ' 0a-1.b '), 'agent:main:codex:direct:0a-1.b');
  for (const id of ['', ' ', 'a:group:b', 'a b', 'a\n', 'x'.repeat(129), '../x/y']) {
    const key = sessionKeyOf('main', 'codex', id);
    assert.ok(key === undefined || /^agent:main:codex:direct:[\w.-]+$/.test(key), id);
  }
});

const folder = tempFolder();

function tailOf(lines: readonly unknown[], message = ''): string {
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  return shown(folder.write('t.jsonl', text.join('\n')), message);
}

function shown(file: string, message = ''): string {
  return readConversationTail(file, message)
    .map(({ role, text }) => `${role}: ${text}`)
    .join(' | ');
}

test('transcripts of Claude Code: prompts and answers, without tools, asides and sub-agents', () => {
  const lines = [
    { type: 'summary', summary: 'x' },
    { type: 'user', message: { role: 'user', content: 'question' } },
    { type: 'user', isMeta: true, message: { role: 'user', content: 'meta' } },
    { type: 'user', isSidechain: true, message: { role: 'user', content: 'side' } },
    {
      type: 'assistant',
      message: {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm' },
          { type: 'text', text: 'answer' },
          { type: 'tool_use', name: 'Bash', input: {} },
        ],
      },
    },
    { type: 'user', message: { role: 'user', content: [{ type: 'tool_result', content: 'out' }] } },
  ];
  assert.is(tailOf(lines), 'user: question | assistant: answer');
});

test('traces of commands and summaries in a Claude Code conversation are not turns', () => {
  const user = (content: string, more: object = {}) => {
    return { type: 'user', message: { role: 'user', content }, ...more };
  };
  const lines = [
    user('does the staging backup run'),
    user('This session is being continued.', { isCompactSummary: true }),
    user('<command-name>/compact</command-name>'),
    user('<local-command-stdout>Compacted (ctrl+o to see full summary)</local-command-stdout>'),
    user('[Request interrupted by user]'),
  ];
  assert.is(tailOf(lines), 'user: does the staging backup run');
});

test('transcripts of Codex, svc and Gemini CLI', () => {
  const part = (type: string, text: string) => [{ type, text }];
  const codex = [
    { type: 'session_meta', payload: { id: 'x' } },
    { type: 'event_msg', payload: { type: 'user_message', message: 'q' } },
    {
      type: 'response_item',
      payload: { type: 'message', role: 'user', content: part('input_text', 'q') },
    },
    {
      type: 'response_item',
      payload: { type: 'message', role: 'assistant', content: part('output_text', 'a') },
    },
    { type: 'response_item', payload: { type: 'function_call', name: 'shell' } },
  ];
  assert.is(tailOf(codex), 'user: q | assistant: a');
  assert.is(
    tailOf([{ type: 'message', message: { role: 'user', content: 'mine', timestamp: 1 } }]),
    'user: mine',
  );
  const gemini = {
    sessionId: 'x',
    messages: [
      { id: '1', type: 'user', content: 'q' },
      { id: '2', type: 'gemini', content: 'a', thoughts: [] },
    ],
  };
  assert.is(
    shown(folder.write('g.json', JSON.stringify(gemini, null, 2))),
    'user: q | assistant: a',
  );
});

test('the current prompt is not an earlier turn', () => {
  const line = (content: string) => ({ message: { role: 'user', content } });
  assert.is(tailOf([line('one'), line('two')], ' two\n'), 'user: one');
});

test('broken lines, and the first of a truncated file, are skipped', () => {
  const turn = { message: { role: 'user', content: 'good' } };
  assert.is(tailOf(['{"cut', turn, 'null', '7', '', '{"message":{"role":"user"}']), 'user: good');
  const long = folder.write('long.jsonl', `${`${JSON.stringify(turn)}\n`.repeat(20_000)}`);
  assert.ok(readConversationTail(long, '').length > 1000);
  assert.ok(readConversationTail(long, '').length < 20_000);
});

test('anything but a transcript yields no turns, without waiting', () => {
  assert.is(shown(folder.at('missing')), '');
  assert.is(shown(folder.path), '');
  assert.is(shown(folder.write('binary', Buffer.from([0, 255, 10, 13]))), '');
  const pipe = folder.at('pipe');
  execFileSync('mkfifo', [pipe]);
  assert.is(shown(pipe), '');
});

test.run();
