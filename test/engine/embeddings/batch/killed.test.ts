import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { BatchJobStore } from '../../../../src/engine/embeddings/embedding-adapter.js';
import type { Fate, LineTrouble } from '../../../fakes/batch-job.js';
import { startOpenAiFake } from '../../../fakes/openai.js';
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

const KILLED = new Error('killed');

/** A process that dies at a chosen step; a step is a request's arrival, or a side of a write. */
class MortalProcess {
  readonly controller = new AbortController();
  isDead = false;
  private left: number;

  constructor(steps: number) {
    this.left = steps;
  }

  step(): void {
    this.left -= 1;
    if (this.left >= 0 || this.isDead) return;
    this.isDead = true;
    this.controller.abort(KILLED);
  }

  /** Nothing that a isDead process does reaches the disk. */
  store(jobs: MemoryJobs): BatchJobStore {
    const die = async (): Promise<void> => {
      this.step();
      if (this.isDead) throw KILLED;
    };
    const real = jobs.store();
    const write = async (change: () => Promise<void>): Promise<void> => {
      await die();
      await change();
      await die();
    };
    return {
      list: () => real.list(),
      save: (job) => write(() => real.save(job)),
      remove: (id) => write(() => real.remove(id)),
    };
  }
}

test('a run may be killed at any step: nothing is lost, and nothing paid for twice', async () => {
  for (let steps = 0, done = false; !done; steps++) {
    const fake = await startOpenAiFake({ dimensions: 8 });
    const [indexer, jobs, mortal] = [new Indexer(), new MemoryJobs(), new MortalProcess(steps)];
    const settings = openAiSettings(fake);
    const vendor = withJobLimits(settings, { maxEntries: 60, maxBytes: 1e9 });
    const inputs = inputsOf(120);
    fake.batch.onRequest = () => mortal.step();
    await indexer
      .run(batchOf(settings, vendor), inputs, mortal.store(jobs), mortal.controller.signal)
      .catch((error: unknown) => assert.is(error, KILLED));
    done = !mortal.isDead;
    fake.batch.onRequest = () => undefined;
    await indexer.run(batchOf(settings, vendor), inputs, jobs.store());
    const at = `killed at step ${steps}`;
    assert.is(indexer.vectors.size, 120, at);
    assert.equal(paidTwice(fake), [], at);
    assert.is(jobs.jobs.size, 0, at);
    assert.equal(fake.batch.fileNames, [], at);
    await fake.close();
  }
});

const anyFate: fc.Arbitrary<Fate> = fc.oneof(
  fc.constantFrom<Fate>({ ends: 'completed' }, { ends: 'queue_full' }, { ends: 'rejected' }),
  fc.record({
    ends: fc.constantFrom('cancelled' as const, 'expired' as const),
    finished: fc.constantFrom(0, 0.3, 1),
  }),
);

test('whatever fails, every input is embedded, and none that came back is paid for again', () =>
  fc.assert(
    fc.asyncProperty(
      fc.record({
        count: fc.integer({ min: 0, max: 260 }),
        perJob: fc.integer({ min: 50, max: 120 }),
        concurrency: fc.integer({ min: 1, max: 3 }),
        fates: fc.array(anyFate, { maxLength: 6 }),
        troubles: fc.array(fc.constantFrom<LineTrouble>('refused', 'no_response'), {
          maxLength: 5,
        }),
        lostAnswers: fc.integer({ min: 0, max: 1 }),
        deaths: fc.array(
          fc.record({ steps: fc.integer({ min: 0, max: 40 }), wait: fc.boolean() }),
          {
            maxLength: 4,
          },
        ),
      }),
      async ({ count, perJob, concurrency, fates, troubles, lostAnswers, deaths }) => {
        const fake = await startOpenAiFake({ dimensions: 8 });
        fake.batch.fates = [...fates];
        fake.batch.lostAnswers = lostAnswers;
        fake.batch.lineTrouble = ({ id }) => troubles[Number(id.slice('key-'.length))];
        const [indexer, jobs] = [new Indexer(), new MemoryJobs()];
        const inputs = inputsOf(count);
        const run = (wait: boolean, mortal: MortalProcess): Promise<void> => {
          const settings = openAiSettings(fake, { batch: { ...BATCH, concurrency, wait } });
          const vendor = withJobLimits(settings, { maxEntries: perJob, maxBytes: 1e9 });
          fake.batch.onRequest = () => mortal.step();
          const store = mortal.store(jobs);
          return indexer.run(batchOf(settings, vendor), inputs, store, mortal.controller.signal);
        };
        try {
          for (const { steps, wait } of deaths) {
            await run(wait, new MortalProcess(steps)).catch((error: unknown) =>
              assert.is(error, KILLED),
            );
          }
          await run(true, new MortalProcess(Number.POSITIVE_INFINITY));
          assert.is(indexer.vectors.size, count);
          // A death while a job is cleared away makes its results come a second time.
          if (deaths.length === 0) assert.equal(indexer.repeated, []);
          // An inline answer that is under way when the process dies is lost, as without batch.
          const lost = new Set(deaths.length === 0 ? [] : fake.inlineTexts);
          assert.equal(
            paidTwice(fake).filter((text) => !lost.has(text)),
            [],
          );
          assert.is(jobs.jobs.size, 0);
        } finally {
          await fake.close();
        }
      },
    ),
    { numRuns: 40 },
  ));

test.run();
