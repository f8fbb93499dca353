import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createCopyProgress, renderCopy } from '../../../src/ui/storage.js';
import { createStyle } from '../../../src/ui/style.js';

test('progress is printed once a second, and at the end of each step', () => {
  const lines: string[] = [];
  let nowMs = 0;
  const printProgress = createCopyProgress(
    (line) => lines.push(line),
    () => nowMs,
  );
  for (const step of ['copying', 'checking'] as const) {
    for (const rows of [200, 400, 557]) {
      printProgress({ part: 'flows', step, rows, of: 557 });
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

test('a host that has nothing is not said to be copied', () => {
  const copied = { to: 'postgres', address: 'db/svc', parts: [] } as const;
  for (const dryRun of [false, true]) {
    const text = renderCopy({ ...copied, dryRun, verified: !dryRun }, createStyle(false));
    assert.is(text, 'nothing to copy\n');
  }
});

test.run();
