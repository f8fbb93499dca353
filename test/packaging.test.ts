import { spawnSync } from 'node:child_process';
import { copyFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ROOT } from './support/run-svc.js';
import { tempFolder } from './support/temp-folder.js';

const SCRIPT = join(ROOT, 'packaging/formula.js');

function formula(...args: readonly string[]): ReturnType<typeof spawnSync> {
  return spawnSync(process.execPath, [SCRIPT, ...args], { cwd: ROOT, encoding: 'utf8' });
}

test('the Homebrew formula names the release and its checksum', () => {
  const tarball = tempFolder().write('svc-cli-0.2.0.tgz', 'abc');
  const url = 'https://registry.npmjs.org/svc-cli/-/svc-cli-0.2.0.tgz';
  const { status, stdout } = formula(url, tarball);
  assert.is(status, 0);
  const text = String(stdout);
  assert.match(text, /^class SvcCli < Formula\n/);
  assert.match(text, `url "${url}"`);
  // Of "abc".
  assert.match(text, 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  const [desc = ''] = /desc ".*"/.exec(text) ?? [];
  assert.ok(desc.length > 10 && desc.length < 'desc ""'.length + 80, desc);
  // A machine without Ruby cannot tell.
  const ruby = spawnSync('ruby', ['-c'], { input: text, encoding: 'utf8' });
  if (ruby.error === undefined) assert.is(ruby.status, 0, ruby.stderr);
});

test('a formula without the address of a release is refused', () => {
  for (const args of [[], ['http://example.com/x.tgz'], ['https://example.com/"x.tgz']]) {
    assert.is(formula(...args).status, 2);
  }
});

/** What `npm run sea` builds, except that the script is a file next to the executable and not in it. */
function standalone() {
  const folder = tempFolder();
  const executable = folder.at('svc');
  copyFileSync(process.execPath, executable);
  symlinkSync(ROOT, folder.at('lib'));
  const start = (...args: readonly string[]) =>
    spawnSync(executable, [join(ROOT, 'packaging/sea-main.cjs'), ...args], {
      encoding: 'utf8',
      env: { HOME: folder.path, SVC_HOME: folder.path },
    });
  return {
    folder,
    executable,
    start,
    run: (...args: readonly string[]): string => {
      const { status, stdout, stderr } = start(...args);
      assert.is(status, 0, stderr);
      return stdout;
    },
  };
}

test('a standalone executable is svc, and the Node.js of the scripts that svc starts', () => {
  const { folder, executable, run } = standalone();
  assert.match(run('--version'), /^svc-cli\//);
  const unit = run('serve', '--print-systemd');
  assert.ok(unit.includes(`ExecStart=${executable} serve --plain\n`), unit);
  const shows = 'console.log(JSON.stringify(process.argv.slice(1)))';
  const script = folder.write('a.js', `require('node:os'); ${shows}`);
  const module = folder.write('a.mjs', `await import('node:os'); ${shows}`);
  assert.equal(JSON.parse(run(script, 'x')), [script, 'x']);
  assert.equal(JSON.parse(run(module, 'x')), [module, 'x']);
  assert.equal(JSON.parse(run('-e', `require('node:os'); ${shows}`, 'x')), ['x']);
});

test('a standalone executable that was copied without its folder describes what is missing', () => {
  const { folder, start } = standalone();
  rmSync(folder.at('lib'));
  const { status, stderr } = start('--version');
  assert.is(status, 1);
  assert.match(stderr, /^error: .*lib\/bin\/run\.js is missing\nhint: .*link to svc/);
});

test.run();
