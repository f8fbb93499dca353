import { basename } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { planCompletion } from '../../../src/engine/set-up/shell-completion.js';
import { contextOf } from '../../support/context.js';
import { folderOf } from '../../support/temp-folder.js';

const test = suite('startup files for completion');

test('on macOS, the line for bash is in the file that login shells read', () => {
  const startupOf = (platform: NodeJS.Platform, ...names: readonly string[]) => {
    const { path } = folderOf(Object.fromEntries(names.map((name) => [name, ''])));
    const { startup } = planCompletion('bash', { ...contextOf(path), platform });
    return basename(startup?.file ?? '');
  };
  assert.is(startupOf('linux', '.bash_profile'), '.bashrc');
  assert.is(startupOf('darwin', '.bashrc'), '.bash_profile');
  assert.is(startupOf('darwin', '.bash_profile', '.profile'), '.bash_profile');
  // A new .bash_profile would hide it.
  assert.is(startupOf('darwin', '.profile'), '.profile');
});

test.run();
