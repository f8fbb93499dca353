import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { shellLine } from '../../../src/engine/integrate/program.js';
import { codePoint } from '../../support/code-point.js';

/** Lines for hooks, read by the system's own shell. */
const test = suite('a line for the shell');

const PRINT = 'process.stdout.write(JSON.stringify([process.argv.slice(1), process.env.SVC_HOME]))';

/** What a program is given that the shell starts. */
function received(words: readonly string[], svcHome: string): unknown {
  const line = shellLine({
    words: [process.execPath, '-e', PRINT, '--', ...words],
    env: { SVC_HOME: svcHome },
  });
  const { stdout, status } = spawnSync('/bin/sh', ['-c', line], { encoding: 'utf8' });
  assert.is(status, 0, line);
  return JSON.parse(stdout);
}

const HOSTILE = [
  "it's",
  '$(touch /tmp/svc-was-here)',
  '`id`',
  '"; exit 3; "',
  'a b\tc',
  'line\nbreak',
  '\\',
  "'\\''",
  '$HOME',
  '~',
  '*',
  '#x',
  '!!',
  '&& false',
  '',
  'é…🦉',
  '--=-',
  'A=b',
];

test('passes every word unchanged', () => {
  assert.equal(received(HOSTILE, "/tmp/it's $HOME"), [HOSTILE, "/tmp/it's $HOME"]);
});

test('passes any words unchanged', () => {
  const word = fc.string({ unit: codePoint, maxLength: 8 }).filter(isPassable);
  fc.assert(
    fc.property(fc.array(word, { minLength: 20, maxLength: 40 }), word, (words, svcHome) => {
      assert.equal(received(words, svcHome), [words, svcHome]);
    }),
    { numRuns: 6 },
  );
});

test('leaves ordinary words unquoted', () => {
  const words = ['/usr/bin/node', '/opt/svc-cli/bin/run.js', 'memory', 'recall'] as const;
  assert.is(shellLine({ words, env: {} }), words.join(' '));
});

/** No system passes a zero byte on, and halves of pairs have no UTF-8. */
function isPassable(word: string): boolean {
  return !word.includes('\0') && Buffer.from(word).toString() === word;
}

test.run();
