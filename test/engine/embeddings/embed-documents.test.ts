import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { embedDocuments } from '../../../src/engine/embeddings/embed-documents.js';
import { normalise, wrongCount } from '../../../src/engine/providers/read-vectors.js';
import type { AdapterId } from '../../../src/engine/providers/registry.js';
import { estimateTokens, plainText } from '../../../src/engine/providers/requests/input-text.js';
import type {
  EmbeddingInput,
  EmbeddingVendor,
  RequestLimits,
} from '../../../src/engine/providers/vendor.js';
import { VendorFault, type VendorFaultKind } from '../../../src/engine/providers/vendor-fault.js';
import { codePoint } from '../../support/code-point.js';
import { failureOf } from '../../support/failure.js';
import { testSettings } from '../providers/conformance.js';
import { adapterOver, faultOf, openVendor } from '../providers/support.js';

const test = suite('embedding at vendors that refuse or break some inputs');

const LIMITS: RequestLimits = {
  maxInputs: 8,
  maxTokensPerInput: 400,
  maxTokensPerRequest: 1000,
};

/** A vendor's limits, and how it answers. */
interface TestVendor {
  readonly limits?: RequestLimits;
  readonly concurrency?: number;
  /** Called with the texts of each request; what it throws is the answer. */
  readonly onRequest?: (texts: readonly string[]) => void;
  readonly vectorOf?: (text: string) => Float32Array;
  /** Called with the vector of each input. */
  readonly onVector?: (vector: Float32Array) => void;
}

/** Embeds inputs at a vendor. @returns those with a vector, and those that it refused */
async function embedAt(
  { limits = LIMITS, concurrency = 2, onRequest, onVector, vectorOf = () => UNIT }: TestVendor,
  inputs: readonly EmbeddingInput[],
): Promise<{ embedded: EmbeddingInput[]; refused: EmbeddingInput[] }> {
  const embedded: EmbeddingInput[] = [];
  const refused: EmbeddingInput[] = [];
  const parts = embedDocuments(inputs, {
    limits,
    concurrency,
    signal: new AbortController().signal,
    onEvent: () => undefined,
    send: async (contents) => {
      const texts = contents.map(plainText);
      onRequest?.(texts);
      return { vectors: texts.map(vectorOf) };
    },
  });
  for await (const part of parts) {
    embedded.push(...part.embedded.map(({ input }) => input));
    for (const { vector } of part.embedded) onVector?.(vector);
    refused.push(...part.refused.map(({ input }) => input));
  }
  return { embedded, refused };
}

const UNIT = Float32Array.of(1, 0);

const bytes = (text: string): number => Buffer.byteLength(text);

function refuse(kind: VendorFaultKind): never {
  throw new VendorFault(kind, 'too long');
}

const word = fc.string({ unit: codePoint, minLength: 1, maxLength: 40 });
const longText = fc
  .array(word, { minLength: 1, maxLength: 300 })
  .map((words) => `x ${words.join(' ')}`);

test('whatever a vendor’s true limit is, every input is embedded, and once', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(longText, { minLength: 1, maxLength: 12 }),
      // No run without a blank is longer than the smallest of these limits.
      fc.integer({ min: 300, max: 2000 }),
      async (texts, mostBytes) => {
        const inputs = texts.map((text) => ({ text }));
        const onRequest = (sent: readonly string[]): void => {
          const total = sent.reduce((sum, text) => sum + bytes(text), 0);
          if (total > 2 * mostBytes || sent.some((text) => bytes(text) > mostBytes)) {
            refuse('too_large');
          }
        };
        const { embedded, refused } = await embedAt({ onRequest }, inputs);
        assert.equal(refused, []);
        assert.is(embedded.length, inputs.length);
        assert.is(new Set(embedded).size, inputs.length);
      },
    ),
    { numRuns: 40 },
  ));

test('a text in pieces has the mean of their vectors, weighted by their tokens', async () => {
  const tokens: number[] = [];
  const vectors: Float32Array[] = [];
  const vectorOf = (piece: string): Float32Array => {
    const direction = new Float32Array(4);
    direction[tokens.length] = 1;
    tokens.push(estimateTokens(piece));
    return direction;
  };
  const onVector = (vector: Float32Array): void => void vectors.push(vector);
  const text = 'word '.repeat(500);
  await embedAt({ vectorOf, onVector, concurrency: 1 }, [{ text }]);
  assert.ok(new Set(tokens).size > 1, `pieces of ${tokens} tokens`);
  const mean = [0, 1, 2, 3].map((at) => tokens[at] ?? 0);
  assert.equal(vectors, [normalise(Float32Array.from(mean))]);
});

test('texts share requests up to the limits, also after the first is full', async () => {
  const sizes: number[] = [];
  const onRequest = (texts: readonly string[]): void => void sizes.push(texts.length);
  const inputs = Array.from({ length: 12 }, (_, at) => ({ text: `${at} ${'word '.repeat(50)}` }));
  const tokens = estimateTokens(inputs.at(-1)?.text ?? '');
  const limits = { ...LIMITS, maxTokensPerRequest: 3 * tokens };
  await embedAt({ limits, onRequest, concurrency: 1 }, inputs);
  assert.equal(sizes, [3, 3, 3, 3]);
});

test('what a vendor refuses for another reason is not divided', async () => {
  let requests = 0;
  const onRequest = (): void => {
    requests += 1;
    refuse('input');
  };
  const { refused } = await embedAt({ onRequest }, [{ text: 'word '.repeat(200) }]);
  assert.is(refused.length, 1);
  assert.is(requests, 1);
});

test('what was embedded before a failure is passed on, also of a divided request', async () => {
  const embedded: string[] = [];
  const inputs = ['a', 'b', 'too long', 'c'].map((text) => ({ text }));
  const embedding = async () => {
    for await (const part of embedDocuments(inputs, {
      limits: LIMITS,
      concurrency: 2,
      signal: new AbortController().signal,
      onEvent: () => undefined,
      send: async (contents) => {
        const texts = contents.map(plainText);
        if (texts.length > 2) refuse('input');
        if (texts.includes('too long')) refuse('quota');
        return { vectors: texts.map(() => UNIT) };
      },
    })) {
      embedded.push(...part.embedded.map(({ input }) => input.text));
    }
  };
  const fault = await embedding().catch((error: unknown) => error);
  assert.is(fault instanceof VendorFault && fault.details.kind, 'quota');
  assert.equal(embedded, ['a', 'b']);
});

test('a vendor that refuses everything as too long is asked a limited number of times', async () => {
  let requests = 0;
  const onRequest = (): void => {
    requests += 1;
    refuse('too_large');
  };
  const { refused } = await embedAt({ onRequest }, [{ text: 'word '.repeat(400) }]);
  assert.is(refused.length, 1);
  assert.ok(requests < 64, `${requests} requests`);
});

/** An adapter for a vendor that accepts texts up to a length, and the texts that it was sent. */
function limitedAdapter(mostBytes: number) {
  const sent: string[] = [];
  const vendor: EmbeddingVendor = {
    endpoint: 'http://x',
    model: 'm',
    limits: LIMITS,
    documentForm: '',
    embed: async ({ inputs }) => {
      const [text = ''] = inputs.map(plainText);
      sent.push(text);
      if (sent.length > 50) throw new Error('the same is sent again and again');
      return bytes(text) > mostBytes ? refuse('too_large') : { vectors: [UNIT] };
    },
  };
  return { sent, adapter: adapterOver(vendor, testSettings({ adapter: 'openai' })) };
}

test('if a vendor refuses a query as too long, its beginning is embedded', async () => {
  const { sent, adapter } = limitedAdapter(300);
  const question = 'which of the many words '.repeat(40).trim();
  await adapter.embedQuery(question);
  assert.ok(sent.length > 1 && question.startsWith(sent.at(-1) ?? '-'));
});

test('a question that is too long at any length ends in an error', async () => {
  const { sent, adapter } = limitedAdapter(0);
  const error = await failureOf(adapter.embedQuery(`${'😀'.repeat(64)} and more`));
  assert.is(error.code, 'PROVIDER_REFUSED');
  assert.ok(sent.length < 8, `${sent.length} requests`);
});

const FILLER = 'one more word '.repeat(150);

const vendorOf = (adapter: AdapterId) => openVendor(testSettings({ adapter }));

/** Each vendor's documented caps, and how few bytes a token may have without passing them. */
const CAPS: readonly (readonly [string, EmbeddingVendor, { request: number; bytes: number }])[] = [
  ['voyage', await vendorOf('voyage'), { request: 120_000, bytes: 1 }],
  ['mistral', await vendorOf('mistral'), { request: 16_384, bytes: 2 }],
  ['openai', await vendorOf('openai'), { request: 300_000, bytes: 1 }],
  ['deepinfra', await vendorOf('deepinfra'), { request: Number.POSITIVE_INFINITY, bytes: 1 }],
];

for (const [name, { limits }, cap] of CAPS) {
  test(`requests to ${name} stay below its cap when a token has ${cap.bytes} bytes`, () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(longText, fc.integer({ min: 1, max: 40 })), {
          minLength: 1,
          maxLength: 40,
        }),
        async (texts) => {
          const own = texts.map(([text, times]) => ({ text: text.repeat(times) }));
          // Enough to fill several requests to the brim.
          const inputs = [...own, ...Array.from({ length: 300 }, () => ({ text: FILLER }))];
          const onRequest = (sent: readonly string[]): void => {
            const tokens = sent.reduce((sum, text) => sum + bytes(text) / cap.bytes, 0);
            // A single input may pass it: it is divided when the vendor refuses it.
            assert.ok(tokens <= cap.request || sent.length === 1, `${tokens} tokens`);
            assert.ok(sent.length <= limits.maxInputs);
          };
          await embedAt({ limits, onRequest }, inputs);
        },
      ),
      // Long texts take minutes to shrink, and say no more when shrunk.
      { numRuns: 15, endOnFailure: true },
    ));
}

/** A vendor without a usable vector for some texts. */
function brokenVendor(isBroken: (text: string) => boolean): TestVendor {
  return {
    limits: { maxInputs: 100, maxTokensPerInput: 400, maxTokensPerRequest: 100_000 },
    concurrency: 1,
    vectorOf: (text) => normalise(Float32Array.from(isBroken(text) ? [Number.NaN, 1] : [1, 0])),
  };
}

test('a vector that is not finite costs only its own text, next to others and alone', async () => {
  const vendor = brokenVendor((text) => text.startsWith('bad'));
  const inputs = Array.from({ length: 250 }, (_, at) => ({ text: `note ${at}` }));
  const bad = ['bad 1', 'bad 2'].map((text) => ({ text }));
  const mixed = [
    ...inputs.slice(0, 120),
    ...bad.slice(0, 1),
    ...inputs.slice(120),
    ...bad.slice(1),
  ];
  assert.equal(await embedAt(vendor, mixed), { embedded: inputs, refused: bad });
  assert.equal(await embedAt(vendor, bad.slice(0, 1)), { embedded: [], refused: bad.slice(0, 1) });
});

test('if no vector is finite, a second request shows that the model is at fault', async () => {
  let requests = 0;
  const onRequest = (): void => {
    requests += 1;
  };
  const inputs = Array.from({ length: 250 }, (_, at) => ({ text: `note ${at}` }));
  const vendor = { ...brokenVendor(() => true), onRequest };
  assert.match((await faultOf(embedAt(vendor, inputs))).message, 'NaN');
  assert.is(requests, 2);
});

/** A vendor that refuses in words that are not known, and the numbers of texts that it was sent. */
function vendorThatRefuses(isRefused: (texts: readonly string[]) => boolean) {
  const sizes: number[] = [];
  const onRequest = (texts: readonly string[]): void => {
    sizes.push(texts.length);
    if (isRefused(texts)) throw new VendorFault('request', 'fault 4711', { status: 400 });
  };
  return { vendor: { ...brokenVendor(() => false), onRequest }, sizes };
}

const NOTES = Array.from({ length: 250 }, (_, at) => ({ text: `note ${at}` }));

test('a text that is refused in unknown words costs only itself', async () => {
  const { vendor, sizes } = vendorThatRefuses((texts) => texts.includes('note 77'));
  const { embedded, refused } = await embedAt(vendor, NOTES);
  assert.equal(refused, [{ text: 'note 77' }]);
  assert.is(embedded.length, 249);
  assert.equal(sizes.slice(-2), [100, 50], 'later requests are not smaller');
});

test('so does a long one of which no part is accepted', async () => {
  const { vendor, sizes } = vendorThatRefuses((texts) => {
    return texts.some((text) => text.includes('curse'));
  });
  const long = { text: 'curse '.repeat(200) };
  const { embedded, refused } = await embedAt(vendor, [long, ...NOTES]);
  assert.equal([embedded.length, refused], [250, [long]]);
  const requests = sizes.length;
  assert.equal(await embedAt(vendor, [long]), { embedded: [], refused: [long] });
  // Once a part is refused, the others are not sent.
  assert.ok(sizes.length - requests < 12, `${sizes.length - requests} requests`);
});

test('if a number of texts is refused in unknown words, later requests have fewer', async () => {
  const { vendor, sizes } = vendorThatRefuses(({ length }) => length > 40);
  assert.equal(await embedAt(vendor, NOTES), { embedded: NOTES, refused: [] });
  assert.equal(
    sizes.filter((size) => size > 40),
    [100, 50],
  );
});

test('a text that is too long in unknown words is divided', async () => {
  const { vendor, sizes } = vendorThatRefuses((texts) => texts.some((text) => bytes(text) > 200));
  const long = { text: 'word '.repeat(100) };
  assert.equal((await embedAt(vendor, [long, ...NOTES])).refused, []);
  assert.equal(sizes.slice(-2), [100, 51], 'later requests are not smaller');
});

test('a model that refuses any text, or all but the shortest, ends the run', async () => {
  const any = vendorThatRefuses(() => true);
  assert.match((await faultOf(embedAt(any.vendor, NOTES))).message, '4711');
  assert.equal(any.sizes, [100, 1], 'a second request shows that it is not due to a text');
  const most = vendorThatRefuses((texts) => texts.some((text) => text.length > 4));
  assert.match((await faultOf(embedAt(most.vendor, NOTES))).message, '4711');
  assert.ok(most.sizes.length < 30, `${most.sizes.length} requests`);
});

/** A vendor that has no vectors for a request with more inputs than it takes. */
function silentVendor(mostInputs: number): TestVendor & { readonly sizes: readonly number[] } {
  const sizes: number[] = [];
  const onRequest = ({ length }: readonly string[]): void => {
    sizes.push(length);
    if (length > mostInputs) throw wrongCount(0, length);
  };
  return { ...brokenVendor(() => false), onRequest, sizes };
}

test('requests without their vectors are divided, and later ones have fewer inputs', async () => {
  const inputs = Array.from({ length: 250 }, (_, at) => ({ text: `note ${at}` }));
  const vendor = silentVendor(30);
  assert.equal(await embedAt(vendor, inputs), { embedded: inputs, refused: [] });
  assert.equal(
    vendor.sizes.filter((size) => size > 30),
    [100, 50],
  );
  const single = silentVendor(1);
  assert.is((await embedAt(single, inputs)).embedded.length, 250);
  assert.ok(single.sizes.slice(8).every((size) => size <= 16));
});

test('an answer without the vector of its only input ends the run', async () => {
  const inputs = Array.from({ length: 250 }, (_, at) => ({ text: `note ${at}` }));
  const vendor = silentVendor(0);
  assert.match((await faultOf(embedAt(vendor, inputs))).message, '0 vectors for 1 input');
  assert.equal(vendor.sizes, [100, 50, 25, 16, 8, 4, 2, 1]);
});

test.run();
