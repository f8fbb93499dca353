import { appendFileSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { resolveConfig } from '../../../../src/engine/config/index.js';
import { claimKeyOf } from '../../../../src/engine/dreaming/claims/claim-words.js';
import { undoSweep } from '../../../../src/engine/dreaming/decide-by-hand.js';
import { dreamStore } from '../../../../src/engine/dreaming/dream-store.js';
import { dreamWorkspace } from '../../../../src/engine/dreaming/dream-workspace.js';
import type { Narrator } from '../../../../src/engine/dreaming/narrator.js';
import {
  promotedEntries,
  undoEdits,
} from '../../../../src/engine/dreaming/promotion/memory-file.js';
import { appendRecall } from '../../../../src/engine/dreaming/recall-log/recall-log.js';
import { queryHashOf } from '../../../../src/engine/dreaming/recall-log/recalled-claims.js';
import { openDreams } from '../../../../src/engine/dreaming/store/dream-database.js';
import {
  runSweep,
  type SweepOptions,
  type SweepSummary,
} from '../../../../src/engine/dreaming/sweep/run-sweep.js';
import { Forgotten, hashesOf } from '../../../../src/engine/memory/forgotten/index.js';
import { NEVER } from '../../../../src/engine/support/async.js';
import { NOTES_ONLY } from '../../../support/dreams.js';
import { tempFolder } from '../../../support/temp-folder.js';

const DAY = 86_400_000;
const NIGHT = Date.UTC(2026, 10, 20, 3);
const FACT = 'The nightly backup of the storage server runs at 02:30.';
const NOTE = `# 2026-11-18\n\n- ${FACT}\n- [ ] ask Ana about the export\n- Lunch was late.\n`;

const { dreaming } = resolveConfig({}).plugins.entries['memory-core'].config;

function newWorkspace(notes: Readonly<Record<string, string>> = { 'memory/2026-11-18.md': NOTE }) {
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
      runSweep({
        ...TARGET,
        workspace,
        clock: { now: () => NIGHT },
        trigger: 'manual',
        signal: NEVER,
        ...over,
      }),
  };
}

function askedOften({ ask }: Pick<ReturnType<typeof newWorkspace>, 'ask'>, text = FACT): void {
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

const TARGET = {
  agents: [],
  settings: dreaming,
  agentSources: NOTES_ONLY,
  timeZone: 'UTC',
};

test('a sweep that cannot read the searches has ended, and is not one that was killed', async () => {
  const world = newWorkspace();
  mkdirSync(world.workspace.files.recallLog, { recursive: true });
  await world.sweep().then(
    () => assert.unreachable(),
    () => undefined,
  );
  const dreams = openDreams(world.workspace);
  assert.is(dreams?.sweeps.list(1)[0]?.endedMs, NIGHT);
  dreams?.close();
});

test('often recalled claims go into MEMORY.md; a second sweep of the night changes nothing', async () => {
  const world = newWorkspace();
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
  assert.match(before[2] ?? '', /Into long-term memory: (?:.*\n)*Also around: The nightly backup /);
  const second = await world.sweep();
  assert.equal(second.decisions, []);
  assert.is(world.read('MEMORY.md'), memory);
  assert.equal(written.slice(1).map(world.read), before.slice(1));
});

test('a note that no search found is not promoted', async () => {
  const world = newWorkspace();
  const { decisions, sweep } = await world.sweep();
  assert.equal(decisions, []);
  assert.not(world.has('MEMORY.md'));
  assert.is(sweep.phases.light?.state === 'done' && sweep.phases.light.counts['noted'], 2);
});

test('a claim that is no longer in its note is skipped and stays a candidate', async () => {
  const world = newWorkspace({ 'memory/2026-11-18.md': '# Day\n\n- Something else altogether.\n' });
  askedOften(world);
  const { decisions } = await world.sweep();
  assert.equal(
    decisions.map(({ decision, ...rest }) => [decision, 'why' in rest && rest.why]),
    [['skip', 'missing']],
  );
  assert.not(world.has('MEMORY.md'));
});

test('a note that was moved since its claim was recalled is no file that could not be read', async () => {
  const world = newWorkspace({ 'memory/moved/2026-11-18.md': NOTE });
  askedOften(world);
  const { decisions, skipped } = await world.sweep();
  assert.equal(
    decisions.map(({ decision }) => decision),
    ['skip'],
  );
  assert.equal(skipped, []);
});

test('a later note takes the place of what was promoted, and undo brings it back', async () => {
  const world = newWorkspace();
  askedOften(world);
  await world.sweep();
  const before = world.read('MEMORY.md');
  const update = 'The nightly backup of the storage server moved to 03:15.';
  world.home.write('notes/memory/2026-11-20.md', `# Day\n\n- ${update}\n`);
  const next = { clock: { now: () => NIGHT + DAY } };
  const { decisions, sweep } = await world.sweep(next);
  assert.equal(
    decisions.map(({ decision, entry }) => [decision, entry.text]),
    [['renew', update]],
  );
  const memory = world.read('MEMORY.md');
  assert.equal(
    promotedEntries(memory).map(({ text }) => text),
    [update],
  );
  const dreams = openDreams(world.workspace);
  const record = dreams?.sweeps.get(sweep.id);
  dreams?.close();
  assert.ok(record?.memoryState === 'applied');
  assert.is(undoEdits(memory, record.operations).text, before);
  assert.equal((await world.sweep(next)).decisions, []);
  assert.is(world.read('MEMORY.md'), memory);
});

test('a newer statement that the deep phase is the first to read is counted once', async () => {
  const world = newWorkspace();
  askedOften(world);
  await world.sweep();
  const update = 'The nightly backup of the storage server moved to 03:15.';
  world.home.write('notes/memory/2026-11-20.md', `# Day\n\n- ${update}\n`);
  const clock = { now: () => NIGHT + DAY };
  await world.sweep({ clock, only: ['deep'] });
  await world.sweep({ clock });
  const dreams = openDreams(world.workspace);
  assert.is(dreams.entries.get(claimKeyOf(update))?.dailyCount, 1);
  dreams.close();
});

test('a claim that a later note contradicts is not promoted; what the note says is', async () => {
  const update = 'The storage server backup now runs at 03:15.';
  const world = newWorkspace({
    'memory/2026-11-18.md': NOTE,
    'memory/2026-11-19.md': `# Day\n\n- ${update}\n- The backup might move to noon next month.\n`,
  });
  askedOften(world);
  const { decisions } = await world.sweep();
  assert.equal(
    decisions.map((one) => [one.decision, one.entry.text, 'why' in one ? one.why : '']),
    [
      ['skip', FACT, 'superseded'],
      ['promote', update, ''],
    ],
  );
});

test('an entry that a person edited is not brought up to date', async () => {
  const world = newWorkspace();
  askedOften(world);
  await world.sweep();
  const edited = world.read('MEMORY.md').replace('at 02:30.', 'at 02:30, as Ana wants it.');
  world.home.write('notes/MEMORY.md', edited);
  const update = 'The nightly backup of the storage server moved to 03:15.';
  world.home.write('notes/memory/2026-11-20.md', `# Day\n\n- ${update}\n`);
  await world.sweep({ clock: { now: () => NIGHT + DAY } });
  assert.is(world.read('MEMORY.md'), edited);
});

test('an entry that a model reworded is brought up to date, or retired if MEMORY.md has the newer statement', async () => {
  for (const isByHand of [false, true]) {
    const world = newWorkspace();
    askedOften(world);
    const narrator: Narrator = {
      faults: [],
      condense: async (text) => text.replace('of the storage server', '(storage server)'),
      diary: async () => 'A quiet night.',
    };
    await world.sweep({ narrator });
    assert.match(world.read('MEMORY.md'), /backup \(storage server\) runs/);
    const update = 'The nightly backup of the storage server moved to 03:15.';
    world.home.write('notes/memory/2026-11-20.md', `# Day\n\n- ${update}\n`);
    const byHand = isByHand ? `\n## Mine\n\n- ${update}\n` : '';
    world.home.write('notes/MEMORY.md', world.read('MEMORY.md') + byHand);
    const { decisions } = await world.sweep({ clock: { now: () => NIGHT + DAY } });
    assert.equal(
      decisions.map(({ decision }) => decision),
      isByHand ? [] : ['renew'],
    );
    const memory = world.read('MEMORY.md');
    assert.is(memory.split(update).length, 2);
    assert.not(memory.includes('02:30'));
    assert.match(world.read('memory/archive/2026-11.md'), /Until 2026-11-20: .* runs at 02:30/);
    // What a person brings back stays.
    const target = { ...TARGET, workspace: world.workspace };
    const clock = { now: () => NIGHT + 2 * DAY };
    await undoSweep(target, undefined, { clock, signal: NEVER });
    await world.sweep({ clock });
    assert.ok(world.read('MEMORY.md').includes('02:30'));
  }
});

test('an older note does not replace an entry of a newer one', async () => {
  const newer = FACT.replace('02:30', '01:30');
  const world = newWorkspace({ 'memory/2026-11-18.md': `# Day\n\n- ${newer}\n` });
  askedOften(world, newer);
  await world.sweep();
  world.home.write(
    'notes/MEMORY.md',
    world.read('MEMORY.md').replace('from=memory/2026-11-18.md', 'from=memory/2026-11-19.md'),
  );
  world.home.write('notes/memory/2026-11-18.md', NOTE);
  askedOften(world);
  const { decisions } = await world.sweep();
  assert.equal(
    decisions.map((one) => [one.decision, 'why' in one ? one.why : '']),
    [['skip', 'superseded']],
  );
  assert.ok(world.read('MEMORY.md').includes(newer));
});

test('what is forgotten is in no record of a sweep, and what was below it can still be undone', async () => {
  const secret = `Ana told only me about it; ${'that is a long story, and '.repeat(16)}nobody else knows.`;
  const update = 'The nightly backup of the storage server moved to 03:15.';
  for (const above of ['- Tea is in the red tin.\n', '']) {
    const world = newWorkspace();
    world.home.write('notes/MEMORY.md', `# Mine\n\n- ${update}\n${above}- ${secret}\n`);
    askedOften(world);
    // The sweep after it retires what it has written, since MEMORY.md has the newer statement.
    const promoting = await world.sweep();
    world.home.write('notes/memory/2026-11-20.md', `# Day\n\n- ${update}\n`);
    const retiring = await world.sweep({ clock: { now: () => NIGHT + DAY } });
    const memory = world.read('MEMORY.md').replace(`- ${secret}\n`, '');
    assert.not(memory.includes(FACT));
    const operations = async (forgets: string, { sweep }: SweepSummary) => {
      const list = [{ documents: [], lines: [hashesOf('', forgets)] }];
      await dreamStore(world.workspace, 'UTC').follow(new Forgotten('', list));
      const dreams = openDreams(world.workspace);
      const found = dreams.sweeps.get(sweep.id)?.operations ?? [];
      dreams.close();
      return found;
    };
    const left = await operations(secret, retiring);
    assert.not(JSON.stringify(left).includes('nobody else knows'));
    const { text } = undoEdits(
      memory,
      left.filter(({ kind }) => kind === 'retire'),
    );
    assert.match(
      text,
      /^# Mine\n\n- The nightly (?:.*\n)*## Promoted .*\n\n<!--.*\n- The nightly .* 02:30\.\n/,
    );
    const isNoted = (): boolean => {
      const dreams = openDreams(world.workspace);
      const texts = dreams.entries.since(0).map((entry) => entry.text);
      dreams.close();
      return texts.includes(FACT);
    };
    assert.equal(
      (await operations(FACT, promoting)).map(({ kind }) => kind),
      ['frame'],
    );
    assert.not(isNoted());
    // No agent of this workspace has a list, as after an undo.
    await world.sweep();
    assert.ok(isNoted());
  }
});

test('a sweep that replaced an entry keeps no record of it once either text is forgotten', async () => {
  const update = 'The nightly backup of the storage server moved to 03:15.';
  for (const forgets of [FACT, update]) {
    const world = newWorkspace();
    askedOften(world);
    await world.sweep();
    world.home.write('notes/memory/2026-11-20.md', `# Day\n\n- ${update}\n`);
    const { sweep } = await world.sweep({ clock: { now: () => NIGHT + DAY } });
    assert.ok(sweep.operations.some(({ kind }) => kind === 'replace'));
    const list = [{ documents: [], lines: [hashesOf('', forgets)] }];
    await dreamStore(world.workspace, 'UTC').follow(new Forgotten('', list));
    const dreams = openDreams(world.workspace);
    const left = dreams.sweeps.get(sweep.id)?.operations ?? [];
    dreams.close();
    assert.not(left.some(({ kind }) => kind === 'replace'));
    assert.not(JSON.stringify(left).includes(forgets));
  }
});

test('short lines that were forgotten together are in no record of their statements', async () => {
  const pair = '- Tom drinks tea\n- Ann hates cats';
  const world = newWorkspace({ 'memory/2026-11-19.md': `# Day\n\n${pair}\n- Bob likes jam\n` });
  await world.sweep();
  const list = [{ documents: [], lines: [hashesOf('', pair)] }];
  await dreamStore(world.workspace, 'UTC').follow(new Forgotten('', list));
  const dreams = openDreams(world.workspace);
  const texts = dreams.entries.since(0).map((entry) => entry.text);
  dreams.close();
  assert.equal(texts, ['Bob likes jam']);
});

test('a secret is never recorded, whatever its source and however often it is recalled', async () => {
  const secrets = [
    'The staging key is sk-proj-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b',
    'The router password is hunter2-blue-canal.',
    "The PIN of Ana's bank card is 4821.",
    '-----BEGIN OPENSSH PRIVATE KEY-----',
  ];
  const lines = [FACT, ...secrets].map((text) => `- ${text}\n`).join('');
  const note = `# Day\n\n## Decisions\n\n${lines}`;
  const days = ['2026-11-18', '2026-11-19', '2026-11-20'];
  const world = newWorkspace(
    Object.fromEntries(days.map((day) => [`memory/${day}.md`, note] as const)),
  );
  askedOften(world);
  for (const secret of secrets) askedOften(world, secret);
  const { decisions } = await world.sweep();
  assert.equal(
    decisions.map(({ entry }) => entry.text),
    [FACT],
  );
  const dreams = openDreams(world.workspace);
  assert.equal(
    dreams?.entries.since(0).map(({ text }) => text),
    [FACT],
  );
  dreams?.close();
  const written = ['MEMORY.md', 'DREAMS.md']
    .concat(['light', 'rem', 'deep'].map((phase) => `memory/dreaming/${phase}/2026-11-20.md`))
    .map(world.read)
    .join('\n');
  assert.ok(written.includes(FACT));
  for (const part of ['sk-proj', 'hunter2', '4821', 'PRIVATE KEY']) {
    assert.not(written.includes(part), part);
  }
});

test('a sweep that reaches its time limit ends, is recorded as ended, and says why', async () => {
  const world = newWorkspace();
  askedOften(world);
  const narrator: Narrator = {
    faults: [],
    condense: (_text, signal) =>
      new Promise((_resolve, reject) => {
        // As a connection would, this keeps the process alive: the time limit does not.
        const open = setInterval(() => undefined, 1000);
        signal.addEventListener('abort', () => {
          clearInterval(open);
          reject(signal.reason);
        });
      }),
    diary: () => Promise.resolve('Not asked for.'),
  };
  const { sweep } = await world.sweep({ narrator, timeLimitMs: 20 });
  const { deep } = sweep.phases;
  assert.match(deep?.state === 'failed' ? deep.error : '', /reached its time limit/);
  assert.is(sweep.endedMs, NIGHT);
  assert.not(world.has('MEMORY.md'));
  const { decisions } = await world.sweep();
  assert.is(decisions.length, 1);
});

test('an interrupted sweep throws the reason, and is recorded as ended', async () => {
  const world = newWorkspace();
  askedOften(world);
  const interrupt = new AbortController();
  const reason = new Error('stopped');
  const onEvent: SweepOptions['onEvent'] = ({ type }) => {
    if (type === 'recalls.ingested') interrupt.abort(reason);
  };
  const thrown = await world.sweep({ signal: interrupt.signal, onEvent }).catch((why) => why);
  assert.is(thrown, reason);
  const dreams = openDreams(world.workspace);
  const recorded = dreams?.sweeps.list(1)[0];
  assert.is(recorded?.endedMs, NIGHT);
  const light = recorded?.phases.light;
  assert.match(light?.state === 'failed' ? light.error : '', /was interrupted/);
  dreams?.close();
});

test('a sweep can be stopped while the deep phase decides', async () => {
  const world = newWorkspace();
  askedOften(world);
  const interrupt = new AbortController();
  const reason = new Error('stopped');
  const onEvent: SweepOptions['onEvent'] = (event) => {
    if (event.type !== 'phase.ended' || event.phase !== 'rem') return;
    // The first turn of the event loop comes before the deep phase, the second during it.
    setImmediate(() => setImmediate(() => interrupt.abort(reason)));
  };
  const thrown = await world.sweep({ signal: interrupt.signal, onEvent }).catch((why) => why);
  assert.is(thrown, reason);
  assert.not(world.has('MEMORY.md'));
});

/** The settings of the deep phase, changed. */
function deepSettings(change: Partial<(typeof dreaming)['phases']['deep']>): typeof dreaming {
  const { phases } = dreaming;
  return { ...dreaming, phases: { ...phases, deep: { ...phases.deep, ...change } } };
}

test('a sweep promotes no more claims than its limit; the next one goes on', async () => {
  const other = 'The router in the cellar has the address 10.0.0.1.';
  const world = newWorkspace({ 'memory/2026-11-18.md': `${NOTE}- ${other}\n` });
  askedOften(world);
  askedOften(world, other);
  const settings = deepSettings({ limit: 1 });
  const promoted: string[] = [];
  for (const count of [1, 2]) {
    const { decisions } = await world.sweep({ settings });
    const texts = decisions.filter(({ decision }) => decision === 'promote');
    promoted.push(...texts.map(({ entry }) => entry.text));
    assert.is(promoted.length, count);
  }
  assert.equal(promoted.toSorted(), [FACT, other]);
});

test('a claim for which MEMORY.md has no room is skipped, not reported as promoted', async () => {
  const world = newWorkspace();
  askedOften(world);
  const settings = deepSettings({ maxMemoryChars: 50 });
  const { decisions } = await world.sweep({ settings });
  assert.equal(
    decisions.map(({ decision, ...rest }) => [decision, 'why' in rest && rest.why]),
    [['skip', 'full']],
  );
  assert.not(world.has('MEMORY.md'));
});

test('junk is never promoted, however often it is recalled', async () => {
  const junk = '[ ] ask Ana about the export';
  const world = newWorkspace();
  askedOften(world, junk);
  assert.equal((await world.sweep()).decisions, []);
});

test('a dry run shows what would be promoted and changes nothing', async () => {
  const world = newWorkspace();
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

test('only the requested phases run', async () => {
  const world = newWorkspace();
  askedOften(world);
  const { sweep } = await world.sweep({ only: ['light', 'rem'] });
  assert.equal(sweep.phases.deep, { state: 'off' });
  assert.not(world.has('MEMORY.md'));
});

test('a MEMORY.md that is a symbolic link is not written; the other phases still count', async () => {
  const world = newWorkspace();
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
  const world = newWorkspace();
  askedOften(world);
  mkdirSync(world.home.at('outside'));
  symlinkSync(world.home.at('outside'), world.home.at('notes/memory/dreaming'));
  const { reportFaults, decisions } = await world.sweep();
  assert.is(reportFaults.length, 3);
  assert.is(decisions.length, 1);
  assert.not(existsSync(world.home.at('outside/light')));
});

test('reports go into the day’s note when that is chosen, between marks of their own', async () => {
  const world = newWorkspace({
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

test('a broken line in the recall log does no harm', async () => {
  const world = newWorkspace();
  askedOften(world);
  appendFileSync(world.workspace.files.recallLog, '{"atMs": 12, "quer\nnot json\n');
  const { decisions, searches } = await world.sweep();
  assert.is(searches, 5);
  assert.is(decisions.length, 1);
});

test.run();
