import { existsSync, writeFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { callSearch, closeClients, stdioClient } from '../support/mcp.js';
import { runInPty } from '../support/pty.js';
import { runSvc, startSvc } from '../support/run-svc.js';
import { runInSession } from '../support/svc-session.js';
import { folderOf, tempFolder } from '../support/temp-folder.js';
import { webhooksConfig } from '../support/webhooks.js';

/** A cloned repository whose configuration names a program of its own, which creates the file `hasRun`. */
function clonedRepository() {
  const home = tempFolder();
  const clone = folderOf({ 'notes/MEMORY.md': '# Notes\n\nThe boat is blue.\n' });
  const hasRun = tempFolder().at('has-run');
  clone.writeScript('evil.sh', `echo "$@" >> ${hasRun}`);
  const writeConfig = (command: string): void => {
    const config = {
      agents: { defaults: { workspace: 'notes', memorySearch: { query: { maxResults: 1 } } } },
      memory: { backend: 'ext', ext: { command } },
    };
    clone.write('svc.json', JSON.stringify(config));
  };
  writeConfig('./evil.sh');
  return { clone, home, hasRun, writeConfig, at: { home: home.path, cwd: clone.path } };
}

const SEARCH = ['memory', 'search', 'boat'];

test('control sequences in a folder name never reach the terminal', async () => {
  const home = tempFolder();
  const name = 'a\u001b]0;PWN\u0007b';
  const root = folderOf({ [`${name}/MEMORY.md`]: '# Notes\n' });
  const untrusted = '{"models":{"providers":{"openai":{"apiKey":"env:X"}}}}';
  const config = root.write(`${name}/svc.json`, untrusted);
  const at = { home: home.path, cwd: root.at(name) };
  const shown = async (...args: string[]): Promise<string> => {
    const { stdout, stderr } = await runInSession(args, at);
    assert.not.match(stdout + stderr, '\u001b]', args.join(' '));
    return stdout + stderr;
  };
  assert.match(await shown(...SEARCH), 'a\\e]0;PWN\\x07b/svc.json is not trusted');
  assert.match(await shown('memory', 'index', '-w', './none'), 'a\\e]0;PWN\\x07b/none');
  const prompt = runInPty(['config', 'trust', '--config', config], {
    home: home.path,
    columns: 200,
    lines: true,
  });
  await prompt.waitForText('[y/N]');
  prompt.type('n\r');
  await prompt.ended;
  assert.match(prompt.output(), 'Trust ');
  assert.not.match(prompt.output(), '\u001b]0;PWN');
  await shown('config', 'trust', '--yes');
  writeFileSync(config, '{bad');
  assert.match(await shown('status'), 'at: ');
});

test('a value that is ignored until the file is trusted is set with a warning', async () => {
  const { at } = clonedRepository();
  const warned = /^warning: .*svc\.json is not trusted; ignoring .*svc config trust/mu;
  const set = async (...edit: string[]): Promise<boolean> =>
    warned.test((await runInSession(['config', 'set', ...edit], at)).stderr);
  assert.is(await set('memory.ext.command', './other.sh'), true);
  assert.is(await set('memory.citations', 'on'), false);
  await runInSession(['config', 'trust', '--yes'], at);
  assert.is(await set('memory.ext.command', './evil.sh'), false);
});

test('a file stays trusted, in whatever order its keys are', async () => {
  const route = { sessionKey: 's', secret: 'env:CI_SECRET', path: '/ci' };
  const clone = folderOf({ 'svc.json': JSON.stringify(webhooksConfig({ ci: route })) });
  const at = { home: tempFolder().path, cwd: clone.path };
  await runInSession(['config', 'trust', '--yes'], at);
  // The first start checks the file, later ones know that it is valid.
  for (let start = 0; start < 2; start++) {
    const { stdout, stderr } = await runInSession(['webhook', 'routes'], at);
    assert.is(stderr, '');
    assert.match(stdout, 'ci  /ci');
  }
});

test('a cloned configuration runs nothing until it is trusted', async () => {
  const { clone, hasRun, at, writeConfig } = clonedRepository();
  const first = await runInSession(SEARCH, at);
  assert.is(first.code, 0, first.stderr);
  assert.match(first.stdout, 'The boat is blue');
  assert.not(existsSync(hasRun));
  assert.is(first.stderr.split('is not trusted').length, 2, first.stderr);
  assert.match(first.stderr, /memory\.backend, memory\.ext\.command.*svc config trust/u);

  const refused = await runInSession(['config', 'trust'], at);
  assert.is(refused.code, 2);
  assert.match(refused.stdout, 'memory.ext.command: "./evil.sh"');
  assert.match(refused.stderr, '--yes');
  const fromVariable = await runInSession(['config', 'trust'], { ...at, env: { SVC_YES: '1' } });
  assert.is(fromVariable.code, 2, 'a variable is no consent');

  const trusted = await runInSession(['config', 'trust', '--yes', '--json'], at);
  assert.is(trusted.code, 0, trusted.stdout);
  assert.match(trusted.stdout, '"trusted": true');
  const second = await runInSession(SEARCH, at);
  assert.not.match(second.stderr, 'not trusted');
  assert.ok(existsSync(hasRun), 'now it runs');
  const listed = await runInSession(['config', 'trust', 'list'], at);
  assert.match(listed.stdout, clone.at('svc.json'));
  assert.not.match(listed.stdout, 'changed');

  writeConfig('./worse.sh');
  assert.match((await runInSession(['config', 'trust', 'list'], at)).stdout, 'not trusted now');
  assert.match((await runInSession(SEARCH, at)).stderr, 'is not trusted');
  writeConfig('./evil.sh');
  const revoked = await runInSession(['config', 'trust', 'revoke'], at);
  assert.match(revoked.stdout, 'no longer trusted');
  assert.match((await runInSession(SEARCH, at)).stderr, 'is not trusted');
});

test('hooks, MCP servers, the doctor and reports neither run it nor ask', async () => {
  const { home, hasRun, at } = clonedRepository();
  const hook = await runSvc(['memory', 'recall', '--hook', 'claude-code'], {
    ...at,
    input: JSON.stringify({ session_id: 's', prompt: 'what colour is the boat?', cwd: at.cwd }),
  });
  assert.is(hook.code, 0, hook.stderr);
  const { client } = await stdioClient(home, { cwd: at.cwd });
  const found = await callSearch(client, 'boat');
  await closeClients();
  assert.match(JSON.stringify(found), 'The boat is blue');
  for (const args of [
    ['config', 'doctor', '--plain'],
    ['memory', 'status', '--deep'],
    ['status'],
  ]) {
    await runInSession(args, at);
  }
  assert.not(existsSync(hasRun));
  const doctor = await runInSession(['config', 'doctor', '--plain'], at);
  assert.match(doctor.stdout, 'is not trusted');
});

test('a service keeps its configuration when a risky key changes, until that is trusted', async () => {
  const { at, writeConfig } = clonedRepository();
  await runInSession(['config', 'trust', '--yes'], at);
  const serving = startSvc(['serve', '--plain', '--without', 'refresh'], at);
  try {
    await serving.waitForText('started');
    writeConfig('./worse.sh');
    serving.child.kill('SIGHUP');
    await serving.waitForText('not reloaded');
    await runInSession(['config', 'trust', '--yes'], at);
    serving.child.kill('SIGHUP');
    await serving.waitForText('"reloaded"');
  } finally {
    serving.child.kill('SIGTERM');
  }
  const { stderr, stdout } = await serving.done;
  assert.match(stderr + stdout, 'svc.json is not trusted');
});

test.run();
