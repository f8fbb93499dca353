import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { renderCapture, renderWrites, renderWriteUndo } from '../../../src/ui/memory/notes.js';
import { PIPED_VIEW } from '../../support/piped-view.js';

const test = suite('output of undo');

test('a missing text may have been edited, or deleted with its file', () => {
  const write = {
    id: 'w1',
    path: 'memory/tea.md',
    text: '- tea at five',
    outcome: 'edited',
  } as const;
  assert.is(
    renderWriteUndo({ agent: 'main', workspace: '/w', writes: [write] }),
    'left w1 in memory/tea.md alone, because it was edited, replaced or deleted since: - tea at five',
  );
});

test('the writes that can be undone are a table of their first lines', () => {
  const write = {
    id: 'w1',
    at: '1970-01-01T00:00:00.000Z',
    origin: 'mcp',
    path: 'memory/tea.md',
    text: '- tea at five\n  with milk',
  } as const;
  assert.is(
    renderWrites(
      { agent: 'main', workspace: '/w', writes: [write] },
      { ...PIPED_VIEW, nowMs: 120_000 },
    ),
    `id  written    by   file           text
w1  2 min ago  mcp  memory/tea.md  - tea at five
`,
  );
});

test('a conversation without anything to keep is reported with its number of turns', () => {
  const session = { agent: 'main', workspace: '/w', reader: 'codex', session: 's1' } as const;
  assert.is(
    renderCapture({ ...session, decisions: [], turns: 1 }),
    'nothing to keep in 1 turn of s1',
  );
});

test.run();
