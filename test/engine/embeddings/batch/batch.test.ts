import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { pollPauseMs } from '../../../../src/engine/embeddings/batch/follow-job.js';
import type { KeyedInput } from '../../../../src/engine/embeddings/embedding-adapter.js';
import { broken } from '../../../../src/engine/providers/read-vectors.js';
import { GEMINI_KEY, startGeminiFake } from '../../../fakes/gemini.js';
import { meaningOf } from '../../../fakes/meaning.js';
import { type OpenAiFake, startOpenAiFake } from '../../../fakes/openai.js';
import { failureOf } from '../../../support/failure.js';
import { cosine, testSettings } from '../../providers/conformance.js';
import { openVendor } from '../../providers/support.js';
import {
  BATCH,
  batchOf,
  Indexer,
  inputsOf,
  MemoryJobs,
  openAiSettings,
  paidTwice,
  withJobLimits,
} from './support.js';

const DIMENSIONS = 32;
const test = suite<{ fake: OpenAiFake; indexer: Indexer; jobs: MemoryJobs }>('batch embedding');
test.before.each(async (context) => {
  context.fake = await startOpenAiFake({ dimensions: DIMENSIONS });
  context.indexer = new Indexer();
  context.jobs = new MemoryJobs();
});
test.after.each(({ fake }) => fake.close());

function assertAllKept(indexer: Indexer, inputs: readonly KeyedInput[]): void {
  assert.equal([...indexer.vectors.keys()].sort(), inputs.map(({ key }) => key).sort());
  for (const { key, text } of inputs) {
    const vector = indexer.vectors.get(key) ?? new Float32Array(DIMENSIONS);
    assert.ok(cosine(vector, meaningOf(text, DIMENSIONS)) > 0.9999, `the vector of ${key}`);
  }
}

test('inputs go through a job, and nothing is left behind', async ({ fake, indexer, jobs }) => {
  const inputs = inputsOf(600);
  await indexer.run(batchOf(openAiSettings(fake)), inputs, jobs.store());
  assertAllKept(indexer, inputs);
  assert.is(fake.batch.jobs.length, 1);
  assert.is(fake.inlineTexts.length, 0);
  assert.is(jobs.jobs.size, 0);
  assert.equal(fake.batch.fileNames, [], 'input and output files are deleted');
  const types = new Set(indexer.events.map(({ type }) => type));
  assert.equal([...types], ['batch.submitted', 'batch.progress', 'batch.ended']);
  const [ended] = indexer.eventsOf('batch.ended');
  assert.is(ended?.embedded, 600);
  assert.is(ended?.left, 0);
});

test('a job is polled at a configured interval, else less and less often', () => {
  const pauses = (pollIntervalMs?: number) =>
    [0, 1, 2, 20, 2000].map((polls) => pollPauseMs({ pollIntervalMs }, polls));
  assert.equal(pauses(), [2000, 3000, 4500, 30_000, 30_000]);
  assert.equal(pauses(5000), [5000, 5000, 5000, 5000, 5000]);
});

test('titles go before their texts, as in inline requests', async ({ fake, indexer, jobs }) => {
  const inputs = inputsOf(60).map((input) => ({ ...input, title: `Heading ${input.key}` }));
  await indexer.run(batchOf(openAiSettings(fake)), inputs, jobs.store());
  assert.ok(fake.batch.paid.includes('Heading key-7\n\nnote 7 of many'));
});

test('a few inputs are embedded without a job', async ({ fake, indexer, jobs }) => {
  const inputs = inputsOf(49);
  await indexer.run(batchOf(openAiSettings(fake)), inputs, jobs.store());
  assertAllKept(indexer, inputs);
  assert.is(fake.batch.jobs.length, 0);
  assert.is(fake.inlineTexts.length, 49);
});

test('a few inputs go through a job when the run asks for that', async ({ fake, jobs }) => {
  const options = { jobs: jobs.store(), clock: { now: () => 0 }, fewInline: false, waits: true };
  const batch = batchOf(openAiSettings(fake));
  for await (const { refused } of batch.embed(inputsOf(3), options)) assert.equal(refused, []);
  assert.equal([fake.batch.jobs.length, fake.inlineTexts.length], [1, 0]);
});

test('a few inputs are embedded without a job once an earlier job gave others vectors', async (context) => {
  const { fake, jobs } = context;
  const options = { jobs: jobs.store(), clock: { now: () => 0 }, fewInline: false };
  const batch = batchOf(openAiSettings(fake));
  for await (const _ of batch.embed(inputsOf(60), { ...options, waits: false }));
  fake.batch.finishAll();
  for await (const _ of batch.embed(inputsOf(63), { ...options, waits: true }));
  assert.equal([fake.batch.jobs.length, fake.inlineTexts.length], [1, 3]);
});

test('an input that must be cut goes inline', async ({ fake, indexer, jobs }) => {
  const long = { key: 'long', text: 'plain filler words '.repeat(4_000) };
  await indexer.run(batchOf(openAiSettings(fake)), [long, ...inputsOf(60)], jobs.store());
  assert.is(indexer.vectors.size, 61);
  assert.is(fake.batch.paid.length, 60);
});

test('jobs are as large as the vendor takes them', async ({ fake, indexer, jobs }) => {
  const settings = openAiSettings(fake);
  const small = withJobLimits(settings, { maxEntries: 100, maxBytes: 1e9 });
  const inputs = inputsOf(430);
  await indexer.run(batchOf(settings, small), inputs, jobs.store());
  assertAllKept(indexer, inputs);
  assert.equal(
    fake.batch.jobs.map(({ lines }) => lines.length),
    [100, 100, 100, 100],
  );
  assert.is(fake.inlineTexts.length, 30);

  const flat = withJobLimits(settings, { maxEntries: 50_000, maxBytes: 60_000 });
  const before = fake.batch.jobs.length;
  await new Indexer().run(batchOf(settings, flat), inputsOf(200, 1000), jobs.store());
  const sent = fake.requests.filter(
    ({ path, method }) => method === 'POST' && path === '/v1/files',
  );
  assert.ok(fake.batch.jobs.length - before > 1);
  for (const { body } of sent.slice(-2)) assert.ok(body.length <= 60_000);
});

test('lines that fail are embedded inline at once', async ({ fake, indexer, jobs }) => {
  const troubles = ['missing', 'no_response', 'not_finite', 'refused'] as const;
  fake.batch.lineTrouble = ({ id }) => troubles[Number(id.slice(4)) - 10];
  const inputs = inputsOf(100);
  await indexer.run(batchOf(openAiSettings(fake)), inputs, jobs.store());
  assertAllKept(indexer, inputs);
  assert.equal(
    [...fake.inlineTexts].sort(),
    [10, 11, 12, 13].map((id) => `note ${id} of many`),
  );
  assert.is(fake.batch.jobs.length, 1);
});

test('a line that fails inline too is refused', async ({ fake, indexer, jobs }) => {
  fake.batch.lineTrouble = ({ id }) => (id === 'key-5' ? 'refused' : undefined);
  const batch = batchOf(openAiSettings(fake));
  fake.batch.onRequest = ({ path }) => {
    // Held back until the results are read: the inline request comes next.
    if (path.endsWith('/content')) fake.refuse((text) => text === 'note 5 of many');
  };
  await indexer.run(batch, inputsOf(60), jobs.store());
  assert.is(indexer.vectors.size, 59);
  assert.equal([...indexer.refused.keys()], ['key-5']);
});

test('an expired job keeps what it finished', async ({ fake, indexer, jobs }) => {
  fake.batch.fates = [{ ends: 'expired', finished: 0.7 }];
  const inputs = inputsOf(100);
  await indexer.run(batchOf(openAiSettings(fake)), inputs, jobs.store());
  assertAllKept(indexer, inputs);
  assert.is(fake.batch.paid.length, 70);
  assert.is(fake.inlineTexts.length, 30);
  assert.match(indexer.eventsOf('batch.ended')[0]?.why ?? '', 'expired');
});

test('a job that somebody cancelled keeps what it finished', async ({ fake, indexer, jobs }) => {
  fake.batch.fates = [{ ends: 'cancelled', finished: 0.2 }];
  const inputs = inputsOf(100);
  await indexer.run(batchOf(openAiSettings(fake)), inputs, jobs.store());
  assertAllKept(indexer, inputs);
  assert.equal(paidTwice(fake), []);
});

test('after two failed jobs the rest goes inline', async ({ fake, indexer, jobs }) => {
  fake.batch.fates = [{ ends: 'rejected' }, { ends: 'rejected' }];
  const settings = openAiSettings(fake, { batch: { ...BATCH, concurrency: 1 } });
  const small = withJobLimits(settings, { maxEntries: 60, maxBytes: 1e9 });
  const inputs = inputsOf(300);
  await indexer.run(batchOf(settings, small), inputs, jobs.store());
  assertAllKept(indexer, inputs);
  assert.is(fake.batch.jobs.length, 2);
  assert.is(fake.inlineTexts.length, 300);
  assert.match(indexer.eventsOf('batch.off')[0]?.why ?? '', 'Not this time.');
  assert.equal(fake.batch.fileNames, []);
});

test('failed jobs of an earlier run count as well', async ({ fake, indexer, jobs }) => {
  fake.batch.fates = [{ ends: 'rejected' }, { ends: 'rejected' }];
  const submits = openAiSettings(fake, { batch: { ...BATCH, wait: false } });
  const small = { maxEntries: 60, maxBytes: 1e9 };
  await indexer.run(batchOf(submits, withJobLimits(submits, small)), inputsOf(120), jobs.store());
  const waits = openAiSettings(fake);
  const more = inputsOf(300);
  await indexer.run(batchOf(waits, withJobLimits(waits, small)), more, jobs.store());
  assertAllKept(indexer, more);
  assert.equal([fake.batch.jobs.length, fake.inlineTexts.length], [2, 300]);
  assert.is(indexer.eventsOf('batch.off').length, 1);
});

test('an endpoint without a batch API embeds inline', async ({ fake, indexer, jobs }) => {
  fake.batch.absent = true;
  const inputs = inputsOf(200);
  await indexer.run(batchOf(openAiSettings(fake)), inputs, jobs.store());
  assertAllKept(indexer, inputs);
  assert.is(indexer.eventsOf('batch.off').length, 1);
  assert.is(jobs.jobs.size, 0);
});

test('a full queue at the vendor makes jobs smaller', async ({ fake, indexer, jobs }) => {
  fake.batch.fates = [{ ends: 'queue_full' }, { ends: 'queue_full' }];
  const inputs = inputsOf(400);
  await indexer.run(batchOf(openAiSettings(fake)), inputs, jobs.store());
  assertAllKept(indexer, inputs);
  assert.is(fake.inlineTexts.length, 0);
  assert.equal(indexer.eventsOf('batch.off'), []);
  assert.equal(
    fake.batch.jobs.map(({ lines }) => lines.length),
    [0, 0, 100, 100, 200],
  );
});

test('what a job of an earlier run left to a full queue goes into another job', async (context) => {
  const { fake, indexer, jobs } = context;
  const submits = openAiSettings(fake, { batch: { ...BATCH, wait: false } });
  const inputs = inputsOf(100);
  fake.batch.fates = [{ ends: 'queue_full' }];
  await indexer.run(batchOf(submits), inputs, jobs.store());
  await indexer.run(batchOf(openAiSettings(fake)), inputs, jobs.store());
  assertAllKept(indexer, inputs);
  assert.equal([fake.batch.jobs.length, fake.inlineTexts.length], [2, 0]);
});

test('if the queue stays full, texts are embedded inline', async ({ fake, indexer, jobs }) => {
  fake.batch.fates = Array.from({ length: 50 }, () => ({ ends: 'queue_full' as const }));
  const inputs = inputsOf(400);
  await indexer.run(batchOf(openAiSettings(fake)), inputs, jobs.store());
  assertAllKept(indexer, inputs);
  assert.is(fake.inlineTexts.length, 400);
});

test('a job whose answer is lost is found, not started again', async ({ fake, indexer, jobs }) => {
  fake.batch.lostAnswers = 1;
  const inputs = inputsOf(100);
  await indexer.run(batchOf(openAiSettings(fake)), inputs, jobs.store());
  assertAllKept(indexer, inputs);
  assert.is(fake.batch.jobs.length, 1);
  assert.equal(fake.batch.fileNames, []);
  assert.equal(paidTwice(fake), []);
});

test('a job is remembered until its last part is taken', async ({ fake, jobs }) => {
  const options = { jobs: jobs.store(), clock: { now: () => 0 }, fewInline: true, waits: true };
  let parts = 0;
  for await (const part of batchOf(openAiSettings(fake)).embed(inputsOf(60), options)) {
    parts += part.embedded.length;
    // More turns than clearing the job away would take.
    for (let turn = 0; turn < 20; turn++) await fetch(fake.origin);
    assert.is(jobs.jobs.size, 1);
  }
  assert.is(parts, 60);
  assert.is(jobs.jobs.size, 0);
});

test('a job is remembered until what it left is embedded, in this run or a later one', async ({
  fake,
  jobs,
}) => {
  fake.batch.fates = [{ ends: 'expired', finished: 0.5 }];
  const error = { message: 'Quota exceeded.', type: 'insufficient_quota' };
  fake.refuse(() => true, { status: 429, body: { error } });
  for (const _run of ['submits', 'resumes']) {
    const run = new Indexer().run(batchOf(openAiSettings(fake)), inputsOf(100), jobs.store());
    assert.is((await failureOf(run)).code, 'PROVIDER_QUOTA');
    assert.is(jobs.jobs.size, 1);
  }
  fake.refuse(() => false);
  const indexer = new Indexer();
  await indexer.run(batchOf(openAiSettings(fake)), inputsOf(100), jobs.store());
  assertAllKept(indexer, inputsOf(100));
  assert.equal(paidTwice(fake), []);
  assert.equal([jobs.jobs.size, fake.batch.fileNames], [0, []]);
});

test('what a job of an earlier run left goes inline, not into another', async (context) => {
  const { fake, indexer, jobs } = context;
  const settings = openAiSettings(fake, { batch: { ...BATCH, wait: false } });
  const inputs = inputsOf(120);
  fake.batch.lineTrouble = () => 'refused';
  await indexer.run(batchOf(settings), inputs, jobs.store());
  await indexer.run(batchOf(openAiSettings(fake)), inputs, jobs.store());
  assertAllKept(indexer, inputs);
  assert.is(fake.batch.jobs.length, 1);
  assert.is(fake.inlineTexts.length, 120);
});

test('results whose download was interrupted are read again', async ({ fake, indexer, jobs }) => {
  fake.batch.cutDownloads = 1;
  const inputs = inputsOf(700);
  await indexer.run(batchOf(openAiSettings(fake)), inputs, jobs.store());
  assertAllKept(indexer, inputs);
  assert.equal(indexer.repeated, []);
  assert.equal(paidTwice(fake), []);
});

test('texts whose results are gone are embedded inline', async ({ fake, indexer, jobs }) => {
  fake.batch.onRequest = ({ path }) => {
    if (path.endsWith('/content')) fake.batch.loseOutputs();
  };
  const inputs = inputsOf(80);
  await indexer.run(batchOf(openAiSettings(fake)), inputs, jobs.store());
  assertAllKept(indexer, inputs);
  const { left, why } = indexer.eventsOf('batch.ended')[0] ?? {};
  assert.equal([left, why], [80, 'the vendor no longer has its results']);
  assert.is(jobs.jobs.size, 0);
});

test('results that stay broken do not hold up later runs', async ({ fake, indexer, jobs }) => {
  const settings = openAiSettings(fake);
  const vendor = await openVendor(settings);
  if (vendor.batch === undefined) return assert.unreachable();
  // biome-ignore lint/correctness/useYield: it fails before its first result
  const results = async function* (): AsyncGenerator<never> {
    throw broken('the job has no results');
  };
  const inputs = inputsOf(60);
  const batch = batchOf(settings, { ...vendor, batch: { ...vendor.batch, results } });
  await indexer.run(batch, inputs, jobs.store());
  assertAllKept(indexer, inputs);
  assert.is(fake.inlineTexts.length, 60);
  assert.is(jobs.jobs.size, 0);
});

test('a job that takes too long is cancelled; what it finished stays', async (context) => {
  const { fake, indexer, jobs } = context;
  let nowMs = 0;
  fake.batch.fates = [{ ends: 'cancelled', finished: 0.5 }];
  fake.batch.paused = true;
  let polls = 0;
  fake.batch.onRequest = ({ method, path }) => {
    if (path.endsWith('/cancel')) fake.batch.paused = false;
    else if (method === 'GET' && ++polls === 2) fake.batch.paused = false;
    else if (method === 'GET' && polls === 3) {
      fake.batch.paused = true;
      nowMs += 61 * 60_000;
    }
  };
  const inputs = inputsOf(100);
  const settings = openAiSettings(fake);
  await indexer.run(
    batchOf(settings, undefined, () => nowMs),
    inputs,
    jobs.store(),
  );
  assertAllKept(indexer, inputs);
  assert.is(fake.batch.paid.length, 50);
  assert.equal(paidTwice(fake), []);
  assert.match(indexer.eventsOf('batch.ended')[0]?.why ?? '', 'timeoutMinutes');
});

test('a job without results after it was cancelled names the time limit', async ({
  indexer,
  jobs,
}) => {
  const gemini = await startGeminiFake({ dimensions: 128 });
  const settings = testSettings({
    adapter: 'gemini',
    baseUrl: `${gemini.origin}/v1beta`,
    credential: { value: GEMINI_KEY, source: 'env GEMINI_API_KEY' },
    batch: { ...BATCH, timeoutMinutes: 0.0001 },
  });
  try {
    await indexer.run(batchOf(settings), inputsOf(60), jobs.store());
  } finally {
    await gemini.close();
  }
  assert.is(indexer.vectors.size, 60);
  assert.match(indexer.eventsOf('batch.ended')[0]?.why ?? '', 'timeoutMinutes');
});

test('a job that cannot even be cancelled is given up', async ({ fake, indexer, jobs }) => {
  let nowMs = 0;
  fake.batch.paused = true;
  fake.batch.onRequest = ({ method }) => {
    if (method === 'GET') nowMs += 10 * 60_000;
  };
  const inputs = inputsOf(60);
  const settings = openAiSettings(fake);
  await indexer.run(
    batchOf(settings, undefined, () => nowMs),
    inputs,
    jobs.store(),
  );
  assertAllKept(indexer, inputs);
  assert.is(fake.inlineTexts.length, 60);
  assert.is(jobs.jobs.size, 0);
});

test('without waiting, a run submits and a later one collects', async ({ fake, indexer, jobs }) => {
  const settings = openAiSettings(fake, { batch: { ...BATCH, wait: false } });
  const inputs = inputsOf(120);
  fake.batch.paused = true;
  await indexer.run(batchOf(settings), inputs, jobs.store());
  assert.is(indexer.vectors.size, 0);
  assert.equal(indexer.eventsOf('batch.pending'), [
    { type: 'batch.pending', jobs: 1, inputs: 120 },
  ]);

  // Still running: new notes are embedded, the others are not sent again.
  const grown = [...inputs, ...inputsOf(5, 500)];
  await indexer.run(batchOf(settings), grown, jobs.store());
  assert.is(indexer.vectors.size, 5);
  assert.is(fake.batch.jobs.length, 1);

  fake.batch.paused = false;
  for (let run = 0; run < 4; run++) await indexer.run(batchOf(settings), grown, jobs.store());
  assert.ok(indexer.eventsOf('batch.pending').every(({ jobs }) => jobs === 1));
  assertAllKept(indexer, grown);
  assert.equal(paidTwice(fake), []);
  assert.is(jobs.jobs.size, 0);
});

test('without waiting, running jobs do not exceed the configured number', async (context) => {
  const { fake, indexer, jobs } = context;
  const settings = openAiSettings(fake, { batch: { ...BATCH, concurrency: 1, wait: false } });
  fake.batch.paused = true;
  await indexer.run(batchOf(settings), inputsOf(100), jobs.store());
  await indexer.run(batchOf(settings), inputsOf(200), jobs.store());
  assert.is(fake.batch.jobs.length, 1);
  assert.is(indexer.eventsOf('batch.pending').at(-1)?.inputs, 100);
});

test('once jobs are turned off, those of earlier runs are ended, and none is started', async (context) => {
  const { fake, indexer, jobs } = context;
  const inputs = inputsOf(100);
  const on = openAiSettings(fake, { batch: { ...BATCH, concurrency: 1, wait: false } });
  const off = openAiSettings(fake, { batch: { ...BATCH, enabled: false, wait: false } });
  fake.batch.paused = true;
  await indexer.run(batchOf(on), inputs, jobs.store());
  fake.batch.paused = false;
  fake.batch.finishAll();
  await indexer.run(batchOf(off), inputs, jobs.store());
  assertAllKept(indexer, inputs);
  assert.is(fake.inlineTexts.length, 0);

  const more = [...inputs, ...inputsOf(100, 500)];
  fake.batch.paused = true;
  fake.batch.fates = [{ ends: 'cancelled', finished: 0.5 }];
  await indexer.run(batchOf(on), more, jobs.store());
  // The first poll finds it running.
  fake.batch.paused = false;
  await indexer.run(batchOf(off), [...more, ...inputsOf(5, 900)], jobs.store());
  assertAllKept(indexer, [...more, ...inputsOf(5, 900)]);
  assert.equal([fake.batch.jobs.length, fake.inlineTexts.length], [2, 55]);
  assert.equal(paidTwice(fake), []);
  assert.match(indexer.eventsOf('batch.ended').at(-1)?.why ?? '', 'remote.batch.enabled');
  assert.equal([jobs.jobs.size, fake.batch.fileNames], [0, []]);
});

test('an abort ends the run at once and cancels nothing', async ({ fake, indexer, jobs }) => {
  fake.batch.paused = true;
  const controller = new AbortController();
  const reason = new Error('enough');
  let polls = 0;
  fake.batch.onRequest = ({ method, path }) => {
    if (method === 'GET' && path.startsWith('/v1/batches/') && ++polls === 3) {
      controller.abort(reason);
    }
  };
  const inputs = inputsOf(60);
  const batch = batchOf(openAiSettings(fake, { batch: { ...BATCH, pollIntervalMs: 5 } }));
  try {
    await indexer.run(batch, inputs, jobs.store(), controller.signal);
    assert.unreachable();
  } catch (error) {
    assert.is(error, reason);
  }
  assert.is(jobs.jobs.size, 1);
  assert.is(fake.batch.jobs[0]?.status, 'validating');

  fake.batch.paused = false;
  await indexer.run(batchOf(openAiSettings(fake)), inputs, jobs.store());
  assertAllKept(indexer, inputs);
  assert.equal(paidTwice(fake), []);
});

test('a reader that stops early does not wait for jobs', async ({ fake, jobs }) => {
  // The next poll of the job is an hour away.
  const pollIntervalMs = 3_600_000;
  const settings = openAiSettings(fake, { batch: { ...BATCH, pollIntervalMs } });
  const long = { key: 'long', text: 'plain filler words '.repeat(4_000) };
  const options = { jobs: jobs.store(), clock: { now: () => 0 }, fewInline: true, waits: true };
  for await (const part of batchOf(settings).embed([long, ...inputsOf(60)], options)) {
    assert.equal(
      part.embedded.map(({ input }) => input.key),
      ['long'],
    );
    break;
  }
  assert.is(jobs.jobs.size, 1);
});

test('a spent quota ends the run, and jobs stay remembered', async ({ fake, indexer, jobs }) => {
  fake.batch.onRequest = ({ method, path }) => {
    if (method === 'GET' && path.startsWith('/v1/batches/')) fake.trouble('quota_spent');
  };
  const inputs = inputsOf(60);
  const batch = batchOf(openAiSettings(fake));
  const error = await failureOf(indexer.run(batch, inputs, jobs.store()));
  assert.is(error.code, 'PROVIDER_QUOTA');
  assert.is(jobs.jobs.size, 1);
  fake.trouble(undefined);
  fake.batch.onRequest = () => undefined;
  await indexer.run(batchOf(openAiSettings(fake)), inputs, jobs.store());
  assertAllKept(indexer, inputs);
  assert.equal(paidTwice(fake), []);
});

test('a job is forgotten once the vendor has forgotten it', async ({ fake, indexer, jobs }) => {
  const settings = openAiSettings(fake, { batch: { ...BATCH, wait: false } });
  await indexer.run(batchOf(settings), inputsOf(60), jobs.store());
  assert.is(jobs.jobs.size, 1);
  const clock = { now: () => 1_700_000_000_000 + 40 * 86_400_000 };
  const late = { jobs: jobs.store(), clock, fewInline: true, waits: true };
  for await (const _ of batchOf(settings).embed([], late)) assert.unreachable();
  assert.is(jobs.jobs.size, 0);
});

test('an unreadable record of a job is ignored and removed', async ({ fake, indexer, jobs }) => {
  jobs.jobs.set('x', { id: 'x', json: '{"version":0', createdMs: 1_700_000_000_000 });
  const inputs = inputsOf(60);
  await indexer.run(batchOf(openAiSettings(fake)), inputs, jobs.store());
  assertAllKept(indexer, inputs);
  assert.is(jobs.jobs.size, 0);
});

test.run();
