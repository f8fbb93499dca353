import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { extMemory } from '../support/ext-memory.js';
import { jsonOf } from '../support/json.js';
import { warningCodes } from '../support/memory.js';
import type { QmdVersion } from '../support/qmd.js';
import { runSvc } from '../support/run-svc.js';
import { message } from '../support/transcripts.js';

const test = suite('the external backend');

/** Commands that would load a model. */
const LOADS_MODEL = /^(?:embed|query|status|vsearch)$/;

function pathsOf({ results }: { readonly results: readonly { readonly path: string }[] }) {
  return results.map(({ path }) => path).sort();
}

test('the program answers from its own folders and loads no model', async () => {
  const { home, qmd, search, status, svc, newCommands } = extMemory();
  const found = await search('heron');
  assert.equal([found.backend, found.mode, warningCodes(found)], ['ext', 'lexical', []]);
  const lines = found.results.map(({ path, startLine, endLine, citation }) => [
    path,
    startLine <= 3 && endLine >= 3,
    citation?.startsWith(`${path}#L`),
  ]);
  assert.equal(lines.sort(), [
    ['MEMORY.md', true, true],
    ['memory/2026-11-01.md', true, true],
  ]);
  const { env } = qmd.log()[0] ?? {};
  for (const name of ['QMD_CONFIG_DIR', 'XDG_CACHE_HOME', 'XDG_CONFIG_HOME']) {
    assert.ok(env?.[name]?.startsWith(home.at('agents/main/qmd/')), name);
  }
  const deep = await status('--deep');
  assert.equal([deep?.backend, deep?.ext?.vectors, deep?.ext?.updated?.files], ['ext', 'off', 2]);
  assert.match((await svc('provider', 'test')).stdout, /^external search of agent main\n/);
  assert.is((await svc('memory', 'index')).code, 0);
  assert.not.ok(newCommands().some((command) => LOADS_MODEL.test(command)));
  assert.not.ok(existsSync(home.at('.config')) || existsSync(home.at('.cache')));
});

test('the index of the built-in engine is updated when it answers, not by svc memory index', async () => {
  const { home, svc } = extMemory();
  const fallback = async (): Promise<string | undefined> => {
    assert.is((await svc('memory', 'index')).code, 0);
    return /fallback +(.+)/u.exec((await svc('memory', 'status')).stdout)?.[1];
  };
  assert.is(await fallback(), 'built-in engine, no index: built when needed');
  const filtered = ['memory', 'search', 'heron', '--since', '2026-01-01'];
  assert.is((await svc(...filtered)).code, 0);
  assert.is(await fallback(), 'built-in engine, up to date');
  home.write('workspace/memory/2026-11-02.md', '# New\n');
  assert.match((await fallback()) ?? '', /stale: 1 added .*; updated when needed$/u);
  assert.is((await svc(...filtered)).code, 0);
  assert.is(await fallback(), 'built-in engine, up to date');
});

const PROCESSES: Readonly<Record<Exclude<QmdVersion, '0.1.0'>, number>> = {
  '0.6.0': 2,
  '0.9.0': 2,
  '1.0.7': 2,
  '1.1.6': 1,
  '2.0.1': 1,
  '2.8.3': 1,
};

test('notes that the program does not search are not reported as outside of memory', async () => {
  const { search, status } = extMemory({}, { includeDefaultMemory: false });
  const found = await search('heron');
  assert.equal([found.results, warningCodes(found)], [[], []]);
  assert.equal((await status())?.faults, []);
});

test('status explains a file by the index of the program', async () => {
  const { home, svc, status } = extMemory({}, { sessions: { enabled: true } });
  home.write('agents/main/sessions/s1.jsonl', message('user', 'A bittern called.'));
  const stateOf = async (path: string) => {
    const why = (await status('--why', path))?.why;
    return [why?.included, why?.indexed];
  };
  assert.equal(await stateOf('MEMORY.md'), [true, false]);
  await svc('memory', 'index');
  assert.equal(await stateOf('MEMORY.md'), [true, true]);
  assert.equal(await stateOf('qmd/sessions-main/s1.md#L3'), [true, true]);
  assert.equal(await stateOf('other.md'), [false, false]);
  home.write('workspace/memory/new.md', 'A stork.\n');
  assert.equal(await stateOf('memory/new.md'), [true, false]);
  // The built-in engine would index it.
  home.write('workspace/USER.md', 'Ana.\n');
  const left = (await status('--why', 'USER.md'))?.why;
  assert.equal(
    [left?.included, left?.reason, left?.detail],
    [false, 'excluded', 'no collection of memory.ext contains it'],
  );
});

test('each release is called in its own form, with as few processes as possible', async () => {
  await Promise.all(
    Object.entries(PROCESSES).map(async ([release, processes]) => {
      const { search, newCommands, status, qmd } = extMemory({ version: release as QmdVersion });
      const first = await search('egrets');
      assert.equal([first.backend, warningCodes(first)], ['ext', []], release);
      assert.equal(pathsOf(first), ['memory/2026-11-01.md'], release);
      newCommands();
      assert.is((await search('heron')).results.length, 2, release);
      assert.equal(newCommands(), Array<string>(processes).fill('search'), release);
      assert.is((await status())?.ext?.release, release);
      assert.equal(qmd.log(), []);
    }),
  );
});

test('the next answer reflects added, changed and removed notes', async () => {
  const { home, search } = extMemory();
  await search('heron');
  home.write('workspace/memory/2026-11-02.md', 'A bittern called.\n');
  home.write('workspace/MEMORY.md', '# Memory\n\nThe oak fell.\n');
  rmSync(home.at('workspace/memory/2026-11-01.md'));
  assert.equal(pathsOf(await search('bittern')), ['memory/2026-11-02.md']);
  assert.equal(pathsOf(await search('heron')), []);
  rmSync(home.at('workspace/memory/2026-11-02.md'));
  assert.equal(pathsOf(await search('bittern')), []);
});

test('a refresh removes the temporary files that a killed process left in the workspace', async () => {
  const { home, search } = extMemory();
  const path = home.write('workspace/memory/.0123456789ab.svc.tmp', 'the code is 4711');
  const long = (Date.now() - 3_600_000) / 1000;
  utimesSync(path, long, long);
  await search('heron');
  assert.not.ok(existsSync(path));
});

test('only collections that the configuration names are added and removed', async () => {
  const { home, qmd, configure, search, status, newCommands } = extMemory();
  home.write('handbook/Rules.md', '# Rules\n\nNobody feeds the pelican.\n');
  home.write('handbook/rules.txt', 'The pelican again.\n');
  home.write('theirs/own.md', 'A pelican of their own.\n');
  await search('heron');
  const env = { ...qmd.log()[0]?.env };
  const add = ['collection', 'add', home.at('theirs'), '--name', 'theirs'];
  assert.is(spawnSync(qmd.command, add, { env }).status, 0);
  const handbook = { name: 'handbook', path: home.at('handbook'), pattern: '**/*.{md,txt}' };
  configure({ paths: [handbook] });
  const both = await search('pelican');
  assert.equal([both.results.length, warningCodes(both)], [2, []]);
  configure({ paths: [{ ...handbook, pattern: '**/*.md' }] });
  assert.is((await search('pelican')).results.length, 1);
  configure({});
  newCommands();
  assert.is((await search('pelican')).results.length, 0);
  assert.equal(
    (await status())?.ext?.collections.map(({ name }) => name),
    ['memory-root-main', 'memory-dir-main'],
  );
  assert.is(newCommands().filter((command) => command === 'collection remove').length, 1);
  const list = spawnSync(qmd.command, ['collection', 'list'], { env });
  assert.match(String(list.stdout), 'theirs (qmd://theirs/)');
});

test('agents have an index each, and collections of their own', async () => {
  const { home, svc } = extMemory(
    {},
    {},
    {
      defaults: { memorySearch: { provider: 'none' } },
      list: [
        { id: 'main', default: true },
        {
          id: 'bob',
          workspace: 'bob',
          memorySearch: { ext: { extraCollections: [{ name: 'birds', path: 'birds' }] } },
        },
      ],
    },
  );
  home.write('bob/MEMORY.md', 'Bob keeps a heron of stone.\n');
  home.write('bob/birds/list.md', 'A heron, seen by Bob.\n');
  const searchAs = async (agent: string) => {
    const words = ['memory', 'search', 'heron', '--agent', agent, '--json'];
    return jsonOf.search(await runSvc(words, { home: home.path }));
  };
  const [main, bob] = await Promise.all([searchAs('main'), searchAs('bob')]);
  assert.equal(pathsOf(main), ['MEMORY.md', 'memory/2026-11-01.md']);
  assert.equal([bob.results.length, warningCodes(bob)], [2, []]);
  assert.ok(bob.results.every(({ snippet }) => snippet.includes('Bob')));
  for (const { path } of bob.results) {
    const { text } = jsonOf.get(await svc('memory', 'get', path, '--agent', 'bob', '--json'));
    assert.match(text, 'heron');
  }
});

test('conversations are exported without secrets, searched as a group, and removed when switched off', async () => {
  const secret = `sk-ant-api03-${'x'.repeat(60)}`;
  const { home, svc, search, newCommands, configure } = extMemory(
    {},
    { sessions: { enabled: true } },
  );
  const turn = (text: string): string =>
    JSON.stringify({ type: 'message', message: { role: 'user', content: text } });
  home.write(
    'agents/main/sessions/talk.jsonl',
    `${turn('I saw a heron at the weir.')}\n${turn(`My key is ${secret}`)}\n`,
  );
  const all = await search('heron');
  assert.equal([all.results.length, warningCodes(all)], [3, []]);
  newCommands();
  const talks = await search('weir', '--source', 'sessions');
  assert.equal([talks.results.length, talks.results[0]?.source], [1, 'sessions']);
  assert.equal(newCommands(), ['search']);
  const listed = await svc('memory', 'recent', '--source', 'sessions');
  assert.match(listed.stdout, '/talk');
  assert.not.match(listed.stderr, 'not searched');
  const exports = home.at('agents/main/qmd/sessions');
  const written = readdirSync(exports).map((name) => readFileSync(`${exports}/${name}`, 'utf8'));
  assert.match(written.join(''), 'at the weir');
  assert.not.match(written.join(''), secret);
  configure({ sessions: { enabled: false } });
  assert.equal(pathsOf(await search('weir')), []);
  const off = await svc('memory', 'recent', '--source', 'sessions');
  assert.match(off.stderr, 'set memory.ext.sessions.enabled to true');
});

test('an expired conversation is no longer found', async () => {
  const { home, search, configure } = extMemory({}, { sessions: { enabled: true } });
  const talk = home.write(
    'agents/main/sessions/talk.jsonl',
    JSON.stringify({ type: 'message', message: { role: 'user', content: 'a heron at the weir' } }),
  );
  utimesSync(talk, new Date('2020-01-01'), new Date('2020-01-01'));
  assert.is((await search('weir', '--source', 'sessions')).results.length, 1);
  configure({ sessions: { enabled: true, retentionDays: 30 } });
  assert.equal((await search('weir', '--source', 'sessions')).results, []);
});

test('a mode that needs vectors creates them and says whether it can answer', async () => {
  for (const searchMode of ['vsearch', 'query'] as const) {
    const { search, status, newCommands } = extMemory({}, { searchMode });
    const found = await search('heron');
    assert.equal(
      [found.backend, warningCodes(found), found.results.length],
      ['ext', [], 2],
      searchMode,
    );
    assert.is(found.mode, searchMode === 'query' ? 'hybrid' : 'vector');
    const commands = newCommands();
    assert.ok(commands.includes('embed') && commands.includes(searchMode));
    assert.not.ok(commands.includes('search'));
    assert.is((await status())?.ext?.vectors, 'ready');
  }
});

test('a failure to create vectors is a warning', async () => {
  const fails = { kind: 'fails', status: 1, stderr: 'no model here\n' } as const;
  const { search, status, svc } = extMemory({ on: { embed: fails } }, { searchMode: 'query' });
  const index = jsonOf.index(await svc('memory', 'index', '--json'));
  assert.match(JSON.stringify(index), 'no model here');
  const found = await search('heron');
  assert.equal([found.results.length, warningCodes(found)], [2, ['EMBEDDINGS_PENDING']]);
  assert.match(found.warnings?.[0]?.message ?? '', /no vectors for \d documents?$/u);
  assert.is((await status())?.ext?.vectors, 'missing');
});

test('noise around the answer, unknown fields and a lost collection do no harm', async () => {
  const { qmd, search, newCommands } = extMemory();
  await search('heron');
  const good = await search('egrets');
  qmd.become({ on: { search: { kind: 'banner' } } });
  const noisy = await search('egrets');
  assert.equal([noisy.results, warningCodes(noisy)], [good.results, []]);
  qmd.become({ on: { search: { kind: 'fields' } } });
  const other = await search('egrets');
  assert.equal([other.backend, warningCodes(other)], ['ext', []]);
  const [first] = other.results;
  assert.equal([first?.path, (first?.endLine ?? 0) >= 5], ['memory/2026-11-01.md', true]);
  qmd.become({ on: { search: { kind: 'forgets', collection: 'memory-dir-main', times: 1 } } });
  newCommands();
  const found = await search('egrets');
  assert.equal([pathsOf(found), warningCodes(found)], [['memory/2026-11-01.md'], []]);
  assert.ok(newCommands().includes('collection add'));
});

test('answers keep within their limits', async () => {
  const limits = { maxResults: 3, maxSnippetChars: 40, maxInjectedChars: 100 };
  const { home, search } = extMemory({}, { limits });
  for (let day = 1; day <= 9; day++) {
    home.write(`workspace/memory/w${day}.md`, `# W ${day}\n\nA heron ${'walked far '.repeat(9)}\n`);
  }
  const { results } = await search('heron');
  const texts = results.map(({ snippet }) => snippet.split('\n\nSource: ')[0] ?? '');
  assert.ok(results.length > 0 && results.length <= 3);
  assert.ok(texts.every((text) => text.length <= 40));
  assert.ok(texts.join('').length <= 100);
  assert.is((await search('heron', '--max-results', '1')).results.length, 1);
});

test('neither the program nor the built-in engine finds forgotten text', async () => {
  const { search, svc, configure } = extMemory();
  await search('egrets');
  assert.is((await svc('memory', 'forget', 'egrets', '--yes')).code, 0);
  assert.equal(pathsOf(await search('egrets')), []);
  configure({ command: '/nowhere/qmd' });
  assert.equal(pathsOf(await search('egrets')), []);
});

test('an index can be deleted and rebuilt', async () => {
  const { search, svc, newCommands, home } = extMemory();
  await search('heron');
  const note = readFileSync(home.at('workspace/MEMORY.md'), 'utf8');
  const reset = await svc('memory', 'reset', '--yes', '--json');
  assert.is(jsonOf.reset(reset).agents[0]?.deleted, true);
  assert.not.ok(existsSync(home.at('agents/main/qmd/cache/qmd/index.sqlite')));
  newCommands();
  assert.is((await search('heron')).results.length, 2);
  assert.is((await svc('memory', 'index', '--force')).code, 0);
  assert.is(readFileSync(home.at('workspace/MEMORY.md'), 'utf8'), note);
});

test.run();
