import { existsSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SyncEvent } from '../../../../../src/engine/memory/sync/index.js';
import { withProcessLock } from '../../../../../src/engine/sqlite/process-lock.js';
import { NEVER } from '../../../../../src/engine/support/async.js';
import { failureOf } from '../../../../support/failure.js';
import { message } from '../../../../support/transcripts.js';
import { waitFor } from '../../../../support/wait.js';
import { extWorld, gist } from './support.js';

const test = suite('searching through an external program');

const BOTH = ['MEMORY.md', 'memory/2026-11-01.md'];

test('the first query builds the index; later ones only search', async () => {
  const world = extWorld();
  const { backend } = await world.open();
  const first = await backend.search({ query: 'heron' });
  assert.equal(gist(first), ['ext', BOTH, []]);
  const [result] = first.results;
  assert.match(result?.citation ?? '', /^(?:MEMORY|memory\/2026-11-01)\.md#L\d/);
  world.newCommands();
  assert.equal(gist(await backend.search({ query: 'egrets' })), ['ext', [BOTH[1]], []]);
  assert.equal(world.newCommands(), ['search']);
  await world.close();
});

test('in lexical mode no vectors are created, whatever the query asks for', async () => {
  const world = extWorld(
    {},
    { searchMode: 'search' },
    {
      defaults: { memorySearch: { provider: 'openai', remote: { apiKey: 'sk-x' } } },
    },
  );
  const memory = await world.open();
  assert.is(memory.providers, undefined);
  await memory.backend.sync({});
  await memory.backend.sync({ force: true });
  world.home.write('workspace/memory/new.md', 'One more.\n');
  await memory.backend.search({ query: 'heron' });
  await memory.backend.status();
  await memory.ext?.diagnose({ signal: NEVER, onEvent: () => undefined });
  const allowed = ['--help', '--version', 'collection add', 'collection list', 'search', 'update'];
  assert.equal([...new Set(world.newCommands())].toSorted(), allowed);
  await world.close();
});

test('a failing program delays one search; then it is paused', async () => {
  const world = extWorld({
    on: { search: { kind: 'fails', status: 1, stderr: 'index is locked' } },
  });
  const { backend } = await world.open();
  assert.equal(gist(await backend.search({ query: 'heron' })), [
    'builtin',
    BOTH,
    ['BACKEND_FAILED'],
  ]);
  world.newCommands();
  assert.equal(gist(await backend.search({ query: 'heron' })), [
    'builtin',
    BOTH,
    ['BACKEND_PAUSED'],
  ]);
  assert.equal(world.newCommands(), []);
  assert.is((await backend.status()).ext?.answers, 'builtin');
  world.qmd.become({ on: {} });
  await backend.sync({});
  assert.equal(gist(await backend.search({ query: 'heron' })), ['ext', BOTH, []]);
  await world.close();
});

test("neither a refresh that began before a failure nor a watcher's ends the pause", async () => {
  const world = extWorld({
    on: {
      search: { kind: 'fails', status: 1, stderr: 'index is locked' },
      update: { kind: 'slow', ms: 300 },
    },
  });
  const { backend } = await world.open();
  await backend.sync({});
  const codes: string[] = [];
  const ask = async () => {
    codes.push(...(await backend.search({ query: 'heron' })).warnings.map(({ code }) => code));
  };
  const refreshing = backend.sync({});
  await ask();
  await refreshing;
  await ask();
  await backend.sync({ isUpkeep: true });
  await ask();
  assert.equal(codes, ['BACKEND_FAILED', 'BACKEND_PAUSED', 'BACKEND_PAUSED']);
  await world.close();
});

test('a stale index is refreshed, but not with a broken program', async () => {
  const world = extWorld();
  const { backend } = await world.open();
  await backend.sync({});
  world.home.write('workspace/memory/new.md', 'A crake ran by.\n');
  world.qmd.become({ on: { '*': { kind: 'fails', status: 1, stderr: 'no' } } });
  world.newCommands();
  assert.equal(gist(await backend.search({ query: 'crake' })), [
    'builtin',
    ['memory/new.md'],
    ['BACKEND_FAILED'],
  ]);
  // After the failed query, no other command is tried: each could take the whole time limit.
  assert.equal(world.newCommands(), ['search']);
  await world.close();
});

test('an aborted query stays aborted, and a refresh that others wait for continues', async () => {
  const world = extWorld({ on: { update: { kind: 'slow', ms: 300 } } });
  const { backend } = await world.open();
  await backend.sync({});
  world.home.write('workspace/memory/new.md', 'A crake ran by.\n');
  const impatient = new AbortController();
  const begun: string[] = [];
  const asked = backend
    .search(
      { query: 'crake' },
      {
        signal: impatient.signal,
        onEvent: (event) => {
          if (event.type === 'ext.running') begun.push(event.command);
          if (begun.includes('update')) impatient.abort(new Error('typed on'));
        },
      },
    )
    .catch((error: unknown) => error);
  await waitFor('the query', () => begun.length > 0);
  const other = backend.sync({});
  assert.equal(String(await asked), 'Error: typed on');
  assert.is((await other).outcome, 'updated');
  assert.equal(gist(await backend.search({ query: 'crake' })), ['ext', ['memory/new.md'], []]);
  await world.close();
});

test('a refresh that waited for another one repeats nothing', async () => {
  const world = extWorld({ on: { update: { kind: 'slow', ms: 300 } } });
  const { backend } = await world.open();
  await backend.sync({});
  const note = world.home.write('workspace/memory/new.md', 'A crake ran by.\n');
  const minuteAgo = Date.now() / 1000 - 60;
  utimesSync(note, minuteAgo, minuteAgo);
  world.newCommands();
  const both = await Promise.all([backend.sync({}), backend.sync({})]);
  assert.equal(both.map(({ outcome }) => outcome).toSorted(), ['unchanged', 'updated']);
  assert.equal(
    world.newCommands().filter((command) => command === 'update' || command === 'embed'),
    ['update'],
  );
  await world.close();
});

test('while another process refreshes, queries use the existing index', async () => {
  const world = extWorld({}, { limits: { timeoutMs: 700 } });
  const hasty = (await world.open()).backend;
  world.configure({});
  const { backend } = await world.open();
  const lock = world.home.at('qmd/update.lock');
  const during = async (act: () => Promise<void>): Promise<void> =>
    withProcessLock(lock, { signal: NEVER }, act);
  await during(async () => {
    assert.equal(gist(await hasty.search({ query: 'heron' })), ['builtin', BOTH, ['INDEX_BUSY']]);
    assert.is((await failureOf(backend.sync({ lockWaitMs: 10 }))).code, 'INDEX_LOCKED');
  });
  // Nothing was wrong with the program.
  assert.equal(gist(await backend.search({ query: 'heron' })), ['ext', BOTH, []]);
  world.home.write('workspace/memory/new.md', 'One more heron.\n');
  await during(async () => {
    assert.equal(gist(await backend.search({ query: 'heron' })), ['ext', BOTH, ['INDEX_BUSY']]);
  });
  await world.close();
});

test('wherever the program hangs, a search keeps to its time limit', async () => {
  for (const command of ['version', 'help', 'add', 'update'] as const) {
    const world = extWorld({}, { limits: { timeoutMs: 700 } });
    const { backend } = await world.open();
    // Only an index that there is already is updated.
    if (command === 'update') await backend.sync({});
    world.home.write('workspace/memory/new.md', 'One more heron.\n');
    world.qmd.become({ on: { [command]: { kind: 'hangs' } } });
    const started = performance.now();
    const { backend: answered, warnings } = await backend.search({ query: 'heron' });
    assert.equal([answered, warnings.map(({ code }) => code)], ['builtin', ['BACKEND_TIMEOUT']]);
    // Without the limit of the search, these commands have 30 seconds, or two minutes.
    assert.ok(performance.now() - started < 15_000, command);
    await world.close();
  }
});

test('without vectors, a vector search is answered by the built-in engine', async () => {
  const noModel = { kind: 'fails', status: 1, stderr: 'no model here' } as const;
  const world = extWorld({ on: { embed: noModel } }, { searchMode: 'vsearch' });
  const { backend, ext } = await world.open();
  const found = await backend.search({ query: 'heron' });
  assert.equal(gist(found), ['builtin', BOTH, ['EMBEDDINGS_PENDING']]);
  assert.equal([found.warnings[0]?.hint], ['run "svc memory index" to embed them']);
  const diagnosis = await ext?.diagnose({ signal: NEVER, onEvent: () => undefined });
  const question = diagnosis?.checks.find(({ check }) => check === 'question');
  assert.equal([diagnosis?.ok, question?.code], [false, 'EMBEDDINGS_PENDING']);
  world.qmd.become({ on: {} });
  await backend.sync({});
  assert.equal(gist(await backend.search({ query: 'heron' })), ['ext', BOTH, []]);
  await world.close();
});

test('without the program, conversations are missing with a warning, unless they are on for both', async () => {
  const sessions = { enabled: true };
  const world = extWorld({}, { command: '/nowhere/qmd', sessions });
  world.home.write('agents/main/sessions/s1.jsonl', message('user', 'A heron called.'));
  const said = 'sessions/main/s1.jsonl';
  const { backend } = await world.open();
  const missing = ['BACKEND_UNAVAILABLE', 'SOURCE_OFF'];
  assert.equal(gist(await backend.search({ query: 'heron' })), ['builtin', BOTH, missing]);
  const filters = { since: '2020-01-01' };
  const filtered = await backend.search({ query: 'heron', filters });
  assert.equal(gist(filtered), ['builtin', BOTH, ['FILTERED_BY_BUILTIN', 'SOURCE_OFF']]);
  // Once, and only if conversations were asked for.
  const asked = await backend.search({ query: 'heron', sources: ['sessions'] });
  assert.equal(gist(asked), ['builtin', [], missing]);
  const notes = await backend.search({ query: 'heron', sources: ['memory'] });
  assert.equal(gist(notes), ['builtin', BOTH, missing.slice(0, 1)]);
  const memorySearch = {
    provider: 'none',
    sources: ['memory', 'sessions'],
    experimental: { sessionMemory: true },
  };
  world.configure({ command: '/nowhere/qmd', sessions }, { defaults: { memorySearch } });
  const both = await world.open();
  const found = await both.backend.search({ query: 'heron' });
  assert.equal(gist(found), ['builtin', [...BOTH, said], missing.slice(0, 1)]);
  await world.close();
});

test('a collection that the program lost is registered again', async () => {
  const world = extWorld();
  const { backend } = await world.open();
  await backend.sync({});
  world.qmd.become({
    on: { search: { kind: 'forgets', collection: 'memory-dir-main', times: 1 } },
  });
  assert.equal(gist(await backend.search({ query: 'heron' })), ['ext', BOTH, []]);
  await world.close();
});

test('a missing workspace is reported as by the built-in engine', async () => {
  const world = extWorld();
  rmSync(world.home.at('workspace'), { recursive: true });
  const { backend } = await world.open();
  for (const act of [backend.search({ query: 'heron' }), backend.sync({}), backend.list()]) {
    assert.is((await failureOf(act)).code, 'WORKSPACE_MISSING');
  }
  await world.close();
});

test('a query without words finds nothing and is not a failure', async () => {
  const world = extWorld();
  const { backend } = await world.open();
  await backend.sync({});
  world.newCommands();
  assert.equal(gist(await backend.search({ query: ' … ' })), ['ext', [], ['QUERY_EMPTY']]);
  assert.equal(world.newCommands(), []);
  await world.close();
});

test('results are restricted by path, score, source and number', async () => {
  const world = extWorld();
  const { backend } = await world.open();
  const found = async (request: object): Promise<readonly string[]> =>
    (await backend.search({ query: 'heron', ...request })).results
      .map(({ path }) => path)
      .toSorted();
  assert.equal(await found({ pathGlob: 'memory/*' }), [BOTH[1]]);
  assert.is((await found({ maxResults: 1 })).length, 1);
  const talks = await backend.search({ query: 'heron', sources: ['sessions'] });
  assert.equal(gist(talks), ['ext', [], ['SOURCE_OFF']]);
  assert.is(talks.warnings[0]?.hint, 'set memory.ext.sessions.enabled to true');
  assert.equal(await found({ sources: ['memory', 'memory'] }), BOTH);
  const strict = await backend.search({ query: 'heron', minScore: 1 });
  assert.equal([strict.results, strict.belowMinScore], [[], 2]);
  await world.close();
});

test('conversations are found, read and forgotten like notes', async () => {
  const world = extWorld({}, { sessions: { enabled: true } });
  const talk =
    message('user', 'Which bird is that?') + message('assistant', 'A bittern, in the reeds.');
  world.home.write('agents/main/sessions/s1.jsonl', talk);
  const { backend } = await world.open();
  const { results } = await backend.search({ query: 'bittern', sources: ['sessions'] });
  assert.equal(
    results.map(({ path, source, kind }) => [path, source, kind]),
    [['qmd/sessions-main/s1.md', 'sessions', 'transcript']],
  );
  const { text } = await backend.get({ target: results[0]?.citation ?? '' });
  assert.match(text, /assistant \(2026-02-03T04:05:06\.000Z\): A bittern, in the reeds\./);
  // Switched off again, no copy of a conversation stays behind.
  world.configure({ sessions: { enabled: false } });
  const after = (await world.open()).backend;
  assert.equal((await after.search({ query: 'bittern' })).results, []);
  assert.equal(readdirSync(world.home.at('agents/main/qmd/sessions')), []);
  await world.close();
});

test('passages that the built-in engine cited as a fallback can be read', async () => {
  const world = extWorld(
    { on: { '*': { kind: 'no_bun' } } },
    {},
    {
      defaults: {
        memorySearch: {
          provider: 'none',
          sources: ['memory', 'sessions'],
          experimental: { sessionMemory: true },
        },
      },
    },
  );
  world.home.write('agents/main/sessions/s1.jsonl', message('user', 'A bittern called.'));
  const { backend } = await world.open();
  const { results } = await backend.search({ query: 'bittern' });
  assert.match(
    (await backend.get({ target: results[0]?.citation ?? '' })).text,
    /A bittern called/,
  );
  assert.is((await failureOf(backend.get({ target: 'MEMORY.md#p3' }))).code, 'RANGE_INVALID');
  const { code, hint } = await failureOf(backend.get({ target: 'other/2026-11-01.md' }));
  assert.is(code, 'DOCUMENT_NOT_INDEXED');
  assert.match(hint ?? '', /such as memory\/2026-11-01\.md/);
  await world.close();
});

test('a long-lived process searches and reads a folder that appears later', async () => {
  const world = extWorld({}, { paths: [{ name: 'wiki', path: 'wiki' }] });
  const { backend } = await world.open({ longLived: true });
  assert.equal(gist(await backend.search({ query: 'heron' })), ['ext', BOTH, []]);
  world.home.write('workspace/wiki/birds.md', 'A heron is a wader.\n');
  const { results } = await backend.search({ query: 'wader' });
  assert.equal(
    results.map(({ path }) => path),
    ['wiki/birds.md'],
  );
  assert.match((await backend.get({ target: 'wiki/birds.md' })).text, /wader/);
  rmSync(world.home.at('workspace/wiki'), { recursive: true });
  assert.equal(gist(await backend.search({ query: 'heron' })), ['ext', BOTH, []]);
  await world.close();
});

test('forgotten text is removed from results, exports and the bytes of the index', async () => {
  const world = extWorld({}, { sessions: { enabled: true } });
  world.home.write(
    'workspace/memory/keys.md',
    '# Keys\n\nThe code of the front door is bittern four.\n\nOther.\n',
  );
  const talk = ['The code of the front door is bittern four.', 'Thank you.'];
  world.home.write(
    'agents/main/sessions/s1.jsonl',
    talk.map((said) => message('user', said)).join(''),
  );
  const { backend } = await world.open();
  await backend.sync({});
  const forgetting = await backend.forgetting();
  const plan = await forgetting.plan({ target: 'memory/keys.md#L3' });
  const cited = await forgetting.plan({ target: 'qmd/sessions-main/s1.md#L3-L4' });
  assert.equal(
    cited.passages.map(({ path, endLine, text, whole }) => [path, endLine, text, whole]),
    [['qmd/sessions-main/s1.md', 4, talk[0], false]],
  );
  await forgetting.hide(plan, { fromFile: false });
  const kept = await forgetting.store.follow(await forgetting.forgotten());
  // The file still has the text, and the program indexes the file as it is: the hint says so.
  assert.equal([kept.clean, kept.why?.hint.includes('--from-file')], [false, true]);
  assert.equal((await backend.search({ query: 'bittern' })).results, []);
  const exported = readFileSync(world.home.at('agents/main/qmd/sessions/s1.md'), 'utf8');
  assert.ok(exported.includes('Thank you.') && !exported.includes('bittern'));
  const rest = await forgetting.plan({ target: 'qmd/sessions-main/s1.md' });
  assert.equal(
    rest.passages.map(({ text, whole }) => [text, whole]),
    [['Thank you.', true]],
  );
  await forgetting.hide(rest, { fromFile: false });
  world.home.write('workspace/memory/keys.md', '# Keys\n\nOther.\n');
  assert.is((await forgetting.store.follow(await forgetting.forgotten())).clean, true);
  assert.not.ok(existsSync(world.home.at('agents/main/qmd/sessions/s1.md')));
  assert.not.match(
    readFileSync(world.home.at('agents/main/qmd/cache/qmd/index.sqlite'), 'latin1'),
    /bittern/,
  );
  await world.close();
});

test('conversations are exported by one process at a time', async () => {
  const world = extWorld({}, { sessions: { enabled: true } });
  world.home.write('agents/main/sessions/s1.jsonl', message('user', 'A bittern called.'));
  const { backend } = await world.open();
  await backend.sync({});
  const exported = world.home.at('agents/main/qmd/sessions/s1.md');
  rmSync(exported);
  const forgetting = await backend.forgetting();
  const forgotten = await forgetting.forgotten();
  const ends = new AbortController();
  // The export is what comes next.
  const onEvent = ({ type }: SyncEvent): void => {
    if (type === 'sync.finished') setImmediate(() => ends.abort(new Error('waited')));
  };
  await withProcessLock(world.home.at('qmd/update.lock'), { signal: NEVER }, async () => {
    const following = forgetting.store.follow(forgotten, { signal: ends.signal, onEvent });
    assert.is(await following.catch((error: Error) => error.message), 'waited');
    assert.not.ok(existsSync(exported));
  });
  await forgetting.store.follow(forgotten);
  assert.ok(existsSync(exported));
  await world.close();
});

test('a search works despite an unusable archive of conversations', async () => {
  const memorySearch = {
    provider: 'none',
    sources: ['memory', 'sessions'],
    experimental: { sessionMemory: true },
    sync: { sessions: { retention: 'keep' } },
  };
  const world = extWorld({}, { sessions: { enabled: true } }, { defaults: { memorySearch } });
  world.home.write('agents/main/sessions/s1.jsonl', message('user', 'A heron called.'));
  // Its folder cannot be created.
  world.home.write('archive', '');
  const { backend } = await world.open();
  const { skipped } = await backend.sync({});
  assert.equal(
    skipped.map(({ path, reason }) => [path, reason]),
    [['sessions', 'unreadable']],
  );
  const { backend: engine, results } = await backend.search({ query: 'heron called' });
  assert.is(engine, 'ext');
  assert.ok(results.some(({ source }) => source === 'sessions'));
  await world.close();
});

test('if a broken program cannot remove text from its index, the index is deleted', async () => {
  const world = extWorld();
  const { backend } = await world.open();
  await backend.sync({});
  const index = world.home.at('agents/main/qmd/cache/qmd/index.sqlite');
  assert.ok(existsSync(index));
  world.qmd.become({ on: { '*': { kind: 'fails', status: 1, stderr: 'no' } } });
  const forgetting = await backend.forgetting();
  const plan = await forgetting.plan({ target: 'memory/2026-11-01.md' });
  await forgetting.hide(plan, { fromFile: true });
  assert.is((await forgetting.store.follow(await forgetting.forgotten())).clean, true);
  assert.not.ok(existsSync(index));
  await world.close();
});

test('a reset deletes both indexes and the exports, and nothing else', async () => {
  const world = extWorld({}, { sessions: { enabled: true, exportDir: 'talks' } });
  world.home.write('agents/main/sessions/s1.jsonl', message('user', 'A bittern called.'));
  world.home.write('talks/main/own.md', 'mine');
  const { backend } = await world.open();
  await backend.sync({});
  assert.equal(readdirSync(world.home.at('talks/main')).toSorted(), ['own.md', 's1.md']);
  const { deleted, bytes } = await backend.reset();
  assert.ok(deleted && bytes > 0);
  assert.not.ok(existsSync(world.home.at('agents/main/qmd/cache/qmd/index.sqlite')));
  assert.equal(readdirSync(world.home.at('talks/main')), ['own.md']);
  assert.is((await backend.reset()).deleted, false);
  // And all of it comes back with the next question.
  assert.equal(gist(await backend.search({ query: 'heron' })), ['ext', BOTH, []]);
  await world.close();
});

test('if its folder cannot be used, the built-in engine answers', async () => {
  const world = extWorld();
  world.home.write('agents/main/qmd', 'a file in its place');
  const { backend } = await world.open();
  assert.equal(gist(await backend.search({ query: 'heron' })), [
    'builtin',
    BOTH,
    ['BACKEND_FAILED'],
  ]);
  await world.close();
});

test('vectors are created on request, and by a watcher at its interval', async () => {
  const world = extWorld({}, { searchMode: 'query' });
  const { backend } = await world.open();
  await backend.sync({});
  assert.ok(world.newCommands().includes('embed'));
  world.home.write('workspace/memory/new.md', 'A crake ran by.\n');
  await backend.sync({ isUpkeep: true });
  assert.not.ok(world.newCommands().includes('embed'));
  await backend.sync({});
  assert.ok(world.newCommands().includes('embed'));
  await backend.sync({ embeds: false });
  assert.not.ok(world.newCommands().includes('embed'));
  await world.close();
});

test('a long-lived process keeps one program running and stops it at its own end', async () => {
  const world = extWorld();
  const { backend } = await world.open({ longLived: true });
  await backend.sync({});
  world.newCommands();
  const asked = ['heron', 'egrets', 'oak'].map((query) => backend.search({ query }));
  for (const { backend: who } of await Promise.all(asked)) assert.is(who, 'ext');
  assert.is(world.newCommands().filter((command) => command === 'mcp').length, 1);
  await world.close();
});

test('a program that never becomes ready takes no longer than the time limit of a query', async () => {
  const world = extWorld({}, { limits: { timeoutMs: 700 } });
  const { backend } = await world.open({ longLived: true });
  await backend.sync({});
  world.qmd.become({ on: { mcp: { kind: 'says_nothing' } } });
  const started = performance.now();
  assert.equal(gist(await backend.search({ query: 'heron' })), [
    'builtin',
    BOTH,
    ['BACKEND_TIMEOUT'],
  ]);
  // Without that limit, it waits 15 seconds for the program.
  assert.ok(performance.now() - started < 10_000);
  await world.close();
});

test.run();
