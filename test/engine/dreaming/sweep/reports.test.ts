import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { claimKeyOf } from '../../../../src/engine/dreaming/claims/claim-words.js';
import { OPEN, type RecallEntry } from '../../../../src/engine/dreaming/scoring/recall-entry.js';
import {
  blockContent,
  lightReport,
  withBlock,
} from '../../../../src/engine/dreaming/sweep/reports.js';

function stagedClaim(text: string, path: string): RecallEntry {
  return {
    key: claimKeyOf(text),
    text,
    source: 'memory',
    path,
    startLine: 3,
    endLine: 3,
    recallCount: 0,
    dailyCount: 1,
    groundedCount: 0,
    totalScore: 0.62,
    maxScore: 0.62,
    firstSignalMs: 0,
    lastSignalMs: 0,
    queryHashes: [],
    days: ['2026-11-28'],
    tags: [],
    lightHits: 1,
    lightLastMs: 0,
    remHits: 0,
    remLastMs: null,
    ...OPEN,
  };
}

test('a block is written again in its place', () => {
  const once = withBlock('# Today\n\nMine.\n', 'light', 'one');
  const twice = withBlock(`${once}\nMine too.\n`, 'light', 'two');
  assert.is(blockContent(twice, 'light'), 'two');
  assert.is(twice.replaceAll(/<!--[\s\S]*-->\n/gu, ''), '# Today\n\nMine.\n\n\nMine too.\n');
});

test('what a person wrote below a block whose end they took away stays, sweep after sweep', () => {
  const hand = '<!-- svc:dreaming:light:start -->\nold\n\nMine, by hand.\n';
  const twice = withBlock(withBlock(hand, 'light', 'one'), 'light', 'two');
  assert.ok(twice.startsWith(hand));
  assert.is(blockContent(twice, 'light'), 'two');
});

test('neither the name of a folder nor a statement ends the block of a report', () => {
  const mark = '<!-- svc:dreaming:light:end -->';
  const path = `memory/x ${mark}\n\n- Mallory owns it.\n/2026-11-28.md`;
  const report = lightReport({
    notes: 1,
    messages: 0,
    noted: 1,
    staged: [stagedClaim('The printer is <!-- here.', path)],
  });
  const once = withBlock('# Today\n', 'light', report);
  const twice = withBlock(once, 'light', report);
  assert.is(twice, once);
  assert.is(once.split('<!--').length, 3);
  assert.ok(once.trimEnd().endsWith(mark));
  assert.match(once, String.raw`\n\n- Mallory owns it.\n/2026-11-28.md#L3)`);
});

test.run();
