import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { DreamRunOutput } from '../../../src/engine/dreaming/index.js';
import { renderBackfill, renderSignals } from '../../../src/ui/dream/candidates.js';
import { renderRun, renderSweeps } from '../../../src/ui/dream/sweeps.js';
import { PIPED_VIEW } from '../../support/piped-view.js';

type FinishedSweep = Exclude<DreamRunOutput['sweeps'][number], { readonly error: unknown }>;
type Change = Pick<FinishedSweep['sweep'], 'memory' | 'retired' | 'written'>;

const AT = '2026-11-20T03:00:00.000Z';
const UNDO = '  undo with "svc dream undo 20261120T030000"';

/** The lines of `svc dream run` after the phases. */
function endOf(change: Change, defaultAgent = 'main'): readonly string[] {
  const times = { day: '2026-11-20', startedAt: AT, endedAt: AT } as const;
  const sweep = { id: '20261120T030000', trigger: 'manual', phases: {}, ...times } as const;
  const swept: FinishedSweep = {
    workspace: '/notes',
    agents: ['main'],
    ok: true,
    sweep: { ...sweep, ...change },
    searches: 0,
    decisions: [],
    skipped: [],
    reportFaults: [],
    modelFaults: [],
  };
  const view = { ...PIPED_VIEW, homeDir: '/home/ada' };
  const text = renderRun(
    { ok: true, dryRun: false, sweeps: [swept] },
    { ...view, phasesShown: true, defaultAgent },
  );
  return text.trimEnd().split('\n').slice(1);
}

test('a sweep ends with how to undo it, also one that only moved entries to the archive', () => {
  assert.equal(endOf({ memory: 'applied', written: 1, retired: 0 }), [UNDO]);
  const retired = '  1 entry moved to the archive';
  assert.equal(endOf({ memory: 'applied', written: 0, retired: 1 }), [retired, UNDO]);
  const none = ['  MEMORY.md: no changes'];
  assert.equal(endOf({ memory: 'applied', written: 0, retired: 0 }), none);
  assert.equal(endOf({ memory: 'untouched', written: 0, retired: 0 }), none);
});

test('a sweep of another agent is undone with its flag', () => {
  const change = { memory: 'applied', written: 1, retired: 0 } as const;
  assert.equal(endOf(change, 'ops'), [`${UNDO.slice(0, -1)} --agent main"`]);
});

test('lists leave out columns where the terminal has no room for them', () => {
  const times = { day: '2026-11-20', startedAt: AT, endedAt: null } as const;
  const undone = { memory: 'undone', written: 0, retired: 0 } as const;
  const sweep = {
    id: '20261120T030000',
    trigger: 'promote',
    phases: {},
    ...times,
    ...undone,
  } as const;
  const claim = {
    key: '28d9c1991a2b3c4d',
    text: 'Ada runs the night shift at the storage site.',
    source: 'memory',
    path: 'memory/2026-11-18.md',
    startLine: 1,
    endLine: 1,
    fate: 'open',
    firstSignalAt: AT,
    lastSignalAt: AT,
    recalls: 1,
    notes: 2,
    grounded: 0,
    questions: 3,
    days: 1,
    averageScore: 0.67,
    maxScore: 0.67,
  } as const;
  for (const columns of [40, 60, 80]) {
    const view = { ...PIPED_VIEW, columns, nowMs: Date.parse(AT) };
    const texts = [
      renderSweeps({ workspace: '/notes', agents: ['main'], sweeps: [sweep] }, view),
      renderSignals(
        { workspace: '/notes', agents: ['main'], claims: [claim], total: 1 },
        { ...view, isOn: true },
      ),
    ];
    for (const line of texts.join('').split('\n')) assert.ok(line.length <= columns, line);
  }
});

test('a sweep that was not finished is listed as such, but not a backfill or promotion, which has no phases', () => {
  const ends = (['manual', 'backfill', 'promote'] as const).map((trigger) => {
    const times = { day: '2026-11-20', startedAt: AT, endedAt: null } as const;
    const fields = { trigger, phases: {}, memory: 'untouched', written: 0, retired: 0 } as const;
    const sweep = { id: '20261120T030000', ...fields, ...times };
    return renderSweeps({ workspace: '/notes', agents: ['main'], sweeps: [sweep] }, PIPED_VIEW);
  });
  assert.equal(
    ends.map((text) => text.includes('unfinished')),
    [true, false, false],
  );
});

test('a change of MEMORY.md that failed cannot be undone yet', () => {
  const end = ['  MEMORY.md: interrupted; the next sweep completes it'];
  assert.equal(endOf({ memory: 'planned', written: 1, retired: 1 }), end);
});

test('a backfill counts what it found, and lists the first claims', () => {
  const claim = {
    key: '28d9c1991a2b3c4d',
    text: 'Ada runs the night shift.',
    lean: 'durable',
  } as const;
  const place = {
    source: 'memory',
    path: 'memory/2026-11-18.md',
    startLine: 1,
    endLine: 1,
  } as const;
  const backfilled = {
    dryRun: false,
    notes: 900,
    notesLeft: 0,
    leans: { lasting: 1, durable: 1239, unclear: 0, situational: 2500 },
    claims: Array.from({ length: 1240 }, () => ({ ...claim, ...place })),
    skipped: [],
  };
  const text = renderBackfill(
    { workspace: '/notes', agents: ['main'], id: null, backfilled },
    PIPED_VIEW,
  );
  assert.match(
    text,
    /^900 notes: 1 lasting, 1,239 durable, 0 unclear, 2,500 situational\n1,240 claims /,
  );
  assert.match(text, '  … and 1,200 more\n');
});

test.run();
