import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SvcError } from '../../../src/engine/errors/index.js';
import { ADA, newFlow, testFlows } from '../../support/flows.js';
import { smallDisk } from '../../support/tmpfs.js';

const test = suite('a full disk below flows');

const disk = smallDisk(8);
const when = disk === undefined ? test.skip : test;
if (disk === undefined) process.stdout.write('skipped: this user may mount no disk of its own\n');
const home = disk ?? '';

/** Leaves only this many bytes on the disk. */
function fill(leaving: number): void {
  const { bavail, bsize } = statfsSync(home);
  writeFileSync(`${home}/ballast`, Buffer.alloc(Math.max(0, bavail * bsize - leaving)));
}

when(
  'refuses changes, keeps what there is, and takes changes again when there is room',
  async () => {
    const { flows } = await testFlows({}, home);
    const made = await newFlow(flows);
    for (const leaving of [0, 40_000]) {
      fill(leaving);
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
      rmSync(`${home}/ballast`);
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

test.run();
