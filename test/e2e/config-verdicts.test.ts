import { readFileSync, statSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runSvc, type SvcRun } from '../support/run-svc.js';
import { folderOf, type TempFolder, tempFolder } from '../support/temp-folder.js';

const SECRET = 'a-secret-in-the-file-itself';

function settings(backend: string): string {
  return `{
  // the search engine
  "memory": { "backend": "${backend}" },
  "models": { "providers": { "corp": { "api": "openai", "apiKey": "${SECRET}" } } },
}
`;
}

function homeWith(config: string): TempFolder {
  return folderOf({
    'workspace/MEMORY.md': '# Notes\n\nThe boat is blue.\n',
    'svc.json': config,
  });
}

const CACHE = 'config-verdicts.json';

function search({ path: home }: TempFolder): Promise<SvcRun> {
  return runSvc(['memory', 'search', 'boat', '--json'], { home });
}

test('a configuration is checked once, and again when its content changes', async () => {
  const home = homeWith(settings('builtin'));
  const first = await search(home);
  const verdicts = readFileSync(home.at(CACHE), 'utf8');
  const second = await search(home);
  assert.is(first.code, 0, first.stderr);
  assert.is(second.code, 0, second.stderr);
  assert.is(readFileSync(home.at(CACHE), 'utf8'), verdicts);

  home.write('svc.json', settings('elastic'));
  const broken = await search(home);
  assert.is(broken.code, 2);
  assert.match(broken.stdout, 'CONFIG_INVALID');
  const again = await search(home);
  assert.is(again.code, 2, 'an error is reported every time');
});

test('the cache of verdicts contains no text of the configuration and is private to its owner', async () => {
  const home = homeWith(settings('builtin'));
  await search(home);
  assert.not.match(readFileSync(home.at(CACHE), 'utf8'), SECRET);
  assert.is(statSync(home.at(CACHE)).mode & 0o777, 0o600);
});

test('every start prints the warnings of a configuration', async () => {
  const home = homeWith(settings('builtin').replace(SECRET, 'short'));
  const runs = [await search(home), await search(home)];
  for (const { stdout, stderr } of runs) assert.match(stdout + stderr, 'CONFIG_WARNING');
});

test('removing a value prints the warnings that are left, as testing a provider does', async () => {
  const home = homeWith(settings('builtin').replace(SECRET, 'short'));
  for (const words of [
    ['config', 'unset', 'memory.backend'],
    ['provider', 'test', 'ollama'],
  ]) {
    const run = await runSvc([...words, '--plain'], { home: home.path });
    assert.match(run.stderr, /^warning: .*apiKey/mu, words.join(' '));
    const { stdout } = await runSvc([...words, '--json'], { home: home.path });
    assert.match(stdout, '"CONFIG_WARNING"', words.join(' '));
  }
});

test('without a file, the effective configuration names none', async () => {
  const run = await runSvc(['config', 'show', '--json'], { home: tempFolder().path });
  assert.equal([run.code, run.stderr], [0, '']);
  assert.is(JSON.parse(run.stdout).file, null);
});

test('a broken cache of verdicts only slows the start', async () => {
  const home = homeWith(settings('builtin'));
  for (const text of ['', '[{"key":1}]', '{"no":"list"}', '\0']) {
    home.write(CACHE, text);
    assert.is((await search(home)).code, 0, text);
  }
});

test.run();
