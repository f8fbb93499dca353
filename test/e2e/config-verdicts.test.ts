import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runSvc } from '../support/run-svc.js';
import { tempFolder } from '../support/temp-folder.js';

const SECRET = 'a-secret-that-stands-in-the-file-itself';

function settings(backend: string): string {
  return `{
  // who answers
  "memory": { "backend": "${backend}" },
  "models": { "providers": { "corp": { "api": "openai", "apiKey": "${SECRET}" } } },
}
`;
}

function newHome(): { readonly home: string; readonly config: string; readonly verdicts: string } {
  const home = tempFolder().path;
  mkdirSync(join(home, 'workspace'));
  writeFileSync(join(home, 'workspace', 'MEMORY.md'), '# Notes\n\nThe boat is blue.\n');
  return { home, config: join(home, 'svc.json'), verdicts: join(home, 'config-verdicts.json') };
}

const ASK = ['memory', 'search', 'boat', '--json'];

test('a configuration is checked once, and again when its content changes', async () => {
  const { home, config, verdicts } = newHome();
  writeFileSync(config, settings('builtin'));
  const first = await runSvc(ASK, { home });
  const kept = readFileSync(verdicts, 'utf8');
  const second = await runSvc(ASK, { home });
  assert.is(first.code, 0, first.stderr);
  assert.is(second.code, 0, second.stderr);
  assert.is(readFileSync(verdicts, 'utf8'), kept);

  writeFileSync(config, settings('elastic'));
  const broken = await runSvc(ASK, { home });
  assert.is(broken.code, 2);
  assert.match(broken.stdout, 'CONFIG_INVALID');
  const again = await runSvc(ASK, { home });
  assert.is(again.code, 2, 'a fault is told every time');
});

test('the cache of verdicts contains no text of the configuration and is private to its owner', async () => {
  const { home, config, verdicts } = newHome();
  writeFileSync(config, settings('builtin'));
  await runSvc(ASK, { home });
  assert.not.match(readFileSync(verdicts, 'utf8'), SECRET);
  assert.is(statSync(verdicts).mode & 0o777, 0o600);
});

test('every start prints the warnings of a configuration', async () => {
  const { home, config } = newHome();
  writeFileSync(config, settings('builtin').replace(SECRET, 'short'));
  const runs = [await runSvc(ASK, { home }), await runSvc(ASK, { home })];
  for (const { stdout, stderr } of runs) assert.match(stdout + stderr, 'CONFIG_WARNING');
});

test('a broken cache of verdicts only slows the start', async () => {
  const { home, config, verdicts } = newHome();
  writeFileSync(config, settings('builtin'));
  for (const text of ['', '[{"key":1}]', '{"no":"list"}', '\0']) {
    writeFileSync(verdicts, text);
    assert.is((await runSvc(ASK, { home })).code, 0, text);
  }
});

test.run();
