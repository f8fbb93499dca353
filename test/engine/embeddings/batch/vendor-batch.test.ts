import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AdapterSettings } from '../../../../src/engine/embeddings/embedding-adapter.js';
import type { AdapterId } from '../../../../src/engine/providers/registry.js';
import { createPacer, PATIENT } from '../../../../src/engine/providers/requests/pacer.js';
import type {
  BatchResult,
  BatchStatus,
  VendorBatch,
  VendorCall,
} from '../../../../src/engine/providers/vendor.js';
import type { BatchFiles } from '../../../fakes/batch-files.js';
import { type FakeVendor, startFake } from '../../../fakes/fake-vendor.js';
import { OPENAI_KEY, startOpenAiFake } from '../../../fakes/openai.js';
import { VOYAGE_KEY } from '../../../fakes/voyage.js';
import { startVoyageBatchFake } from '../../../fakes/voyage-batch.js';
import { testSettings } from '../../providers/conformance.js';
import { faultOf, openVendor } from '../../providers/support.js';

/** A vendor with a batch API that works through files, and its fake. */
interface Subject {
  readonly name: string;
  readonly start: () => Promise<FakeVendor & { readonly batch: BatchFiles }>;
  readonly connect: (origin: string) => Promise<VendorBatch>;
}

const SUBJECTS: readonly Subject[] = [
  {
    name: 'openai',
    start: () => startOpenAiFake({ dimensions: 16 }),
    connect: (origin) => batchOf('openai', origin, OPENAI_KEY, { dimensions: 16 }),
  },
  {
    name: 'voyage',
    start: () => startVoyageBatchFake(16),
    connect: (origin) => batchOf('voyage', origin, VOYAGE_KEY, { model: 'voyage-4' }),
  },
];

async function batchOf(
  adapter: AdapterId,
  origin: string,
  key: string,
  change: Partial<AdapterSettings>,
): Promise<VendorBatch> {
  const credential = { value: key, source: 'remote.apiKey' };
  const { batch } = await openVendor(
    testSettings({ adapter, baseUrl: `${origin}/v1`, credential, ...change }),
  );
  if (batch === undefined) throw new Error(`${adapter} has a batch API`);
  return batch;
}

const ENTRIES = Array.from({ length: 10 }, (_, i) => ({ key: `k${i}`, input: { text: `t ${i}` } }));

function call(): VendorCall {
  const pacing = createPacer(
    () => performance.now(),
    () => 0,
  ).pacing(PATIENT, () => undefined);
  return { signal: new AbortController().signal, timeoutMs: 5_000, pacing };
}

async function collect(results: AsyncIterable<BatchResult>): Promise<Map<string, BatchResult>> {
  const found = new Map<string, BatchResult>();
  for await (const result of results) found.set(result.key, result);
  return found;
}

for (const { name, start, connect } of SUBJECTS) {
  const test = suite<{ fake: Awaited<ReturnType<typeof start>>; batch: VendorBatch }>(
    `the batch API of ${name}`,
  );
  test.before.each(async (context) => {
    context.fake = await start();
    context.batch = await connect(context.fake.origin);
  });
  test.after.each(({ fake }) => fake.close());

  const whenEnded = async (
    batch: VendorBatch,
    handle: Parameters<VendorBatch['status']>[0],
  ): Promise<BatchStatus> => {
    for (;;) {
      const status = await batch.status(handle, call());
      if (status.state !== 'running') return status;
    }
  };

  test('a job is submitted, followed, read and cleared away', async ({ fake, batch }) => {
    const handle = await batch.submit(ENTRIES, 'label-1', call());
    assert.equal(await batch.find('label-1', call()), handle);
    assert.equal(await whenEnded(batch, handle), { state: 'ended' });
    const results = await collect(batch.results(handle, call()));
    assert.is(results.size, 10);
    const first = results.get('k3');
    assert.ok(first !== undefined && 'vector' in first && first.vector.length === 16);
    await batch.discard(handle, call());
    assert.equal(fake.batch.fileNames, []);
    await batch.discard(handle, call());
  });

  test('lines that failed say why', async ({ fake, batch }) => {
    fake.batch.lineTrouble = ({ id }) =>
      id === 'k1' ? 'refused' : id === 'k2' ? 'no_response' : undefined;
    const handle = await batch.submit(ENTRIES, 'label-1', call());
    await whenEnded(batch, handle);
    const results = await collect(batch.results(handle, call()));
    assert.equal(results.get('k1'), { key: 'k1', why: 'This line is bad.' });
    assert.equal(results.get('k2'), { key: 'k2', why: 'This request was not executed.' });
    assert.is(results.size, 10);
  });

  test('a job that failed says why', async ({ fake, batch }) => {
    fake.batch.fates = [{ ends: 'rejected' }, { ends: 'queue_full' }];
    const rejected = await whenEnded(batch, await batch.submit(ENTRIES, 'label-1', call()));
    assert.equal(rejected, { state: 'failed', why: 'Not this time.', queueFull: false });
    const full = await whenEnded(batch, await batch.submit(ENTRIES, 'label-2', call()));
    assert.ok(full.state === 'failed' && full.queueFull === true);
  });

  test('a cancelled job has the results that it finished', async ({ fake, batch }) => {
    fake.batch.fates = [{ ends: 'cancelled', finished: 0.4 }];
    const handle = await batch.submit(ENTRIES, 'label-1', call());
    await batch.status(handle, call());
    await batch.cancel(handle, call());
    const status = await whenEnded(batch, handle);
    assert.match(status.state === 'ended' ? (status.why ?? '') : '', 'cancelled');
    assert.is((await collect(batch.results(handle, call()))).size, 4);
  });

  test('a job is found behind many others, by its label alone', async ({ fake, batch }) => {
    const handle = await batch.submit(ENTRIES, 'label-1', call());
    const [job] = fake.batch.jobs;
    if (job === undefined) return assert.unreachable();
    for (let i = 0; i < 250; i++) {
      fake.batch.jobs.push({ ...job, id: `other_${i}`, metadata: { svc_job: `other-${i}` } });
    }
    assert.equal(await batch.find('label-1', call()), handle);
  });

  test('what was uploaded for a job that never started is deleted', async ({ fake, batch }) => {
    const kept = await batch.submit(ENTRIES, 'label-1', call());
    await batch.submit(ENTRIES, 'label-2', call());
    fake.batch.jobs.pop();
    assert.is(await batch.find('label-2', call()), undefined);
    assert.equal(fake.batch.fileNames, ['label-1.jsonl']);
    assert.equal(await batch.find('label-1', call()), kept);
  });

  test('what was uploaded for a job that is refused is deleted', async ({ fake, batch }) => {
    fake.batch.refusals = 1;
    await faultOf(batch.submit(ENTRIES, 'label-1', call()));
    assert.equal([fake.batch.jobs.length, fake.batch.fileNames], [0, []]);
  });

  test('an upload that is turned away is sent again as a whole', async ({ fake, batch }) => {
    fake.trouble('overloaded', 1);
    const handle = await batch.submit(ENTRIES, 'label-1', call());
    await whenEnded(batch, handle);
    assert.is(fake.batch.jobs[0]?.lines.length, 10);
  });

  test('the start of a job is not sent again when it may have worked', async ({ fake, batch }) => {
    fake.batch.lostAnswers = 1;
    await faultOf(batch.submit(ENTRIES, 'label-1', call()));
    assert.is(fake.batch.jobs.length, 1);
    assert.ok((await batch.find('label-1', call())) !== undefined);
  });

  test('results that are gone end in a fault with status 404', async ({ fake, batch }) => {
    const handle = await batch.submit(ENTRIES, 'label-1', call());
    await whenEnded(batch, handle);
    fake.batch.loseOutputs();
    const { details } = await faultOf(collect(batch.results(handle, call())));
    assert.is(details.status, 404);
  });

  for (const [trouble, kind] of [
    ['slow', 'timeout'],
    ['overloaded', 'overload'],
    ['cut_off', 'network'],
  ] as const) {
    test(`a download that is ${trouble} ends in a fault, ${kind}`, async ({ fake, batch }) => {
      const handle = await batch.submit(ENTRIES, 'label-1', call());
      await whenEnded(batch, handle);
      fake.batch.onRequest = () => fake.trouble(trouble);
      const { details } = await faultOf(
        collect(batch.results(handle, { ...call(), timeoutMs: 200 })),
      );
      assert.is(details.kind, kind);
    });
  }

  test('a redirected download is followed, without the key', async ({ fake, batch }) => {
    const handle = await batch.submit(ENTRIES, 'label-1', call());
    await whenEnded(batch, handle);
    const [content = ''] = [...fake.batch.files.values()].flatMap((file) =>
      file.name === 'output.jsonl' ? file.content : [],
    );
    const storage = await startFake({
      answer: ({ path }) => ({ status: path === '/signed' ? 200 : 404, body: content }),
      troubleAnswers: {},
    });
    fake.batch.redirectDownloads = `${storage.origin}/signed`;
    assert.is((await collect(batch.results(handle, call()))).size, 10);
    assert.is(storage.requests[0]?.headers.authorization, undefined);
    fake.batch.redirectDownloads = 'ftp://127.0.0.1/signed';
    const { message } = await faultOf(collect(batch.results(handle, call())));
    assert.match(message, 'redirects to ftp://127.0.0.1');
    await storage.close();
  });

  test('texts of any kind arrive as they are', async ({ fake, batch }) => {
    const texts = ['"quoted"\n\r\n', '\u2028 line \u0000', '--svc-\r\n', '日本語 🎉', '\\u0041'];
    const entries = texts.map((text, i) => ({ key: `k${i}`, input: { text } }));
    await whenEnded(batch, await batch.submit(entries, 'label-1', call()));
    assert.equal([...fake.batch.paid].sort(), [...texts].sort());
  });

  test.run();
}
