import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ForgetPassage } from '../../../src/engine/memory/forget/index.js';
import { renderForgetPlan, renderForgetUndo } from '../../../src/ui/memory/forget.js';
import { createStyle } from '../../../src/ui/style.js';

const test = suite('preview of forgetting');

function previewOf(text: string): string {
  const passage: ForgetPassage = {
    path: 'memory/a.md',
    absolutePath: '/ws/memory/a.md',
    source: 'memory',
    kind: 'markdown',
    startLine: 1,
    endLine: 1,
    text,
    parts: [text],
    fileHash: undefined,
    whole: false,
  };
  return renderForgetPlan(
    { passages: [passage], alsoIn: [] },
    { style: createStyle(false), files: 'kept' },
  );
}

test('a paragraph is shown whole, and only the beginning of a line of megabytes', () => {
  const paragraph = 'word '.repeat(300).trim();
  assert.match(previewOf(paragraph), `│ ${paragraph}\n`);
  const long = previewOf(`![](data:image/png;base64,${'x'.repeat(5_000_000)})`);
  assert.ok(long.length < 5000);
  assert.match(long, 'x…\n');
});

test('the last line fits a terminal of 80 columns, for one passage as for several', () => {
  const [last = ''] = previewOf('text').trimEnd().split('\n').slice(-1);
  assert.match(last, /^This will be removed from memory/);
  assert.ok(last.length <= 80, last);
});

test('an undo says whether the text is still forgotten', () => {
  const entry = { id: 'f1', at: '', passages: [], documents: [], lines: [], files: [] };
  const undone = { entry, restored: [], kept: [], stillIn: [], staysForgotten: false };
  const [some, all] = [['f2'], ['f2', 'f4']];
  assert.is(renderForgetUndo(undone), 'f1 is no longer forgotten\n');
  assert.is(
    renderForgetUndo({ ...undone, stillIn: some }),
    'f1 is no longer forgotten, except for what is also in f2\n',
  );
  assert.is(
    renderForgetUndo({ ...undone, stillIn: all, staysForgotten: true }),
    'f1 is undone, but its text stays forgotten: it is also in f2, f4\n',
  );
});

test.run();
