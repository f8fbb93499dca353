import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createPacer, PATIENT } from '../../../src/engine/providers/requests/pacer.js';
import type {
  BatchHandle,
  BatchResult,
  VendorBatch,
  VendorCall,
} from '../../../src/engine/providers/vendor.js';
import { startFake } from '../../fakes/fake-vendor.js';
import { GEMINI_KEY, type GeminiFake, startGeminiFake } from '../../fakes/gemini.js';
import { testSettings } from './conformance.js';
import { faultOf, openVendor } from './support.js';

type Options = Parameters<typeof startGeminiFake>[0];

const test = suite('the batches of gemini');

/** Runs a test on a fake of its own. */
async function withBatch(
  work: (batch: VendorBatch, fake: GeminiFake, call: VendorCall) => Promise<void>,
  options: Options = {},
): Promise<void> {
  const fake = await startGeminiFake({ dimensions: 128, ...options });
  const vendor = await openVendor(
    testSettings({
      adapter: 'gemini',
      baseUrl: `${fake.origin}/v1beta`,
      credential: { value: GEMINI_KEY, source: 'env GEMINI_API_KEY' },
    }),
  );
  const pacer = createPacer(
    () => performance.now(),
    () => 0,
  );
  const { signal } = new AbortController();
  const pacing = pacer.pacing(PATIENT, () => undefined);
  try {
    assert.ok(vendor.batch !== undefined);
    await work(vendor.batch, fake, { signal, timeoutMs: 5_000, pacing });
  } finally {
    await fake.close();
  }
}

const ENTRIES = ['a', 'b', 'c'].map((key) => ({
  key,
  input: { text: `text of ${key}`, title: `title of ${key}` },
}));

async function resultsOf(batch: VendorBatch, handle: BatchHandle, call: VendorCall) {
  const results = new Map<string, BatchResult>();
  for await (const result of batch.results(handle, call)) results.set(result.key, result);
  return results;
}

for (const options of [
  { states: 'BATCH_STATE_', resultsIn: 'response' },
  { states: 'JOB_STATE_', resultsIn: 'metadata' },
] as const) {
  test(`a job from beginning to end, spelt ${options.states}`, () =>
    withBatch(async (batch, fake, call) => {
      const handle = await batch.submit(ENTRIES, 'label-1', call);
      assert.equal(JSON.parse(JSON.stringify(handle)), handle);
      assert.equal(await batch.status(handle, call), {
        state: 'running',
        done: undefined,
        total: 3,
      });
      fake.batches.run();
      assert.equal(await batch.status(handle, call), { state: 'running', done: 1, total: 3 });
      fake.batches.finish();
      assert.equal(await batch.status(handle, call), { state: 'ended' });
      const results = await resultsOf(batch, handle, call);
      assert.equal([...results.keys()].sort(), ['a', 'b', 'c']);
      for (const result of results.values()) {
        assert.ok('vector' in result && result.vector.length === 128);
      }
      await batch.discard(handle, call);
      assert.equal([fake.batches.jobs.length, fake.batches.files.size], [0, 0]);
      await batch.discard(handle, call);
    }, options));
}

test('the lines say no more of a document than inline requests do', () =>
  withBatch(async (batch, fake, call) => {
    await batch.submit(ENTRIES.slice(0, 1), 'label', call);
    const [file] = fake.batches.files.values();
    assert.equal(JSON.parse(file?.toString('utf8') ?? ''), {
      key: 'a',
      request: {
        content: { parts: [{ text: 'text of a' }] },
        taskType: 'RETRIEVAL_DOCUMENT',
        title: 'title of a',
      },
    });
  }));

test('a line that failed says why; the others are not touched by it', () =>
  withBatch(async (batch, fake, call) => {
    const handle = await batch.submit(ENTRIES, 'label', call);
    fake.batches.finish(['b']);
    const results = await resultsOf(batch, handle, call);
    assert.equal(results.get('b'), { key: 'b', why: 'internal' });
    assert.ok('vector' in (results.get('a') ?? {}) && 'vector' in (results.get('c') ?? {}));
  }));

test('a line with a broken vector, or without a key, takes no other with it', () =>
  withBatch(async (batch, fake, call) => {
    const handle = await batch.submit(ENTRIES, 'label', call);
    fake.batches.finish();
    const file = fake.batches.jobs[0]?.resultsFile ?? '';
    const [first = '', second = '', third = ''] = String(fake.batches.files.get(file)).split('\n');
    // How Google's JSON spells a number that is none.
    const broken = second.replace(/"values":\[[^,]+/u, '"values":["NaN"');
    const lines = [first.replace(/"key":"\w+",/u, ''), broken, third].join('\n');
    fake.batches.files.set(file, Buffer.from(lines));
    const results = await resultsOf(batch, handle, call);
    // The fake has them in reverse order.
    assert.equal([...results.keys()], ['b', 'a']);
    assert.ok('why' in (results.get('b') ?? {}) && 'vector' in (results.get('a') ?? {}));
  }));

for (const state of ['EXPIRED', 'FAILED', 'CANCELLED'] as const) {
  for (const states of ['BATCH_STATE_', 'JOB_STATE_'] as const) {
    test(`a job that is ${states}${state} gives nothing, and says why`, () =>
      withBatch(
        async (batch, fake, call) => {
          const handle = await batch.submit(ENTRIES, 'label', call);
          fake.batches.end(state, state === 'FAILED' ? 'it broke' : undefined);
          const word = state.toLowerCase();
          const why = state === 'FAILED' ? `${word}: it broke` : word;
          assert.equal(await batch.status(handle, call), { state: 'failed', why });
          assert.is((await faultOf(resultsOf(batch, handle, call))).details.kind, 'answer');
        },
        { states },
      ));
  }
}

test('a job is found again by its label, on any page of the list', () =>
  withBatch(
    async (batch, _fake, call) => {
      const handles: BatchHandle[] = [];
      for (const label of ['one', 'two', 'three', 'four', 'five']) {
        handles.push(await batch.submit(ENTRIES, label, call));
      }
      assert.equal(await batch.find('one', call), handles[0]);
      assert.equal(await batch.find('five', call), handles[4]);
      assert.is(await batch.find('six', call), undefined);
    },
    { pageSize: 2 },
  ));

test('nothing is found where nothing was started', () =>
  withBatch(async (batch, _fake, call) => {
    assert.is(await batch.find('label', call), undefined);
  }));

test('a job whose start got no answer is found, not started twice', () =>
  withBatch(async (batch, fake, call) => {
    const sending = faultOf(batch.submit(ENTRIES, 'label', call));
    // The upload takes two requests; the third starts the job, and its answer breaks off.
    while (fake.requests.length < 2) await new Promise((resolve) => setImmediate(resolve));
    fake.trouble('cut_off', 1);
    assert.is((await sending).details.kind, 'network');
    assert.is(fake.batches.jobs.length, 1);
    const handle = await batch.find('label', call);
    assert.is(handle?.['batch'], fake.batches.jobs[0]?.name);
    assert.is(handle?.['file'], fake.batches.jobs[0]?.inputFile);
  }));

test('what was uploaded for a job that is refused does not stay', () =>
  withBatch(async (batch, fake, call) => {
    const sending = faultOf(batch.submit(ENTRIES, 'label', call));
    while (fake.requests.length < 2) await new Promise((resolve) => setImmediate(resolve));
    fake.trouble('model_unknown', 1);
    assert.is((await sending).details.kind, 'model');
    assert.equal([fake.batches.jobs.length, fake.batches.files.size], [0, 0]);
  }));

test('what was uploaded for a job that may start later is deleted, on any page of the list', () =>
  withBatch(
    async (batch, fake, call) => {
      for (const label of ['one', 'two', 'three']) await batch.submit(ENTRIES, label, call);
      const before = [...fake.batches.files.keys()];
      const sent = fake.requests.length;
      const sending = faultOf(batch.submit(ENTRIES, 'label', call));
      while (fake.requests.length < sent + 2) await new Promise((resolve) => setImmediate(resolve));
      fake.trouble('overloaded', 1);
      assert.is((await sending).details.kind, 'overload');
      assert.is(fake.batches.files.size, 4);
      assert.is(await batch.find('label', call), undefined);
      assert.equal([...fake.batches.files.keys()], before);
    },
    { pageSize: 2 },
  ));

test('an upload may take longer than a request, by its size', async () => {
  // A line that takes longer than the limit of a request.
  const answer = async () => {
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    return { status: 200, body: { file: { name: 'files/slow' } } };
  };
  const line = await startFake({ answer, troubleAnswers: {} });
  await withBatch(
    async (batch, _fake, call) => {
      const entry = { key: 'a', input: { text: 'a long text '.repeat(100_000) } };
      const fault = await faultOf(batch.submit([entry], 'label', { ...call, timeoutMs: 2_000 }));
      assert.is(
        fault.details.code,
        'PERMISSION_DENIED',
        'the file that this line has is not known',
      );
    },
    { uploadOrigin: line.origin },
  );
  await line.close();
});

test('cancelling ends a job, and discarding forgets it', () =>
  withBatch(async (batch, _fake, call) => {
    const handle = await batch.submit(ENTRIES, 'label', call);
    await batch.cancel(handle, call);
    assert.equal(await batch.status(handle, call), { state: 'failed', why: 'cancelled' });
    await batch.discard(handle, call);
    assert.is((await faultOf(batch.status(handle, call))).details.status, 404);
  }));

test('results that are not JSON are a fault, not a loss', () =>
  withBatch(async (batch, fake, call) => {
    const handle = await batch.submit(ENTRIES, 'label', call);
    fake.batches.finish();
    const file = fake.batches.jobs[0]?.resultsFile ?? '';
    fake.batches.files.set(file, Buffer.from('{"key":"a","resp'));
    assert.is((await faultOf(resultsOf(batch, handle, call))).details.kind, 'answer');
  }));

test('results that have expired end in a fault with status 404', () =>
  withBatch(async (batch, fake, call) => {
    const handle = await batch.submit(ENTRIES, 'label', call);
    fake.batches.finish();
    fake.batches.files.clear();
    assert.is((await faultOf(resultsOf(batch, handle, call))).details.status, 404);
  }));

test('the key goes with every request, and never into an address', () =>
  withBatch(async (batch, fake, call) => {
    const handle = await batch.submit(ENTRIES, 'label', call);
    fake.batches.finish();
    await resultsOf(batch, handle, call);
    await batch.discard(handle, call);
    assert.ok(fake.requests.length > 5);
    for (const { headers, path } of fake.requests) {
      assert.is(headers['x-goog-api-key'], GEMINI_KEY, path);
      assert.not.match(path, GEMINI_KEY);
    }
  }));

test('the key goes to no host but the configured one', async () => {
  const other = await startFake({
    answer: () => ({ status: 200, body: { file: { name: 'files/1' } } }),
    troubleAnswers: {},
  });
  await withBatch(
    async (batch, _fake, call) => {
      await faultOf(batch.submit(ENTRIES, 'label', call));
      assert.is(other.requests.length, 1);
      assert.not.match(JSON.stringify(other.requests[0]?.headers), GEMINI_KEY);
    },
    { uploadOrigin: other.origin },
  );
  await other.close();
});

test.run();
