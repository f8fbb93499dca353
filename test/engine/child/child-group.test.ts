import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ChildGroup } from '../../../src/engine/child/child-group.js';

const test = suite('a program with all that it starts');

const timers = (): number =>
  process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

test('one that has ended is neither asked to end nor waited for', async () => {
  const child = new ChildGroup({
    command: ['/bin/sh', '-c', 'exit 3'],
    env: {},
    cwd: '/',
    mind: () => () => undefined,
  });
  assert.equal(await child.ended, { kind: 'exited', exitCode: 3 });
  const before = timers();
  child.stop();
  child.kill();
  assert.is(timers(), before);
});

test.run();
