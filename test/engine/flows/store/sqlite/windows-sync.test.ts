import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const test = suite('flows where only what is open for writing can be synced, as on Windows');

const { openSync, fsyncSync, fdatasync } = fs;
const readOnly = new Set<number>();

function refusal(): Error {
  return Object.assign(new Error('EPERM: operation not permitted'), { code: 'EPERM' });
}

fs.openSync = (path, flags, mode) => {
  const descriptor = openSync(path, flags, mode);
  if (flags === 'r') readOnly.add(descriptor);
  else readOnly.delete(descriptor);
  return descriptor;
};
fs.fsyncSync = (descriptor) => {
  if (readOnly.has(descriptor)) throw refusal();
  fsyncSync(descriptor);
};
const syncLike = (descriptor: number, done: fs.NoParamCallback): void => {
  if (readOnly.has(descriptor)) setImmediate(() => done(refusal()));
  else fdatasync(descriptor, done);
};
fs.fdatasync = Object.assign(syncLike, { __promisify__: fdatasync.__promisify__ });
syncBuiltinESMExports();
// Only what is loaded from here on uses them.
const { newFlow, testFlows } = await import('../../../../support/flows.js');

test('a change is stored, also the first one', async () => {
  const opened = await testFlows();
  const flowId = await newFlow(opened.flows);
  const flows = await opened.reopen();
  assert.is((await flows.operator.showFlow(flowId)).flow.status, 'queued');
  await flows.close();
});

test.after(() => {
  Object.assign(fs, { openSync, fsyncSync, fdatasync });
  syncBuiltinESMExports();
});
test.run();
