import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type {
  AdapterSettings,
  EmbeddedPart,
  EmbeddingAdapter,
} from '../../../src/engine/embeddings/embedding-adapter.js';
import { vendorAdapter } from '../../../src/engine/embeddings/vendor-adapter.js';
import type { ErrorCode } from '../../../src/engine/errors/index.js';
import type { EmbeddingEvent } from '../../../src/engine/providers/embedding-event.js';
import type { EmbeddingInput, EmbeddingVendor } from '../../../src/engine/providers/vendor.js';
import type { FakeVendor, Trouble } from '../../fakes/fake-vendor.js';
import { failureOf } from '../../support/failure.js';
import { waitFor } from '../../support/wait.js';

/** One adapter with the fake of its vendor. */
export interface ConformanceSubject {
  readonly name: string;
  readonly startFake: () => Promise<FakeVendor>;
  /** Settings that the fake accepts. */
  readonly settings: (fake: FakeVendor) => AdapterSettings;
  readonly createVendor: (settings: AdapterSettings) => EmbeddingVendor | Promise<EmbeddingVendor>;
  /** A key that must never appear in an error. */
  readonly secret: string;
  /** Troubles that this vendor cannot have, each with the reason. */
  readonly impossible?: Readonly<Partial<Record<Trouble, string>>>;
  /** The vendor's own length of vectors with these settings. */
  readonly dimensions: number;
}

/** Settings for tests; every field can be replaced. */
export function testSettings(
  base: Pick<AdapterSettings, 'adapter'> & Partial<AdapterSettings>,
): AdapterSettings {
  return {
    provider: base.adapter,
    model: undefined,
    baseUrl: undefined,
    credential: undefined,
    headers: {},
    dimensions: undefined,
    inputTypes: {},
    concurrency: 2,
    documentTimeoutMs: 5_000,
    queryTimeoutMs: 5_000,
    batch: { enabled: false, concurrency: 2, wait: true, pollIntervalMs: 1, timeoutMinutes: 60 },
    local: { modelPath: undefined, modelCacheDir: '/nonexistent', contextSize: 512 },
    ...base,
  };
}

/** Everything that embedding these inputs gave, as one part. */
export async function embedAll<Input extends EmbeddingInput>(
  adapter: EmbeddingAdapter,
  inputs: Iterable<Input>,
  options: Parameters<EmbeddingAdapter['embedDocuments']>[1] = {},
): Promise<EmbeddedPart<Input>> {
  const parts: EmbeddedPart<Input>[] = [];
  for await (const part of adapter.embedDocuments(inputs, options)) parts.push(part);
  return {
    embedded: parts.flatMap((part) => part.embedded),
    refused: parts.flatMap((part) => part.refused),
  };
}

/** Cosine of two unit vectors. */
export function cosine(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
}

const FINAL: readonly (readonly [Trouble, ErrorCode])[] = [
  ['key_refused', 'PROVIDER_AUTH'],
  ['forbidden', 'PROVIDER_AUTH'],
  ['model_unknown', 'PROVIDER_MODEL_UNKNOWN'],
  ['quota_spent', 'PROVIDER_QUOTA'],
  ['redirected', 'PROVIDER_REFUSED'],
  ['wrong_count', 'PROVIDER_ANSWER_INVALID'],
  ['wrong_dimensions', 'PROVIDER_ANSWER_INVALID'],
  ['not_finite', 'PROVIDER_ANSWER_INVALID'],
];

const PASSING: readonly Trouble[] = [
  'rate_limited',
  'rate_limited_without_wait',
  'overloaded',
  'cut_off',
];

/** The promises of the port, checked for one adapter; the same for all of them. */
export function conformanceSuite(subject: ConformanceSubject): void {
  const test = suite<{ fake: FakeVendor; adapter: EmbeddingAdapter }>(
    `${subject.name} keeps the promises of an adapter`,
  );
  const make = async (fake: FakeVendor, change: Partial<AdapterSettings> = {}) => {
    const settings = { ...subject.settings(fake), ...change };
    return vendorAdapter(await subject.createVendor(settings), settings, {
      nowMs: () => performance.now(),
      // No waiting for chance: the shortest jitter.
      random: () => 0,
    });
  };
  test.before.each(async (context) => {
    context.fake = await subject.startFake();
    context.adapter = await make(context.fake);
  });
  test.after.each(async (context) => {
    await context.adapter.close();
    await context.fake.close();
  });

  test('a question finds the document that says the same', async ({ adapter }) => {
    const texts = ['the car is red', 'rain falls on the hills', 'bread is baked at night'];
    const { embedded } = await embedAll(
      adapter,
      texts.map((text) => ({ text })),
    );
    const query = await adapter.embedQuery('which automobile is red');
    const best = [...embedded].sort((a, b) => cosine(query, b.vector) - cosine(query, a.vector))[0];
    assert.is(best?.input.text, 'the car is red');
  });

  test('every input comes back once, with a unit vector of one length', async ({ adapter }) => {
    const inputs = Array.from({ length: 300 }, (_, id) => ({
      id,
      text: `note number ${id} of many`,
    }));
    const { embedded, refused } = await embedAll(adapter, inputs);
    assert.equal(refused, []);
    assert.equal(
      embedded.map(({ input }) => input.id).sort((a, b) => a - b),
      inputs.map(({ id }) => id),
    );
    for (const { vector } of embedded) {
      assert.is(vector.length, subject.dimensions);
      assert.ok(Math.abs(cosine(vector, vector) - 1) < 1e-5);
    }
  });

  test('the vector of a document does not depend on its neighbours', async ({ adapter }) => {
    const alone = await embedAll(adapter, [{ text: 'the film begins at eight' }]);
    const inputs = ['one', 'the film begins at eight', 'three'].map((text) => ({ text }));
    const together = await embedAll(adapter, inputs);
    const found = together.embedded.find(({ input }) => input === inputs[1]);
    const [a, b] = [alone.embedded[0]?.vector, found?.vector];
    assert.ok(a !== undefined && b !== undefined && cosine(a, b) > 0.9999);
  });

  test('a title changes the vector', async ({ adapter }) => {
    const { embedded } = await embedAll(adapter, [
      { text: 'it was serviced in May', title: 'The automobile' },
      { text: 'it was serviced in May', title: 'The piano' },
    ]);
    const query = await adapter.embedQuery('car');
    const [car, piano] = ['The automobile', 'The piano'].map((title) => {
      const found = embedded.find(({ input }) => input.title === title);
      return found === undefined ? 0 : cosine(query, found.vector);
    });
    assert.ok((car ?? 0) > (piano ?? 1));
  });

  test('a text longer than the model takes is embedded as a whole', async ({ adapter }) => {
    const filler = 'plain filler words '.repeat(20_000);
    const { embedded, refused } = await embedAll(adapter, [
      { text: `${filler} zebra`, id: 'long' },
      { text: 'zebra', id: 'short' },
    ]);
    assert.equal(refused, []);
    assert.is(embedded.length, 2);
    assert.is((await adapter.embedQuery(filler)).length, subject.dimensions);
  });

  test('no inputs, no request', async ({ adapter, fake }) => {
    const before = fake.requests.length;
    assert.equal(await embedAll(adapter, []), { embedded: [], refused: [] });
    assert.is(fake.requests.length, before);
  });

  test('the probe returns the length of the vectors', async ({ adapter }) => {
    const { dimensions, latencyMs } = await adapter.probe();
    assert.is(dimensions, subject.dimensions);
    assert.ok(latencyMs > 0);
  });

  for (const [trouble, code] of FINAL) {
    if (subject.impossible?.[trouble] !== undefined) continue;
    test(`${trouble} is final at once and named ${code}`, async ({ adapter, fake }) => {
      const before = fake.requests.length;
      fake.trouble(trouble);
      const error = await failureOf(embedAll(adapter, [{ text: 'one' }, { text: 'two' }]));
      assert.is(error.code, code);
      assert.ok((error.hint ?? '') !== '', 'a hint says what to do');
      assert.not.match(
        `${error.message} ${error.hint} ${JSON.stringify(error.details)}`,
        subject.secret,
      );
      // Each answer with a broken vector is followed by a request that shows whether others work.
      const most = trouble === 'not_finite' ? 4 : 2;
      assert.ok(fake.requests.length - before <= most, 'not sent again');
    });
  }

  for (const trouble of PASSING) {
    if (subject.impossible?.[trouble] !== undefined) continue;
    test(`${trouble} once does not fail a run`, async ({ adapter, fake }) => {
      fake.trouble(trouble, 1);
      const events: EmbeddingEvent[] = [];
      const { embedded } = await embedAll(adapter, [{ text: 'one' }], {
        onEvent: (event) => events.push(event),
      });
      assert.is(embedded.length, 1);
      const told = trouble.startsWith('rate') ? 'rate.limited' : 'request.retried';
      assert.ok(
        events.some(({ type }) => type === told),
        `${told} is told`,
      );
    });
  }

  test('a probe is sent once', async ({ adapter, fake }) => {
    if (subject.impossible?.overloaded !== undefined) return;
    fake.trouble('overloaded');
    const before = fake.requests.length;
    const error = await failureOf(adapter.probe());
    assert.is(error.code, 'PROVIDER_OVERLOADED');
    assert.is(fake.requests.length - before, 1);
  });

  test('a request that is too large is divided', async ({ adapter, fake }) => {
    if (subject.impossible?.too_large !== undefined) return;
    fake.trouble('too_large', 1);
    const { embedded, refused } = await embedAll(adapter, [{ text: 'one' }, { text: 'two' }]);
    assert.is(embedded.length + refused.length, 2);
    assert.ok(embedded.length >= 1);
  });

  test('a missing answer ends in a timeout', async ({ fake }) => {
    const adapter = await make(fake, { queryTimeoutMs: 200 });
    fake.trouble('slow');
    const error = await failureOf(adapter.embedQuery('anyone there'));
    assert.is(error.code, 'PROVIDER_TIMEOUT');
    await adapter.close();
  });

  test('an abort ends a running request at once', async ({ adapter, fake }) => {
    fake.trouble('slow');
    const controller = new AbortController();
    const reason = new Error('enough');
    const before = fake.requests.length;
    const run = embedAll(adapter, [{ text: 'one' }], { signal: controller.signal });
    await waitFor('the request', () => fake.requests.length > before);
    controller.abort(reason);
    try {
      await run;
      assert.unreachable();
    } catch (error) {
      assert.is(error, reason);
    }
  });

  test('an unreachable server is named', async ({ fake }) => {
    const adapter = await make(fake, { queryTimeoutMs: 3_000 });
    await fake.close();
    const error = await failureOf(adapter.probe());
    assert.is(error.code, 'PROVIDER_UNREACHABLE');
    await adapter.close();
  });

  test('equal settings have equal identities, another model has another', async ({ fake }) => {
    const [a, b] = [await make(fake), await make(fake)];
    assert.equal(a.identity, b.identity);
    assert.not.match(JSON.stringify(a.identity), subject.secret);
    await a.close();
    await b.close();
  });

  test.run();
}
