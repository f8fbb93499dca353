import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { jsonOf } from '../support/json.js';
import { runInPty } from '../support/pty.js';
import { rawDatabase } from '../support/raw-database.js';
import type { SvcRun } from '../support/run-svc.js';
import { recordsOf, serve, serverHome, whenLogged, writeConfig } from '../support/serving.js';
import { runInSession } from '../support/svc-session.js';
import type { TempFolder } from '../support/temp-folder.js';
import { message } from '../support/transcripts.js';

const test = suite('conversations in memory');

const SECRET = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';

/** A configuration with sessions switched on, and other settings. */
function withSessions(
  more: { readonly memorySearch?: object; readonly sessions?: object } = {},
): object {
  return {
    agents: {
      defaults: {
        memorySearch: {
          provider: 'none',
          sources: ['memory', 'sessions'],
          experimental: { sessionMemory: true },
          ...more.memorySearch,
        },
      },
    },
    ...(more.sessions === undefined ? {} : { sessions: more.sessions }),
  };
}

const OFF = { agents: { defaults: { memorySearch: { provider: 'none' } } } };

function svc(home: TempFolder, ...args: readonly string[]): Promise<SvcRun> {
  return runInSession(args, { home: home.path });
}

/** A home with a note and a conversation. */
function homeWithTalk(): TempFolder {
  const home = serverHome(withSessions());
  home.write(
    'agents/main/sessions/talk.jsonl',
    [
      message('user', 'where does the heliotrope grow'),
      message('toolResult', 'a listing of the garden'),
      message('assistant', `Behind the harbour office. The key is ${SECRET} by the way.`),
    ].join(''),
  );
  return home;
}

test('a conversation is found, cited, and read with the turns around it', async () => {
  const home = homeWithTalk();
  const all = jsonOf.search(await svc(home, 'memory', 'search', 'heliotrope', '--json'));
  assert.equal(
    all.results.map(({ source, citation }) => [source, citation]),
    [['sessions', 'sessions/main/talk.jsonl#L1-L3']],
  );
  const notes = jsonOf.search(
    await svc(home, 'memory', 'search', 'heliotrope', '--source', 'memory', '--json'),
  );
  assert.equal(notes.results, []);
  const only = jsonOf.search(
    await svc(home, 'memory', 'search', 'nightly backup', '--source', 'sessions', '--json'),
  );
  assert.equal(only.results, []);
  const shown = await svc(home, 'memory', 'get', 'sessions/main/talk.jsonl#L3');
  assert.is(shown.code, 0);
  assert.match(shown.stdout, /^User .*\nwhere does the heliotrope grow\n\nAssistant .*\nBehind/);
  const passage = jsonOf.get(
    await svc(home, 'memory', 'get', 'sessions/main/talk.jsonl#L3', '--json'),
  );
  assert.equal(
    passage.turns?.map(({ line, role, asked }) => [line, role, asked]),
    [
      [1, 'user', false],
      [3, 'assistant', true],
    ],
  );
});

test('status counts conversations as they are indexed', async () => {
  const home = homeWithTalk();
  home.write('agents/main/sessions/x.trajectory.jsonl', message('user', 'heliotrope'));
  home.write('agents/main/sessions/cron.jsonl', message('user', '[cron:nightly] heliotrope'));
  home.write('agents/main/sessions/broken.jsonl', `half a li\n${message('user', 'whole')}`);
  await svc(home, 'memory', 'index');
  // One that is left out is not read again, and nothing is missing if it grows.
  home.write(
    'agents/main/sessions/cron.jsonl',
    message('user', '[cron:nightly] heliotrope').repeat(2),
  );
  const { agents } = jsonOf.status(await svc(home, 'memory', 'status', '--json'));
  const index = agents[0]?.index;
  assert.equal(agents[0]?.sources, ['memory', 'sessions']);
  assert.equal(index?.state === 'ready' ? index.statistics.bySource : [], [
    { source: 'memory', documents: 1, chunks: 1 },
    { source: 'sessions', documents: 2, chunks: 2, brokenLines: 1 },
  ]);
  assert.equal(agents[0]?.staleness, { added: 0, changed: 0, removed: 0, examples: [] });
  const text = (await svc(home, 'memory', 'status')).stdout;
  assert.match(text, /sessions +2 files +2 chunks +1 line unreadable/);
});

test('no byte of a secret reaches the database', async () => {
  const home = homeWithTalk();
  await svc(home, 'memory', 'index');
  const files = readdirSync(home.at('memory'));
  assert.ok(files.length > 0);
  for (const name of files) {
    const bytes = readFileSync(join(home.at('memory'), name));
    assert.not(bytes.includes(SECRET.slice(4, 16)), name);
  }
  const found = await svc(home, 'memory', 'search', 'harbour office', '--json');
  assert.not(found.stdout.includes(SECRET.slice(4, 16)));
});

test('switching sessions on indexes earlier conversations; switching off removes them', async () => {
  const home = homeWithTalk();
  writeConfig(home, OFF);
  const count = async (): Promise<number> =>
    jsonOf.search(await svc(home, 'memory', 'search', 'heliotrope', '--json')).results.length;
  assert.is(await count(), 0);
  const search = await svc(home, 'memory', 'search', 'x', '--source', 'sessions', '--json');
  assert.equal(
    jsonOf.search(search).warnings?.map(({ code }) => code),
    ['SOURCE_OFF'],
  );
  const recent = await svc(home, 'memory', 'recent', '--source', 'sessions');
  assert.match(recent.stderr, 'warning: session transcripts are not searched');
  writeConfig(home, withSessions());
  assert.is(await count(), 1);
  writeConfig(home, OFF);
  assert.is(await count(), 0);
  const { agents } = jsonOf.status(await svc(home, 'memory', 'status', '--json'));
  const index = agents[0]?.index;
  const sources = index?.state === 'ready' ? index.statistics.bySource : [];
  assert.equal(
    sources.map(({ source }) => source),
    ['memory'],
  );
});

test('status --why finds the file of a transcript in the index, and no conversation below the workspace', async () => {
  const home = homeWithTalk();
  home.write('agents/main/sessions/cron.jsonl', message('user', '[cron:nightly] heliotrope'));
  await svc(home, 'memory', 'index');
  const why = async (path: string) =>
    jsonOf.status(await svc(home, 'memory', 'status', '--json', '--why', path)).agents[0]?.why;
  assert.is((await why(home.at('agents/main/sessions/talk.jsonl')))?.indexed, true);
  assert.is((await why('sessions'))?.indexed, false);
  for (const leftOut of ['sessions/main/cron.jsonl', home.at('agents/main/sessions/cron.jsonl')]) {
    const { included, indexed, reason } = (await why(leftOut)) ?? {};
    assert.equal([included, indexed, reason], [false, false, 'excluded'], leftOut);
  }
  const inspected = await svc(home, 'memory', 'inspect', 'sessions/main/cron.jsonl');
  assert.is(inspected.code, 1);
  assert.match(inspected.stdout, /\n {2}why {4}it is excluded: a conversation in another folder/u);
  const read = await svc(home, 'memory', 'get', 'sessions/main/cron.jsonl', '--json');
  assert.equal([read.code, jsonOf.error(read).code], [1, 'DOCUMENT_NOT_INDEXED']);
});

test('a list without conversations says that they are off, whatever is asked for, and else nothing of a filter', async () => {
  const listed = async (config: object) => {
    const run = await svc(serverHome(config), 'memory', 'sessions', 'list', '--since', '7d');
    return run.stdout;
  };
  assert.match(await listed(OFF), /^no conversations\nThey are off: set/u);
  assert.is(await listed(withSessions()), 'no conversations\n');
});

test('a list warns about a folder of conversations that does not exist', async () => {
  const readers = [{ id: 'claude-code', path: 'nowhere' }];
  const home = serverHome(withSessions({ sessions: { readers } }));
  const run = await svc(home, 'memory', 'sessions', 'list');
  assert.is(run.code, 0);
  assert.match(
    run.stderr,
    /warning: not indexed: .*nowhere \(does not exist: .*sessions\.readers\)/u,
  );
});

test('a folder is searched by the settings of an agent that only searches conversations', async () => {
  const sources = { memorySearch: { sources: ['sessions'] } };
  const home = serverHome(withSessions(sources));
  const folder = ['--workspace', home.at('workspace'), '--config', home.at('svc.json')];
  const found = jsonOf.search(
    await svc(home, 'memory', 'search', 'nightly backup', ...folder, '--json'),
  );
  assert.equal(
    found.results.map(({ path }) => path),
    ['MEMORY.md'],
  );
});

test('conversations of a coding agent are indexed if they took place in the workspace', async () => {
  const home = serverHome(withSessions({ sessions: { readers: ['svc', 'claude-code'] } }));
  const line = (cwd: string, content: string): string =>
    `${JSON.stringify({ type: 'user', cwd, message: { role: 'user', content } })}\n`;
  const workspace = home.at('workspace');
  const slug = workspace.replaceAll(/[^A-Za-z0-9]/g, '-');
  home.write(`.claude/projects/${slug}/s1.jsonl`, line(workspace, 'the heliotrope of ours'));
  home.write(`.claude/projects/${slug}-b/s2.jsonl`, line(`${workspace}-b`, 'heliotrope nearby'));
  home.write('.claude/projects/-home-eve/s3.jsonl', line('/home/eve', 'heliotrope of theirs'));
  const paths = async (): Promise<readonly string[]> =>
    jsonOf
      .search(await svc(home, 'memory', 'search', 'heliotrope', '--json'))
      .results.map(({ path }) => path.replace(slug, '…'))
      .sort();
  assert.equal(await paths(), ['sessions/claude-code/…/s1.jsonl']);
  const all = [{ id: 'claude-code', path: '.claude/projects' }];
  writeConfig(home, withSessions({ sessions: { readers: all } }));
  assert.equal(await paths(), [
    'sessions/claude-code/-home-eve/s3.jsonl',
    'sessions/claude-code/…-b/s2.jsonl',
    'sessions/claude-code/…/s1.jsonl',
  ]);
});

test('a conversation is found by the ID that its agent shows', async () => {
  const home = serverHome(withSessions({ sessions: { readers: ['claude-code', 'gemini-cli'] } }));
  const workspace = home.at('workspace');
  const slug = workspace.replaceAll(/[^A-Za-z0-9]/g, '-');
  const write = (uuid: string, content: string) => {
    const line = { type: 'user', cwd: workspace, message: { role: 'user', content } };
    home.write(`.claude/projects/${slug}/${uuid}.jsonl`, `${JSON.stringify(line)}\n`);
  };
  write('0b0e1f4c-9a53-4c1f-8e0e-1d2c3b4a5f60', 'where does the heliotrope grow');
  write('0b0e1f4c-7d11-4a0c-b6a8-6f5e4d3c2b1a', 'when does the zebra sleep');
  const show = (id: string) => svc(home, 'memory', 'sessions', 'show', id, '--json');
  for (const id of ['0b0e1f4c-9a53-4c1f-8e0e-1d2c3b4a5f60', '0b0e1f4c-9a53']) {
    assert.is(jsonOf.session(await show(id)).title, 'where does the heliotrope grow');
  }
  assert.match((await show('0b0e1f4c')).stdout, '2 conversations match');
  const gemini = [
    { projectHash: hash('sha256', workspace), sessionId: '5d0c7a3e' },
    { id: '1', type: 'user', content: 'who feeds the walrus' },
  ];
  home.write(
    '.gemini/tmp/project/chats/session-2026-02-03T04-05-5d0c7a3e.jsonl',
    gemini.map((line) => `${JSON.stringify(line)}\n`).join(''),
  );
  const shown = await show('5d0c7a3e-9a53-4c1f-8e0e-1d2c3b4a5f60');
  assert.is(jsonOf.session(shown).title, 'who feeds the walrus');
  // So is the name of its file, or its path, even if another name ends with the first word of that.
  write('all-sessions', 'who feeds the peacock');
  const file = '0b0e1f4c-7d11-4a0c-b6a8-6f5e4d3c2b1a.jsonl';
  for (const named of [file, `sessions/claude-code/${slug}/${file}`]) {
    assert.is(jsonOf.session(await show(named)).title, 'when does the zebra sleep');
  }
  // Shorter ones are in most names.
  for (const id of ['4c1f', '']) assert.match((await show(id)).stdout, 'not found');
});

test('svc serve follows conversations', async () => {
  const home = homeWithTalk();
  const { child, done } = serve(home, ['--json']);
  await whenLogged(home, 'new index');
  home.write('agents/main/sessions/new.jsonl', message('user', 'the zebra sleeps at noon'));
  await whenLogged(
    home,
    '1 added',
    recordsOf(home).findIndex(({ message }) => /new index, \d+ added/.test(message)) + 1,
  );
  rmSync(home.at('agents/main/sessions/talk.jsonl'));
  await whenLogged(home, '1 removed');
  child.kill('SIGTERM');
  assert.is((await done).code, 0);
});

test('a conversation is kept when its agent deletes it, listed, exported, and forgotten', async () => {
  const home = homeWithTalk();
  writeConfig(home, withSessions({ memorySearch: { sync: { sessions: { retention: 'keep' } } } }));
  const list = (...more: string[]) => svc(home, 'memory', 'sessions', 'list', ...more);
  const [live] = jsonOf.sessionList(await list('--json')).sessions;
  assert.is(live?.state, 'live');
  // The file is new, as after a copy; the conversation is not.
  assert.is(live?.lastAt, '2026-02-03T04:05:06.000Z');
  await svc(home, 'memory', 'index');
  const both = jsonOf.sessionList(await list('--json')).sessions;
  assert.equal(
    both.map(({ state }) => state),
    ['kept'],
  );
  rmSync(home.at('agents/main/sessions/talk.jsonl'));
  const [kept] = jsonOf.sessionList(await list('--json')).sessions;
  assert.is(kept?.state, 'archived');
  assert.is(kept?.title, 'where does the heliotrope grow');
  const id = kept?.id.slice(0, 6) ?? '';
  assert.match((await list('--reader', 'svc', '--since', '2026-01-01')).stdout, id);
  assert.is(jsonOf.sessionList(await list('--before', '2026-01-01', '--json')).total, 0);
  const mistyped = await list('--reader', 'claud-code');
  assert.is(mistyped.code, 2);
  assert.match(mistyped.stderr, '--reader must be one of: svc, claude-code');

  const shown = jsonOf.session(await svc(home, 'memory', 'sessions', 'show', id, '--json'));
  assert.equal(
    shown.turns.map(({ line }) => line),
    [1, 3],
  );
  const { stdout: markdown } = await svc(
    home,
    ...['memory', 'sessions', 'export', 'sessions/main/talk.jsonl#L1-L3'],
  );
  assert.match(markdown, '# where does the heliotrope grow');
  assert.match(markdown, '- started: 2026-02-03T04:05:06.000Z');
  assert.match(markdown, 'Behind the harbour office.');
  assert.not.match(markdown, SECRET);
  // As for flows, tasks, sweeps and other records that are not there.
  assert.is((await svc(home, 'memory', 'sessions', 'show', 'nothing')).code, 1);
  const cited = await svc(home, 'memory', 'get', 'sessions/main/talk.jsonl#L1-L3');
  assert.match(cited.stdout, 'heliotrope');
  // The archive is a database, which an editor would damage.
  const edited = await svc(home, 'memory', 'edit', 'sessions/main/talk.jsonl#L1-L3');
  assert.equal([edited.code, edited.stdout], [1, '']);
  assert.match(edited.stderr, "svc memory get 'sessions/main/talk.jsonl#L1'");

  const unconfirmed = await svc(home, 'memory', 'sessions', 'forget', id);
  assert.match(unconfirmed.stderr, '--yes');
  assert.match(unconfirmed.stdout, 'This will be removed from memory, but not from files.');
  // It has no such flag.
  assert.not.match(unconfirmed.stdout, '--from-file');
  const forgotten = jsonOf.forget(
    await svc(home, 'memory', 'sessions', 'forget', id, '--yes', '--json'),
  );
  assert.ok(forgotten.stores.some(({ store, clean }) => store.startsWith('archive') && clean));
  assert.is(jsonOf.sessionList(await list('--json')).total, 0);
  assert.equal(
    jsonOf.search(await svc(home, 'memory', 'search', 'heliotrope', '--json')).results,
    [],
  );
  assert.is(readFileSync(home.at('archive/main.sqlite')).includes('heliotrope'), false);
});

test('a conversation that is no longer searched is forgotten, and nothing that its path matches', async () => {
  const home = serverHome(
    withSessions({ memorySearch: { sync: { sessions: { imports: ['x.json'] } } } }),
  );
  const said = 'the heliotrope grows behind the harbour office';
  const chat_messages = [{ sender: 'human', text: said, created_at: '2026-02-03T04:05:06Z' }];
  home.write('x.json', JSON.stringify([{ uuid: 'garden-1', name: 'Garden', chat_messages }]));
  home.write(
    'workspace/memory/garden.md',
    `- ${said}\n- claude sessions about garden 1 stay short\n`,
  );
  await svc(home, 'memory', 'index');
  writeConfig(home, OFF);
  const path = 'sessions/claude/garden-1';
  const unindexed = await svc(home, 'memory', 'forget', path, '--yes', '--json');
  assert.match(unindexed.stdout, 'DOCUMENT_NOT_INDEXED');
  // What a killed command left to do is done first, even if this one is not confirmed.
  await svc(home, 'memory', 'forget', 'memory/garden.md#L2', '--yes');
  const followed = home.at('forgotten/main.json.followed');
  rmSync(followed);
  assert.is((await svc(home, 'memory', 'sessions', 'forget', path)).code, 2);
  assert.ok(existsSync(followed));
  const run = await svc(home, 'memory', 'sessions', 'forget', path, '--yes', '--json');
  const { passages, alsoIn } = jsonOf.forget(run);
  assert.equal(
    passages.map((one) => [one.path, one.text]),
    [[path, said]],
  );
  assert.equal(alsoIn, [{ path: 'memory/garden.md', startLine: 1, endLine: 1 }]);
  assert.is(readFileSync(home.at('archive/main.sqlite')).includes('heliotrope'), false);
});

test('the command that undoes forgetting a conversation is about the same agent and configuration', async () => {
  const home = homeWithTalk();
  const path = 'sessions/main/talk.jsonl';
  const target = ['--agent', 'main', '--config', 'svc.json'];
  const run = await svc(home, 'memory', 'sessions', 'forget', path, ...target, '--yes');
  const undo = 'svc memory forget --undo f1 --agent main --config svc.json';
  assert.match(run.stdout, `undo with "${undo}"`);
});

test('an index that another process reads is reported: forgotten bytes stay in it', async () => {
  const home = homeWithTalk();
  const path = 'sessions/main/talk.jsonl';
  await svc(home, 'memory', 'index');
  const reader = rawDatabase(home.at('memory/main.sqlite'));
  try {
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM chunks').get();
    const run = await svc(home, 'memory', 'sessions', 'forget', path, '--yes');
    assert.is(run.code, 0);
    assert.match(run.stderr, 'another process is reading the index');
    assert.match(run.stderr, 'svc memory index');
    assert.not.ok(existsSync(home.at('forgotten/main.json.followed')));
  } finally {
    reader.close();
  }
  await svc(home, 'memory', 'index');
  assert.ok(existsSync(home.at('forgotten/main.json.followed')));
  assert.is(readFileSync(home.at('memory/main.sqlite')).includes('heliotrope'), false);
});

test('output longer than the terminal goes through the pager, except with --plain', async () => {
  const home = homeWithTalk();
  await svc(home, 'memory', 'index');
  const [talk] = jsonOf.sessionList(
    await svc(home, 'memory', 'sessions', 'list', '--json'),
  ).sessions;
  const pager = home.writeScript('my-pager', 'cat > /dev/null\necho paged');
  const shown = async (...flags: readonly string[]): Promise<string> => {
    const session = runInPty(['memory', 'sessions', 'show', talk?.path ?? '', ...flags], {
      home: home.path,
      rows: 4,
      lines: true,
      env: { SVC_PAGER: pager },
    });
    assert.is(await session.ended, 0);
    return session.output();
  };
  assert.is((await shown()).trim(), 'paged');
  assert.match(await shown('--plain'), 'where does the heliotrope grow');
});

test('what a terminal would act on is escaped there, and exported unchanged into a pipe', async () => {
  const home = homeWithTalk();
  home.write('agents/main/sessions/talk.jsonl', message('user', 'red\u001B[31m\u009B0m\tblue'));
  const command = ['memory', 'sessions', 'export', 'sessions/main/talk.jsonl'];
  const session = runInPty(command, { home: home.path, lines: true });
  assert.is(await session.ended, 0);
  assert.match(session.output(), '\r\n\r\nred\\e[31m\\x9b0m  blue\r\n');
  assert.match((await svc(home, ...command)).stdout, '\n\nred\u001B[31m\u009B0m\tblue\n');
});

test.run();
