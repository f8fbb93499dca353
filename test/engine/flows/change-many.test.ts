import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { SvcError } from '../../../src/engine/errors/index.js';
import { changeMany } from '../../../src/engine/flows/operator-flows.js';
import { NEVER } from '../../../src/engine/support/async.js';

const RECORDS = Array.from({ length: 120 }, (_, at) => at);

test('one that cannot be changed does not stop the others', async () => {
  const change = async (record: number) => {
    if (record === 7) throw new SvcError('FLOW_ENDED', 'it has ended');
    return record + 1000;
  };
  const changed = await changeMany(RECORDS, change, NEVER);
  assert.equal(
    changed.map(({ record }) => record),
    RECORDS.map((record) => (record === 7 ? 7 : record + 1000)),
  );
  assert.equal(
    changed.flatMap(({ error }) => error?.code ?? []),
    ['FLOW_ENDED'],
  );
});

test('an interruption ends it with what was done so far', async () => {
  const stop = new AbortController();
  const change = async (record: number) => {
    if (record === 60) stop.abort();
    return record;
  };
  const changed = await changeMany(RECORDS, change, stop.signal);
  assert.ok(changed.length > 60 && changed.length < RECORDS.length);
});

test('a bug is not reported as a record that cannot be changed', async () => {
  const broken = changeMany([1], () => Promise.reject(new TypeError('bug')), NEVER);
  assert.is(await broken.catch((error: unknown) => error instanceof TypeError), true);
});

test.run();
