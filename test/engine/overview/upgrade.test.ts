import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { describeUpgrade } from '../../../src/engine/overview/upgrade.js';
import { fakeNpm } from '../../fakes/fake-npm.js';
import { tempFolder } from '../../support/temp-folder.js';

const test = suite('upgrading');

/** What svc says about itself in a folder, among some files. */
async function upgradeIn(folder: string, ...others: readonly string[]) {
  const files = tempFolder();
  files.write(`${folder}/package.json`, '{"name":"svc-cli","version":"0.2.0"}');
  for (const other of others) files.write(other, '{}');
  const { installation, command } = await describeUpgrade(files.at(folder), undefined);
  return [installation, command?.replace(files.at(folder), '/svc') ?? null];
}

test('names the command of what installed svc', async () => {
  const npm = ['npm', 'npm install -g svc-cli@latest'];
  assert.equal(await upgradeIn('lib/node_modules/svc-cli'), npm);
  const checkout = ['checkout', 'cd /svc && git pull && npm start -- --version'];
  assert.equal(await upgradeIn('svc', 'svc/.git/config'), checkout);
  const other = ['other', null];
  assert.equal(await upgradeIn('usr/lib/svc-cli'), other);
  assert.equal(await upgradeIn('project/node_modules/svc-cli', 'project/package.json'), other);
  const pnpm = 'global/5/.pnpm/svc-cli@0.2.0/node_modules/svc-cli';
  assert.equal(await upgradeIn(pnpm), other);
  const homebrew = 'Cellar/svc-cli/0.2.0/libexec/lib/node_modules/svc-cli';
  assert.equal(await upgradeIn(homebrew), other);
});

test('a release is newer than the versions before it, and than those on the way to it', async () => {
  const npm = fakeNpm();
  const isOutdated = async (installed: string, newest: string): Promise<boolean | null> => {
    npm.behave('installs', '', newest);
    const folder = tempFolder();
    folder.write('package.json', JSON.stringify({ name: 'svc-cli', version: installed }));
    const { signal } = new AbortController();
    const ask = { env: npm.env, nodePath: process.execPath, signal };
    return (await describeUpgrade(folder.path, ask)).isOutdated;
  };
  const order = ['0.9.0', '0.10.0-rc.2', '0.10.0-rc.10', '0.10.0', '0.10.1'];
  for (const [at, older = ''] of order.slice(0, -1).entries()) {
    const newer = order[at + 1] ?? '';
    assert.is(await isOutdated(older, newer), true, `${newer} is newer than ${older}`);
    assert.is(await isOutdated(newer, older), false, `${older} is not newer than ${newer}`);
  }
  assert.is(await isOutdated('0.10.0-rc.2', '0.10.0-rc.2'), false);
});

test.run();
