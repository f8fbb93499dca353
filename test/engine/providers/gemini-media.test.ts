import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type {
  AdapterSettings,
  EmbeddingAdapter,
} from '../../../src/engine/embeddings/embedding-adapter.js';
import type { EmbeddingInput } from '../../../src/engine/providers/vendor.js';
import { GEMINI_KEY, type GeminiFake, startGeminiFake } from '../../fakes/gemini.js';
import { failureOf } from '../../support/failure.js';
import { gif, jpeg, mp3, png, wav, webp } from '../../support/media-files.js';
import { mediaSent } from '../../support/semantic-memory.js';
import { cosine, embedAll, testSettings } from './conformance.js';
import { bodiesOf, openAdapter } from './support.js';

const test = suite<{ fake: GeminiFake }>('images and recordings at Gemini');

test.before.each(async (context) => {
  context.fake = await startGeminiFake({ dimensions: 128 });
});
test.after.each(({ fake }) => fake.close());

function adapterOn(
  fake: GeminiFake,
  change: Partial<AdapterSettings> = {},
): Promise<EmbeddingAdapter> {
  const settings = testSettings({
    adapter: 'gemini',
    baseUrl: `${fake.origin}/v1beta`,
    credential: { value: GEMINI_KEY, source: 'env GEMINI_API_KEY' },
    model: 'gemini-embedding-2',
    concurrency: 4,
    ...change,
  });
  return openAdapter(settings);
}

function medium(name: string, mimeType: string, data: Buffer): EmbeddingInput {
  return { text: `Image file: ${name}`, media: { mimeType, data } };
}

const picture = (name: string, depicts = 'a dog'): EmbeddingInput =>
  medium(name, 'image/png', png(depicts));

/** As large as asked, and still a whole file for the fake. */
function padded(bytes: Buffer, size: number): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(size - bytes.length)]);
}

test('a picture goes as its label and its bytes, in one content', async ({ fake }) => {
  const data = png('a dog');
  await embedAll(await adapterOn(fake), [medium('memory/dog.png', 'image/png', data)]);
  assert.equal(bodiesOf(fake), [
    {
      requests: [
        {
          model: 'models/gemini-embedding-2',
          content: {
            parts: [
              { text: 'title: none | text: Image file: memory/dog.png' },
              { inlineData: { mimeType: 'image/png', data: data.toString('base64') } },
            ],
          },
        },
      ],
    },
  ]);
});

test('a text is near to the picture that shows it, and far from others', async ({ fake }) => {
  const adapter = await adapterOn(fake);
  const shows = ['a lighthouse in fog', 'two bicycles'];
  const { embedded } = await embedAll(
    adapter,
    shows.map((depicts, n) => picture(`${n}.png`, depicts)),
  );
  const question = await adapter.embedQuery('lighthouse');
  const near = embedded.map(({ input, vector }) => ({ input, score: cosine(question, vector) }));
  const [best] = near.toSorted((a, b) => b.score - a.score);
  assert.is(best?.input.text, 'Image file: 0.png');
});

test('six pictures share a request; a recording and an undocumented type go alone', async ({
  fake,
}) => {
  const inputs = [
    ...Array.from({ length: 8 }, (_, n) => picture(`${n}.png`)),
    medium('a.mp3', 'audio/mpeg', mp3('a song')),
    medium('b.wav', 'audio/wav', wav('a bell')),
    medium('c.webp', 'image/webp', webp('a map')),
    picture('last.png'),
  ];
  const { embedded, refused } = await embedAll(await adapterOn(fake, { concurrency: 1 }), inputs);
  assert.equal(
    mediaSent(fake).map((types) => types.length),
    [6, 2, 1, 1, 1, 1],
  );
  assert.equal([embedded.length, refused.length], [11, 1]);
});

test('texts and media never share a request', async ({ fake }) => {
  const { embedded } = await embedAll(await adapterOn(fake, { concurrency: 1 }), [
    { text: 'one' },
    picture('a.png'),
    { text: 'two' },
  ]);
  assert.is(embedded.length, 3);
  assert.is(fake.requests.length, 3);
});

test('a file that Google refuses affects no other, and is reported in its words', async ({
  fake,
}) => {
  const { embedded, refused } = await embedAll(await adapterOn(fake), [
    medium('a.webp', 'image/webp', webp('x')),
    medium('b.gif', 'image/gif', gif('x')),
    picture('fine.png'),
    medium('broken.jpg', 'image/jpeg', jpeg('nothing that can be read')),
    picture('fine too.png'),
    medium('lying.jpg', 'image/jpeg', png('x')),
    { text: 'a note' },
  ]);
  assert.equal(embedded.map(({ input }) => input.text).sort(), [
    'Image file: fine too.png',
    'Image file: fine.png',
    'a note',
  ]);
  const why = new Map(refused.map(({ input, why: words }) => [input.text, words]));
  assert.match(why.get('Image file: a.webp') ?? '', 'Unsupported MIME type: image/webp');
  assert.match(why.get('Image file: broken.jpg') ?? '', 'invalid argument');
  assert.is(refused.length, 4);
});

test('a file too large for any request is not sent', async ({ fake }) => {
  const adapter = await adapterOn(fake);
  const tooLarge = medium('huge.png', 'image/png', padded(png('x'), 15_500_000));
  const { embedded, refused } = await embedAll(adapter, [tooLarge, picture('small.png')]);
  assert.equal([embedded.length, refused.length], [1, 1]);
  assert.match(refused[0]?.why ?? '', /15500000 bytes/);
  assert.is(mediaSent(fake).length, 1);
});

test('the largest file that is sent is within what Google takes', async ({ fake }) => {
  const largest = Math.floor((20_000_000 - 50_000) / 4) * 3;
  const { embedded, refused } = await embedAll(await adapterOn(fake), [
    medium('large.png', 'image/png', padded(png('x'), largest)),
  ]);
  assert.equal([embedded.length, refused.length], [1, 0]);
});

test('requests stay small where several files share one', async ({ fake }) => {
  const inputs = Array.from({ length: 6 }, (_, n) =>
    medium(`${n}.png`, 'image/png', padded(png('x'), 1_500_000)),
  );
  await embedAll(await adapterOn(fake), inputs);
  assert.ok(fake.requests.every(({ body }) => body.length < 6_000_000));
  assert.equal(
    mediaSent(fake).map((types) => types.length),
    [2, 2, 2],
  );
});

test('files are taken only as there is room for them in the memory', async ({ fake }) => {
  let taken = 0;
  async function* inputs(): AsyncGenerator<EmbeddingInput> {
    for (let n = 0; n < 12; n++) {
      taken += 1;
      yield medium(`${n}.png`, 'image/png', padded(png('x'), 9_000_000));
    }
  }
  let most = 0;
  let done = 0;
  // A busy machine can take longer for this much than the 5 seconds of other tests.
  const adapter = await adapterOn(fake, { documentTimeoutMs: 60_000 });
  for await (const { embedded } of adapter.embedDocuments(inputs())) {
    most = Math.max(most, taken - done);
    done += embedded.length;
  }
  assert.is(done, 12);
  // Two requests under way, the one that waits for its turn, and the one that did not fit into it.
  assert.ok(most <= 4, String(most));
});

test('a key that is refused ends the run, whatever the request held', async ({ fake }) => {
  fake.trouble('key_refused');
  const error = await failureOf(embedAll(await adapterOn(fake), [picture('a.png')]));
  assert.is(error.code, 'PROVIDER_AUTH');
});

test('a temporary limit delays a picture', async ({ fake }) => {
  fake.trouble('rate_limited', 1);
  const { embedded } = await embedAll(await adapterOn(fake), [picture('a.png')]);
  assert.is(embedded.length, 1);
});

test('the older model is only sent texts', async ({ fake }) => {
  const adapter = await adapterOn(fake, { model: 'gemini-embedding-001' });
  assert.is(adapter.embedsMedia, false);
  const { embedded, refused } = await embedAll(adapter, [{ text: 'a note' }, picture('a.png')]);
  assert.equal([embedded.length, refused.length], [1, 1]);
  assert.is(mediaSent(fake).length, 0);
  assert.is((await adapterOn(fake)).embedsMedia, true);
});

test('media change nothing of what makes vectors comparable', async ({ fake }) => {
  assert.is((await adapterOn(fake)).identity.documentForm, 'title: {title} | text: {text}');
});

test.run();
