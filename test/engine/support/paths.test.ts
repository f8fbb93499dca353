import { symlinkSync } from 'node:fs';
import { delimiter } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { lastingProgram, withoutShell } from '../../../src/engine/support/paths.js';
import { tempFolder } from '../../support/temp-folder.js';

const test = suite('paths of programs');

test('a program is called by its name on PATH, which survives an update', () => {
  const bin = tempFolder();
  const node = bin.write('Cellar/node/22.1.0/bin/node', '');
  symlinkSync(node, bin.at('node'));
  const other = tempFolder();
  other.write('node', '');
  const nodeWith = (...folders: readonly string[]): string =>
    lastingProgram(node, { PATH: folders.join(delimiter) });
  assert.is(nodeWith('relative', other.path, bin.path), bin.at('node'));
  assert.is(nodeWith(other.path), node);
});

test('a folder that fnm made for one shell is not remembered', () => {
  const folder = tempFolder();
  const node = folder.write('fnm/node-versions/v22.1.0/installation/bin/node', '');
  symlinkSync(node, folder.at('fnm/node-versions/v22.1.0/installation/bin/svc'));
  const shell = folder.at('state/fnm_multishells/42_1700000000000');
  folder.write('state/fnm_multishells/other', '');
  symlinkSync(folder.at('fnm/node-versions/v22.1.0/installation'), shell);
  assert.is(lastingProgram(node, { PATH: `${shell}/bin` }), node);
  assert.is(
    withoutShell(`${shell}/bin/svc`),
    folder.at('fnm/node-versions/v22.1.0/installation/bin/svc'),
  );
});

test.run();
