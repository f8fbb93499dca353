import { readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { jsonOf } from '../support/json.js';
import { ROOT, runSvc, type SvcRun, startProgram } from '../support/run-svc.js';
import { runInSession, type SessionOptions } from '../support/svc-session.js';
import { folderOf, tempFolder } from '../support/temp-folder.js';

const test = suite('svc memory search');

const home = tempFolder().path;
const notes = folderOf({
  'backup.md':
    '# Operations\n\n## Backup\n\nThe nightly backup of the database runs at three in the morning.\nIt takes an hour.\n',
  'deploy.md':
    '# Deploying\n\nReleases are deployed on Tuesdays.\nDeployment of staging is automatic.\n',
  'food/lunch.md': '# Lunch\n\nOn Tuesdays we eat soup. 🎉 記憶を検索する。\n',
  'quarterly-figures.md': 'Numbers only.\n',
});

function search(args: readonly string[], options: Partial<SessionOptions> = {}): Promise<SvcRun> {
  return runInSession(['memory', 'search', '--workspace', notes.path, ...args], {
    home,
    ...options,
  });
}

async function paths(...args: string[]): Promise<string[]> {
  const run = await search([...args, '--json']);
  assert.is(run.code, 0, run.stdout + run.stderr);
  return jsonOf.search(run).results.map((result) => result.path);
}

test('a query finds a passage that contains only some of its words', async () => {
  assert.is((await paths('when is the nightly backup of my postgres done?'))[0], 'backup.md');
});

test('text output has score, location, heading path, snippet and source, and nothing else', async () => {
  const run = await search(['nightly backup', '-n', '1']);
  assert.is(run.code, 0);
  assert.match(
    run.stdout,
    /^0\.\d\d {2}backup\.md#L1-L6\n {6}Operations.*\n(?:.*\n)*.*nightly backup of the database.*\n(?:.*\n)* {6}Source: backup\.md#L1-L6\n$/,
  );
  assert.is(run.stderr, '');
});

test('output starts with the days that a date in the query stands for', async () => {
  const diary = folderOf({ '2026-02-03.md': 'Sanded the table.\n', 'other.md': 'Nothing done.\n' });
  const ask = (...args: string[]): Promise<SvcRun> =>
    runInSession(['memory', 'search', '--workspace', diary.path, ...args], { home });
  const dated = await ask('what did I do on February 3, 2026');
  assert.match(dated.stdout, /^dated 2026-02-03\n\n0\.\d\d {2}2026-02-03\.md#L1\n/);
  const { dates } = jsonOf.search(await ask('table in 2026-02', '--json'));
  assert.equal(dates, { text: '2026-02', from: '2026-02-01', to: '2026-02-28', passages: 1 });
  const none = await ask('what was done in May 2019');
  assert.match(
    none.stdout,
    /^no notes dated 2019-05-01 to 2019-05-31\n\n0\.\d\d {2}other\.md#L1\n/,
  );
});

test('unquoted words are one query, in their order', async () => {
  const queryOf = async (...args: readonly string[]): Promise<string> => {
    const run = await search(['--json', ...args]);
    return jsonOf.search(run).query;
  };
  assert.is(await queryOf('who', 'is', 'who', '-n', '2', 'in ops'), 'who is who in ops');
  assert.is(await queryOf('--', '-staging', 'deployed'), '-staging deployed');
});

test('a query can be piped in, however late, but no other argument can', async () => {
  const piped = (script: string): Promise<SvcRun> =>
    startProgram('sh', ['-c', script, 'sh', process.execPath, join(ROOT, 'bin/run.js')], {
      home,
      cwd: notes.path,
    }).done;
  const search = '"$1" "$2" memory search --workspace . --json';
  for (const script of [
    `(sleep 0.3; echo nightly; echo backup) | ${search}`,
    `echo nightly backup | ${search} -`,
  ]) {
    const run = await piped(script);
    assert.is(run.code, 0, run.stdout);
    assert.is(jsonOf.search(run).results[0]?.path, 'backup.md');
  }
  // Open for reading and writing: it never ends.
  const silent = await piped(`mkfifo "$HOME/silent" && ${search} <> "$HOME/silent"`);
  assert.match(silent.stdout, 'missing argument: QUERY');
  const links = await runSvc(['memory', 'links'], { home, input: 'backup.md\n' });
  assert.match(links.stderr, 'missing argument: PATH');
});

test('a home folder that no shell has replaced is the home folder', async () => {
  const world = folderOf({ 'notes/a.md': 'The falcon nests.\n' });
  const { path } = world;
  const env = { HOME: path, SVC_HOME: '~/state' };
  const args = ['memory', 'search', 'falcon', '--workspace=~/notes'];
  const run = await runSvc(args, { home: path, env, cwd: path });
  assert.match(run.stdout, 'a.md#L1', run.stderr);
  assert.equal(readdirSync(path).toSorted(), ['notes', 'state']);
});

test('search, s, get, index and a quoted question are short forms', async () => {
  const flags = ['--workspace', notes.path];
  const long = await search(['nightly backup', '--json']);
  const { results } = jsonOf.search(long);
  for (const words of [
    ['search', 'nightly', 'backup'],
    ['s', 'nightly backup'],
    ['nightly backup'],
  ]) {
    const run = await runInSession([...words, ...flags, '--json'], { home });
    assert.equal(jsonOf.search(run).results, results, words.join(' '));
  }
  const note = await runInSession(['get', 'deploy.md', ...flags], { home });
  assert.match(note.stdout, /^# Deploying\n/);
  const indexed = await runInSession(['index', ...flags], { home });
  assert.match(indexed.stdout, /4 files/);
  const topic = await runInSession(['memory status'], { home });
  assert.match(topic.stderr, /did you mean "svc memory status"/);
});

test('the JSON document has its documented form', async () => {
  const document = jsonOf.search(await search(['nightly backup', '--json']));
  assert.equal(
    [document.agent, document.mode, document.provider, document.model, document.backend],
    [null, 'lexical', null, null, 'builtin'],
  );
  const [first] = document.results;
  assert.equal(
    [first?.path, first?.source, first?.headingPath[0], first?.citation],
    ['backup.md', 'memory', 'Operations', 'backup.md#L1-L6'],
  );
  assert.ok(first?.snippet.endsWith('\n\nSource: backup.md#L1-L6'));
});

test('quotes match a phrase, a minus excludes, and a star matches a prefix', async () => {
  assert.equal(await paths('"deployed on Tuesdays"'), ['deploy.md']);
  assert.equal((await paths('tuesdays')).sort(), ['deploy.md', 'food/lunch.md']);
  assert.equal(await paths('tuesdays -soup'), ['deploy.md']);
  assert.equal(await paths('tuesdays -"eat soup"'), ['deploy.md']);
  assert.equal(await paths('databa*'), ['backup.md']);
  assert.equal(await paths('"nightly database soup"'), await paths('nightly database soup'));
});

test('headings and file names are searched', async () => {
  assert.equal(await paths('deploying'), ['deploy.md']);
  assert.equal(await paths('quarterly figures'), ['quarterly-figures.md']);
});

test('emoji and scripts without spaces are found', async () => {
  assert.equal(await paths('🎉'), ['food/lunch.md']);
  assert.equal(await paths('検索'), ['food/lunch.md']);
});

test('results are restricted by path, source, number and score', async () => {
  assert.equal(await paths('tuesdays', '--path', 'food/**'), ['food/lunch.md']);
  assert.equal(await paths('tuesdays', '--path', 'lunch.*'), ['food/lunch.md']);
  assert.equal(await paths('tuesdays', '--path', '!food/**'), ['deploy.md']);
  assert.equal(await paths('tuesdays', '--source', 'sessions'), []);
  assert.is((await paths('tuesdays', '--source', 'memory')).length, 2);
  assert.is((await paths('tuesdays', '--max-results', '1')).length, 1);
  const strict = jsonOf.search(await search(['tuesdays', '--min-score', '1', '--json']));
  assert.equal([strict.results.length, strict.belowMinScore > 0], [0, true]);
});

test('the default minimum score keeps good lexical results', async () => {
  for (const query of ['backup', 'soup', 'staging', 'numbers', 'when do we eat soup on tuesdays']) {
    assert.ok((await paths(query)).length > 0, query);
  }
});

test('finding nothing is not a failure', async () => {
  const run = await search(['xyzzy']);
  assert.equal([run.code, run.stderr], [0, '']);
  assert.match(run.stdout, /^No matches\.\nTry fewer or different words\./);
  assert.equal(await paths('xyzzy'), []);
  const filtered = await search(['backup', '--kind', 'pdf', '--on', 'yesterday']);
  assert.match(filtered.stdout, /^No matches\.\nTry without --on, --kind, or fewer/);
});

test('an empty memory says that nothing is indexed yet', async () => {
  const run = await runInSession(
    ['memory', 'search', 'sunshine', '--workspace', tempFolder().path],
    {
      home,
    },
  );
  assert.equal([run.code, run.stdout], [0, 'No matches.\n']);
  assert.match(run.stderr, /^warning: nothing is indexed yet$/mu);
});

test('a pipe gets no colour or cursor movement unless FORCE_COLOR is set', async () => {
  const isPlain = (run: SvcRun): boolean => !`${run.stdout}${run.stderr}`.includes('\u001b');
  assert.ok(isPlain(await search(['backup'])));
  assert.ok(isPlain(await search(['backup', '--plain'], { env: { CI: '1', TERM: 'xterm' } })));
  assert.ok(isPlain(await search(['backup', '--json'], { env: { FORCE_COLOR: '1' } })));
  assert.not(isPlain(await search(['backup'], { env: { FORCE_COLOR: '1' } })));
});

test('a first index prints progress on stderr, except with --quiet or --json', async () => {
  const loud = await search(['backup'], { home: tempFolder().path });
  assert.match(loud.stderr, /building the index/);
  assert.not.match(loud.stdout, /building/);
  const quiet = await search(['backup', '--quiet'], { home: tempFolder().path });
  assert.equal([quiet.stderr, quiet.stdout], ['', loud.stdout]);
  const verbose = await search(['backup', '--verbose'], { home: tempFolder().path });
  assert.match(verbose.stderr, /indexed deploy\.md/);
  const json = await search(['backup', '--json'], { home: tempFolder().path });
  assert.is(json.stderr, '');
  jsonOf.search(json);
});

test('every flag has an environment variable', async () => {
  const env = {
    SVC_WORKSPACE: notes.path,
    SVC_JSON: '1',
    SVC_MAX_RESULTS: '1',
    SVC_PATH: 'food/*',
  };
  const run = await runInSession(['memory', 'search', 'tuesdays'], { home, env });
  assert.equal(
    jsonOf.search(run).results.map((result) => result.path),
    ['food/lunch.md'],
  );
  const off = await search(['tuesdays'], { env: { SVC_JSON: '0' } });
  assert.not.match(off.stdout, /^\{/);
});

test('flags override the environment', async () => {
  const env = { SVC_WORKSPACE: '/nowhere', SVC_MAX_RESULTS: '1' };
  const run = await search(['tuesdays', '--json', '-n', '2'], { env });
  assert.is(jsonOf.search(run).results.length, 2);
  const agent = await runInSession(['memory', 'search', 'x', '--agent', 'nobody', '--json'], {
    home,
    env,
  });
  assert.is(jsonOf.error(agent).code, 'AGENT_UNKNOWN');
});

test('usage errors exit with 2 and one line, in text and in JSON', async () => {
  const wrong: [args: string[], message: RegExp][] = [
    [[], /missing argument: QUERY/],
    [[''], /missing argument: QUERY/],
    [['a', '--nonsense'], /unknown flag: --nonsense/],
    [['a', '--max-results', '0'], /^--max-results must be at least 1 \(got 0\)$/],
    [['a', '--max-results', 'many'], /^--max-results must be a whole number \(got "many"\)$/],
    [['a', '--min-score', '2'], /^--min-score must be between 0 and 1 \(got "2"\)$/],
    [['a', '--source', 'web'], /memory, sessions/],
    [['a', '--path', ''], /path pattern/],
    [['a', '--path', 'x'.repeat(70_000)], /path pattern/],
    [['a', '--agent', 'main'], /cannot be combined/],
    [['a', '--quiet', '--verbose'], /--verbose cannot be combined with --quiet/],
  ];
  for (const [args, message] of wrong) {
    const json = await search([...args, '--json']);
    const error = jsonOf.error(json);
    assert.equal([json.code, error.code], [2, 'USAGE'], args.join(' ').slice(0, 99));
    assert.match(error.message, message);
    assert.not.match(error.message, /\n/);
  }
  for (const more of [[], ['--verbose']]) {
    const text = await search(['a', '--max-results', '0', ...more]);
    assert.equal([text.code, text.stdout], [2, '']);
    assert.match(text.stderr, /^error: --max-results must .*\n hint: .*\n$/);
  }
});

test('a missing folder exits with 1 and a hint', async () => {
  const run = await runInSession(['memory', 'search', 'x', '-w', 'nowhere', '--json'], { home });
  assert.equal([run.code, jsonOf.error(run).code], [1, 'WORKSPACE_MISSING']);
});

test('two folders never share an index; one folder with two names does', async () => {
  const state = tempFolder();
  const world = folderOf({ 'a/x.md': 'alpha', 'b/x.md': 'beta' });
  symlinkSync('a', world.at('link'));
  const index = async (dir: string) => {
    const options = { home: state.path, cwd: world.path };
    const status = jsonOf.status(
      await runInSession(['memory', 'status', '-w', dir, '--json'], options),
    );
    return status.agents[0]?.indexFile;
  };
  const [a, b, link, dotted] = [
    await index('a'),
    await index('b'),
    await index('link'),
    await index('./b/../a/'),
  ];
  assert.is.not(a, b);
  assert.equal([link, dotted], [a, a]);
});

test('two projects that share an index are reported whenever one takes it over, until one has its own', async () => {
  const state = tempFolder();
  const config = JSON.stringify({ agents: { defaults: { workspace: '.' } } });
  const world = folderOf({
    'a/svc.json': config,
    'a/MEMORY.md': 'alpha',
    'b/svc.json': config,
    'b/MEMORY.md': 'beta',
  });
  const svc = (project: string, ...args: string[]) =>
    runInSession(args, { home: state.path, cwd: world.at(project) });
  const codes = ({ warnings }: { readonly warnings: readonly { readonly code: string }[] }) =>
    warnings.map(({ code }) => code);
  const search = async (project: string, query: string) =>
    jsonOf.search(await svc(project, 'memory', 'search', query, '--json'));
  assert.equal(codes(await search('a', 'alpha')), []);
  const taken = await search('b', 'beta');
  assert.equal(codes(taken), ['INDEX_OF_OTHER_WORKSPACE']);
  assert.match(taken.warnings[0]?.message ?? '', `had the notes of ${world.at('a')},`);
  assert.equal(codes(await search('b', 'beta')), []);
  const index = jsonOf.index(await svc('a', 'memory', 'index', '--json'));
  assert.equal(codes(index), ['INDEX_OF_OTHER_WORKSPACE']);
  const [, key = '', value = ''] =
    /svc config set (\S+) '(.*)'"/.exec(taken.warnings[0]?.hint ?? '') ?? [];
  assert.is((await svc('b', 'config', 'set', key, value)).code, 0);
  for (const [project, query] of [
    ['b', 'beta'],
    ['a', 'alpha'],
    ['b', 'beta'],
  ] as const) {
    const { results, warnings } = await search(project, query);
    assert.equal([results.length, warnings], [1, []]);
  }
});

test('notes that differ only in their date are one result that names the others', async () => {
  const log = folderOf(
    Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => {
        const day = new Date(Date.UTC(2026, 3, 1 + at)).toISOString().slice(0, 10);
        return [`memory/${day}.md`, `# ${day}\n\nStand-up with Lena: no blockers.\n`];
      }),
    ),
  );
  log.write('memory/rules.md', '# Rules\n\nKeep the stand-up below ten minutes.\n');
  const args = ['memory', 'search', '--workspace', log.path, 'stand-up with lena'];
  const { results } = jsonOf.search(await runInSession([...args, '--json'], { home }));
  assert.equal(
    results.map(({ path, similarCount }) => [path, similarCount]),
    [
      ['memory/2026-05-10.md', 39],
      ['memory/rules.md', undefined],
    ],
  );
  assert.is(results[0]?.similar?.[0]?.citation, 'memory/2026-05-09.md#L1-L3');
  const text = await runInSession(args, { home });
  assert.match(text.stdout, /no blockers\.\n\n {6}and 39 more like this\n/);
});

test('a query of 100 kB, and one of only punctuation, are answered', async () => {
  const long = await search(['backup '.repeat(14_000), '--json']);
  assert.equal(
    jsonOf.search(long).warnings?.map((warning) => warning.code),
    ['QUERY_SHORTENED'],
  );
  for (const query of ['"', '?!…', '((((', '*', '--', '"unclosed', "'; DROP TABLE chunks; --"]) {
    const run = await runInSession(['memory', 'search', '-w', notes.path, '--json', '--', query], {
      home,
    });
    assert.is(run.code, 0, query + run.stdout);
    jsonOf.search(run);
  }
});

test('index and status say when memory search is off for every agent', async () => {
  const state = tempFolder();
  const off = { memorySearch: { enabled: false } };
  for (const [command, agents, path] of [
    ['index', { defaults: off }, 'agents.defaults.memorySearch.enabled'],
    ['status', { list: [{ id: 'one', ...off }] }, "'agents.list[0].memorySearch.enabled'"],
  ] as const) {
    state.write('svc.json', JSON.stringify({ agents }));
    const run = await runInSession(['memory', command], { home: state.path });
    assert.is(run.code, 0);
    assert.match(run.stderr, 'memory search is off for every agent');
    assert.match(run.stderr, `hint: run "svc config set ${path} true"`);
    assert.is(run.stdout, '');
  }
});

test.run();
