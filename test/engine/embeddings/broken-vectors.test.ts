import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { embedDocuments } from '../../../src/engine/embeddings/embed-documents.js';
import { normalise } from '../../../src/engine/providers/read-vectors.js';
import { plainText } from '../../../src/engine/providers/requests/input-text.js';
import { VendorFault } from '../../../src/engine/providers/vendor-fault.js';

const test = suite('vectors that are not finite or all zero');

/** Embeds texts at a model without a usable vector for some; `requests` has the texts of each request. */
async function embedWith(
  texts: readonly string[],
  isBroken: (text: string) => boolean,
  requests: string[][],
): Promise<{ readonly embedded: readonly string[]; readonly refused: readonly string[] }> {
  const embedded: string[] = [];
  const refused: string[] = [];
  const parts = embedDocuments(
    texts.map((text) => ({ text })),
    {
      limits: { maxInputs: 100, maxTokensPerInput: 400, maxTokensPerRequest: 100_000 },
      concurrency: 1,
      signal: new AbortController().signal,
      onEvent: () => undefined,
      send: async (contents) => {
        const sent = contents.map(plainText);
        requests.push(sent);
        const values = sent.map((text) => (isBroken(text) ? [Number.NaN, 1] : [1, 0]));
        return { vectors: values.map((value) => normalise(Float32Array.from(value))) };
      },
    },
  );
  for await (const part of parts) {
    embedded.push(...part.embedded.map(({ input }) => input.text));
    refused.push(...part.refused.map(({ input }) => input.text));
  }
  return { embedded, refused };
}

test('one costs only its own text, next to others and alone', async () => {
  const others = Array.from({ length: 250 }, (_, at) => `note ${at}`);
  const isBroken = (text: string) => text.startsWith('bad');
  const texts = [...others.slice(0, 120), 'bad 1', ...others.slice(120), 'bad 2'];
  const { embedded, refused } = await embedWith(texts, isBroken, []);
  assert.equal(embedded, others);
  assert.equal(refused, ['bad 1', 'bad 2']);
  assert.equal(await embedWith(['bad 3'], isBroken, []), { embedded: [], refused: ['bad 3'] });
});

test('of every text are the fault of the model, which a second request shows', async () => {
  const requests: string[][] = [];
  const texts = Array.from({ length: 250 }, (_, at) => `note ${at}`);
  try {
    await embedWith(texts, () => true, requests);
    assert.unreachable();
  } catch (error) {
    assert.ok(error instanceof VendorFault);
    assert.match(error.message, 'NaN');
  }
  assert.is(requests.length, 2);
});

test.run();
