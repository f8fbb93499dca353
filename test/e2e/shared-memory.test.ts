import { hash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startOpenAiFake } from '../fakes/openai.js';
import { docx, paragraph } from '../support/documents.js';
import { type HostOptions, hostOn, type TestHost } from '../support/hosts.js';
import { jsonOf } from '../support/json.js';
import { migratedDatabase, realServer, serverAt, startPglite } from '../support/postgres.js';
import { installQmd } from '../support/qmd.js';
import { openAiSearchSettings, textsSent } from '../support/semantic-memory.js';
import { folderOf } from '../support/temp-folder.js';
import { message } from '../support/transcripts.js';
import { waitFor } from '../support/wait.js';

const postgres = (await realServer()) ?? (await startPglite());
const test = suite(`a shared memory on ${postgres.name}`);
test.after(() => postgres.stop());

/** Hosts with a new database: `host-a`, `host-b` and so on. */
async function team<Options extends readonly HostOptions[]>(...options: Options) {
  const url = await migratedDatabase(postgres);
  const hosts = options.map((one, at) => hostOn(url, `host-${'abc'.charAt(at)}`, one));
  return hosts as { readonly [Host in keyof Options]: TestHost };
}

const SERVICE = '# Billing\n\nMarta owns the billing service.\n';
const DOOR =
  '# Door\n\nThe code of the front door is 4711, says the janitor.\n\nThe bell is broken.\n';

async function searchOn(host: TestHost, query: string) {
  const run = await host.svc('memory', 'search', query, '--json');
  assert.is(run.code, 0, run.stderr);
  return jsonOf.search(run).results;
}

/** What `svc memory status --why` finds out about a name. */
async function whyOn(host: TestHost, name: string) {
  const run = await host.svc('memory', 'status', '--why', name, '--json');
  const why = jsonOf.status(run).agents[0]?.why;
  return [why?.path, why?.reason, why?.indexed];
}

async function citationsOf(host: TestHost, query: string): Promise<readonly string[]> {
  return (await searchOn(host, query)).map(({ citation = '' }) => citation);
}

test('two hosts index disjoint folders concurrently, and each finds everything', async () => {
  const [a, b] = await team(
    { files: { 'ws/memory/billing.md': SERVICE } },
    { files: { 'ws/memory/door.md': DOOR } },
  );
  const runs = await Promise.all([a, b].map((host) => host.start('memory', 'index').done));
  for (const { code, stderr } of runs) assert.is(code, 0, stderr);
  assert.equal(await citationsOf(a, 'billing service'), ['memory/billing.md#L1-L3']);
  assert.equal(await citationsOf(b, 'billing service'), ['host-a:memory/billing.md#L1-L3']);
  assert.equal(await citationsOf(a, 'front door'), ['host-b:memory/door.md#L1-L5']);
  for (const [pattern, found] of [
    ['host-a:memory', 1],
    ['host-?:memory/*.md', 1],
    ['memory', 1],
    ['host-b:memory', 0],
    ['!memory/**', 0],
    ['!host-a:memory/**', 0],
    ['!host-b:memory/**', 1],
  ] as const) {
    const { results } = jsonOf.search(
      await b.svc('memory', 'search', 'billing service', '--path', pattern, '--json'),
    );
    assert.is(results.length, found, pattern);
  }
  const named = await b.svc('memory', 'search', 'front door', '--path', 'host-b:memory', '--json');
  const [door] = jsonOf.search(named).results;
  assert.is(door?.citation, 'memory/door.md#L1-L5', 'a host can also name its own files');
  const [result] = await searchOn(b, 'billing service');
  assert.equal([result?.origin, result?.path], ['host-a', 'memory/billing.md']);
  const own = ['memory/door.md', 'included', true];
  assert.equal(await whyOn(b, 'host-b:memory/door.md#L3'), own);
  const other = ['host-a:memory/billing.md', 'other_host', true];
  for (const name of ['host-a:memory/billing.md', 'memory/billing.md#L1']) {
    assert.equal(await whyOn(b, name), other);
  }
});

test('questions name files of other hosts as citations do, or by their paths', async () => {
  const [a, b] = await team({ files: { 'ws/memory/billing.md': SERVICE } }, {});
  await a.svc('memory', 'index');
  const names = ['host-a:memory/billing.md#L3', 'memory/billing.md#L3', 'host-c:memory/billing.md'];
  const questions = names.map((name, at) => ({
    id: `q${at}`,
    question: 'billing service',
    expect: [name],
  }));
  const file = folderOf({ 'q.jsonl': questions.map((one) => JSON.stringify(one)).join('\n') });
  const scores = async (host: TestHost) => {
    const run = await host.svc('memory', 'eval', file.at('q.jsonl'), '--json');
    const { variants, misses } = jsonOf.eval(run);
    return [variants[0]?.metrics.recall, misses.map(({ id, why }) => [id, why])];
  };
  for (const host of [a, b]) assert.equal(await scores(host), [2 / 3, [['q2', 'not-indexed']]]);
});

test('two hosts with the same folder find each passage once, as their own', async () => {
  const ws = folderOf({ 'MEMORY.md': '', 'memory/billing.md': SERVICE, 'memory/door.md': DOOR });
  const [a, b] = await team({ workspace: ws.path }, { workspace: ws.path });
  await Promise.all([a, b].map((host) => host.start('memory', 'index').done));
  for (const host of [a, b]) {
    assert.equal(await citationsOf(host, 'billing service'), ['memory/billing.md#L1-L3']);
  }
  assert.match((await a.svc('memory', 'index', '--json')).stdout, /"outcome": ?"unchanged"/u);
});

test('a host without a workspace searches and reads what others indexed', async () => {
  const url = await migratedDatabase(postgres);
  const files = { 'ws/memory/billing.md': SERVICE };
  const a = hostOn(url, 'host-a', { files });
  const b = hostOn(url, 'host-b', { workspace: '/nowhere/at/all' });
  await a.svc('memory', 'index');
  const run = jsonOf.search(await b.svc('memory', 'search', 'billing service', '--json'));
  const [citation] = run.results.map((result) => result.citation ?? '');
  assert.is(citation, 'host-a:memory/billing.md#L1-L3');
  assert.equal(
    run.warnings.map(({ code }) => code),
    ['INDEX_STALE'],
  );
  const reading = await b.svc('memory', 'get', 'host-a:memory/billing.md#L3', '--json');
  assert.is(reading.code, 0, reading.stderr);
  const { origin, path, text, totalLines } = jsonOf.get(reading);
  assert.equal(
    [origin, path, text, totalLines],
    ['host-a', 'memory/billing.md', 'Marta owns the billing service.', 3],
  );
  for (const command of ['inspect', 'links']) {
    const there = await b.svc('memory', command, 'host-a:memory/billing.md', '--json');
    const { code, message } = jsonOf.error(there);
    assert.equal(
      [there.code, code, message],
      [1, 'DOCUMENT_ELSEWHERE', 'memory/billing.md is a file of host-a'],
    );
  }
  // The host that has the file understands the citation too.
  const onItsHost = jsonOf.get(
    await a.svc('memory', 'get', 'host-a:memory/billing.md#L3', '--json'),
  );
  assert.equal([onItsHost.origin, onItsHost.text], [undefined, 'Marta owns the billing service.']);
});

test('what is forgotten on one host disappears on all, and its host keeps it out', async () => {
  const [a, b, c] = await team(
    { files: { 'ws/memory/house.md': DOOR } },
    { files: { 'ws/memory/door.md': DOOR, 'ws/memory/boats.md': 'Boats need paint.\n' } },
    {},
  );
  for (const host of [a, b, c]) await host.svc('memory', 'index');
  assert.equal(await citationsOf(c, 'front door code'), ['host-a:memory/house.md#L1-L5']);
  const forgetting = await a.svc('memory', 'forget', 'memory/house.md#L3', '--yes', '--json');
  assert.is(forgetting.code, 0, forgetting.stderr);
  // Before its host has synced, no passage of it is left.
  assert.equal((await searchOn(c, 'janitor')).length, 0);
  // Its other files keep their dates until it has read them again.
  const recent = jsonOf.search(await c.svc('search', 'boats', '--since', '30d', '--json'));
  assert.equal(
    recent.results.map(({ path }) => path),
    ['memory/boats.md'],
  );
  assert.is(jsonOf.index(await b.svc('memory', 'index', '--json')).agents.length, 1);
  assert.equal((await searchOn(b, 'janitor')).length, 0);
  const [rest] = await searchOn(c, 'the bell');
  assert.match(rest?.snippet ?? '', /bell is broken/u);
  const list = jsonOf.forgetList(await b.svc('memory', 'forget', '--list', '--json'));
  assert.equal(
    list.entries.map(({ id }) => id),
    ['f1'],
  );
  const undone = await b.svc('memory', 'forget', '--undo', 'f1', '--yes');
  assert.is(undone.code, 0, undone.stderr);
  assert.equal(await citationsOf(a, 'janitor'), ['memory/house.md#L1-L5']);
});

test('a host that is killed while it forgets has removed the text of others before it reads its own', async () => {
  const url = await migratedDatabase(postgres);
  const a = hostOn(url, 'host-a', { files: { 'ws/memory/boats.md': 'Boats need paint.\n' } });
  const b = hostOn(url, 'host-b', { files: { 'ws/memory/door.md': DOOR } });
  for (const host of [a, b]) await host.svc('memory', 'index');
  const server = serverAt(url, { poolSize: 1 });
  const uncleaned = () => server.query('SELECT FROM svc.forgotten WHERE NOT cleaned');
  await server.run(`DO $$ BEGIN
    CREATE FUNCTION svc.killed() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''killed''; END';
    CREATE TRIGGER killed BEFORE UPDATE OF synced_ms ON svc.origins FOR EACH ROW EXECUTE FUNCTION svc.killed();
  END $$`);
  const forgetting = await a.svc('memory', 'forget', 'host-b:memory/door.md#L3', '--yes');
  assert.match(forgetting.stderr, 'killed');
  assert.equal(await server.query("SELECT FROM svc.chunks WHERE text LIKE '%janitor%'"), []);
  assert.is((await uncleaned()).length, 1);
  await server.run('DROP FUNCTION svc.killed CASCADE');
  assert.is((await a.svc('memory', 'index')).code, 0);
  assert.equal(await uncleaned(), []);
  assert.equal(await server.query("SELECT FROM svc.terms WHERE term LIKE 'janitor%'"), []);
  await server.close();
});

test('a heading that is forgotten on one host disappears from what is below it on others', async () => {
  const filler = Array.from({ length: 400 }, (_, at) => `Sentence ${at} is about nothing.`);
  const below = `${filler.join('\n')}\n\n## Animals\n\nZebras have stripes.\n`;
  const [a, b, c] = await team(
    { files: { 'ws/memory/a.md': '# The **divorce** of the Smiths\n\nWords of a.\n' } },
    { files: { 'ws/memory/b.md': `# The **divorce** of the Smiths\n\n${below}` } },
    {},
  );
  for (const host of [a, b]) await host.svc('memory', 'index');
  const pathsAbove = async () => (await searchOn(c, 'zebras')).map((one) => one.headingPath);
  assert.equal(await pathsAbove(), [['The divorce of the Smiths', 'Animals']]);
  await a.svc('memory', 'forget', 'memory/a.md#L1', '--yes');
  assert.equal(await pathsAbove(), []);
  await b.svc('memory', 'index');
  assert.equal(await pathsAbove(), [['Animals']]);
});

test('a passage of another host can be forgotten by its citation, also in a conversation', async () => {
  const memorySearch = {
    sources: ['memory', 'sessions'],
    experimental: { sessionMemory: true },
    sync: { sessions: { retention: 'keep' } },
  };
  const answer = 'Behind the harbour office.\n\nThe lantern there is red, says the janitor.';
  const talk = message('user', 'where is the lighthouse') + message('assistant', answer);
  const [a, b] = await team(
    {
      memorySearch,
      files: { 'ws/memory/door.md': DOOR, 'agents/main/sessions/talk.jsonl': talk },
    },
    { memorySearch },
  );
  await a.svc('memory', 'index');
  const forget = async (target: string) => {
    const run = await b.svc('memory', 'forget', target, '--yes', '--json');
    assert.is(run.code, 0, run.stderr);
    return jsonOf.forget(run).passages.map(({ path, text }) => [path, text]);
  };
  assert.equal(await forget('host-a:memory/door.md#L3'), [
    ['host-a:memory/door.md', 'The code of the front door is 4711, says the janitor.'],
  ]);
  const there = await b.svc(
    ...['memory', 'sessions', 'show', 'host-a:sessions/main/talk.jsonl#L2', '--json'],
  );
  assert.is(jsonOf.error(there).code, 'DOCUMENT_ELSEWHERE');
  const here = await a.svc('memory', 'sessions', 'show', 'host-a:sessions/main/talk.jsonl');
  assert.match(here.stdout, /lighthouse/u);
  assert.equal(await forget('host-a:sessions/main/talk.jsonl#L2'), [
    ['host-a:sessions/main/talk.jsonl', answer.replace('\n\n', ' ')],
  ]);
  await a.svc('memory', 'index');
  assert.equal((await searchOn(a, 'janitor')).length, 0);
  assert.equal(await citationsOf(a, 'lighthouse'), ['sessions/main/talk.jsonl#L1']);
  const talkPath = 'sessions/main/talk.jsonl';
  assert.equal(await whyOn(a, `${talkPath}#L1`), [talkPath, 'included', true]);
  assert.not(readFileSync(a.home.at('archive/main.sqlite')).includes('lantern'));
});

test('what a host excludes is found by no host after its next sync', async () => {
  const files = { 'ws/memory/billing.md': SERVICE, 'ws/memory/private/door.md': DOOR };
  const [a, b] = await team({ files }, {});
  await a.svc('memory', 'index');
  assert.equal(await citationsOf(b, 'front door'), ['host-a:memory/private/door.md#L1-L5']);
  a.home.write('ws/.svcignore', 'private/\n');
  await a.svc('memory', 'index');
  assert.equal(await citationsOf(b, 'front door'), []);
  assert.equal(await citationsOf(b, 'billing service'), ['host-a:memory/billing.md#L1-L3']);
});

test('documents and archived conversations of a host are shared, and outlive their transcripts', async () => {
  const settings = {
    sources: ['memory', 'sessions'],
    experimental: { sessionMemory: true },
    documents: ['docx', 'html'],
    sync: { sessions: { retention: 'keep' } },
  };
  const talk = message('user', 'where does the heliotrope grow');
  const [a, b] = await team(
    {
      memorySearch: settings,
      files: {
        'ws/memory/page.html': '<h1>Harbour</h1><p>The lantern is red.</p>',
        'agents/main/sessions/talk.jsonl': talk,
      },
    },
    { memorySearch: settings },
  );
  writeFileSync(a.home.at('ws/memory/plan.docx'), docx(paragraph('The anchor is blue.')));
  await a.svc('memory', 'index');
  assert.equal(await citationsOf(b, 'red lantern'), ['host-a:memory/page.html#L1-L3']);
  assert.equal(await citationsOf(b, 'blue anchor'), ['host-a:memory/plan.docx#L1']);
  const citations = await citationsOf(a, 'heliotrope');
  assert.equal(citations, ['sessions/main/talk.jsonl#L1']);
  rmSync(a.home.at('agents/main/sessions/talk.jsonl'));
  await a.svc('memory', 'index', '--force');
  assert.equal(await citationsOf(a, 'heliotrope'), citations);
  const archived = jsonOf.get(await a.svc('memory', 'get', 'sessions/main/talk.jsonl', '--json'));
  assert.match(archived.text, /where does the heliotrope grow/u);
});

test('an existing forget list is adopted, and stays on the host', async () => {
  const url = await migratedDatabase(postgres);
  const b = hostOn(url, 'host-b', { files: { 'ws/memory/door.md': DOOR } });
  await b.svc('memory', 'index');
  const alone = JSON.stringify({
    agents: { defaults: { workspace: 'ws', memorySearch: { provider: 'none' } } },
  });
  const a = hostOn(url, 'host-a', { files: { 'ws/memory/door.md': DOOR } });
  const settings = readFileSync(a.home.at('svc.json'), 'utf8');
  a.home.write('svc.json', alone);
  assert.is((await a.svc('memory', 'forget', 'memory/door.md#L3', '--yes')).code, 0);
  a.home.write('svc.json', settings);
  assert.equal((await searchOn(a, 'janitor')).length, 0);
  assert.equal((await searchOn(b, 'janitor')).length, 0);
  a.home.write('svc.json', alone);
  assert.equal((await searchOn(a, 'janitor')).length, 0);
});

test('a reset deletes only what this host indexed', async () => {
  const [a, b] = await team(
    { files: { 'ws/memory/billing.md': SERVICE } },
    { files: { 'ws/memory/door.md': DOOR } },
  );
  for (const host of [a, b]) await host.svc('memory', 'index');
  const status = jsonOf.status(await a.svc('memory', 'status', '--json')).agents[0];
  assert.equal(
    [
      status?.indexFile,
      status?.shared?.origin,
      status?.shared?.origins?.map(({ origin }) => origin),
    ],
    [null, 'host-a', ['host-a', 'host-b']],
  );
  assert.match((await a.svc('memory', 'status')).stdout, /shared on .+ as host-a/u);
  const doctor = await a.svc('config', 'doctor');
  assert.is(doctor.code, 0, doctor.stdout);
  const reset = jsonOf.reset(await b.svc('memory', 'reset', '--yes', '--json')).agents[0];
  assert.equal([reset?.deleted, reset?.documents], [true, 2]);
  assert.equal((await searchOn(a, 'janitor')).length, 0);
  assert.equal(await citationsOf(a, 'billing service'), ['memory/billing.md#L1-L3']);
  // The same with the external program in front of it.
  await b.svc('memory', 'index');
  const settings = JSON.parse(readFileSync(b.home.at('svc.json'), 'utf8'));
  const memory = { backend: 'ext', ext: { command: installQmd().command } };
  b.home.write('svc.json', JSON.stringify({ ...settings, memory }));
  const both = jsonOf.reset(await b.svc('memory', 'reset', '--yes', '--json')).agents[0];
  assert.equal([both?.deleted, both?.documents], [true, 2]);
});

test('svc storage origins refuses an unknown agent', async () => {
  const [a] = await team({ files: { 'ws/memory/a.md': 'a numbat\n' } });
  assert.is((await a.svc('storage', 'origins', '--agent', 'main')).code, 0);
  const run = await a.svc('storage', 'origins', '--agent', 'nobody');
  assert.is(run.code, 2);
  assert.match(run.stderr, /unknown agent "nobody"/);
});

test('svc storage origins --forget asks only about a host that there is', async () => {
  const [a] = await team({ files: { 'ws/memory/a.md': 'a numbat\n' } });
  await a.svc('memory', 'index');
  const unknown = await a.svc('storage', 'origins', '--forget', 'nobody', '--json');
  assert.is(jsonOf.error(unknown).code, 'ORIGIN_UNKNOWN');
  const known = await a.svc('storage', 'origins', '--forget', 'host-a', '--json');
  assert.is(jsonOf.error(known).code, 'CONFIRMATION_NEEDED');
});

test('a document with a NUL character is indexed like any other', async () => {
  const [a] = await team({
    memorySearch: { documents: ['html'] },
    files: { 'ws/memory/a.html': '<p>a marmot \0 sleeps</p>', 'ws/memory/b.md': 'a numbat\n' },
  });
  const run = await a.svc('memory', 'index');
  assert.is(run.code, 0, run.stderr);
  assert.match((await searchOn(a, 'marmot'))[0]?.snippet ?? '', /a marmot +sleeps/u);
  assert.is((await searchOn(a, 'numbat')).length, 1);
});

test('vectors are paid for once, whichever host embeds first', async () => {
  const fake = await startOpenAiFake({ dimensions: 64 });
  try {
    const ws = folderOf({ 'MEMORY.md': '', 'memory/billing.md': SERVICE, 'memory/door.md': DOOR });
    const options = { workspace: ws.path, memorySearch: openAiSearchSettings(fake) };
    const [a, b] = await team(options, options);
    const runs = await Promise.all(
      [a, b].map((host) => host.start('memory', 'index', '--json').done),
    );
    for (const { code, stderr } of runs) assert.is(code, 0, stderr);
    const sent = textsSent(fake);
    assert.is(new Set(sent).size, sent.length, sent.join('\n---\n'));
    const searched = jsonOf.search(await b.svc('memory', 'search', 'billing service', '--json'));
    assert.equal([searched.mode, searched.results.length > 0], ['hybrid', true]);
    const [status] = jsonOf.status(await b.svc('memory', 'status', '--deep', '--json')).agents;
    const vectors = status?.deep?.checks.find(({ check }) => check === 'vectors');
    assert.equal([vectors?.state, vectors?.text], ['ok', 'compared in process']);
  } finally {
    await fake.close();
  }
});

test('passages that a host could not embed are embedded by another one, which names the host that is embedding', async () => {
  const fake = await startOpenAiFake({ dimensions: 64 });
  try {
    const ws = folderOf({ 'MEMORY.md': '', 'memory/billing.md': SERVICE });
    const options = { workspace: ws.path, memorySearch: openAiSearchSettings(fake) };
    const [a, b] = await team(options, options);
    fake.trouble('slow');
    const hanging = a.start('memory', 'index');
    await waitFor('the request', () => fake.requests.length > 0);
    const waiting = await b.svc('memory', 'index');
    assert.is(waiting.code, 0, waiting.stderr);
    assert.match(
      waiting.stdout,
      /passages pending, being embedded by host-a: keyword search only/u,
    );
    hanging.child.kill('SIGINT');
    assert.is((await hanging.done).code, 130);
    fake.trouble('key_refused', 1);
    assert.is((await b.svc('memory', 'index')).code, 1);
    fake.trouble(undefined);
    const [embedded] = jsonOf.index(await a.svc('memory', 'index', '--json')).agents;
    assert.ok(embedded !== undefined && 'embedding' in embedded);
    assert.equal([embedded.embedding?.embedded, embedded.embedding?.pending], [1, 0]);
  } finally {
    await fake.close();
  }
});

if (postgres.connections > 1) {
  test('a search does not wait for a host that keeps the memory locked', async () => {
    const url = await migratedDatabase(postgres);
    const a = hostOn(url, 'host-a', { files: { 'ws/memory/billing.md': SERVICE } });
    await a.svc('memory', 'index');
    a.home.write('ws/memory/door.md', DOOR);
    const server = serverAt(url);
    await server.transaction(async (other) => {
      await other.query('SELECT id FROM svc.memories FOR UPDATE');
      const run = jsonOf.search(await a.svc('memory', 'search', 'billing service', '--json'));
      assert.equal([run.results.length, run.warnings.map(({ code }) => code)], [1, ['INDEX_BUSY']]);
    });
    await server.close();
    assert.equal(await citationsOf(a, 'front door'), ['memory/door.md#L1-L5']);
  });

  test('what another host forgets meanwhile does not keep a host from forgetting', async () => {
    const url = await migratedDatabase(postgres);
    const a = hostOn(url, 'host-a', { files: { 'ws/memory/door.md': DOOR } });
    await a.svc('memory', 'index');
    const server = serverAt(url);
    let forgetting: ReturnType<TestHost['start']> | undefined;
    await server.transaction(async (other) => {
      await other.query("SELECT pg_advisory_xact_lock(x'73766366'::int)");
      forgetting = a.start('memory', 'forget', 'memory/door.md#L3', '--from-file', '--yes');
      await waitFor('the host to wait', async () => {
        const waiting = await server.query(
          "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'",
        );
        return waiting.length > 0;
      });
      const at = '2026-02-03T00:00:00.000Z';
      const key = hash('sha256', JSON.stringify([at, [], [], []]), 'base64url');
      const entry = { id: 'f1', at, passages: [], documents: [], lines: [], files: [] };
      await other.run(
        'INSERT INTO svc.forgotten (agent, key, number, entry) VALUES ($1, $2, 1, $3)',
        ['main', key, JSON.stringify({ ...entry, salt: 'c2FsdA', origin: 'host-b' })],
      );
    });
    await server.close();
    const run = await forgetting?.done;
    assert.is(run?.code, 0, run?.stderr);
    const { entries } = jsonOf.forgetList(await a.svc('memory', 'forget', '--list', '--json'));
    assert.equal(
      entries.map(({ id }) => id),
      ['f1', 'f2'],
    );
    assert.equal(readdirSync(a.home.at('forgotten/main')), ['f2']);
    assert.equal((await searchOn(a, 'janitor')).length, 0);
    assert.is((await a.svc('memory', 'forget', '--undo', 'f2', '--yes')).code, 0);
    assert.equal(await citationsOf(a, 'janitor'), ['memory/door.md#L1-L5']);
  });
}

test('documents that a newer svc of the same host indexed are not replaced, unless forced', async () => {
  const url = await migratedDatabase(postgres);
  const a = hostOn(url, 'host-a', { files: { 'ws/memory/billing.md': SERVICE } });
  await a.svc('memory', 'index');
  const server = serverAt(url);
  await server.run(
    `UPDATE svc.origins SET identity = (identity::jsonb || '{"chunkerVersion": 99}')::text`,
  );
  await server.close();
  for (const command of [['search', 'billing'], ['index']]) {
    const run = await a.svc('memory', ...command, '--json');
    assert.is(run.code, 1);
    assert.match(run.stdout + run.stderr, /"code": ?"INDEX_NEWER"/u);
  }
  const [status] = jsonOf.status(await a.svc('memory', 'status', '--json')).agents;
  assert.is(status?.index.state, 'newer');
  assert.match(
    (await a.svc('memory', 'status')).stdout,
    /unusable, it was written by a newer svc/u,
  );
  assert.match((await a.svc('config', 'doctor')).stdout, /it was written by a newer svc/u);
  assert.is((await a.svc('memory', 'index', '--force')).code, 0);
  assert.equal(await citationsOf(a, 'billing service'), ['memory/billing.md#L1-L3']);
});

test('searches of all hosts count where the notes are', async () => {
  const config = {
    plugins: { entries: { 'memory-core': { config: { dreaming: { enabled: true } } } } },
  };
  const fact = 'The nightly backup of the storage server runs at 02:30.';
  const [a, b] = await team(
    { config, files: { 'ws/memory/2026-11-18.md': `# Day\n\n- ${fact}\n- Lunch was late.\n` } },
    { config },
  );
  await a.svc('memory', 'index');
  assert.equal(await citationsOf(b, 'when does the nightly backup run'), [
    'host-a:memory/2026-11-18.md#L1-L4',
  ]);
  await citationsOf(a, 'nightly backup of the storage server');
  const run = await a.svc('dream', 'run', '--json');
  assert.is(run.code, 0, run.stderr);
  const [sweep] = jsonOf.dreamRun(run).sweeps;
  assert.is(sweep !== undefined && 'searches' in sweep ? sweep.searches : 0, 2);
  const [second] = jsonOf.dreamRun(await a.svc('dream', 'run', '--json')).sweeps;
  assert.is(second !== undefined && 'searches' in second ? second.searches : 2, 0);
  const [claim] = jsonOf.dreamSignals(await a.svc('dream', 'signals', '--json')).claims;
  assert.equal([claim?.text, claim?.recalls], [fact, 2]);
  // For a host that does not have the note, they are not claims.
  await b.svc('dream', 'run');
  assert.equal(jsonOf.dreamSignals(await b.svc('dream', 'signals', '--json')).claims, []);
});

test.run();
