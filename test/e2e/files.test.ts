import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { jsonOf } from '../support/json.js';
import type { SvcRun } from '../support/run-svc.js';
import { runInSession } from '../support/svc-session.js';
import { folderOf, tempFolder } from '../support/temp-folder.js';

const test = suite('svc memory get, status, reset and index');

const lines = Array.from({ length: 200 }, (_, n) => `line ${n + 1}`);

/** A home for state, and a folder of notes. */
function world(files: Readonly<Record<string, string>> = {}) {
  const root = folderOf({
    'notes/long.md': `${lines.join('\n')}\n`,
    'notes/deep/short.md': '# Short\n\nalpha\n',
    'secret.md': 'the secret',
    ...files,
  });
  mkdirSync(root.at('home'));
  const svc = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    runInSession(args, { home: root.at('home'), cwd: root.path, env });
  return { root, svc, memory: (...args: string[]) => svc(['memory', ...args, '-w', 'notes']) };
}

async function errorCode(run: Promise<SvcRun>): Promise<[number | null, string]> {
  const done = await run;
  return [done.code, jsonOf.error(done).code];
}

test('get prints the requested lines and nothing else', async () => {
  const { memory } = world();
  const part = await memory('get', 'long.md', '--from', '10', '--lines', '3');
  assert.equal([part.code, part.stdout], [0, 'line 10\nline 11\nline 12\n']);
  const cited = await memory('get', 'long.md#L5-L6');
  assert.is(cited.stdout, 'line 5\nline 6\n');
  const numbered = await memory('get', 'long.md#L99-L100', '--line-numbers');
  assert.match(numbered.stdout, /^ *99\s+line 99\n *100\s+line 100\n$/);
  const past = await memory('get', 'long.md', '--from', '199', '--lines', '50');
  assert.is(past.stdout, 'line 199\nline 200\n');
});

test('get without a number of lines gives 120 and says how to go on', async () => {
  const { memory } = world();
  const run = await memory('get', 'long.md');
  assert.is(run.stdout, `${lines.slice(0, 120).join('\n')}\n`);
  assert.match(run.stderr, /121/);
  const document = jsonOf.get(await memory('get', 'long.md', '--json'));
  assert.equal(
    [document.startLine, document.endLine, document.totalLines, document.truncated],
    [1, 120, 200, true],
  );
});

test('the links of notes are shown, next to a result as well, and those that lead nowhere', async () => {
  const { memory } = world({ 'notes/MEMORY.md': 'See [[short]], and [more](gone.md).\n' });
  const broken = await memory('links', '--broken');
  assert.equal(
    [broken.code, broken.stdout],
    [0, 'MEMORY.md#L1  gone.md  no such file\n1 broken link\n'],
  );
  assert.match((await memory('links', 'deep/short.md')).stdout, /linked from\n +MEMORY\.md#L1/u);
  const found = await memory('search', 'alpha', '--related', '--json');
  assert.equal(jsonOf.search(found).results[0]?.related, [
    { path: 'MEMORY.md', relation: 'linked_from' },
  ]);
  assert.match((await memory('search', 'alpha', '--related')).stdout, 'linked from: MEMORY.md');
});

test('get refuses a range outside the file', async () => {
  const { memory } = world();
  const run = memory('get', 'long.md', '--from', '201', '--json');
  assert.equal(await errorCode(run), [2, 'RANGE_INVALID']);
  assert.equal(await errorCode(memory('get', 'long.md', '--from', '0', '--json')), [2, 'USAGE']);
});

test('get reads indexed files only, whatever the path', async () => {
  const { root, memory } = world();
  symlinkSync(root.at('secret.md'), root.at('notes/link.md'));
  symlinkSync(root.path, root.at('notes/up'));
  writeFileSync(root.at('notes/data.txt'), 'text');
  for (const path of [
    '../secret.md',
    'deep/../../secret.md',
    root.at('secret.md'),
    'link.md',
    'up/secret.md',
    'data.txt',
    '/etc/passwd',
    '.',
    '',
    'long.md/',
    'LONG.md',
  ]) {
    assert.equal(await errorCode(memory('get', path, '--json')), [1, 'DOCUMENT_NOT_INDEXED'], path);
  }
  for (const path of ['deep/short.md', './deep/short.md', root.at('notes/deep/short.md')]) {
    assert.match((await memory('get', path)).stdout, /alpha/, path);
  }
  const { stderr } = await memory('get', 'absent.md');
  assert.match(stderr, /"svc memory status --why PATH --workspace notes" shows why/);
  const noPage = await memory('get', 'long.md#p3');
  assert.match(noPage.stderr, 'run "svc memory get long.md --workspace notes" to read it');
});

test('get follows no link that was swapped in after indexing, file or folder', async () => {
  const { root, memory } = world({ 'elsewhere/short.md': 'the secret' });
  await memory('index');
  const offline = {
    'svc.json': JSON.stringify({
      agents: { defaults: { memorySearch: { sync: { onSearch: false } } } },
    }),
  };
  const config = folderOf(offline).at('svc.json');
  rmSync(root.at('notes/long.md'));
  symlinkSync(root.at('secret.md'), root.at('notes/long.md'));
  renameSync(root.at('notes/deep'), root.at('away'));
  symlinkSync(root.at('elsewhere'), root.at('notes/deep'));
  for (const path of ['long.md', 'deep/short.md']) {
    const run = await memory('get', path, '--json', '--config', config);
    assert.equal([run.code, jsonOf.error(run).code], [1, 'DOCUMENT_NOT_INDEXED']);
    assert.not.match(run.stdout, /the secret/);
  }
});

test('status shows what is stale and changes nothing', async () => {
  const { root, memory } = world();
  const before = jsonOf.status(await memory('status', '--json')).agents[0];
  assert.equal([before?.index.state, before?.staleness?.added], ['missing', 2]);
  assert.equal(readdirSync(root.at('home')), []);
  await memory('index');
  const fresh = jsonOf.status(await memory('status', '--json')).agents[0];
  assert.equal(fresh?.staleness, { added: 0, changed: 0, removed: 0, examples: [] });
  assert.equal(fresh?.index.state === 'ready' && fresh.index.statistics.documents, 2);
  root.write('notes/new.md', 'x');
  root.write('notes/long.md', 'changed');
  rmSync(root.at('notes/deep'), { recursive: true });
  const stale = jsonOf.status(await memory('status', '--json')).agents[0]?.staleness;
  assert.equal([stale?.added, stale?.changed, stale?.removed], [1, 1, 1]);
  const text = await memory('status');
  assert.match(text.stdout, /freshness +.*1 .*1 .*1 /);
  assert.is(text.code, 0);
});

test('status of a deleted workspace exits with 1 and names it', async () => {
  const { root, memory } = world();
  rmSync(root.at('notes'), { recursive: true });
  const run = await memory('status', '--json');
  assert.is(run.code, 1);
  assert.match(jsonOf.status(run).agents[0]?.faults[0]?.message ?? '', /no workspace at/);
});

test('reset asks first and deletes only the index; the next search rebuilds it', async () => {
  const { root, memory } = world();
  await memory('index');
  assert.equal(await errorCode(memory('reset', '--json')), [2, 'CONFIRMATION_NEEDED']);
  const [agent] = jsonOf.reset(await memory('reset', '--yes', '--json')).agents;
  assert.ok(agent?.deleted === true && agent.bytes > 0);
  assert.ok(readdirSync(root.at('notes')).includes('long.md'));
  const again = await memory('reset', '--yes');
  assert.match(again.stdout, /^no index at/);
  assert.match((await memory('search', 'alpha')).stdout, /deep\/short\.md/);
});

test('whatever reads the index shows that it is built first', async () => {
  const { memory } = world();
  for (const [command = '', ...args] of [
    ['get', 'deep/short.md'],
    ['inspect', 'deep/short.md'],
    ['links', 'deep/short.md'],
    ['recent'],
  ]) {
    assert.match((await memory(command, ...args)).stderr, /^building the index: no index yet\n/u);
    assert.is((await memory(command, ...args)).stderr, '');
    assert.is((await memory('reset', '--yes')).code, 0);
  }
});

test('index reports what it did, in text and in JSON, and a second run that nothing changed', async () => {
  const { memory } = world();
  const first = await memory('index');
  assert.is(first.code, 0);
  assert.match(first.stdout, /2 added/);
  const [second] = jsonOf.index(await memory('index', '--json')).agents;
  assert.ok(second !== undefined && 'outcome' in second);
  assert.equal([second.outcome, second.unchanged], ['unchanged', 2]);
  const [forced] = jsonOf.index(await memory('index', '--force', '--json')).agents;
  assert.ok(forced !== undefined && 'rebuild' in forced && forced.rebuild?.reason === 'forced');
  const quiet = await memory('index', '--quiet');
  assert.equal([quiet.stdout, quiet.stderr], ['', '']);
  assert.match((await memory('index', '--force', '--verbose')).stderr, /indexed deep\/short\.md/);
});

test('the next sync removes temporary files that a killed process left in a workspace', async () => {
  const { root, svc } = world();
  root.write('home/workspace/MEMORY.md', '# Memory\n\nA heron stood.\n');
  const workspace = root.at('home/workspace');
  const folders = ['', 'memory/', 'memory/trips/spain/', 'memory/dreaming/rem/'];
  const strays = folders.map((folder) => `${folder}.0123456789ab.svc.tmp`);
  const long = (Date.now() - 3_600_000) / 1000;
  for (const path of strays) {
    root.write(`home/workspace/${path}`, 'the code of the door is 4711');
    utimesSync(`${workspace}/${path}`, long, long);
  }
  // Files that stay: being written now, with another name, or behind a link.
  root.write('home/workspace/memory/.ba9876543210.svc.tmp', 'new');
  root.write('home/workspace/memory/.notes.svc.tmp', 'mine');
  root.write('elsewhere/.0123456789ab.svc.tmp', 'another');
  for (const path of ['home/workspace/memory/.notes.svc.tmp', 'elsewhere/.0123456789ab.svc.tmp']) {
    utimesSync(root.at(path), long, long);
  }
  symlinkSync(root.at('elsewhere'), `${workspace}/memory/link`);
  symlinkSync(root.at('elsewhere/.0123456789ab.svc.tmp'), `${workspace}/.aaaaaaaaaaaa.svc.tmp`);
  const doctor = await svc(['config', 'doctor', '--json']);
  assert.match(doctor.stdout, `${strays.length} temporary files`);
  assert.is((await svc(['memory', 'status'])).code, 0);
  assert.ok(strays.every((path) => existsSync(`${workspace}/${path}`)));
  assert.is((await svc(['memory', 'index'])).code, 0);
  assert.equal(
    strays.filter((path) => existsSync(`${workspace}/${path}`)),
    [],
  );
  assert.equal(
    readdirSync(`${workspace}/memory`).filter((name) => name.endsWith('.svc.tmp')),
    ['.ba9876543210.svc.tmp', '.notes.svc.tmp'],
  );
  assert.ok(existsSync(root.at('elsewhere/.0123456789ab.svc.tmp')));
});

test('index names what it had to skip, in text and in JSON', async () => {
  const { root, memory } = world();
  symlinkSync('nowhere', root.at('notes/link.md'));
  const [agent] = jsonOf.index(await memory('index', '--json')).agents;
  assert.ok(agent !== undefined && 'skipped' in agent);
  assert.equal(agent.skipped, [{ path: 'link.md', reason: 'symlink' }]);
  assert.match((await memory('index', '--verbose')).stderr, /link\.md/);
});

test('a damaged index is explained in the warnings, never by a stack trace', async () => {
  const { memory } = world();
  const indexFile = jsonOf.status(await memory('status', '--json')).agents[0]?.indexFile ?? '';
  await memory('index');
  writeFileSync(indexFile, 'garbage '.repeat(1000));
  const json = jsonOf.search(await memory('search', 'alpha', '--json'));
  assert.equal(
    json.warnings?.map((warning) => warning.code),
    ['INDEX_REBUILT'],
  );
  assert.is(json.results[0]?.path, 'deep/short.md');
  writeFileSync(indexFile, 'garbage '.repeat(1000));
  const text = await memory('search', 'alpha');
  assert.is(text.code, 0);
  assert.match(text.stderr, /warning: the index .* was rebuilt/);
  assert.not.match(text.stderr, /\n\s+at /);
  writeFileSync(indexFile, '');
  assert.is((await memory('status')).code, 0);
});

test('several agents are indexed separately; a failure of one does not stop the others', async () => {
  const root = folderOf({
    'a/MEMORY.md': 'alpha',
    'c/memory/x.md': 'gamma',
    'svc.json': JSON.stringify({
      agents: {
        list: [
          { id: 'a', default: true, workspace: 'a' },
          { id: 'b', workspace: 'missing' },
          { id: 'c', workspace: 'c' },
        ],
      },
    }),
  });
  const options = { home: tempFolder().path, cwd: root.path };
  const run = await runInSession(['memory', 'index', '--json'], options);
  assert.is(run.code, 1);
  assert.equal(
    jsonOf
      .index(run)
      .agents.map((agent) => [agent.agent, 'error' in agent ? agent.error.code : agent.outcome]),
    [
      ['a', 'updated'],
      ['b', 'WORKSPACE_MISSING'],
      ['c', 'updated'],
    ],
  );
  const found = async (agent: string, query: string) => {
    const done = await runInSession(
      ['memory', 'search', query, '--agent', agent, '--json'],
      options,
    );
    return jsonOf.search(done).results.map((result) => result.path);
  };
  assert.equal(await found('c', 'gamma'), ['memory/x.md']);
  assert.equal(await found('c', 'alpha'), []);
  assert.equal(await found('a', 'alpha'), ['MEMORY.md']);
  const unknown = await runInSession(['memory', 'search', 'x', '--agent', 'd', '--json'], options);
  assert.equal([unknown.code, jsonOf.error(unknown).code], [2, 'AGENT_UNKNOWN']);
});

test('citations are on, off or as the configuration says', async () => {
  const root = folderOf({ 'ws/MEMORY.md': 'alpha' });
  const options = { home: tempFolder().path, cwd: root.path };
  for (const [citations, shown] of [
    ['auto', true],
    ['on', true],
    ['off', false],
  ] as const) {
    root.write(
      'svc.json',
      JSON.stringify({ agents: { defaults: { workspace: 'ws' } }, memory: { citations } }),
    );
    const text = await runInSession(['memory', 'search', 'alpha'], options);
    assert.is(/Source: MEMORY\.md#L1/.test(text.stdout), shown, text.stdout + text.stderr);
    const json = jsonOf.search(
      await runInSession(['memory', 'search', 'alpha', '--json'], options),
    );
    assert.is(json.results[0]?.citation, shown ? 'MEMORY.md#L1' : undefined);
    assert.is(json.results[0]?.snippet.includes('Source:'), shown);
  }
});

test('the configuration’s own paths, sizes and tokenizer reach the index', async () => {
  const root = folderOf({
    'ws/MEMORY.md': '# Title\n\nalphabet\n',
    'wiki/page.md': 'alphabet soup',
    'svc.json': JSON.stringify({
      agents: {
        defaults: {
          workspace: 'ws',
          memorySearch: {
            extraPaths: ['../wiki', '../missing'],
            sources: ['memory', 'sessions'],
            experimental: { sessionMemory: true },
            sync: { sessions: { imports: ['missing.zip'] } },
            store: { path: 'state/{agentId}.db', fts: { tokenizer: 'trigram' } },
            query: { maxResults: 1 },
          },
        },
      },
    }),
  });
  const env = { SVC_CONFIG: root.at('svc.json') };
  const options = { home: tempFolder().path, cwd: root.path, env };
  const run = await runInSession(['memory', 'search', 'phabe', '--json'], options);
  const { results, warnings } = jsonOf.search(run);
  assert.is(results.length, 1);
  assert.match(
    warnings[0]?.message ?? '',
    /missing \(does not exist: configured in extraPaths\), .*missing\.zip \(does not exist: configured in sync\.sessions\.imports\)/u,
  );
  assert.is(warnings[0]?.hint, 'correct each path in the configuration, or remove it');
  assert.ok(readdirSync(root.at('state')).includes('main.db'));
  const [status] = jsonOf.status(
    await runInSession(['memory', 'status', '--json'], options),
  ).agents;
  assert.equal([status?.tokenizer, status?.skipped[0]?.reason], ['trigram', 'missing']);
  assert.is(status?.index.state === 'ready' && status.index.statistics.documents, 2);
});

test('--all and a single memory contradict each other', async () => {
  const { svc } = world();
  for (const one of [
    ['-w', 'notes'],
    ['--agent', 'main'],
  ]) {
    for (const command of [['index'], ['reset', '--yes']]) {
      const run = svc(['memory', ...command, '--all', ...one, '--json']);
      assert.equal(await errorCode(run), [2, 'USAGE']);
    }
  }
});

test('an index is readable only by its owner: notes are private', async () => {
  const { root, memory } = world();
  await memory('index');
  for (const name of readdirSync(root.at('home/memory'))) {
    assert.is(statSync(root.at(`home/memory/${name}`)).mode & 0o077, 0, name);
  }
});

test('memory search that is switched off says so, and where', async () => {
  const off = { memorySearch: { enabled: false } };
  const both = { ...off, id: 'main' };
  for (const [agents, path] of [
    [{ defaults: off }, 'agents.defaults.memorySearch.enabled'],
    [{ list: [{ id: 'other' }, both] }, "'agents.list[1].memorySearch.enabled'"],
    [{ defaults: off, list: [{ id: 'other' }, both] }, "'agents.list[1].memorySearch.enabled'"],
  ] as const) {
    const root = folderOf({ 'svc.json': JSON.stringify({ agents }) });
    const run = await runInSession(['memory', 'search', 'x', '--agent', 'main', '--json'], {
      home: tempFolder().path,
      cwd: root.path,
    });
    const { code, hint } = jsonOf.error(run);
    assert.equal([run.code, code], [1, 'MEMORY_DISABLED']);
    assert.is(hint, `run "svc config set ${path} true"`);
  }
});

test.run();
