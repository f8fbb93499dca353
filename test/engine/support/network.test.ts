import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isLoopback, leadsToLoopback } from '../../../src/engine/support/network.js';

test('addresses of this machine, and names that only look like one', () => {
  for (const host of [
    'localhost',
    'LOCALHOST',
    'localhost.',
    'ollama.localhost',
    '127.0.0.1',
    '127.9.9.9',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
  ])
    assert.ok(isLoopback(host), host);
  for (const host of [
    '127.evil.example',
    '127.0.0.1.evil.example',
    'notlocalhost',
    'localhost.evil.example',
    '::ffff:128.0.0.1',
    '128.0.0.1',
    '::2',
    '0.0.0.0',
  ]) {
    assert.not(isLoopback(host), host);
  }
});

test('a URL writes an IPv6 address in brackets', () => {
  assert.ok(leadsToLoopback(new URL('http://[::1]:8787/hook')));
  assert.not(leadsToLoopback(new URL('http://127.evil.example/')));
});

test.run();
