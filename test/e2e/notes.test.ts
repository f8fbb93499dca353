import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { jsonOf } from '../support/json.js';
import { opencodeStore } from '../support/opencode.js';
import { runInPty } from '../support/pty.js';
import { runSvc } from '../support/run-svc.js';
import { tempFolder } from '../support/temp-folder.js';
import { message } from '../support/transcripts.js';
import { waitFor } from '../support/wait.js';

const test = suite('svc memory add, undo and edit');

test('concurrent additions lose no text', async () => {
  const home = tempFolder();
  home.write('notes/MEMORY.md', '# Mine\n');
  const texts = Array.from({ length: 6 }, (_, at) => `fact number ${at}`);
  const add = (text: string) =>
    runSvc(['memory', 'add', text, '--workspace', 'notes', '--json'], { home: home.path });
  const runs = await Promise.all([...texts, ...texts].map(add));
  const outcomes = runs.map((run) => jsonOf.memoryAdd(run).outcome);
  assert.equal(outcomes.filter((outcome) => outcome === 'added').length, texts.length);
  const [name = ''] = readdirSync(home.at('notes/memory'));
  const note = readFileSync(home.at(`notes/memory/${name}`), 'utf8');
  for (const text of texts) assert.is(note.split(`- ${text}\n`).length, 2, text);
});

test('text on stdin is added, opened in the editor and removed again', async () => {
  const home = tempFolder();
  home.write('notes/MEMORY.md', '# Mine\n');
  const svc = (args: readonly string[], input?: string) =>
    runSvc(['memory', ...args, '--workspace', 'notes'], {
      home: home.path,
      env: { VISUAL: '', EDITOR: '' },
      ...(input === undefined ? {} : { input }),
    });
  const added = await svc(
    ['add', '--file=~/notes/MEMORY.md'],
    'The gate is green.\nSo is the door.\n',
  );
  assert.match(added.stdout, /^added to MEMORY\.md#L3-L4 as w1: The gate is green\. \(and 1 more/u);
  const edited = await svc(['edit', 'MEMORY.md#L3-L4']);
  assert.is(edited.stdout, `${home.at('notes/MEMORY.md')}:3\n`);
  for (const more of [['--last', '2'], ['--list']]) {
    assert.is((await svc(['undo', 'w1', ...more])).code, 2);
  }
  const undone = await svc(['undo']);
  assert.match(undone.stdout, /^removed w1 from MEMORY\.md/u);
  assert.is(readFileSync(home.at('notes/MEMORY.md'), 'utf8'), '# Mine\n');
  // The hint must not name a list that is empty.
  assert.not.match((await svc(['undo'])).stderr, '--list');
});

test('text on stdin that is not UTF-8 is refused, as adding or searching for it would lose characters', async () => {
  const home = tempFolder();
  home.write('notes/MEMORY.md', '# Mine\n');
  const input = Buffer.from('The café is closed.', 'latin1');
  for (const args of [
    ['add', '-', '--file', 'MEMORY.md'],
    ['search', '-'],
  ]) {
    const run = await runSvc(['memory', ...args, '--workspace', 'notes'], {
      home: home.path,
      input,
    });
    assert.equal([run.code, run.stdout], [2, '']);
    assert.match(run.stderr, 'error: the text on stdin is not UTF-8\n hint: convert it');
  }
  assert.is(readFileSync(home.at('notes/MEMORY.md'), 'utf8'), '# Mine\n');
});

test('a conversation is captured once, by command and by a hook that never fails', async () => {
  const home = tempFolder();
  home.write('notes/MEMORY.md', '# Mine\n');
  const file = home.write('s.jsonl', message('user', 'Remember that the gate is green.'));
  const capture = (args: readonly string[], input?: string) =>
    runSvc(['memory', 'capture', ...args, '--workspace', 'notes'], {
      home: home.path,
      ...(input === undefined ? {} : { input }),
    });
  const shown = await capture([file, '--dry-run']);
  assert.is(shown.stdout, 'found: Remember that the gate is green.\n');
  assert.not.ok(existsSync(home.at('notes/memory')));
  assert.match((await capture([file])).stdout, /^added: Remember that the gate is green\. /u);
  assert.match((await capture([file])).stdout, /^no new turns in /u);
  home.write(
    '.codex/hooks.json',
    JSON.stringify({
      hooks: { SessionEnd: [{ hooks: [{ command: 'svc memory capture --agent-hook codex' }] }] },
    }),
  );
  const agentHook = async (event: string): Promise<void> => {
    const transcript = home.at('missing.jsonl');
    const call = { hook_event_name: event, transcript_path: transcript, session_id: 's1' };
    await capture(['--agent-hook', 'codex'], JSON.stringify(call));
  };
  await agentHook('SessionEnd');
  assert.not.ok(existsSync(home.at('logs/capture.log')), 'nothing was said');
  home.write('logs/capture.log', 'x'.repeat(5_000_001));
  await agentHook('PreCompact');
  await waitFor('the record of the capture', () => existsSync(home.at('captures/codex.json')));
  assert.ok(existsSync(home.at('logs/capture.log.1')), 'a full log is set aside');
  const status = await runSvc(['status', '--json'], { home: home.path });
  const [last] = jsonOf.overallStatus(status).captures;
  assert.match(last?.error ?? '', /missing\.jsonl/);
  // The record is replaced by the next capture.
  const again = `failed: svc memory capture --reader codex --session s1 ${home.at('missing.jsonl')} --workspace notes\nerror: `;
  assert.ok(readFileSync(home.at('logs/capture.log'), 'utf8').includes(again));
  const words = ['memory', 'capture', file, '--reader', 'codex', '--agent', 'nobody'];
  assert.is((await runSvc(words, { home: home.path })).code, 2);
  assert.match(readFileSync(home.at('captures/codex.json'), 'utf8'), /nobody/u);
  const broken = await capture(['--agent-hook', 'codex'], 'no JSON');
  assert.equal([broken.code, broken.stdout], [0, '']);
  const wrong = await capture(['--agent-hook', 'nobody'], '{}');
  assert.equal([wrong.code, wrong.stdout], [0, '']);
  assert.match(wrong.stderr, /^error: .*nobody/u);
  assert.not.match(wrong.stderr, /See more help/u);
});

test('a capture whose outcome cannot be recorded says how it ended', async () => {
  const home = tempFolder();
  home.write('notes/MEMORY.md', '# Mine\n');
  // In place of the folder.
  home.write('captures', '');
  const words = ['--reader', 'codex', '--workspace', 'notes'];
  const file = home.write('s.jsonl', message('user', 'Remember that the gate is green.'));
  const kept = await runSvc(['memory', 'capture', file, ...words], { home: home.path });
  assert.equal([kept.code, kept.stderr], [0, '']);
  const missing = home.at('missing.jsonl');
  const failed = await runSvc(['memory', 'capture', missing, ...words], { home: home.path });
  assert.match(failed.stderr, `error: cannot read ${missing}: no such file`);
});

test('a capture that fails on a terminal is not taken for one of a hook', async () => {
  const home = tempFolder();
  home.write('notes/MEMORY.md', '# Mine\n');
  const words = ['memory', 'capture', 'missing.jsonl', '--reader', 'codex', '--workspace'];
  const session = runInPty([...words, home.at('notes')], { home: home.path, lines: true });
  assert.is(await session.ended, 1);
  assert.match(session.output(), /error: cannot read /u);
  assert.not.match(session.output(), / failed: svc memory capture/u);
  assert.not.ok(existsSync(home.at('captures')));
});

test('a hook of Cursor captures its documented input', async () => {
  const home = tempFolder();
  home.write('project/notes/MEMORY.md', '# Mine\n');
  const text = '<user_query>\nRemember that the lamp is blue.\n</user_query>';
  const line = { role: 'user', message: { content: [{ type: 'text', text }] } };
  const call = {
    conversation_id: 'c1',
    generation_id: 'g1',
    hook_event_name: 'preCompact',
    workspace_roots: [home.at('project')],
    transcript_path: home.write('c1.jsonl', `${JSON.stringify(line)}\n`),
    trigger: 'auto',
  };
  const words = ['memory', 'capture', '--agent-hook', 'cursor', '--workspace', 'notes'];
  await runSvc(words, {
    home: home.path,
    input: JSON.stringify({ ...call, transcript_path: null }),
  });
  assert.not.ok(existsSync(home.at('logs/capture.log')), 'transcripts are off');
  await runSvc(words, { home: home.path, input: JSON.stringify(call) });
  const record = home.at('captures/cursor.json');
  await waitFor('the record of the capture', () => existsSync(record));
  assert.match(readFileSync(record, 'utf8'), /"added":1,"error":null/);
});

test('a hook of OpenCode captures the conversation that it names from the database of its variables', async () => {
  const home = tempFolder();
  home.write('notes/MEMORY.md', '# Mine\n');
  const { folder, session, say } = opencodeStore();
  session('ses_1', home.path);
  say('ses_1', 'user', { type: 'text', text: 'Remember that the crane is red.' });
  mkdirSync(home.at('data'));
  renameSync(folder.path, home.at('data/opencode'));
  const words = ['memory', 'capture', '--agent-hook', 'opencode', '--workspace', 'notes'];
  const env = { XDG_DATA_HOME: home.at('data') };
  await runSvc([...words, '--session', 'ses_1'], { home: home.path, env });
  const record = home.at('captures/opencode.json');
  await waitFor('the record of the capture', () => existsSync(record));
  assert.match(readFileSync(record, 'utf8'), /"added":1,"error":null/);
});

test.run();
