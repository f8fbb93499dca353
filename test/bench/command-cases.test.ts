import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { commandCases } from '../../bench/command-cases.js';
import { COMMANDS, faultOf } from '../docs/command-line.js';

const cases = commandCases({
  home: '/home/ada',
  note: 'memory/2026-02-03.md',
  claim: 'a claim',
  flow: 'f',
  queuedTask: 'q',
  claimedTask: 'c',
  leaseToken: 'token',
  failedTask: 'e',
  delivery: '',
  clientId: 'id',
  listener: 'http://127.0.0.1:1',
});

for (const { id } of COMMANDS) {
  const command = id.replaceAll(':', ' ');
  test(`the benchmark of commands knows how to run ${command}`, () => {
    const args = cases[command]?.args;
    assert.ok(args, 'bench/command-cases.ts has nothing for it');
    assert.is(faultOf(['svc', ...command.split(' '), ...args]), undefined);
  });
}

test.run();
