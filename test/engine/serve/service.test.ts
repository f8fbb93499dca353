import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { failureReporter } from '../../../src/engine/serve/service.js';
import type { ServiceFailure } from '../../../src/engine/serve/state-file.js';

const test = suite('what is wrong with the parts of a service');

const failure = (message: string): ServiceFailure => ({ code: null, message, hint: null });

test('the problem of one part stays while another one works, and the same failure is new once', () => {
  let problem: ServiceFailure | undefined;
  const report = failureReporter({ setProblem: (now) => (problem = now) }, 'workspace');
  assert.equal(report('a', failure('it is away')), failure('it is away'));
  assert.is(report('a', failure('it is away')), undefined);
  assert.is(report('b', undefined), undefined);
  assert.is(problem?.message, 'it is away');
  assert.equal(report('b', failure('it is away')), failure('it is away'));
  assert.is(problem?.message, 'it is away (and 1 more workspace)');
  assert.equal(report('a', failure('it is full')), failure('it is full'));
  report('a', undefined);
  assert.is(problem?.message, 'it is away');
  report('b', undefined);
  assert.is(problem, undefined);
  assert.equal(report('a', failure('it is away')), failure('it is away'), 'it was well in between');
});

test.run();
