import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { describeUpgrade } from '../../../src/engine/overview/upgrade.js';
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

test.run();
