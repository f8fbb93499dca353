import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tinyModel } from '../../../../scripts/tiny-gguf/tiny-model.js';
import type {
  AdapterSettings,
  EmbeddingAdapter,
} from '../../../../src/engine/embeddings/embedding-adapter.js';
import { vendorAdapter } from '../../../../src/engine/embeddings/vendor-adapter.js';
import {
  cacheFileName,
  parseModelReference,
} from '../../../../src/engine/providers/local/model.js';
import { createLocalVendor } from '../../../../src/engine/providers/local/vendor.js';
import { startFileHost } from '../../../fakes/file-host.js';
import { failureOf } from '../../../support/failure.js';
import { realRuntimes } from '../../../support/local-runtime.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { cosine, embedAll, testSettings } from '../conformance.js';

const test = suite('the local adapter, with the real runtime');

const runtimes = await realRuntimes();
const folder = tempFolder();
const MODEL = folder.write('tiny.gguf', tinyModel());

interface Opening {
  readonly contextSize?: number;
  readonly runtimesDir?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly settings?: Partial<AdapterSettings>;
}

const opened: EmbeddingAdapter[] = [];

function open(modelPath: string, opening: Opening = {}): EmbeddingAdapter {
  const local = {
    modelPath,
    modelCacheDir: folder.at('models'),
    contextSize: opening.contextSize ?? 4096,
  };
  const settings = testSettings({
    adapter: 'local',
    local,
    documentTimeoutMs: 60_000,
    queryTimeoutMs: 60_000,
    ...opening.settings,
  });
  const nowMs = (): number => performance.now();
  const vendor = createLocalVendor(settings, {
    runtimesDir: opening.runtimesDir ?? runtimes,
    env: opening.env ?? {},
    threads: 1,
  });
  const adapter = vendorAdapter(vendor, settings, { nowMs, random: () => 0 });
  opened.push(adapter);
  return adapter;
}

// One for all tests that need nothing special: loading the runtime takes half a second.
const shared = open(MODEL);
opened.pop();

test.after.each(async () => {
  for (const adapter of opened.splice(0)) await adapter.close();
});
test.after(() => shared.close());

test('a query is closest to the text with the same meaning', async () => {
  const adapter = shared;
  const texts = [
    'the automobile is crimson',
    'doctor drinks coffee with sister',
    'zebra xylophone',
  ];
  const { embedded } = await embedAll(
    adapter,
    texts.map((text) => ({ text })),
  );
  const query = await adapter.embedQuery('my car is red');
  const near = new Map(embedded.map(({ input, vector }) => [input.text, cosine(query, vector)]));
  assert.ok((near.get(texts[0] ?? '') ?? 0) > 0.7);
  for (const other of texts.slice(1)) assert.ok((near.get(other) ?? 1) < 0.3, other);
  for (const { vector } of embedded) assert.ok(Math.abs(cosine(vector, vector) - 1) < 1e-5);
});

test('the probe returns the length of the vectors', async () => {
  assert.is((await shared.probe()).dimensions, 64);
});

test('outputDimensionality is not asked of a model that has one length', async () => {
  const adapter = open(MODEL, { settings: { dimensions: 8 } });
  assert.is((await adapter.probe()).dimensions, 64);
  assert.is(adapter.identity.dimensions, null);
});

test('many at once take turns, and their vectors are those of each alone', async () => {
  const adapter = shared;
  const texts = Array.from({ length: 40 }, (_, n) => ({ text: `note ${n} of the doctor` }));
  const { embedded } = await embedAll(adapter, texts);
  const again = await Promise.all(texts.map(({ text }) => embedAll(adapter, [{ text }])));
  for (const one of again.flatMap((part) => part.embedded)) {
    const same = embedded.find(({ input }) => input.text === one.input.text);
    assert.equal(same?.vector, one.vector);
  }
});

test('a text beyond the context is the mean of its pieces, none of them lost', async () => {
  const adapter = open(MODEL, { contextSize: 128 });
  // 200 tokens, letter by letter, of which svc expects 96 at most.
  const dense = 'xxxxx '.repeat(24) + 'yyyyy '.repeat(16);
  const texts = ['car '.repeat(900), 'car', dense, 'yyyyy'];
  const { embedded, refused } = await embedAll(
    adapter,
    texts.map((text) => ({ text })),
  );
  assert.equal(refused, []);
  const vectorOf = (text: string | undefined) =>
    embedded.find(({ input }) => input.text === text)?.vector ?? new Float32Array();
  assert.ok(cosine(vectorOf(texts[0]), vectorOf('car')) > 0.99);
  assert.ok(cosine(vectorOf(dense), vectorOf('yyyyy')) > 0.3);
  assert.is((await adapter.embedQuery('car '.repeat(5000))).length, 64);
});

test('emoji and letters that the model does not know have a vector too', async () => {
  const { embedded } = await embedAll(shared, [{ text: '🎈🎈' }, { text: '你好世界' }]);
  assert.is(embedded.length, 2);
});

test('a text that the model cannot embed is refused without affecting others', async () => {
  // Blank to the tokenizer, though not to everybody: a zero-width joiner.
  const { embedded, refused } = await embedAll(shared, [{ text: '\u200D' }, { text: 'car' }]);
  assert.equal([embedded.length + refused.length, embedded.at(-1)?.input.text], [2, 'car']);
});

test('a model without a pooling type is an error, not vectors of zeros', async () => {
  const failure = await failureOf(
    open(folder.write('chat.gguf', tinyModel({ pooling: false }))).embedQuery('car'),
  );
  assert.is(failure.code, 'PROVIDER_ANSWER_INVALID');
  assert.match(failure.hint ?? '', /embedding model/u);
});

for (const [what, bytes] of [
  ['that is text', Buffer.from('# Notes\n\nNothing to load here, really nothing.\n')],
  ['that is empty', Buffer.alloc(0)],
  ['that is cut in its keys', tinyModel().subarray(0, 2000)],
  ['that is cut in its tensors', tinyModel().subarray(0, 150_000)],
  ['of a later version', Buffer.concat([Buffer.from('GGUF\u0009\0\0\0'), tinyModel().subarray(8)])],
] as const) {
  test(`a file ${what} is reported by name, and svc survives`, async () => {
    const path = folder.write(`${what.replaceAll(' ', '-')}.gguf`, bytes);
    const failure = await failureOf(open(path).embedQuery('car'));
    assert.is(failure.code, 'PROVIDER_NOT_SET_UP');
    assert.ok(failure.message.includes(path), failure.message);
    assert.ok(failure.hint);
  });
}

test('a model that did not load, and was collected since, does not hold up closing', async () => {
  const path = folder.write('short.gguf', tinyModel().subarray(0, 150_000));
  const adapter = open(path);
  await failureOf(adapter.embedQuery('car'));
  // The library forgets the model only when it is collected: --expose-gc, while running.
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  assert.type(collect, 'function');
  for (let round = 0; round < 3; round++) {
    await sleep(1);
    if (typeof collect === 'function') collect();
  }
  const closing = adapter.close().then(() => 'closed');
  assert.is(await Promise.race([closing, sleep(20_000, 'waiting', { ref: false })]), 'closed');
});

test('a model that is closed leaves another one working', async () => {
  const other = open(folder.write('other.gguf', tinyModel()));
  const before = await shared.embedQuery('car');
  await other.embedQuery('car');
  await other.close();
  assert.equal(await shared.embedQuery('car'), before);
  assert.equal(await other.embedQuery('car'), before);
});

test('a missing file is reported when the adapter is created', () => {
  assert.throws(() => open(folder.at('nowhere.gguf')), /model file not found/u);
});

test('another file under the same name is another model', () => {
  const one = open(folder.write('a/m.gguf', tinyModel())).identity.model;
  assert.is(open(folder.write('b/m.gguf', tinyModel())).identity.model, one);
  const bytes = tinyModel();
  bytes[bytes.length - 1] = 1;
  assert.is.not(open(folder.write('c/m.gguf', bytes)).identity.model, one);
  assert.match(one, /^m\.gguf@[0-9a-f]{16}$/u);
});

test('without the runtime the failure names the command that installs it', async () => {
  const failure = await failureOf(
    open(MODEL, { runtimesDir: folder.at('none') }).embedQuery('car'),
  );
  assert.is(failure.code, 'PROVIDER_NOT_SET_UP');
  assert.match(failure.hint ?? '', /svc provider install local/u);
});

test('a model that is not downloaded yet: a question fails at once, indexing fetches it', async () => {
  const host = await startFileHost(new Map([['/ada/words/resolve/main/words.gguf', tinyModel()]]));
  try {
    const reference = 'hf:ada/words/words.gguf';
    const adapter = open(reference, { env: { HF_ENDPOINT: host.url } });
    assert.is(adapter.identity.model, reference);
    const failure = await failureOf(adapter.embedQuery('car'));
    assert.is(failure.code, 'PROVIDER_NOT_SET_UP');
    assert.match(failure.hint ?? '', /svc provider install local/u);
    const waiting = embedAll(adapter, [{ text: 'car' }], { interactive: true });
    assert.is((await failureOf(waiting)).code, 'PROVIDER_NOT_SET_UP');
    assert.is(host.requests.length, 0);
    const events: string[] = [];
    const onEvent = ({ type }: { readonly type: string }): void => void events.push(type);
    const { embedded } = await embedAll(adapter, [{ text: 'the automobile' }], { onEvent });
    assert.is(embedded.length, 1);
    assert.ok(events.includes('model.download'));
    const parsed = parseModelReference(reference);
    assert.ok(parsed.kind !== 'file' && existsSync(folder.at(`models/${cacheFileName(parsed)}`)));
    assert.is((await adapter.embedQuery('car')).length, 64);
  } finally {
    await host.close();
  }
});

test('it stops between two texts', async () => {
  const adapter = shared;
  await adapter.embedQuery('car');
  const stop = new AbortController();
  const reason = new Error('stopped');
  let taken = 0;
  function* endless() {
    for (;;) {
      taken += 1;
      if (taken === 200) stop.abort(reason);
      yield { text: `note ${taken}` };
    }
  }
  const ended = await embedAll(adapter, endless(), { signal: stop.signal }).catch(
    (error: unknown) => error,
  );
  assert.is(ended, reason);
});

test.run();
