import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { renderSession, renderSessions } from '../../../src/ui/memory/sessions.js';
import { createStyle } from '../../../src/ui/style.js';

const test = suite('conversations as text');

test('turns keep their line breaks, and nothing in them moves the cursor', () => {
  const shown = renderSession(
    {
      id: 'abc',
      agent: 'main',
      reader: 'openclaw',
      path: 'sessions/main/abc.jsonl',
      title: 'Roof',
      state: 'live',
      startedAt: null,
      lastAt: '2026-02-03T08:00:00.000Z',
      archivedBytes: 0,
      turns: [
        {
          line: 2,
          role: 'assistant',
          at: '2026-02-03T08:00:30.500Z',
          text: 'Zero.',
        },
        {
          line: 3,
          role: 'user',
          at: null,
          text: 'First line.\r\n\tSecond \u001B[2J line.\n\nLast.',
        },
      ],
    },
    { style: createStyle(false) },
  );
  assert.match(shown, '\n#L2  Assistant  2026-02-03 08:00 UTC\nZero.\n');
  assert.ok(shown.endsWith('#L3  User\nFirst line.\n  Second \\e[2J line.\n\nLast.\n'), shown);
});

test('a list is as wide as the terminal', () => {
  const session = {
    id: '5e55104e00000000',
    reader: 'claude-code',
    path: 'sessions/claude-code/a.jsonl',
    title: 'Remember that the staging password rotates every Monday, before noon',
    state: 'live' as const,
    startedAt: null,
    lastAt: '2026-02-03T08:00:00.000Z',
    archivedBytes: 0,
  };
  const nowMs = Date.parse(session.lastAt);
  const list = renderSessions(
    { agent: 'main', sessions: [session], total: 1 },
    { style: createStyle(false), nowMs, columns: 60, homeDir: '/home/ada', hintFor: String },
    'on',
  );
  const [, row = ''] = list.split('\n');
  assert.is(row, '5e55104e  claude-code  just now  Remember that the staging …');
});

test('an empty list names the settings that it depends on, unless it was filtered', () => {
  const none = { agent: 'main', sessions: [], total: 0 };
  const view = {
    style: createStyle(false),
    nowMs: 0,
    columns: 60,
    homeDir: '/home/ada',
    hintFor: String,
  };
  const readers = /^no conversations\nsessions\.readers .* Without a path,.*all projects.*"path"/su;
  assert.match(renderSessions(none, view, 'on'), readers);
  assert.match(renderSessions(none, view, 'off'), /^no conversations\nThey are off: set/u);
  assert.is(renderSessions(none, view, 'filtered'), 'no conversations\n');
});

test.run();
