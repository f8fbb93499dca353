import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tinyModel } from '../../scripts/tiny-gguf/tiny-model.js';
import { fakeNpm } from '../fakes/fake-npm.js';
import { startFileHost } from '../fakes/file-host.js';
import { jsonOf } from '../support/json.js';
import { realRuntimes } from '../support/local-runtime.js';
import { runInPty } from '../support/pty.js';
import { startSvc } from '../support/run-svc.js';
import { runInSession } from '../support/svc-session.js';
import { folderOf, tempFolder } from '../support/temp-folder.js';

const test = suite('svc provider install local');

const INSTALL = ['provider', 'install', 'local'];

test('installs the runtime, reports in text and as JSON, and says if it is already there', async () => {
  const home = tempFolder().path;
  const npm = fakeNpm();
  const first = await runInSession([...INSTALL, '--no-model'], { home, env: npm.env });
  assert.is(first.code, 0, first.stderr);
  assert.match(
    first.stderr,
    /npm is installing node-llama-cpp.*checking that it loads.*installed node-llama-cpp/su,
  );
  assert.match(
    first.stdout,
    /^the runtime of local models is ready; "svc provider install local" downloads/u,
  );
  const again = await runInSession([...INSTALL, '--no-model'], { home, env: npm.env });
  assert.is(again.code, 0);
  assert.match(again.stderr, /is already installed/u);
  const run = await runInSession([...INSTALL, '--no-model', '--json'], { home, env: npm.env });
  const { runtime, model } = jsonOf.installLocal(run);
  assert.equal([runtime.outcome, model, run.stderr], ['already', null, '']);
  assert.ok(runtime.folder !== null && existsSync(runtime.folder));
  const removed = await runInSession([...INSTALL, '--remove', '--json'], { home });
  assert.is(jsonOf.installLocal(removed).runtime.outcome, 'removed');
  assert.not.ok(existsSync(runtime.folder));
});

test('downloads the model that the configuration names, or the one on the command line', async () => {
  const host = await startFileHost(
    new Map([
      ['/ada/words/resolve/main/words.gguf', tinyModel()],
      ['/ada/words/resolve/main/others.gguf', tinyModel()],
    ]),
  );
  try {
    const home = folderOf({
      'svc.json': JSON.stringify({
        agents: {
          defaults: {
            memorySearch: { provider: 'local', local: { modelPath: 'hf:ada/words/words.gguf' } },
          },
        },
      }),
    }).path;
    const env = { ...fakeNpm().env, HF_ENDPOINT: host.url };
    const configured = jsonOf.installLocal(
      await runInSession([...INSTALL, '--json'], { home, env }),
    );
    assert.equal(
      [configured.model?.outcome, configured.model?.name],
      ['downloaded', 'hf:ada/words/words.gguf'],
    );
    assert.ok(configured.model?.path.startsWith(`${home}/models/words-`));
    const named = await runInSession([...INSTALL, '--model', 'hf:ada/words/others.gguf'], {
      home,
      env,
    });
    assert.match(named.stderr, /100 % of 212\.5 kB.*downloaded hf:ada\/words\/others\.gguf/su);
    const ready = 'the local provider is ready';
    assert.is(
      named.stdout,
      `${ready}; set memorySearch.local.modelPath to "hf:ada/words/others.gguf"\n`,
    );
    const complete = await runInSession(INSTALL, { home, env });
    assert.is(complete.stdout, `${ready}\n`);
  } finally {
    await host.close();
  }
});

test('a failure of npm is reported in its words, with a hint', async () => {
  const npm = fakeNpm();
  npm.behave('fails', 'npm error code ENOTFOUND\nnpm error network no such host\n');
  const run = await runInSession([...INSTALL, '--no-model', '--json'], {
    home: tempFolder().path,
    env: npm.env,
  });
  const error = jsonOf.error(run);
  assert.equal(
    [run.code, error.code, error.details?.['reason']],
    [1, 'PROVIDER_INSTALL_FAILED', 'network'],
  );
  assert.match(error.message, /no such host/u);
});

test('Ctrl-C stops it and leaves nothing', async () => {
  const home = tempFolder().path;
  const npm = fakeNpm();
  npm.behave('hangs');
  const run = startSvc([...INSTALL, '--no-model'], { home, env: npm.env });
  await npm.whenHanging();
  run.child.kill('SIGINT');
  const { code, stderr } = await run.done;
  assert.is(code, 130, stderr);
  assert.equal(readdirSync(`${home}/runtimes`), ['local.lock']);
});

test('a killed installation leaves no runtime, and the next one is complete', async () => {
  const home = tempFolder().path;
  const npm = fakeNpm();
  npm.behave('hangs');
  const run = startSvc([...INSTALL, '--no-model'], { home, env: npm.env });
  await npm.whenHanging();
  run.child.kill('SIGKILL');
  await run.done;
  assert.not.ok(existsSync(`${home}/runtimes/local.json`));
  npm.behave('installs');
  const next = jsonOf.installLocal(
    await runInSession([...INSTALL, '--no-model', '--json'], { home, env: npm.env }),
  );
  assert.is(next.runtime.outcome, 'installed');
  assert.is(readdirSync(`${home}/runtimes`).length, 3);
});

test('on a terminal it is a list that redraws itself', async () => {
  const home = tempFolder().path;
  const npm = fakeNpm();
  const session = runInPty([...INSTALL, '--no-model'], {
    home,
    columns: 100,
    env: npm.env,
    lines: true,
  });
  assert.is(await session.ended, 0, session.output());
  assert.match(session.output(), /✔\S* installed node-llama-cpp/u);
  assert.match(session.output(), /the runtime of local models is ready/u);
  // Otherwise, a signal would leave it hidden.
  const hidden = session.output().replaceAll('\u001B[?25l\u001B[?25h', '');
  assert.not(hidden.includes('\u001B[?25l'), 'the cursor is never hidden');
});

test('with the real runtime and a model the built program searches semantically', async () => {
  const home = tempFolder();
  mkdirSync(home.at('workspace/memory'), { recursive: true });
  symlinkSync(await realRuntimes(), home.at('runtimes'));
  const modelPath = home.write('tiny.gguf', tinyModel());
  home.write(
    'svc.json',
    JSON.stringify({
      agents: {
        defaults: {
          memorySearch: { provider: 'local', local: { modelPath }, query: { minScore: 0 } },
        },
      },
    }),
  );
  home.write('workspace/memory/a.md', 'the automobile is crimson');
  home.write('workspace/memory/b.md', 'doctor drinks coffee with sister');
  const options = { home: home.path };
  const indexed = await runInSession(['memory', 'index', '--json'], options);
  assert.is(indexed.code, 0, indexed.stdout + indexed.stderr);
  const found = jsonOf.search(
    await runInSession(['memory', 'search', 'red car', '--json'], options),
  );
  assert.equal(
    [found.provider, found.results[0]?.path],
    ['local', 'memory/a.md'],
    JSON.stringify(found),
  );
});

test.run();
