import { symlinkSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { resolveConfig } from '../../../src/engine/config/index.js';
import { leanOf, rollBackBackfill, runBackfill } from '../../../src/engine/dreaming/backfill.js';
import { claimKeyOf } from '../../../src/engine/dreaming/claims/claim-words.js';
import type { DreamTarget } from '../../../src/engine/dreaming/dream-targets.js';
import { dreamWorkspace } from '../../../src/engine/dreaming/dream-workspace.js';
import { withSignal } from '../../../src/engine/dreaming/scoring/recall-entry.js';
import {
  openDreamDatabase,
  openDreams,
} from '../../../src/engine/dreaming/store/dream-database.js';
import { recallEntries } from '../../../src/engine/dreaming/store/recall-entries.js';
import { NEVER } from '../../../src/engine/support/async.js';
import { NOTES_ONLY } from '../../support/dreams.js';
import { failureOf } from '../../support/failure.js';
import { tempFolder } from '../../support/temp-folder.js';

const RULE = 'We always deploy from main on Tuesdays.';
const FACT = 'The database server listens on port 5433.';
const NOTE = `# 2025-03-04

- ${FACT}
- Spent the morning on the importer.
- [ ] ask Ana about it

## Decisions

- ${RULE}
`;
const NOW = Date.UTC(2026, 10, 20, 3);

function aTarget() {
  const home = tempFolder();
  home.write('notes/memory/2025-03-04.md', NOTE);
  home.write('notes/memory/old/2024-01-02.md', `- ${FACT}\n- Ana owns the mail gateway.\n`);
  const target: DreamTarget = {
    workspace: dreamWorkspace(home.at('notes'), { stateDir: home.at('state') }),
    agents: [],
    agentSources: NOTES_ONLY,
    settings: resolveConfig({}).plugins.entries['memory-core'].config.dreaming,
    timeZone: 'UTC',
  };
  const options = {
    clock: { now: () => NOW },
    signal: NEVER,
    dryRun: false,
  };
  const known = () => {
    const dreams = openDreams(target.workspace);
    const entries = dreams?.entries.since(0) ?? [];
    dreams?.close();
    return entries;
  };
  return { home, target, options, known };
}

test('decisions count twice, standing facts once, the day’s doings and tasks not at all', async () => {
  const { target, options, known } = aTarget();
  const { staged, notes, leans } = await runBackfill(target, 'memory', options);
  assert.is(notes, 2);
  assert.equal(
    staged.map(({ text, lean }) => [text, lean]),
    [
      [FACT, 'durable'],
      [RULE, 'lasting'],
      ['Ana owns the mail gateway.', 'durable'],
    ],
  );
  assert.is(leans.situational, 1);
  const rule = known().find(({ text }) => text === RULE);
  assert.is(rule?.groundedCount, 2);
  assert.is(rule?.totalScore, 1.84);
});

test('a note whose name has a day that does not exist is not read', async () => {
  const { home, target, options } = aTarget();
  home.write('notes/memory/2026-13-45.md', '- The mail server listens on port 25.\n');
  assert.is((await runBackfill(target, 'memory', options)).notes, 2);
});

test('a second run counts nothing again', async () => {
  const { target, options, known } = aTarget();
  await runBackfill(target, 'memory', options);
  const before = known();
  const again = await runBackfill(target, 'memory', options);
  assert.equal(again.staged, []);
  assert.equal(known(), before);
});

test('a dry run tells and counts nothing', async () => {
  const { target, options, known } = aTarget();
  const { staged } = await runBackfill(target, 'memory/2025-03-04.md', {
    ...options,
    dryRun: true,
  });
  assert.is(staged.length, 2);
  assert.equal(known(), []);
});

test('a dry run counts as many statements as the run after it', async () => {
  const { target, options } = aTarget();
  const dry = await runBackfill(target, 'memory', { ...options, dryRun: true });
  assert.equal((await runBackfill(target, 'memory', options)).staged, dry.staged);
});

test('rolled back, everything is exactly as it was before', async () => {
  const { target, options, known } = aTarget();
  const database = openDreamDatabase(target.workspace.files.database);
  const place = {
    source: 'memory',
    path: 'memory/2025-03-04.md',
    startLine: 3,
    endLine: 3,
  } as const;
  const key = claimKeyOf(FACT);
  const recall = {
    kind: 'recall',
    key,
    text: FACT,
    ...place,
    score: 0.7,
    day: '2026-11-19',
  } as const;
  recallEntries(database).put(withSignal(undefined, { ...recall, atMs: NOW, queryHash: 'q' }));
  database.close();
  const before = known();
  const { id } = await runBackfill(target, '.', options);
  assert.is(known().length, 3);
  assert.is(await rollBackBackfill(target, id, options), 3);
  assert.equal(known(), before);
  const failure = await failureOf(rollBackBackfill(target, id, options));
  assert.is(failure.code, 'DREAM_SWEEP_UNKNOWN');
});

test('what was recalled since keeps that when the backfill is rolled back', async () => {
  const { target, options, known } = aTarget();
  const { id } = await runBackfill(target, '.', options);
  const dreams = openDreams(target.workspace);
  const key = claimKeyOf(FACT);
  const place = {
    source: 'memory',
    path: 'memory/2025-03-04.md',
    startLine: 3,
    endLine: 3,
  } as const;
  dreams?.entries.put(
    withSignal(dreams.entries.get(key), {
      kind: 'recall',
      key,
      text: FACT,
      ...place,
      score: 0.5,
      atMs: NOW,
      day: '2026-11-19',
      queryHash: 'q',
    }),
  );
  dreams?.close();
  await rollBackBackfill(target, id, options);
  const [left, ...others] = known();
  assert.equal(others, []);
  assert.is(left?.groundedCount, 0);
  assert.equal(left?.days, ['2026-11-19']);
  assert.is(left?.recallCount, 1);
  assert.ok(Math.abs((left?.totalScore ?? 0) - 0.5) < 1e-9);
});

test('a run takes the newest 512 notes and says how many are left', async () => {
  const { home, target, options } = aTarget();
  for (let n = 0; n < 515; n++) {
    const day = new Date(Date.UTC(2020, 0, 1) + n * 86_400_000).toISOString().slice(0, 10);
    home.write(`notes/memory/years/${day}.md`, `- Box ${n} is kept in room ${n}.\n`);
  }
  const all = await runBackfill(target, 'memory/years', options);
  assert.equal([all.notes, all.notesLeft, all.staged.length], [512, 3, 512]);
  const oldest = await runBackfill(target, 'memory/years/2020-01-01.md', options);
  assert.equal([oldest.notes, oldest.notesLeft, oldest.staged.length], [1, 0, 1]);
});

test('a claim that a sweep marked meanwhile goes with the backfill that brought it', async () => {
  const { target, options, known } = aTarget();
  const { id } = await runBackfill(target, '.', options);
  const dreams = openDreams(target.workspace);
  for (const entry of dreams?.entries.since(0) ?? []) {
    dreams?.entries.put({ ...entry, lightHits: 1, lightLastMs: NOW });
  }
  dreams?.close();
  await rollBackBackfill(target, id, options);
  assert.equal(known(), []);
});

test('a path outside the workspace is refused', async () => {
  const { home, target, options } = aTarget();
  assert.is((await failureOf(runBackfill(target, '../..', options))).code, 'USAGE');
  assert.is((await failureOf(runBackfill(target, 'memory/none', options))).code, 'USAGE');
  symlinkSync(home.path, home.at('notes/out'));
  assert.is((await failureOf(runBackfill(target, 'out', options))).code, 'USAGE');
});

test('headings of decisions make a statement lasting, words of the day make it situational', () => {
  const lean = (text: string, ...headingPath: string[]) => leanOf({ text, headingPath });
  assert.is(lean('Ports above 7000 are ours.', 'Conventions'), 'lasting');
  assert.is(lean('Met Ana about it.', 'Decisions'), 'unclear');
  assert.is(lean('Met Ana about the port.'), 'situational');
  assert.is(lean('A green door.'), 'unclear');
});

test('statements that were backfilled before are looked up together', async () => {
  const { home, target, options } = aTarget();
  const facts = Array.from({ length: 50 }, (_, n) => `- Rack ${n} is on floor ${n}.\n`).join('');
  home.write('notes/memory/2025-03-05.md', facts);
  assert.is((await runBackfill(target, 'memory', options)).staged.length, 53);
  const database = openDreamDatabase(target.workspace.files.database);
  const statement = Object.getPrototypeOf(database.prepare('SELECT 1'));
  database.close();
  const { get } = statement;
  let lookups = 0;
  statement.get = function (...values: unknown[]) {
    lookups += 1;
    return get.apply(this, values);
  };
  try {
    assert.is((await runBackfill(target, 'memory', options)).staged.length, 0);
  } finally {
    statement.get = get;
  }
  assert.ok(lookups < 50, `${lookups} lookups`);
});

test.run();
