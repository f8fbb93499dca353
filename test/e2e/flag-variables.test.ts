import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { jsonOf } from '../support/json.js';
import { runInSession } from '../support/svc-session.js';
import { tempFolder } from '../support/temp-folder.js';

const test = suite('variables of flags');

test('filter searches as the flags do', async () => {
  const home = tempFolder();
  home.write('workspace/memory/a.md', '---\ntags: [work]\nstate: open\n---\n\nThe budget is 5.\n');
  home.write('workspace/memory/b.md', '---\ntags: [home]\nstate: open\n---\n\nThe budget is 6.\n');
  home.write('workspace/memory/c.md', '---\ntags: [car]\nstate: done\n---\n\nThe budget is 7.\n');
  const search = async (env: Readonly<Record<string, string>>) => {
    const run = await runInSession(['memory', 'search', 'budget', '--json'], {
      home: home.path,
      env,
    });
    assert.is(run.code, 0, run.stdout);
    return jsonOf
      .search(run)
      .results.map(({ path }) => path)
      .toSorted();
  };
  assert.equal(await search({ SVC_TAG: 'work' }), ['memory/a.md']);
  assert.equal(await search({ SVC_WHERE: 'state=done' }), ['memory/c.md']);
  const all = ['memory/a.md', 'memory/b.md', 'memory/c.md'];
  assert.equal(await search({ SVC_KIND: 'markdown,pdf', SVC_SOURCE: 'memory' }), all);
});

test('tag what is added', async () => {
  const home = tempFolder();
  home.write('workspace/MEMORY.md', '# Notes\n');
  const env = { SVC_TAG: 'work,home' };
  const words = ['memory', 'add', 'The budget is 5.', '--file', 'MEMORY.md', '--json'];
  const run = await runInSession(words, { home: home.path, env });
  assert.is(run.code, 0, run.stdout + run.stderr);
  assert.match(run.stdout, /#work #home/u);
});

test('that name a file or a folder may be empty, and their flags may not', async () => {
  const home = tempFolder();
  home.write('workspace/MEMORY.md', 'The budget is 5.\n');
  const env = { SVC_CONFIG: '', SVC_WORKSPACE: '' };
  const search = (...words: readonly string[]) =>
    runInSession(['memory', 'search', 'budget', ...words], { home: home.path, env });
  assert.is((await search()).code, 0);
  for (const flag of ['--config', '--workspace']) {
    const { code, stderr } = await search(flag, '');
    assert.is(code, 2);
    assert.match(stderr, `error: ${flag} must not be empty\n`);
  }
});

test('are named in errors about their values', async () => {
  const home = tempFolder();
  const messages = async (env: Readonly<Record<string, string>>, ...words: readonly string[]) => {
    const run = await runInSession(['memory', 'search', 'budget', ...words], {
      home: home.path,
      env,
    });
    assert.is(run.code, 2, run.stderr);
    return run.stderr;
  };
  const wrong = { SVC_MAX_RESULTS: 'many', SVC_SOURCE: 'notes' };
  assert.match(
    await messages({ SVC_MAX_RESULTS: 'many' }),
    /--max-results must be a whole number.*SVC_MAX_RESULTS/su,
  );
  assert.match(await messages({ SVC_SOURCE: 'notes' }), /--source must be one of.*SVC_SOURCE/su);
  const typed = await messages(wrong, '--source', 'diary', '--max-results', '3');
  assert.match(typed, /--source must be one of/u);
  assert.not.match(typed, /SVC_/u);
  assert.match(await messages({ SVC_TAG: 'x' }, '--tagg', 'x'), /did you mean --tag\?/u);
});

test.run();
