import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { renderWriteUndo } from '../../../src/ui/memory/notes.js';

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

test.run();
