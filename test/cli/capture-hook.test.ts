import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runCaptureHook } from '../../src/cli/capture-hook.js';
import { contextOf } from '../support/context.js';
import { errorOf } from '../support/failure.js';
import { tempFolder } from '../support/temp-folder.js';

const test = suite('the hook of a capture');

test('a capture that cannot be started is reported', async () => {
  const folder = tempFolder();
  // Deleted since the agent started the hook.
  const context = { ...contextOf(folder.path), cwd: folder.at('gone') };
  const failure = await errorOf(Error, () =>
    runCaptureHook('opencode', { session: 'ses_1' }, context),
  );
  assert.match(String(failure), /ENOENT/);
});

test.run();
