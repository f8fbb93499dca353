import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { closeClients, stdioClient } from '../support/mcp.js';
import { runInPty } from '../support/pty.js';
import { runSvc, startSvc } from '../support/run-svc.js';
import { tempFolder } from '../support/temp-folder.js';

/** A cloned repository whose configuration names a program of its own. */
function aClone() {
  const root = tempFolder().path;
  const clone = join(root, 'clone');
  const home = tempFolder();
  const ran = join(root, 'ran');
  mkdirSync(join(clone, 'notes'), { recursive: true });
  writeFileSync(join(clone, 'notes', 'MEMORY.md'), '# Notes\n\nThe boat is blue.\n');
  writeFileSync(join(clone, 'evil.sh'), `#!/bin/sh\necho "$@" >> ${ran}\n`);
  chmodSync(join(clone, 'evil.sh'), 0o755);
  const writeConfig = (command: string): void =>
    writeFileSync(
      join(clone, 'svc.json'),
      JSON.stringify({
        agents: { defaults: { workspace: 'notes', memorySearch: { query: { maxResults: 1 } } } },
        memory: { backend: 'ext', ext: { command } },
      }),
    );
  writeConfig('./evil.sh');
  return { clone, home, ran, writeConfig, at: { home: home.path, cwd: clone } };
}

const SEARCH = ['memory', 'search', 'boat'];

test('control sequences in a folder name never reach the terminal', async () => {
  const home = tempFolder();
  const clone = join(tempFolder().path, 'a\u001b]0;PWN\u0007b');
  mkdirSync(clone);
  writeFileSync(join(clone, 'MEMORY.md'), '# Notes\n');
  const at = { home: home.path, cwd: clone };
  const config = join(clone, 'svc.json');
  writeFileSync(config, '{"models":{"providers":{"openai":{"apiKey":"env:X"}}}}');
  const shown = async (...args: string[]): Promise<string> => {
    const { stdout, stderr } = await runSvc(args, at);
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
  const { at } = aClone();
  const warned = /^warning: .*svc\.json is not trusted; ignoring .*svc config trust/mu;
  const set = async (...edit: string[]): Promise<boolean> =>
    warned.test((await runSvc(['config', 'set', ...edit], at)).stderr);
  assert.is(await set('memory.ext.command', './other.sh'), true);
  assert.is(await set('memory.citations', 'on'), false);
  await runSvc(['config', 'trust', '--yes'], at);
  assert.is(await set('memory.ext.command', './evil.sh'), false);
});

test('a file stays trusted, in whatever order its keys are', async () => {
  const clone = tempFolder().path;
  const route = { sessionKey: 's', secret: 'env:CI_SECRET', path: '/ci' };
  const plugins = { entries: { webhooks: { enabled: true, config: { routes: { ci: route } } } } };
  writeFileSync(join(clone, 'svc.json'), JSON.stringify({ plugins }));
  const at = { home: tempFolder().path, cwd: clone };
  await runSvc(['config', 'trust', '--yes'], at);
  // The first start checks the file, later ones know that it is valid.
  for (let start = 0; start < 2; start++) {
    const { stdout, stderr } = await runSvc(['webhook', 'routes'], at);
    assert.is(stderr, '');
    assert.match(stdout, 'ci  /ci');
  }
});

test('a cloned configuration runs nothing until it is trusted', async () => {
  const { clone, ran, at, writeConfig } = aClone();
  const first = await runSvc(SEARCH, at);
  assert.is(first.code, 0, first.stderr);
  assert.match(first.stdout, 'The boat is blue');
  assert.not(existsSync(ran));
  assert.is(first.stderr.split('is not trusted').length, 2, first.stderr);
  assert.match(first.stderr, /memory\.backend, memory\.ext\.command.*svc config trust/u);

  const refused = await runSvc(['config', 'trust'], at);
  assert.is(refused.code, 2);
  assert.match(refused.stdout, 'memory.ext.command: "./evil.sh"');
  assert.match(refused.stderr, '--yes');
  const byVariable = await runSvc(['config', 'trust'], { ...at, env: { SVC_YES: '1' } });
  assert.is(byVariable.code, 2, 'a variable is no consent');

  const trusted = await runSvc(['config', 'trust', '--yes', '--json'], at);
  assert.is(trusted.code, 0, trusted.stdout);
  assert.match(trusted.stdout, '"trusted": true');
  const second = await runSvc(SEARCH, at);
  assert.not.match(second.stderr, 'not trusted');
  assert.ok(existsSync(ran), 'now it runs');
  const listed = await runSvc(['config', 'trust', 'list'], at);
  assert.match(listed.stdout, join(clone, 'svc.json'));

  writeConfig('./worse.sh');
  assert.match((await runSvc(SEARCH, at)).stderr, 'is not trusted');
  writeConfig('./evil.sh');
  const revoked = await runSvc(['config', 'trust', 'revoke'], at);
  assert.match(revoked.stdout, 'no longer trusted');
  assert.match((await runSvc(SEARCH, at)).stderr, 'is not trusted');
});

test('hooks, MCP servers, the doctor and reports neither run it nor ask', async () => {
  const { home, ran, at } = aClone();
  const hook = await runSvc(['memory', 'recall', '--hook', 'claude-code'], {
    ...at,
    input: JSON.stringify({ session_id: 's', prompt: 'what colour is the boat?', cwd: at.cwd }),
  });
  assert.is(hook.code, 0, hook.stderr);
  const { client } = await stdioClient(home, { cwd: at.cwd });
  const found = await client.callTool({ name: 'memory_search', arguments: { query: 'boat' } });
  await closeClients();
  assert.match(JSON.stringify(found), 'The boat is blue');
  for (const args of [
    ['config', 'doctor', '--plain'],
    ['memory', 'status', '--deep'],
    ['status'],
  ]) {
    await runSvc(args, at);
  }
  assert.not(existsSync(ran));
  const doctor = await runSvc(['config', 'doctor', '--plain'], at);
  assert.match(doctor.stdout, 'is not trusted');
});

test('a service keeps its configuration when a risky key changes, until that is trusted', async () => {
  const { at, writeConfig } = aClone();
  await runSvc(['config', 'trust', '--yes'], at);
  const served = startSvc(['serve', '--plain', '--without', 'refresh'], at);
  try {
    await served.waitForText('started');
    writeConfig('./worse.sh');
    served.child.kill('SIGHUP');
    await served.waitForText('not reloaded');
    await runSvc(['config', 'trust', '--yes'], at);
    served.child.kill('SIGHUP');
    await served.waitForText('"reloaded"');
  } finally {
    served.child.kill('SIGTERM');
  }
  const { stderr, stdout } = await served.done;
  assert.match(stderr + stdout, 'svc.json is not trusted');
});

test.run();
