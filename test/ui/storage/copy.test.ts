import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createCopyNotes } from '../../../src/ui/storage.js';

test('progress is printed once a second, and at the end of each step', () => {
  const lines: string[] = [];
  let nowMs = 0;
  const note = createCopyNotes(
    (line) => lines.push(line),
    () => nowMs,
  );
  for (const step of ['copying', 'checking'] as const) {
    for (const rows of [200, 400, 557]) {
      note({ part: 'flows', step, rows, of: 557 });
      nowMs += 10;
    }
  }
  assert.equal(lines, [
    'flows: copying 200 of 557',
    'flows: copying 557 of 557',
    'flows: checking 200 of 557',
    'flows: checking 557 of 557',
  ]);
});

test.run();
