import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { jsonOf } from '../support/json.js';
import { runSvc } from '../support/run-svc.js';
import { tempFolder } from '../support/temp-folder.js';

const test = suite('recalls that searches log for dreaming');

const FACT = 'The nightly backup of the storage server runs at 02:30.';

function newHome(enabled: boolean) {
  const home = tempFolder();
  home.write('workspace/memory/2026-11-18.md', `# Day\n\n- ${FACT}\n- Lunch was late.\n`);
  home.write('workspace/memory/servers.md', 'The storage server backup manual.\n');
  home.write(
    'svc.json',
    JSON.stringify({
      agents: { defaults: { memorySearch: { provider: 'none' } } },
      plugins: { entries: { 'memory-core': { config: { dreaming: { enabled } } } } },
    }),
  );
  return home;
}

function logOf(home: ReturnType<typeof newHome>): string {
  const dir = home.at('dreaming');
  if (!existsSync(dir)) return '';
  const [name] = readdirSync(dir).filter((file) => file.endsWith('.recalls.jsonl'));
  return name === undefined ? '' : readFileSync(home.at(`dreaming/${name}`), 'utf8');
}

test('a search logs the claim that answered, not the query', async () => {
  const home = newHome(true);
  const run = await runSvc(['memory', 'search', 'when does the nightly backup run'], {
    home: home.path,
  });
  assert.is(run.code, 0);
  const log = logOf(home);
  assert.is(log.trim().split('\n').length, 1);
  assert.ok(log.includes(FACT));
  assert.not(log.includes('when does'));
  assert.not(log.includes('manual'));
});

test("active memory's recalls are logged too", async () => {
  const home = newHome(true);
  home.write(
    'svc.json',
    JSON.stringify({
      agents: { defaults: { memorySearch: { provider: 'none' } } },
      plugins: {
        entries: {
          'memory-core': { config: { dreaming: { enabled: true } } },
          'active-memory': { enabled: true, config: { agents: ['main'] } },
        },
      },
    }),
  );
  const hook = { session_id: 's', hook_event_name: 'UserPromptSubmit', cwd: home.path };
  const prompt = JSON.stringify({ ...hook, prompt: 'when does the nightly backup run?' });
  const recall = await runSvc(['memory', 'recall', '--hook', 'claude-code'], {
    home: home.path,
    input: prompt,
  });
  assert.match(recall.stdout, /02:30/);
  assert.ok(logOf(home).includes(FACT));
});

test('nothing is logged while dreaming is off, in a folder of no agent, or without a hit', async () => {
  const off = newHome(false);
  await runSvc(['memory', 'search', 'nightly backup'], { home: off.path });
  assert.is(logOf(off), '');
  const on = newHome(true);
  await runSvc(['memory', 'search', 'nightly backup', '-w', on.at('workspace')], {
    home: on.path,
  });
  await runSvc(['memory', 'search', 'zebra'], { home: on.path });
  assert.is(logOf(on), '');
});

test('a search answers even if the log cannot be written', async () => {
  const home = newHome(true);
  home.write('dreaming', 'a file in the way');
  const run = await runSvc(['memory', 'search', 'nightly backup', '--json'], {
    home: home.path,
  });
  assert.is(run.code, 0);
  assert.is(jsonOf.search(run).results.length > 0, true);
  assert.match(run.stderr, /this search was not recorded for dreaming/);
});

test('forgotten text is removed from the log and from the dream database', async () => {
  const home = newHome(true);
  for (const question of ['nightly backup', 'backup of the storage server']) {
    await runSvc(['memory', 'search', question], { home: home.path });
  }
  await runSvc(['dream', 'run'], { home: home.path });
  await runSvc(['memory', 'search', 'when does the nightly backup run'], { home: home.path });
  const run = await runSvc(['memory', 'forget', 'nightly backup 02:30', '--yes'], {
    home: home.path,
  });
  assert.is(run.code, 0, run.stderr);
  for (const name of readdirSync(home.at('dreaming'), { recursive: true, encoding: 'utf8' })) {
    const path = home.at(`dreaming/${name}`);
    if (/\.(?:sqlite|sqlite-wal|jsonl|md)$/u.test(name)) {
      assert.not(readFileSync(path).includes('storage server runs'), name);
    }
  }
});

test.run();
