import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dreamWorkspace } from '../../src/engine/dreaming/dream-workspace.js';
import { appendRecall } from '../../src/engine/dreaming/recall-log/recall-log.js';
import { queryHashOf } from '../../src/engine/dreaming/recall-log/recalled-claims.js';
import { withProcessLock } from '../../src/engine/sqlite/process-lock.js';
import { NEVER } from '../../src/engine/support/async.js';
import { CHAT_KEY, startOpenAiChatFake } from '../fakes/chat.js';
import { type DreamHome, dreamHome, OFTEN_ASKED, ONCE_ASKED } from '../support/dreams.js';
import { jsonOf } from '../support/json.js';
import { assertTerminalRestored, runInPty } from '../support/pty.js';
import { type SvcRun, startSvc } from '../support/run-svc.js';
import { runInSession } from '../support/svc-session.js';
import { tempFolder } from '../support/temp-folder.js';
import { message } from '../support/transcripts.js';

/** Dreaming as people and scripts run it. */
const test = suite('svc dream');

const svc = ({ home }: Pick<DreamHome, 'home'>, ...args: string[]): Promise<SvcRun> =>
  runInSession(args, { home: home.path });

async function keyOf(world: DreamHome, text: string): Promise<string> {
  const { claims } = jsonOf.dreamSignals(await svc(world, 'dream', 'signals', '--json'));
  const key = claims.find((claim) => claim.text === text)?.key;
  if (key === undefined) throw new Error(`no claim ${text}`);
  return key;
}

test('searched claims are signals and candidates before any sweep', async () => {
  const world = dreamHome();
  const { claims, total } = jsonOf.dreamSignals(await svc(world, 'dream', 'signals', '--json'));
  assert.is(total, 2);
  assert.equal(
    claims.map(({ text, recalls, questions }) => [text, recalls, questions]),
    [
      [OFTEN_ASKED, 5, 5],
      [ONCE_ASKED, 1, 1],
    ],
  );
  const limited = jsonOf.dreamSignals(await svc(world, 'dream', 'signals', '--limit=1', '--json'));
  assert.equal([limited.claims.length, limited.total], [1, 2]);
  const json = jsonOf.dreamCandidates(await svc(world, 'dream', 'candidates', '--json'));
  assert.equal(
    json.candidates.map(({ text, promotes }) => [text, promotes]),
    [
      [OFTEN_ASKED, true],
      [ONCE_ASKED, false],
    ],
  );
  assert.ok(json.candidates[1]?.failed.includes('recall_count'));
  const text = await svc(world, 'dream', 'candidates');
  assert.match(text.stdout, /✓ +0\.\d\d +[▁-█]{6} +5 +[0-9a-f]{8} +The nightly backup/u);
  assert.match(text.stdout, /2 candidates; ✓ 1 would be promoted now/u);
});

test('an unreadable file is named once, with its reason; symbolic links are not named', async () => {
  const world = dreamHome();
  const memory = world.home.at('workspace/memory');
  symlinkSync('elsewhere.md', `${memory}/link.md`);
  symlinkSync('/dev/null', `${memory}/other.md`);
  execFileSync('mkfifo', [`${memory}/pipe.md`]);
  const { stdout } = await svc(world, 'dream', 'run');
  assert.equal(stdout.match(/skipped memory.*/gu), [
    'skipped memory/pipe.md: not a regular file: a pipe',
  ]);
});

test('a phase whose limit is 0 is skipped', async () => {
  const world = dreamHome();
  const dreaming = { phases: { rem: { limit: 0 }, deep: { limit: 0 } } };
  const entries = { 'memory-core': { config: { dreaming } } };
  world.home.write('svc.json', JSON.stringify({ plugins: { entries } }));
  const { hint } = jsonOf.error(await svc(world, 'dream', 'show', '--json'));
  assert.is(hint, 'run one with "svc dream run"');
  const { sweeps } = jsonOf.dreamRun(await svc(world, 'dream', 'run', '--json'));
  const [swept] = sweeps;
  assert.ok(swept !== undefined && 'sweep' in swept);
  const { light, rem, deep } = swept.sweep.phases;
  assert.equal([light?.state, rem?.state, deep?.state], ['done', 'off', 'off']);
  assert.not(existsSync(world.home.at('workspace/MEMORY.md')));
});

test('candidates shows what a sweep would promote, also when notes tip the balance', async () => {
  const world = dreamHome();
  const text = 'Tea for guests is in the cupboard of the small kitchen.';
  const day = new Date().toISOString().slice(0, 10);
  world.home.write(`workspace/memory/${day}.md`, `# Day\n\n- ${text}\n`);
  const { recallLog } = dreamWorkspace(world.home.at('workspace'), {
    stateDir: world.home.path,
  }).files;
  for (const [at, query] of ['tea', 'guests', 'cupboard', 'kitchen'].entries()) {
    appendRecall(recallLog, {
      atMs: Date.now() - at * 86_400_000,
      queryHash: queryHashOf(query),
      claims: [
        {
          text,
          source: 'memory',
          path: `memory/${day}.md`,
          startLine: 3,
          endLine: 3,
          score: 0.86,
        },
      ],
    });
  }
  const candidates = async () =>
    jsonOf.dreamCandidates(await svc(world, 'dream', 'candidates', '--json'));
  const first = await candidates();
  const dry = jsonOf.dreamRun(await svc(world, 'dream', 'run', '--dry-run', '--json'));
  const [swept] = dry.sweeps;
  assert.ok(swept !== undefined && 'decisions' in swept);
  assert.equal(swept.evaluation?.after, { mrr: 1, hit5: 1 });
  assert.equal(
    first.candidates
      .filter(({ promotes }) => promotes)
      .map(({ key }) => key)
      .sort(),
    swept.decisions.map(({ key }) => key).sort(),
  );
  assert.is(first.ready, 2);
  // Listing candidates raises no score.
  assert.equal(
    (await candidates()).candidates.map(({ lightBoost }) => lightBoost),
    first.candidates.map(({ lightBoost }) => lightBoost),
  );
});

test('candidates mark what a sweep would write, and the counts of the sweep add up', async () => {
  const world = dreamHome();
  const newer = 'The nightly backup of the storage server now runs at 03:15.';
  const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  world.home.write(`workspace/memory/${day}.md`, `# Day\n\n- ${newer}\n`);
  const shown = jsonOf.dreamCandidates(await svc(world, 'dream', 'candidates', '--json'));
  const marked = shown.candidates.filter(({ promotes }) => promotes);
  assert.equal(
    marked.map(({ text }) => text),
    [newer],
  );
  assert.is(shown.ready, 1);
  const older = shown.candidates.find(({ text }) => text === OFTEN_ASKED);
  assert.equal([older?.passes, older?.promotes], [true, false]);
  const dry = jsonOf.dreamRun(await svc(world, 'dream', 'run', '--dry-run', '--json'));
  const [swept] = dry.sweeps;
  assert.ok(swept !== undefined && 'decisions' in swept);
  assert.equal(
    swept.decisions.map(({ text, decision }) => [text, decision]).sort(),
    [
      [newer, 'promote'],
      [OFTEN_ASKED, 'skip'],
    ].sort(),
  );
  const {
    passed = 0,
    newer: newerCount = 0,
    promote,
    skip,
  } = swept.sweep.phases.deep?.counts ?? {};
  assert.equal([promote, skip, passed + newerCount], [1, 1, 2]);
});

test('explain and promote count other wordings of a claim, like candidates', async () => {
  const world = dreamHome();
  const other = 'The nightly backup of the storage server starts at 02:30.';
  world.home.write(`workspace/${world.note}`, `- ${OFTEN_ASKED}\n- ${other}\n`);
  for (const query of ['backup start', 'storage hour', 'night']) world.ask(other, query, 2);
  const json = jsonOf.dreamCandidates(await svc(world, 'dream', 'candidates', '--json'));
  const candidate = json.candidates.find(({ text }) => text === other);
  assert.ok(candidate?.passes && candidate.questions > 3);
  const explained = await svc(world, 'dream', 'explain', candidate.key, '--json');
  const { score, passes, questions } = jsonOf.dreamExplain(explained);
  assert.equal([passes, questions], [true, candidate.questions]);
  // Candidates include the boosts of the sweep that would promote them.
  const { lightBoost, remBoost } = candidate;
  const isNear = (value: number): boolean => Math.abs(score - value) < 1e-4;
  assert.ok(isNear(candidate.score - lightBoost - remBoost), `${score}`);
  const promoted = await svc(world, 'dream', 'promote', candidate.key, '--json');
  assert.ok(isNear(jsonOf.dreamPromote(promoted).score), promoted.stdout);
});

test('a sweep promotes, is listed, shown, explained and undone', async () => {
  const world = dreamHome();
  const run = await svc(world, 'dream', 'run', '--json');
  assert.is(run.code, 0, run.stderr);
  const [swept] = jsonOf.dreamRun(run).sweeps;
  assert.ok(swept !== undefined && 'sweep' in swept);
  assert.equal(
    swept.decisions.map(({ text, decision }) => [text, decision]),
    [[OFTEN_ASKED, 'promote']],
  );
  assert.match(
    world.read('MEMORY.md'),
    /- The nightly backup of the storage server runs at 02:30\./,
  );
  const { id } = swept.sweep;
  const list = jsonOf.dreamList(await svc(world, 'dream', 'list', '--json'));
  assert.equal(
    list.sweeps.map((sweep) => [sweep.id, sweep.memory, sweep.written]),
    [[id, 'applied', 1]],
  );
  const shown = jsonOf.dreamShow(await svc(world, 'dream', 'show', id, '--json'));
  assert.equal(
    shown.entries.map(({ change, text, path }) => [change, text, path]),
    [['add', OFTEN_ASKED, world.note]],
  );
  const status = jsonOf.dreamStatus(await svc(world, 'dream', 'status', '--json'));
  const [workspace] = status.workspaces;
  assert.is(workspace?.lastSweep?.id, id);
  assert.equal(workspace?.claims, { open: 1, ready: 0, promoted: 1, rejected: 0 });
  assert.is(workspace?.memory?.promoted, 1);
  const explained = await svc(world, 'dream', 'explain', 'nightly backup', '--json');
  const { fate, sweep, gates, parts } = jsonOf.dreamExplain(explained);
  // The score and the gate word the same time in the same way.
  assert.match(parts.find(({ part }) => part === 'recency')?.why ?? '', /^last signal today,/);
  assert.match(gates.find(({ gate }) => gate === 'age')?.why ?? '', /^last signal today,/);
  assert.equal([fate, sweep], ['promoted', id]);
  assert.equal(
    gates.filter(({ passed }) => !passed).map(({ gate }) => gate),
    ['open'],
  );
  const undone = jsonOf.dreamUndo(await svc(world, 'dream', 'undo', '--json'));
  assert.equal([undone.sweep, undone.undone, undone.kept], [id, 1, []]);
  assert.match((await svc(world, 'status')).stdout, /^dreams .* · last just now · undone$/mu);
  // The sweep made it, and nothing else is in it.
  assert.not(existsSync(world.home.at('workspace/MEMORY.md')));
  const again = await svc(world, 'dream', 'undo', id);
  assert.is(again.code, 1);
  assert.match(again.stderr, /was already undone/);
});

test('every alias of a command works, and none is taken for an argument', async () => {
  for (const words of [['dream'], ['dream', 'run'], ['memory', 'dream']]) {
    const world = dreamHome();
    const { sweeps, dryRun } = jsonOf.dreamRun(await svc(world, ...words, '--dry-run', '--json'));
    const [swept] = sweeps;
    assert.ok(dryRun && swept !== undefined && 'decisions' in swept);
    assert.is(swept.decisions.length, 1, words.join(' '));
    assert.not(existsSync(world.home.at('workspace/MEMORY.md')));
    assert.equal(jsonOf.dreamList(await svc(world, 'dream', 'list', '--json')).sweeps, []);
  }
  const world = dreamHome();
  const key = await keyOf(world, ONCE_ASKED);
  const explained = await svc(world, 'memory', 'promote-explain', key, '--json');
  assert.is(jsonOf.dreamExplain(explained).key, key);
  const harness = await svc(world, 'memory', 'rem-harness', '--json');
  const [swept] = jsonOf.dreamRun(harness).sweeps;
  assert.ok(swept !== undefined && 'remReport' in swept);
  assert.match(swept.remReport ?? '', /## REM Sleep/);
  assert.not(existsSync(world.home.at('workspace/MEMORY.md')));
  const promoted = await svc(world, 'memory', 'promote', key.slice(0, 8), '--json');
  assert.is(jsonOf.dreamPromote(promoted).decision, 'promote');
});

test('--phase runs that phase alone', async () => {
  const world = dreamHome();
  const run = await svc(world, 'dream', 'run', '--phase', 'light', '--phase=rem', '--json');
  const [swept] = jsonOf.dreamRun(run).sweeps;
  assert.ok(swept !== undefined && 'sweep' in swept);
  const { light, rem, deep } = swept.sweep.phases;
  assert.equal([light?.state, rem?.state, deep?.state], ['done', 'done', 'off']);
});

test('what is printed about the workspace of an agent names that agent', async () => {
  const world = dreamHome();
  const list = [{ id: 'main' }, { id: 'ops', workspace: './ops' }];
  world.home.write('svc.json', JSON.stringify({ agents: { list } }));
  const day = new Date().toISOString().slice(0, 10);
  world.home.write(`ops/memory/${day}.md`, '- Zoe owns the payroll system and its invoices.\n');
  await svc(world, 'dream', 'run', '--agent', 'ops');
  const listed = await svc(world, 'dream', 'candidates', '--agent', 'ops', '--json');
  const [{ key } = { key: '' }] = jsonOf.dreamCandidates(listed).candidates;
  const { stdout } = await svc(world, 'dream', 'promote', key, '-a', 'ops');
  const [, undo = ''] = /undo with "svc (.*)"/u.exec(stdout) ?? [];
  assert.match(undo, /^dream undo \S+ --agent ops$/u);
  assert.is((await svc(world, ...undo.split(' '))).code, 0);
  const unknown = await svc(world, 'dream', 'explain', 'nothing', '--agent', 'ops');
  assert.match(unknown.stderr, '"svc dream candidates --agent ops"');
});

test('commands that are printed name the configuration; those in a claim are left alone', async () => {
  const world = dreamHome();
  const claim = 'Zoe runs "svc memory index" after each restore of the payroll server.';
  const day = new Date().toISOString().slice(0, 10);
  world.home.write(`workspace/memory/${day}.md`, `- ${claim}\n`);
  world.home.write('other.json', '{}');
  const other = async (...args: string[]): Promise<string> =>
    (await svc(world, 'dream', ...args, '--config', 'other.json')).stdout;
  assert.match(await other('status'), 'enable it with "svc dream enable --config other.json"');
  await other('run');
  const listed = await svc(world, 'dream', 'candidates', '--json');
  const found = jsonOf.dreamCandidates(listed).candidates.find(({ text }) => text === claim);
  for (const verb of ['promote', 'reject']) {
    const stdout = await other(verb, found?.key ?? '');
    assert.is(stdout.split('\n')[0], claim);
    assert.match(stdout, /with "svc dream undo \S+ --config other\.json"/u);
  }
});

test('a claim is promoted by hand, whatever its score, unless its note has changed', async () => {
  const world = dreamHome();
  const key = await keyOf(world, ONCE_ASKED);
  const first = await svc(world, 'dream', 'promote', key);
  assert.is(first.code, 0, first.stderr);
  assert.match(first.stdout, /undo with "svc dream undo \S+"/);
  assert.match(world.read('MEMORY.md'), /- Mira owns the billing service/);
  const again = await svc(world, 'dream', 'promote', key, '--json');
  assert.is(jsonOf.dreamPromote(again).decision, 'said');
  writeFileSync(world.home.at(`workspace/${world.note}`), '# Empty\n');
  const refused = await svc(world, 'dream', 'promote', OFTEN_ASKED, '--json');
  assert.is(refused.code, 1);
  const { decision, why, sweep } = jsonOf.dreamPromote(refused);
  assert.equal([decision, why, sweep], ['skip', 'missing', null]);
  const unknown = await svc(world, 'dream', 'promote', 'backup', '--json');
  assert.equal([unknown.code, jsonOf.error(unknown).code], [1, 'DREAM_CLAIM_UNKNOWN']);
});

test('rejecting a claim that no sweep wrote names none to undo', async () => {
  const world = dreamHome();
  world.home.write('workspace/MEMORY.md', `- ${ONCE_ASKED}\n`);
  const key = await keyOf(world, ONCE_ASKED);
  const promotion = jsonOf.dreamPromote(await svc(world, 'dream', 'promote', key, '--json'));
  assert.is(promotion.decision, 'said');
  const explained = await svc(world, 'dream', 'explain', key);
  assert.match(explained.stdout, /^status +found in MEMORY\.md \d{4}-\d\d-\d\d by sweep/mu);
  assert.match(explained.stdout, /\nMEMORY\.md already contained it\.\n$/u);
  const rejected = await svc(world, 'dream', 'reject', key);
  assert.match(rejected.stdout, /what is in MEMORY\.md about it stays; edit the file/);
  assert.not.match(rejected.stdout, /dream undo/);
});

test('undo reverts the last sweep that wrote something; an entry belongs to the sweep that wrote it', async () => {
  const world = dreamHome();
  const key = await keyOf(world, ONCE_ASKED);
  const first = jsonOf.dreamPromote(await svc(world, 'dream', 'promote', key, '--json'));
  const again = jsonOf.dreamPromote(await svc(world, 'dream', 'promote', key, '--json'));
  assert.is.not(again.sweep, first.sweep);
  const explained = jsonOf.dreamExplain(await svc(world, 'dream', 'explain', key, '--json'));
  assert.equal([explained.fate, explained.sweep], ['promoted', first.sweep]);
  const rejected = await svc(world, 'dream', 'reject', key);
  const kept = 'its entry in MEMORY.md stays; edit the file to remove it, or undo its whole sweep';
  assert.match(rejected.stdout, `${kept} with "svc dream undo ${first.sweep}"`);
  const undone = await svc(world, 'dream', 'undo');
  assert.is(undone.code, 0, undone.stderr);
  assert.not.ok(existsSync(world.home.at('workspace/MEMORY.md')), 'it had only that entry');
});

test('an entry that a newer note replaced is explained without claiming that it updates the newer one', async () => {
  const world = dreamHome();
  await svc(world, 'dream', 'run');
  const today = new Date().toISOString().slice(0, 10);
  const newer = 'The nightly backup of the storage server runs at 04:15 now.';
  world.home.write(`workspace/memory/${today}.md`, `- ${newer}\n`);
  await svc(world, 'dream', 'run');
  const { stdout } = await svc(world, 'dream', 'explain', OFTEN_ASKED);
  assert.match(stdout, /✗ contradicted by a later note\n· added to MEMORY\.md/);
  assert.match(stdout, `replaced by a newer statement`);
  assert.match(stdout, /\nA newer statement replaced it\.\n/);
  assert.not.match(stdout, /updates an entry|already promoted\.\n$/);
});

test('undoing two sweeps in either order removes what both wrote', async () => {
  const world = dreamHome();
  await svc(world, 'dream', 'run');
  const today = new Date().toISOString().slice(0, 10);
  const newer = 'The nightly backup of the storage server runs at 04:15 now.';
  world.home.write(`workspace/memory/${today}.md`, `- ${newer}\n`);
  await svc(world, 'dream', 'run');
  const { sweeps } = jsonOf.dreamList(await svc(world, 'dream', 'list', '--json'));
  const [second, first] = sweeps.map(({ id }) => id);
  const early = await svc(world, 'dream', 'undo', first ?? '');
  assert.match(early.stdout, /no longer exists/);
  assert.match(world.read('MEMORY.md'), newer);
  const late = await svc(world, 'dream', 'undo', second ?? '');
  assert.is(late.code, 0, late.stderr);
  assert.is(world.read('MEMORY.md'), '');
});

test('rejected claims are not promoted; undo keeps edited entries and reports them', async () => {
  const world = dreamHome();
  await svc(world, 'dream', 'promote', ONCE_ASKED);
  const memory = world.home.at('workspace/MEMORY.md');
  writeFileSync(memory, readFileSync(memory, 'utf8').replace('signs off', 'approves'));
  const undone = await svc(world, 'dream', 'undo');
  assert.is(undone.code, 0, undone.stderr);
  assert.match(undone.stdout, /0 changes to MEMORY\.md undone/);
  assert.match(undone.stdout, /kept [0-9a-f]{8}: it was edited since/);
  assert.match(world.read('MEMORY.md'), /approves/);
  const rejected = await svc(world, 'dream', 'reject', OFTEN_ASKED, '--json');
  assert.is(jsonOf.dreamReject(rejected).text, OFTEN_ASKED);
  await svc(world, 'dream', 'run');
  assert.not.match(world.read('MEMORY.md'), /nightly backup/);
});

test('a missing workspace does not stop the sweeps of the others', async () => {
  const world = dreamHome();
  const list = [
    { id: 'main', default: true },
    { id: 'lost', workspace: world.home.at('nowhere') },
  ];
  world.home.write('svc.json', JSON.stringify({ agents: { list } }));
  const run = await svc(world, 'dream', 'run', '--json');
  assert.is(run.code, 1);
  const { ok, sweeps } = jsonOf.dreamRun(run);
  assert.is(ok, false);
  assert.equal(
    sweeps.map((swept) => ('error' in swept ? swept.error.code : swept.ok)),
    [true, 'WORKSPACE_MISSING'],
  );
  const text = await svc(world, 'dream', '--agent', 'lost');
  assert.is(text.code, 1);
  assert.match(text.stderr, /error: lost: there is no workspace at .*nowhere\n/);
});

test('a sweep reads conversations of agents whose memory includes them', async () => {
  const world = dreamHome();
  const now = new Date().toISOString();
  const talk = message('user', 'The green binder holds the contracts of 2019.', now);
  world.home.write('agents/main/sessions/a.jsonl', talk);
  world.home.write('agents/second/sessions/b.jsonl', talk.replace('green', 'red'));
  const swept = async (memorySearch: object) => {
    const list = [{ id: 'main', default: true }, { id: 'second' }].map((agent) => ({
      ...agent,
      workspace: world.home.at('workspace'),
    }));
    world.home.write('svc.json', JSON.stringify({ agents: { defaults: { memorySearch }, list } }));
    const [sweep] = jsonOf.dreamRun(await svc(world, 'dream', 'run', '--json')).sweeps;
    return sweep !== undefined && 'sweep' in sweep ? sweep.sweep.phases.light?.counts : undefined;
  };
  assert.is((await swept({}))?.['messages'], 0);
  const counts = await swept({
    sources: ['memory', 'sessions'],
    experimental: { sessionMemory: true },
  });
  assert.equal([counts?.['messages'], counts?.['noted']], [2, 2]);
  const explained = await svc(world, 'dream', 'explain', 'red binder contracts', '--json');
  const { path, note } = jsonOf.dreamExplain(explained);
  assert.equal([path, note], ['sessions/second/b.jsonl', 'found']);
});

test('a failed phase is reported and changes the exit code', async () => {
  const world = dreamHome();
  symlinkSync('/dev/null', world.home.at('workspace/MEMORY.md'));
  const run = await svc(world, 'dream', 'run');
  assert.is(run.code, 1);
  assert.match(run.stdout, /deep +failed: cannot write MEMORY\.md: it is a symbolic link/);
  assert.match(run.stdout, /light +1 note, /);
});

test('Ctrl-C while waiting for another sweep ends the command and writes nothing', async () => {
  const world = dreamHome();
  const { lock } = dreamWorkspace(world.home.at('workspace'), { stateDir: world.home.path }).files;
  const { code, stderr } = await withProcessLock(lock, { signal: NEVER }, async () => {
    const run = startSvc(['dream', 'run'], { home: world.home.path });
    await run.waitForText('waiting for another sweep');
    run.child.kill('SIGINT');
    return run.done;
  });
  assert.is(code, 130, stderr);
  assert.not(existsSync(world.home.at('workspace/MEMORY.md')));
});

test('a backfill of old notes is listed, and rolled back to the byte', async () => {
  const world = dreamHome();
  const rule = 'We always deploy from main on Tuesdays.';
  world.home.write('workspace/memory/2025-03-04.md', `## Decisions\n\n- ${rule}\n- Met Ana.\n`);
  const path = ['--path=~/workspace/memory/2025-03-04.md'];
  const dry = jsonOf.dreamBackfill(
    await svc(world, 'memory', 'rem-backfill', ...path, '--dry-run', '--json'),
  );
  assert.equal([dry.id, dry.backfilled?.dryRun, dry.backfilled?.notes], [null, true, 1]);
  const before = (await svc(world, 'dream', 'signals', '--json')).stdout;
  const done = jsonOf.dreamBackfill(await svc(world, 'dream', 'backfill', ...path, '--json'));
  assert.equal(
    done.backfilled?.claims.map(({ text, lean, startLine }) => [text, lean, startLine]),
    [[rule, 'lasting', 3]],
  );
  const again = await svc(world, 'dream', 'backfill', ...path);
  assert.match(again.stdout, /^1 note: 1 lasting, 0 durable, 0 unclear, \d situational\n0 claims/);
  const explained = jsonOf.dreamExplain(await svc(world, 'dream', 'explain', rule, '--json'));
  assert.is(explained.grounded, 2);
  const why = (await svc(world, 'dream', 'explain', rule)).stdout;
  assert.match(why, '0 recalls + 0 notes + 2 from a backfill');
  assert.match(why, /✓ +recalled +asked for by a backfill\n/u);
  const list = await svc(world, 'dream', 'list');
  assert.match(list.stdout, new RegExp(`${done.id} .* backfill +– +no changes`));
  const status = jsonOf.dreamStatus(await svc(world, 'dream', 'status', '--json'));
  assert.is(status.workspaces[0]?.lastSweep, null);
  // Neither the repetition nor a folder without daily notes can be rolled back.
  world.home.write('workspace/old/2025-01-05.md', '- Ana leads the design team.\n');
  const elsewhere = await svc(world, 'dream', 'backfill', '--path', 'old');
  assert.match(elsewhere.stdout, /^0 notes: .*\n.*\n {2}only dated notes in memory\/ are read/u);
  const { stdout: sweeps } = await svc(world, 'dream', 'list');
  assert.is(sweeps.match(/backfill/gu)?.length, 1);

  const back = await svc(world, 'dream', 'backfill', '--rollback', done.id ?? '', '--json');
  assert.equal(jsonOf.dreamBackfill(back).rolledBack, { claims: 1 });
  assert.is((await svc(world, 'dream', 'signals', '--json')).stdout, before);
  const twice = await svc(world, 'dream', 'backfill', '--rollback', done.id ?? '', '--json');
  assert.is(jsonOf.error(twice).code, 'DREAM_SWEEP_UNKNOWN');
  assert.match(jsonOf.error(twice).message, /was already rolled back$/);
  for (const wrong of [[], ['--dry-run'], [...path, '--rollback', 'x'], ['--path', '..']]) {
    assert.is((await svc(world, 'dream', 'backfill', ...wrong)).code, 2, wrong.join(' '));
  }
});

test('enable and disable change one key, keep comments, and say what comes next', async () => {
  const world = dreamHome();
  const config = '{\n  // mine\n  "plugins": { "entries": { "memory-core": {} } }\n}\n';
  world.home.write('svc.json', config);
  const on = jsonOf.dreamSwitch(await svc(world, 'dream', 'enable', '--json'));
  assert.equal([on.enabled, on.changed], [true, true]);
  assert.ok(on.nextRunAt !== null);
  assert.match(readFileSync(world.home.at('svc.json'), 'utf8'), /\/\/ mine[\s\S]*"enabled": true/);
  assert.is(jsonOf.dreamStatus(await svc(world, 'dream', 'status', '--json')).enabled, true);
  const again = await svc(world, 'dream', 'enable');
  assert.match(again.stdout, /dreaming is already on/);
  const off = await svc(world, 'dream', 'disable');
  assert.match(off.stdout, /dreaming is now off/);
});

test('the schedule is shown, and printed for cron and systemd with absolute paths', async () => {
  const world = dreamHome();
  const dreaming = { timezone: 'Europe/Berlin', frequency: '15 4 * * 1-5' };
  const entries = { 'memory-core': { config: { dreaming } } };
  world.home.write('svc.json', JSON.stringify({ plugins: { entries } }));
  const plain = jsonOf.dreamSchedule(await svc(world, 'dream', 'schedule', '--count=3', '--json'));
  assert.equal([plain.runs.length, plain.timeZone], [3, 'Europe/Berlin']);
  // Its path on PATH survives an update of Node.js.
  const node = world.home.at('bin/node');
  world.home.write('bin/README', '');
  symlinkSync(process.execPath, node);
  const cron = await runInSession(['dream', 'schedule', '--print-crontab'], {
    home: world.home.path,
    env: { PATH: world.home.at('bin') },
  });
  // This test has another home than its user.
  const places = `HOME=${world.home.path} SVC_HOME=${world.home.path}`;
  const command = `/usr/bin/env ${places} ${node}`;
  assert.ok(
    cron.stdout.includes(`time zone\nCRON_TZ=Europe/Berlin\n15 4 * * 1-5 ${command} /`),
    cron.stdout,
  );
  assert.match(cron.stdout, /bin\/run\.js dream run --plain\n$/);
  assert.match(cron.stderr, /dreaming is off, so searches are not recorded/);
  const config = ['--config', 'svc.json'];
  const units = await svc(world, 'dream', 'schedule', '--print-systemd', ...config, '--json');
  const { service, timer } = jsonOf.dreamSchedule(units);
  assert.match(timer ?? '', /^OnCalendar=Mon,Tue,Wed,Thu,Fri \*-\*-\* 04:15:00 Europe\/Berlin$/m);
  assert.ok(
    service?.includes(`dream run --plain --config ${world.home.at('svc.json')}\n`),
    service,
  );
});

test('with no data yet, every command says so', async () => {
  const world = { home: tempFolder() };
  for (const [words, message] of [
    ['candidates', /No candidates yet/],
    ['signals', /No claims recalled yet\. Searches are only recorded while dreaming is on/],
    ['list', /No sweeps yet/],
    ['status', /last sweep +none yet/],
  ] as const) {
    const run = await svc(world, 'dream', words);
    assert.is(run.code, 0, run.stderr);
    assert.match(run.stdout, message);
  }
  assert.not(existsSync(world.home.at('dreaming')));
  for (const words of [['show'], ['explain', 'x']]) {
    assert.is((await svc(world, 'dream', ...words)).code, 1, words.join(' '));
  }
  const nobody = await svc(world, 'dream', 'status', '--agent', 'nobody', '--json');
  assert.is(jsonOf.error(nobody).code, 'AGENT_UNKNOWN');
});

test('the screen promotes, rejects and undoes, and restores the terminal', async () => {
  const world = dreamHome();
  const session = runInPty(['dream', 'candidates'], {
    home: world.home.path,
    columns: 60,
  });
  await session.waitForText('2 candidates · 1 ready');
  await session.waitForText('## Operations');
  session.type('p');
  await session.waitForText('promoted: The nightly');
  assert.match(world.read('MEMORY.md'), /nightly backup/);
  session.type('x');
  await session.waitForText('rejected: Mira');
  session.type('u');
  await session.waitForText('no longer rejected');
  session.type('u');
  await session.waitForText('removed from MEMORY.md');
  await session.waitForText('2 candidates · 1 ready');
  session.type('p');
  await session.waitForText('promoted: The nightly');
  session.type('q');
  assert.is(await session.ended, 0);
  assertTerminalRestored(session);
  assert.match(session.output(), /1 claim promoted, 0 rejected/);
  assert.match(world.read('MEMORY.md'), /nightly backup/);
});

test('on a terminal the phases are steps that are ticked off, or marked as failed', async () => {
  const world = dreamHome();
  symlinkSync('/dev/null', world.home.at('workspace/MEMORY.md'));
  const session = runInPty(['dream', 'run'], {
    home: world.home.path,
    rows: 30,
    lines: true,
  });
  assert.is(await session.ended, 1);
  assert.match(session.output(), /✔\S* light: 1 note/u);
  assert.match(session.output(), /✖\S* deep: failed: /u);
});

test('on a terminal the step list of a missing workspace ends before the answer', async () => {
  const world = dreamHome();
  const missing = world.home.at('nowhere');
  const agents = { list: [{ id: 'main' }, { id: 'lost', workspace: missing }] };
  world.home.write('svc.json', JSON.stringify({ agents }));
  const session = runInPty(['dream', 'run'], {
    home: world.home.path,
    columns: 100,
    rows: 40,
    lines: true,
  });
  assert.is(await session.ended, 1);
  const output = session.output();
  const answer = output.slice(output.lastIndexOf('not swept'));
  assert.not.match(answer, /searches|light|rem|deep/u);
  assert.ok(output.lastIndexOf('\u001B[?25h') > output.lastIndexOf('\u001B[?25l'), 'cursor');
});

test('on a terminal the diary of a model is a step', async () => {
  const world = dreamHome();
  const chat = await startOpenAiChatFake();
  const models = {
    providers: { m: { api: 'openai', baseUrl: `${chat.origin}/v1`, apiKey: CHAT_KEY } },
  };
  const core = {
    subagent: { allowModelOverride: true },
    config: { dreaming: { model: 'm/some-model' } },
  };
  const config = { models, plugins: { entries: { 'memory-core': core } } };
  world.home.write('svc.json', JSON.stringify(config));
  const session = runInPty(['dream', 'run'], {
    home: world.home.path,
    columns: 100,
    rows: 40,
    lines: true,
  });
  assert.is(await session.ended, 0);
  await chat.close();
  assert.match(session.output(), /✔\S* diary/u);
});

for (const [name, args] of [
  ['as a live list', []],
  ['as plain lines', ['--plain']],
] as const) {
  test(`on a terminal each phase is shown once, ${name}`, async () => {
    const world = dreamHome();
    const session = runInPty(['dream', 'run', ...args], {
      home: world.home.path,
      rows: 30,
      lines: true,
    });
    assert.is(await session.ended, 0);
    // The answer follows the steps, and begins with the workspace.
    const answer = session.output().slice(session.output().lastIndexOf('workspace'));
    assert.match(answer, /The nightly backup/);
    assert.not.match(answer, /considered|new search/);
  });
}

test.run();
