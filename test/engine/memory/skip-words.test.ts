import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { skipWords } from '../../../src/engine/memory/skip-words.js';

test('a reason is followed by its detail, and a detail that is a reason by itself takes its place', () => {
  assert.is(skipWords({ reason: 'symlink' }), 'symbolic link');
  assert.is(
    skipWords({ reason: 'too_large', detail: '200 MB, limit 64 MB' }),
    'too large: 200 MB, limit 64 MB',
  );
  assert.is(skipWords({ reason: 'unreadable', detail: 'it is a folder' }), 'it is a folder');
  assert.is(skipWords({ reason: 'wrong_format', detail: 'it is empty' }), 'it is empty');
  assert.is(skipWords({ reason: 'wrong_format' }), 'content does not match the file name');
  assert.is(skipWords({ reason: 'unreadable' }), 'cannot be read');
});

test.run();
