import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SvcError } from '../../../../src/engine/errors/index.js';
import { loginFile } from '../../../../src/engine/providers/github-copilot/auth-files.js';
import {
  githubHosts,
  githubHostsIn,
} from '../../../../src/engine/providers/github-copilot/github-hosts.js';
import {
  deleteLogin,
  readStoredLogin,
  storeLogin,
} from '../../../../src/engine/providers/github-copilot/stored-login.js';
import { failureOf } from '../../../support/failure.js';
import { tempFolder } from '../../../support/temp-folder.js';

const test = suite('a stored login');

const LOGIN = { token: 'gho_0123', account: 'ada', apiUrl: 'https://api.github.com' };

test('a stored login is read; without a file there is none', async () => {
  const { path } = tempFolder();
  assert.is(await readStoredLogin(path), undefined);
  storeLogin(path, LOGIN);
  assert.equal(await readStoredLogin(path), LOGIN);
  storeLogin(path, { token: 'gho_next', apiUrl: LOGIN.apiUrl });
  assert.equal(await readStoredLogin(path), { token: 'gho_next', apiUrl: LOGIN.apiUrl });
});

for (const mode of [0o640, 0o604, 0o644, 0o620]) {
  test(`a file of mode ${mode.toString(8)} is refused, with the hint`, async () => {
    const { path } = tempFolder();
    storeLogin(path, LOGIN);
    chmodSync(loginFile(path), mode);
    const error = await failureOf(readStoredLogin(path));
    assert.is(error.code, 'SECRET_UNRESOLVED');
    assert.is(error.hint, `chmod 600 ${loginFile(path)}`);
    chmodSync(loginFile(path), 0o600);
    assert.equal(await readStoredLogin(path), LOGIN);
  });
}

for (const [what, text] of [
  ['cut off', '{"token": "gho_0123'],
  ['without a token', '{"account": "ada"}'],
  ['a list', '[]'],
] as const) {
  test(`a file that is ${what} is named, without its content`, async () => {
    const { path } = tempFolder();
    storeLogin(path, LOGIN);
    writeFileSync(loginFile(path), text);
    const error = await failureOf(readStoredLogin(path));
    assert.is(error.code, 'SECRET_UNRESOLVED');
    assert.not.match(`${error.message} ${error.hint} ${error.stack}`, 'gho_');
  });
}

test('a pipe in its place is refused, not waited for', async () => {
  const { path } = tempFolder();
  storeLogin(path, LOGIN);
  rmSync(loginFile(path));
  execFileSync('mkfifo', ['-m', '600', loginFile(path)]);
  assert.match(String(await failureOf(readStoredLogin(path))), 'it is not a regular file');
});

test('deleting removes everything, including leftovers of a killed process', async () => {
  const { path } = tempFolder();
  storeLogin(path, LOGIN);
  const folder = dirname(loginFile(path));
  writeFileSync(join(folder, '.0123456789ab.svc.tmp'), '{"token": "gho_0123"}');
  await deleteLogin(path);
  assert.equal(readdirSync(folder), []);
  await deleteLogin(path);
  await deleteLogin(join(path, 'nowhere'));
  assert.not(existsSync(join(path, 'nowhere')));
});

test('the API follows from the address of a GitHub', () => {
  const api = (webUrl?: string) => githubHosts({ webUrl }).apiUrl;
  assert.is(api(), 'https://api.github.com');
  assert.is(api('https://github.com/'), 'https://api.github.com');
  assert.is(api('https://acme.ghe.com'), 'https://api.acme.ghe.com');
  assert.is(api('https://git.acme.example/'), 'https://git.acme.example/api/v3');
  const both = githubHosts({ webUrl: 'https://a.example', apiUrl: 'https://b.example/x/' });
  assert.is(both.apiUrl, 'https://b.example/x');
});

test('a variable that is set to nothing is not set', () => {
  const hosts = githubHostsIn({ SVC_GITHUB_URL: '', SVC_GITHUB_API_URL: '' });
  assert.is(hosts.webUrl, 'https://github.com');
});

for (const webUrl of ['acme.ghe.com', 'http://github.example', 'ftp://github.com', 'x']) {
  test(`no token goes to ${webUrl}`, () => {
    assert.throws(
      () => githubHosts({ webUrl }),
      (error: unknown) => error instanceof SvcError && error.code === 'USAGE',
    );
  });
}

test.run();
