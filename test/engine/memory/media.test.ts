import { execFileSync } from 'node:child_process';
import { renameSync, rmSync, symlinkSync, truncateSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { statusOutputSchema } from '../../../src/engine/memory/backends/output-schemas.js';
import { embeddingStatus } from '../../../src/engine/memory/embedding-status.js';
import { getOutputSchema } from '../../../src/engine/memory/get/output-schemas.js';
import type { OpenedMemory } from '../../../src/engine/memory/open-memory.js';
import { getOutput, searchOutput, statusOutput } from '../../../src/engine/memory/output.js';
import { searchOutputSchema } from '../../../src/engine/memory/search/output-schemas.js';
import type { SyncEvent } from '../../../src/engine/memory/sync/events.js';
import { embeddingWarnings } from '../../../src/engine/memory/sync/sync-warnings.js';
import { GEMINI_KEY, type GeminiFake, startGeminiFake } from '../../fakes/gemini.js';
import { failureOf } from '../../support/failure.js';
import { jpeg, MEDIA_FORMATS, mp3, png, wav, webp } from '../../support/media-files.js';
import { pathsOf } from '../../support/memory.js';
import {
  geminiSearchSettings,
  mediaSent,
  type SemanticMemory,
  semanticMemory,
} from '../../support/semantic-memory.js';

const test = suite<{ fake: GeminiFake }>('images and recordings in memory');

test.before.each(async (context) => {
  context.fake = await startGeminiFake({ dimensions: 1024 });
});
test.after.each(({ fake }) => fake.close());

const FILES = {
  'MEMORY.md': '# Notes\n\nWe rent a boat in summer.\n',
  'memory/photos/IMG_0001.png': png('a lighthouse in fog'),
  'memory/photos/IMG_0002.jpg': jpeg('two bicycles against a wall'),
  'memory/voice/memo.mp3': mp3('the plumber comes on Thursday'),
};

/** A memory with these files, by path below the workspace. */
function mediaMemory(
  fake: GeminiFake,
  files: Readonly<Record<string, Buffer | string>> = {},
): Pick<SemanticMemory, 'folder' | 'open'> {
  const { folder, open } = semanticMemory(fake);
  for (const [path, content] of Object.entries(files)) folder.write(path, content);
  return { folder, open: (settings) => open({ ...geminiSearchSettings(fake), ...settings }) };
}

async function statusOf(memory: OpenedMemory) {
  const status = await memory.backend.status();
  return { status, embedding: embeddingStatus(memory, status) };
}

test('a question finds the picture and the recording that hold the answer', async ({ fake }) => {
  const memory = await mediaMemory(fake, FILES).open();
  const { embedding, skipped } = await memory.backend.sync({});
  assert.equal([embedding?.embedded, embedding?.pending, skipped.length], [4, 0, 0]);
  const found = await memory.backend.search({ query: 'lighthouse' });
  const [best] = found.results;
  assert.equal(
    [best?.path, best?.kind, best?.mimeType, best?.snippet],
    ['memory/photos/IMG_0001.png', 'media', 'image/png', 'Image file: memory/photos/IMG_0001.png'],
  );
  const spoken = await memory.backend.search({ query: 'when does the plumber come' });
  assert.equal([spoken.results[0]?.kind, spoken.results[0]?.mimeType], ['media', 'audio/mpeg']);
  assert.is((await memory.backend.search({ query: 'boat' })).results[0]?.kind, 'markdown');
  searchOutputSchema.parse({ ...searchOutput(memory, found), warnings: [] });
  await memory.backend.close();
});

test('keyword search finds media by name without asking a provider', async ({ fake }) => {
  const memory = await mediaMemory(fake, {
    'memory/harbour-at_dusk.png': png('x'),
  }).open();
  const found = await memory.backend.search({ query: 'harbour', lexicalOnly: true });
  assert.equal(pathsOf(found), ['memory/harbour-at_dusk.png']);
  assert.is(fake.requests.length, 0);
  await memory.backend.close();
});

test('every format is indexed; a format that the vendor refuses affects no other', async ({
  fake,
}) => {
  const files = Object.entries(MEDIA_FORMATS).map(([extension, { make }]) => {
    return [`memory/file.${extension}`, make(`shown in ${extension}`)] as const;
  });
  const workspace = mediaMemory(fake, { 'MEMORY.md': 'a note', ...Object.fromEntries(files) });
  const memory = await workspace.open();
  const { embedding, skipped, added } = await memory.backend.sync({});
  assert.equal([skipped.length, added], [0, files.length + 1]);
  // Of jpg and jpeg, equal contents of one name would be one; these differ.
  assert.equal([embedding?.embedded, embedding?.refused, embedding?.pending], [6, 9, 0]);
  assert.match(embedding?.refusal ?? '', /^memory\/file\.\w+: Unsupported MIME type/);
  const { status, embedding: vectors } = await statusOf(memory);
  assert.is(status.index.state === 'ready' && status.index.statistics.media.images, 7);
  assert.is(status.index.state === 'ready' && status.index.statistics.media.audio, 7);
  assert.is(vectors.media?.refused.length, 9);
  assert.equal(vectors.coverage.state, 'whole');
  const json = statusOutput(memory, status, vectors);
  statusOutputSchema.parse({ agents: [json], warnings: [] });
  assert.equal(json.media?.refused[0], {
    path: 'memory/file.aac',
    mimeType: 'audio/aac',
    why: 'Unsupported MIME type: audio/aac',
  });
  await memory.backend.close();
});

test('a refusal is remembered by content: not sent again until it changes or is forced', async ({
  fake,
}) => {
  // No vector at all: nothing but the refusal is known of the provider.
  const { folder, open } = mediaMemory(fake, { 'memory/a.webp': webp('x') });
  const memory = await open();
  await memory.backend.sync({});
  assert.is(mediaSent(fake).length, 1);
  const again = await memory.backend.sync({});
  assert.equal([again.embedding?.refused, again.embedding?.pending], [0, 0]);
  renameSync(folder.at('memory/a.webp'), folder.at('memory/b.webp'));
  await memory.backend.search({ query: 'webp' });
  await memory.backend.sync({});
  assert.is(mediaSent(fake).length, 1);
  const { coverage, media } = (await statusOf(memory)).embedding;
  assert.equal(
    media?.refused.map(({ path }) => path),
    ['memory/b.webp'],
  );
  assert.equal([coverage.state, coverage.refused], ['whole', 1]);
  folder.write('memory/b.webp', webp('something else'));
  await memory.backend.sync({});
  assert.is(mediaSent(fake).length, 2);
  await memory.backend.sync({ force: true });
  assert.is(mediaSent(fake).length, 3);
  await memory.backend.close();
});

test('a renamed, moved or doubled picture costs nothing; a changed one is sent', async ({
  fake,
}) => {
  const { folder, open } = mediaMemory(fake, FILES);
  const memory = await open();
  await memory.backend.sync({});
  const sent = mediaSent(fake).length;
  renameSync(folder.at('memory/photos/IMG_0001.png'), folder.at('memory/foggy.png'));
  folder.write('memory/twin.jpg', FILES['memory/photos/IMG_0002.jpg']);
  const moved = await memory.backend.sync({});
  assert.equal([moved.renamed, moved.added, moved.embedding?.embedded], [1, 1, 0]);
  await memory.backend.sync({ force: true });
  assert.is(mediaSent(fake).length, sent);
  const found = await memory.backend.search({ query: 'lighthouse' });
  assert.is(pathsOf(found)[0], 'memory/foggy.png');
  folder.write('memory/foggy.png', png('a volcano'));
  assert.is((await memory.backend.sync({})).embedding?.embedded, 1);
  assert.is(pathsOf(await memory.backend.search({ query: 'volcano' }))[0], 'memory/foggy.png');
  await memory.backend.close();
});

test('a removed picture is gone from every answer', async ({ fake }) => {
  const { folder, open } = mediaMemory(fake, FILES);
  const memory = await open();
  await memory.backend.sync({});
  rmSync(folder.at('memory/photos/IMG_0001.png'));
  const found = await memory.backend.search({ query: 'lighthouse' });
  assert.not(pathsOf(found).includes('memory/photos/IMG_0001.png'));
  await memory.backend.close();
});

test('mislabelled, empty or too large files are reported and never sent', async ({ fake }) => {
  const { folder, open } = mediaMemory(fake, {
    ...FILES,
    'memory/empty.png': '',
    'memory/words.png': 'these are words',
    'memory/song.png': mp3('a song'),
    'memory/large.wav': wav('x'),
  });
  truncateSync(folder.at('memory/large.wav'), 30_000_000);
  symlinkSync(folder.at('memory/photos/IMG_0001.png'), folder.at('memory/link.png'));
  const memory = await open();
  const { skipped, embedding } = await memory.backend.sync({});
  assert.equal(skipped.map(({ path, reason }) => `${path} ${reason}`).sort(), [
    'memory/empty.png wrong_format',
    'memory/large.wav too_large',
    'memory/link.png symlink',
    'memory/song.png wrong_format',
    'memory/words.png wrong_format',
  ]);
  assert.equal([embedding?.embedded, embedding?.refused], [4, 0]);
  const remembered = (await statusOf(memory)).status.skipped.map(({ path }) => path);
  assert.ok(remembered.includes('memory/words.png') && remembered.includes('memory/large.wav'));
  await memory.backend.close();
});

test('a picture that turns into something else leaves the index', async ({ fake }) => {
  const { folder, open } = mediaMemory(fake, FILES);
  const memory = await open();
  await memory.backend.sync({});
  folder.write('memory/photos/IMG_0001.png', 'no picture any more');
  const { skipped, removed } = await memory.backend.sync({});
  assert.equal([skipped[0]?.reason, removed], ['wrong_format', 1]);
  await memory.backend.close();
});

test('a file that vanishes between scan and inspection is reported', async ({ fake }) => {
  const { folder, open } = mediaMemory(fake, FILES);
  const memory = await open();
  const { skipped } = await memory.backend.sync({
    onEvent: (event: SyncEvent) => {
      if (event.type === 'scan.finished') rmSync(folder.at('memory/voice/memo.mp3'));
    },
  });
  assert.equal(skipped, [{ path: 'memory/voice/memo.mp3', reason: 'vanished' }]);
  await memory.backend.close();
});

test('a file that changes or goes before it is sent is left for the next sync', async ({
  fake,
}) => {
  const { folder, open } = mediaMemory(fake, FILES);
  const memory = await open();
  const { embedding } = await memory.backend.sync({
    onEvent: (event: SyncEvent) => {
      if (event.type !== 'embed.started') return;
      rmSync(folder.at('memory/voice/memo.mp3'));
      folder.write('memory/photos/IMG_0001.png', png('a lighthouse in sun'));
    },
  });
  assert.equal([embedding?.embedded, embedding?.pending], [2, 2]);
  const next = await memory.backend.sync({});
  assert.equal([next.removed, next.embedding?.embedded, next.embedding?.pending], [1, 1, 0]);
  await memory.backend.close();
});

test('only the configured modalities are indexed, in extra paths too; switched off, they leave the index', async ({
  fake,
}) => {
  const { folder, open } = mediaMemory(fake, {
    ...FILES,
    'gallery/wall.png': png('a mural'),
    'gallery/talk.wav': wav('a talk'),
    'single.jpg': jpeg('a stamp'),
  });
  const extraPaths = ['gallery', 'single.jpg', 'gallery/talk.wav'];
  const images = { enabled: true, modalities: ['image'] };
  const some = await open({ extraPaths, multimodal: images });
  const { skipped } = await some.backend.sync({});
  assert.equal(skipped[0]?.path, 'gallery/talk.wav');
  const { index } = (await statusOf(some)).status;
  assert.equal(index.state === 'ready' && index.statistics.media, { images: 4, audio: 0 });
  await some.backend.close();
  const none = await open({ multimodal: { enabled: false } });
  const { removed } = await none.backend.sync({});
  assert.is(removed, 4);
  assert.is((await statusOf(none)).embedding.media, null);
  await none.backend.close();
  rmSync(folder.path, { recursive: true });
});

test('get describes a picture instead of returning its bytes', async ({ fake }) => {
  const memory = await mediaMemory(fake, { ...FILES, 'memory/map.webp': webp('x') }).open();
  await memory.backend.sync({});
  const response = await memory.backend.get({ target: 'memory/photos/IMG_0001.png#L1' });
  assert.match(
    response.text,
    /^Image file: memory\/photos\/IMG_0001\.png\ntype: image\/png\nsize: /,
  );
  assert.equal([response.kind, response.media?.refused], ['media', null]);
  getOutputSchema.parse({ ...getOutput(response), warnings: [] });
  const refused = await memory.backend.get({ target: 'memory/map.webp' });
  assert.match(refused.text, /found by its name only: Unsupported MIME type/);
  assert.is(
    (await failureOf(memory.backend.get({ target: 'none.png' }))).code,
    'DOCUMENT_NOT_INDEXED',
  );
  await memory.backend.close();
});

test('with a text-only model notes get vectors, and the lack of picture vectors is explained', async ({
  fake,
}) => {
  const { open } = mediaMemory(fake, {
    ...FILES,
    'memory/copy.mp3': FILES['memory/voice/memo.mp3'],
  });
  const memory = await open({ model: 'gemini-embedding-001' });
  for (let times = 0; times < 2; times++) {
    const summary = await memory.backend.sync({});
    assert.is(summary.embedding?.pending, 0);
    assert.is(summary.embedding?.known, 0, 'what was never sent is no hit of the cache');
    const [warning] = embeddingWarnings(summary);
    assert.is(warning?.code, 'MEDIA_UNAVAILABLE');
    assert.match(warning?.message ?? '', /^4 media files .*gemini-embedding-001 only embeds text/);
    assert.match(warning?.hint ?? '', 'gemini-embedding-2');
  }
  assert.is(mediaSent(fake).length, 0);
  assert.match(
    (await statusOf(memory)).embedding.media?.unavailable?.why ?? '',
    'only embeds text',
  );
  assert.is(pathsOf(await memory.backend.search({ query: 'boat' }))[0], 'MEMORY.md');
  const named = await memory.backend.search({ query: 'memo' });
  assert.equal(pathsOf(named), ['memory/voice/memo.mp3']);
  await memory.backend.close();
  // The other model starts from scratch.
  const able = await open();
  assert.is((await able.backend.sync({})).embedding?.embedded, 4);
  await able.backend.close();
});

test('without a provider names are searched, and status says what is missing', async ({ fake }) => {
  const memory = await mediaMemory(fake, FILES).open({ provider: 'none' });
  await memory.backend.sync({});
  assert.match(
    (await statusOf(memory)).embedding.media?.unavailable?.why ?? '',
    'no embedding provider',
  );
  assert.equal(pathsOf(await memory.backend.search({ query: 'memo' })), ['memory/voice/memo.mp3']);
  assert.is(fake.requests.length, 0);
  await memory.backend.close();
});

test('pictures far from every text are still found among many notes', async () => {
  // Real models put a picture farther from a question than any text.
  const distant = await startGeminiFake({ dimensions: 512, mediaGap: 0.8 });
  try {
    const notes = Array.from({ length: 60 }, (_, n) => [
      `memory/notes/${n}.md`,
      `A lighthouse in the fog, as in remark ${n}.`,
    ]);
    const pictures = Array.from({ length: 12 }, (_, n) => [
      `memory/more/${n}.png`,
      png(`pattern ${String.fromCharCode(97 + n).repeat(5)}`),
    ]);
    const files = { ...FILES, ...Object.fromEntries([...notes, ...pictures]) };
    const memory = await mediaMemory(distant, files).open({
      query: { hybrid: { enabled: false } },
    });
    await memory.backend.sync({});
    // Fewer candidates than there are notes. All of them are nearer than the picture, but they are
    // like each other, and it is like no other picture.
    const question = { query: 'lighthouse in the fog', maxResults: 3 };
    const { results } = await memory.backend.search(question);
    const at = results.findIndex(({ path }) => path === 'memory/photos/IMG_0001.png');
    assert.is(at, 0);
    assert.is(results.filter(({ kind }) => kind === 'media').length, 1);
    await memory.backend.close();
  } finally {
    await distant.close();
  }
});

test('a search embeds a few small files and leaves larger amounts to svc memory index', async ({
  fake,
}) => {
  const { folder, open } = mediaMemory(fake, FILES);
  const memory = await open();
  await memory.backend.sync({});
  folder.write('memory/new.png', png('a windmill'));
  assert.is(pathsOf(await memory.backend.search({ query: 'windmill' }))[0], 'memory/new.png');
  const sent = mediaSent(fake).length;
  const large = Buffer.concat([png('a canyon'), Buffer.alloc(9_000_000)]);
  folder.write('memory/large.png', large);
  for (let times = 0; times < 2; times++) {
    const { warnings } = await memory.backend.search({ query: 'canyon' });
    assert.ok(warnings.some(({ code }) => code === 'EMBEDDINGS_PENDING'));
  }
  assert.is(mediaSent(fake).length, sent);
  await memory.backend.sync({});
  assert.is(pathsOf(await memory.backend.search({ query: 'canyon' }))[0], 'memory/large.png');
  await memory.backend.close();
});

test("a deleted file does not take another one's place in what a search embeds", async ({
  fake,
}) => {
  const { folder, open } = mediaMemory(fake, FILES);
  const memory = await open();
  await memory.backend.sync({});
  folder.write('memory/a.png', Buffer.concat([png('a canyon'), Buffer.alloc(8_360_000)]));
  folder.write('memory/b.png', png('a windmill'));
  const onEvent = (event: SyncEvent): void => {
    if (event.type === 'embed.started') rmSync(folder.at('memory/a.png'), { force: true });
  };
  const found = await memory.backend.search({ query: 'windmill' }, { onEvent });
  assert.is(pathsOf(found)[0], 'memory/b.png');
  await memory.backend.close();
});

test('with batches on, texts are sent in a batch and media in inline requests', async ({
  fake,
}) => {
  const notes = Array.from(
    { length: 60 },
    (_, n) => [`memory/${n}.md`, `note number ${n}`] as const,
  );
  const { open } = mediaMemory(fake, { ...FILES, ...Object.fromEntries(notes) });
  const memory = await open({
    remote: {
      baseUrl: `${fake.origin}/v1beta`,
      apiKey: GEMINI_KEY,
      batch: { enabled: true, wait: false },
    },
  });
  const { embedding } = await memory.backend.sync({});
  assert.is(embedding?.embedded, 3);
  assert.is(fake.batches.jobs.length, 1);
  fake.batches.finish();
  const next = await memory.backend.sync({});
  assert.equal([next.embedding?.embedded, next.embedding?.pending], [61, 0]);
  assert.is(mediaSent(fake).flat().length, 3);
  await memory.backend.close();
});

test('if the provider fails, files stay pending and keyword search answers', async ({ fake }) => {
  fake.trouble('key_refused');
  const memory = await mediaMemory(fake, FILES).open();
  const { embedding } = await memory.backend.sync({});
  assert.equal([embedding?.failure?.code, embedding?.pending], ['PROVIDER_AUTH', 4]);
  fake.trouble(undefined);
  assert.is((await memory.backend.sync({})).embedding?.embedded, 4);
  await memory.backend.close();
});

test('a pipe with the name of a picture does not hold up a sync', async ({ fake }) => {
  const { folder, open } = mediaMemory(fake, FILES);
  execFileSync('mkfifo', [folder.at('memory/pipe.png')]);
  const memory = await open();
  assert.is((await memory.backend.sync({})).added, 4);
  await memory.backend.close();
});

test.run();
