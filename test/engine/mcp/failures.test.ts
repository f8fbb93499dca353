import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createSecretMask } from '../../../src/engine/masking/index.js';
import { failureOf } from '../../../src/engine/mcp/mcp-context.js';
import { unreadable } from '../../../src/engine/memory/get/requested-lines.js';

const test = suite('failures, as agents see them');

test('system errors are not reported as bugs of svc', () => {
  const logged: string[] = [];
  const warn = (text: string): void => void logged.push(text);
  const world = { mask: createSecretMask(), log: { info: warn, warn } };
  const { signal } = new AbortController();
  const readOnly = Object.assign(new Error("EROFS: read-only file system, mkdir '/state'"), {
    code: 'EROFS',
    errno: -30,
    syscall: 'mkdir',
    path: '/state',
  });
  const refused = failureOf(readOnly, world, signal);
  assert.equal([refused.code, logged], ['SYSTEM_REFUSED', []]);
  assert.is(refused.message, '/state: the file system is read-only');
  assert.is(failureOf(new TypeError('x is undefined'), world, signal).code, 'BUG');
  assert.is(logged.length, 1);
});

test('a hint to update the index names the tool that does it', () => {
  const log = { info: () => undefined, warn: () => undefined };
  const world = { mask: createSecretMask(), log };
  const { hint } = failureOf(unreadable('a.md is gone'), world, new AbortController().signal);
  assert.is(hint, 'search again with memory_search to bring the index up to date');
});

test.run();
