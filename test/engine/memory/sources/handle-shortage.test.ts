import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { asSvcError, SvcError } from '../../../../src/engine/errors/index.js';
import { skipOf } from '../../../../src/engine/memory/sources/skips.js';

const test = suite('files that cannot be opened');

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: open '/notes/a.md'`), { code });
}

test('an unreadable file is left out, with the reason', () => {
  assert.is(skipOf('/notes/a.md', systemError('EACCES')).reason, 'permission_denied');
  assert.is(skipOf('/notes/a.md', systemError('ENOENT')).reason, 'vanished');
  assert.is(skipOf('/notes/a.md', systemError('EIO')).reason, 'unreadable');
});

test('what macOS guards comes with where to allow it', () => {
  const { platform } = process;
  const hints = () => [
    skipOf('/notes/a.md', systemError('EPERM')).detail,
    asSvcError(systemError('EPERM'))?.hint,
  ];
  try {
    Object.defineProperty(process, 'platform', { value: 'darwin' });
    for (const hint of hints()) assert.match(hint ?? '', 'Privacy & Security');
    assert.is(skipOf('/notes/a.md', systemError('EACCES')).detail, undefined);
    Object.defineProperty(process, 'platform', { value: 'linux' });
    assert.not.ok(hints().some((hint) => hint?.includes('Privacy') === true));
  } finally {
    Object.defineProperty(process, 'platform', { value: platform });
  }
});

// Left out they would leave the index: a process short of handles would empty it.
for (const code of ['EMFILE', 'ENFILE']) {
  test(`without file handles the scan fails instead of leaving files out (${code})`, () => {
    try {
      skipOf('/notes/a.md', systemError(code));
      assert.unreachable();
    } catch (error) {
      assert.instance(error, SvcError);
      assert.is(error instanceof SvcError && error.code, 'HANDLES_EXHAUSTED');
    }
  });
}

test.run();
