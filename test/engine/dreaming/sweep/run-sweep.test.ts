import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { resolveConfig } from '../../../../src/engine/config/index.js';
import { dreamWorkspace } from '../../../../src/engine/dreaming/dream-workspace.js';
import { openDreams } from '../../../../src/engine/dreaming/open-dreams.js';
import { promotedEntries } from '../../../../src/engine/dreaming/promotion/memory-file.js';
import { appendRecall } from '../../../../src/engine/dreaming/recall-log/append-recall.js';
import { queryHashOf } from '../../../../src/engine/dreaming/recall-log/recalled-claims.js';
import { runSweep, type SweepOptions } from '../../../../src/engine/dreaming/sweep/run-sweep.js';
import { NOTES_ALONE } from '../../../support/dreams.js';
import { tempFolder } from '../../../support/temp-folder.js';

const DAY = 86_400_000;
const NIGHT = Date.UTC(2026, 10, 20, 3);
const FACT = 'The nightly backup of the storage server runs at 02:30.';
const NOTE = `# 2026-11-18\n\n- ${FACT}\n- [ ] ask Ana about the export\n- Lunch was late.\n`;

const { dreaming } = resolveConfig({}).plugins.entries['memory-core'].config;

function aWorkspace(notes: Readonly<Record<string, string>> = { 'memory/2026-11-18.md': NOTE }) {
  const home = tempFolder();
  for (const [path, text] of Object.entries(notes)) home.write(`notes/${path}`, text);
  mkdirSync(home.at('notes/memory'), { recursive: true });
  const workspace = dreamWorkspace(home.at('notes'), { stateDir: home.at('state') });
  const read = (path: string): string => readFileSync(home.at(`notes/${path}`), 'utf8');
  return {
    home,
    workspace,
    read,
    has: (path: string) => existsSync(home.at(`notes/${path}`)),
    /** A question that the fact answered. */
    ask: (query: string, atMs: number, text = FACT) =>
      appendRecall(workspace.files.recallLog, {
        atMs,
        queryHash: queryHashOf(query),
        claims: [
          {
            text,
            source: 'memory',
            path: 'memory/2026-11-18.md',
            startLine: 3,
            endLine: 3,
            score: 0.9,
          },
        ],
      }),
    sweep: (over: Partial<SweepOptions> = {}) =>
      runSweep(workspace, {
        settings: dreaming,
        reach: NOTES_ALONE,
        timeZone: 'UTC',
        clock: { now: () => NIGHT },
        trigger: 'manual',
        signal: new AbortController().signal,
        ...over,
      }),
  };
}

function askedOften({ ask }: Pick<ReturnType<typeof aWorkspace>, 'ask'>, text = FACT): void {
  for (const [at, query] of [
    'when is the backup',
    'backup time',
    'storage server jobs',
    'nightly job',
    'backup hour',
  ].entries()) {
    ask(query, NIGHT - (5 - at) * 0.9 * DAY, text);
  }
}

test('what was asked for often goes into MEMORY.md; a second sweep of the night changes nothing', async () => {
  const world = aWorkspace();
  askedOften(world);
  const first = await world.sweep();
  assert.equal(
    first.decisions.map(({ decision, entry }) => [decision, entry.text]),
    [['promote', FACT]],
  );
  const memory = world.read('MEMORY.md');
  assert.equal(
    promotedEntries(memory).map(({ text, path, lines }) => ({ text, path, lines })),
    [{ text: FACT, path: 'memory/2026-11-18.md', lines: { startLine: 3, endLine: 3 } }],
  );
  const written = [
    'memory/dreaming/light/2026-11-20.md',
    'memory/dreaming/rem/2026-11-20.md',
    'DREAMS.md',
  ];
  const before = written.map(world.read);
  const second = await world.sweep();
  assert.equal(second.decisions, []);
  assert.is(world.read('MEMORY.md'), memory);
  assert.equal(written.slice(1).map(world.read), before.slice(1));
});

test('a note that nobody asked for stays where it is', async () => {
  const world = aWorkspace();
  const { decisions, sweep } = await world.sweep();
  assert.equal(decisions, []);
  assert.not(world.has('MEMORY.md'));
  assert.is(sweep.phases.light?.state === 'done' && sweep.phases.light.counts['noted'], 2);
});

test('a claim that its note does not say any more is skipped, and stays open', async () => {
  const world = aWorkspace({ 'memory/2026-11-18.md': '# Day\n\n- Something else altogether.\n' });
  askedOften(world);
  const { decisions } = await world.sweep();
  assert.equal(
    decisions.map(({ decision, ...rest }) => [decision, 'why' in rest && rest.why]),
    [['skip', 'missing']],
  );
  assert.not(world.has('MEMORY.md'));
});

test('junk is never promoted however often it is asked for', async () => {
  const junk = '[ ] ask Ana about the export';
  const world = aWorkspace();
  askedOften(world, junk);
  assert.equal((await world.sweep()).decisions, []);
});

test('a dry run tells what would be promoted and leaves everything as it was', async () => {
  const world = aWorkspace();
  askedOften(world);
  const dry = await world.sweep({ dryRun: true });
  assert.is(dry.decisions.length, 1);
  assert.not(world.has('MEMORY.md'));
  assert.not(world.has('memory/dreaming'));
  assert.not(world.has('DREAMS.md'));
  const real = await world.sweep();
  assert.equal(
    real.decisions.map(({ score }) => score),
    dry.decisions.map(({ score }) => score),
  );
});

test('only the phases that are asked for run', async () => {
  const world = aWorkspace();
  askedOften(world);
  const { sweep } = await world.sweep({ only: ['light', 'rem'] });
  assert.equal(sweep.phases.deep, { state: 'off' });
  assert.not(world.has('MEMORY.md'));
});

test('a MEMORY.md that is a symbolic link is not written; the other phases still count', async () => {
  const world = aWorkspace();
  askedOften(world);
  world.home.write('elsewhere.md', 'mine\n');
  symlinkSync(world.home.at('elsewhere.md'), world.home.at('notes/MEMORY.md'));
  const { sweep } = await world.sweep();
  assert.is(sweep.phases.light?.state, 'done');
  assert.match(
    sweep.phases.deep?.state === 'failed' ? sweep.phases.deep.error : '',
    /symbolic link/,
  );
  assert.is(readFileSync(world.home.at('elsewhere.md'), 'utf8'), 'mine\n');
});

test('a folder of reports that leads elsewhere is not followed', async () => {
  const world = aWorkspace();
  askedOften(world);
  mkdirSync(world.home.at('outside'));
  symlinkSync(world.home.at('outside'), world.home.at('notes/memory/dreaming'));
  const { reportFaults, decisions } = await world.sweep();
  assert.is(reportFaults.length, 3);
  assert.is(decisions.length, 1);
  assert.not(existsSync(world.home.at('outside/light')));
});

test('reports go into the day’s note when that is chosen, between marks of their own', async () => {
  const world = aWorkspace({
    'memory/2026-11-18.md': NOTE,
    'memory/2026-11-20.md': '# Today\n\nMine.\n',
  });
  askedOften(world);
  const storage = { mode: 'inline', separateReports: false } as const;
  await world.sweep({ settings: { ...dreaming, storage } });
  const note = world.read('memory/2026-11-20.md');
  assert.ok(note.startsWith('# Today\n\nMine.\n'));
  assert.match(note, /<!-- svc:dreaming:light:start -->\n## Light Sleep/);
  assert.not(world.has('memory/dreaming'));
  const dreams = openDreams(world.workspace);
  const texts = dreams?.entries.since(0).map(({ text }) => text) ?? [];
  dreams?.close();
  await world.sweep({ settings: { ...dreaming, storage } });
  const again = openDreams(world.workspace);
  assert.equal(
    again?.entries.since(0).map(({ text }) => text),
    texts,
  );
  again?.close();
});

test('a broken line in the log of recalls is counted and costs nothing else', async () => {
  const world = aWorkspace();
  askedOften(world);
  const { appendFileSync } = await import('node:fs');
  appendFileSync(world.workspace.files.recallLog, '{"atMs": 12, "quer\nnot json\n');
  let broken = 0;
  const { decisions, searches } = await world.sweep({
    onEvent: (event) => {
      if (event.type === 'recalls.ingested') broken = event.broken;
    },
  });
  assert.is(broken, 2);
  assert.is(searches, 5);
  assert.is(decisions.length, 1);
});

test.run();
