import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SvcError } from '../../../../src/engine/errors/index.js';
import type { Flows } from '../../../../src/engine/flows/index.js';
import { watchWrites } from '../../../../src/engine/serve/service.js';
import type { ServiceFailure } from '../../../../src/engine/serve/state-file.js';
import { testLog } from '../../../support/services.js';
import { waitFor } from '../../../support/wait.js';

const test = suite('changes that cannot be stored');

test('a failure is reported, and retried until a change can be stored again', async () => {
  const listeners = new Set<(failure: SvcError | undefined) => void>();
  const tell = (failure: SvcError | undefined): void => {
    for (const listener of listeners) listener(failure);
  };
  let probes = 0;
  const writes: Flows['writes'] = {
    failure: () => undefined,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    probe: async () => {
      probes += 1;
      if (probes === 2) tell(undefined);
    },
  };
  const reported: (ServiceFailure | undefined)[] = [];
  const { logger: log, lines } = testLog();
  const watched = watchWrites(writes, { log, setProblem: (failure) => reported.push(failure) });
  // Keeps the process alive: probing does not.
  const alive = setInterval(() => undefined, 1000);
  tell(new SvcError('FLOWS_PERSIST_FAILED', 'the disk is full'));
  assert.equal(
    reported.map((failure) => failure?.code),
    ['FLOWS_PERSIST_FAILED'],
  );
  await waitFor('a probe that works', () => reported.length === 2);
  clearInterval(alive);
  assert.equal([reported[1], probes], [undefined, 2]);
  assert.match(lines.join(''), /^.*"changes of flows can be stored again".*\n$/);
  watched.stop();
  assert.is(listeners.size, 0);
});

test.run();
