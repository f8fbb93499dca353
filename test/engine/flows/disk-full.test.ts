import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fillDisk, freeDisk, smallDisk } from '../../support/small-disk.js';

const test = suite('a full disk below flows');

/** Slow enough that what was stored last is synced after the first change that failed, as on a busy disk. */
const SYNC_MS = 50;
const { fdatasync } = fs;
const slowly = (descriptor: number, done: fs.NoParamCallback): void => {
  setTimeout(() => fdatasync(descriptor, done), SYNC_MS);
};
fs.fdatasync = Object.assign(slowly, { __promisify__: fdatasync.__promisify__ });
syncBuiltinESMExports();
// Only what is loaded from here on uses it.
const { ADA, newFlow, testFlows } = await import('../../support/flows.js');
const { SvcError } = await import('../../../src/engine/errors/index.js');

const disk = smallDisk(8);
const when = disk === undefined ? test.skip : test;
const home = disk ?? '';

when(
  'refuses changes, keeps what there is, and takes changes again when there is room',
  async () => {
    const { flows } = await testFlows({}, home);
    const made = await newFlow(flows);
    for (const leaving of [0, 40_000]) {
      fillDisk(home, leaving);
      const outcomes = await Promise.allSettled(
        Array.from({ length: 300 }, () =>
          newFlow(flows, undefined, { stateJson: 'x'.repeat(500) }),
        ),
      );
      const kept = outcomes.filter(({ status }) => status === 'fulfilled').length;
      const reasons = outcomes.flatMap((outcome) =>
        outcome.status === 'rejected' ? [outcome.reason] : [],
      );
      assert.ok(reasons.length > 0, `${leaving} left`);
      assert.is(flows.writes.failure()?.code, 'FLOWS_PERSIST_FAILED');
      const listed = await flows.perform({ action: 'get_flow', flowId: made }, ADA);
      assert.ok(listed.ok && flows.writes.failure() !== undefined);
      for (const reason of reasons) {
        assert.ok(
          reason instanceof SvcError && reason.code === 'FLOWS_PERSIST_FAILED',
          String(reason),
        );
      }
      const before = (await flows.operator.listFlows({ limit: 1 })).total;
      freeDisk(home);
      await flows.writes.probe();
      assert.is(flows.writes.failure(), undefined);
      assert.is((await flows.operator.listFlows({ limit: 1 })).total, before);
      assert.ok(before > kept);
      assert.ok(await newFlow(flows));
    }
    assert.is((await flows.operator.showFlow(made)).flow.status, 'queued');
    await flows.close();
  },
);

test.after(() => {
  fs.fdatasync = fdatasync;
  syncBuiltinESMExports();
});
test.run();
