import { readFileSync, rmSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { GEMINI_KEY, type GeminiFake, startGeminiFake } from '../fakes/gemini.js';
import { jsonOf } from '../support/json.js';
import { modulesLoadedBy } from '../support/loaded-modules.js';
import { mp3, png, wav, webp } from '../support/media-files.js';
import type { SvcRun } from '../support/run-svc.js';
import { geminiSearchSettings, mediaSent } from '../support/semantic-memory.js';
import { runInSession } from '../support/svc-session.js';
import { folderOf, type TempFolder } from '../support/temp-folder.js';

/** The built program with images and recordings: a strict fake of Gemini. */
const test = suite<{ fake: GeminiFake }>('images and recordings');

test.before.each(async (context) => {
  context.fake = await startGeminiFake({ dimensions: 1024 });
});
test.after.each(({ fake }) => fake.close());

const FILES = {
  'ws/MEMORY.md': '# Garden\n\nThe apple tree is pruned in February.\n',
  'ws/memory/2026-02-03.md': '# Backups\n\nThe nightly backup runs at 02:30.\n',
  'ws/memory/IMG_1.png': png('a lighthouse in fog'),
  'ws/memory/IMG_2.png': png('a cat on a sofa'),
  'ws/memory/REC_1.mp3': mp3('the plumber comes on Thursday'),
  'ws/memory/map.webp': webp('a map of the harbour'),
  'ws/memory/fake.png': 'no picture at all',
};

function homeWith(fake: GeminiFake, memorySearch: object = {}): TempFolder {
  const settings = { ...geminiSearchSettings(fake), ...memorySearch };
  const config = { agents: { defaults: { workspace: 'ws', memorySearch: settings } } };
  return folderOf({ ...FILES, 'svc.json': JSON.stringify(config, null, 2) });
}

async function svc(home: TempFolder, ...args: readonly string[]): Promise<SvcRun> {
  const run = await runInSession(args, { home: home.path });
  assert.not.match(run.stdout + run.stderr, GEMINI_KEY);
  return run;
}

test('a folder of notes, pictures and recordings is indexed, and questions find them', async ({
  fake,
}) => {
  const home = homeWith(fake);
  const indexed = await svc(home, 'memory', 'index', '--json');
  assert.is(indexed.code, 0);
  const { agents, warnings } = jsonOf.index(indexed);
  const [agent] = agents;
  if (agent === undefined || 'error' in agent) throw new Error(indexed.stdout);
  assert.equal([agent.added, agent.embedding?.embedded, agent.embedding?.refused], [6, 5, 1]);
  assert.equal(
    agent.skipped.map(({ path, reason }) => [path, reason]),
    [['memory/fake.png', 'wrong_format']],
  );
  assert.match(JSON.stringify(warnings), /memory\/map\.webp: Unsupported MIME type/);
  const found = jsonOf.search(await svc(home, 'memory', 'search', 'lighthouse', '--json'));
  const [best] = found.results;
  assert.equal(
    [best?.path, best?.kind, best?.mimeType],
    ['memory/IMG_1.png', 'media', 'image/png'],
  );
  const spoken = await svc(home, 'memory', 'search', 'when does the plumber come');
  assert.match(spoken.stdout, /memory\/REC_1\.mp3 {2}audio\/mpeg/);
  const notes = jsonOf.search(await svc(home, 'memory', 'search', 'apple tree', '--json'));
  assert.equal([notes.results[0]?.path, notes.results[0]?.kind], ['MEMORY.md', 'markdown']);
  const sent = mediaSent(fake).length;
  assert.is((await svc(home, 'memory', 'index')).code, 0);
  assert.is(mediaSent(fake).length, sent);
});

test('status counts media and lists the refused; get describes a file', async ({ fake }) => {
  const home = homeWith(fake);
  await svc(home, 'memory', 'index');
  const [status] = jsonOf.status(await svc(home, 'memory', 'status', '--json')).agents;
  const { index } = status ?? {};
  assert.equal(index?.state === 'ready' && index.statistics.media, { images: 3, audio: 1 });
  assert.equal(
    status?.media?.refused.map(({ path }) => path),
    ['memory/map.webp'],
  );
  const shown = await svc(home, 'memory', 'status');
  assert.match(shown.stdout, /media +3 images, 1 recording\n/);
  assert.match(shown.stdout, /refused by the provider: memory\/map\.webp \(Unsupported MIME/);
  const got = jsonOf.get(await svc(home, 'memory', 'get', 'memory/REC_1.mp3', '--json'));
  assert.equal([got.kind, got.media?.mimeType], ['media', 'audio/mpeg']);
  const text = await svc(home, 'memory', 'get', 'memory/IMG_1.png#L1');
  assert.match(text.stdout, /^Image file: memory\/IMG_1\.png\ntype: image\/png\n/);
});

test('index, status and doctor name a text-only model, and texts are found', async ({ fake }) => {
  const home = homeWith(fake, { model: 'gemini-embedding-001' });
  const indexed = await svc(home, 'memory', 'index');
  assert.is(indexed.code, 0);
  assert.match(
    indexed.stderr,
    /can only be found by name: model gemini-embedding-001 only embeds text/,
  );
  assert.match(
    (await svc(home, 'memory', 'status')).stdout,
    /gemini-embedding-001 only embeds text/,
  );
  const doctor = await svc(home, 'config', 'doctor', '--json');
  assert.match(doctor.stdout, /media-unavailable/);
  const found = jsonOf.search(await svc(home, 'memory', 'search', 'nightly backup', '--json'));
  assert.is(found.results[0]?.path, 'memory/2026-02-03.md');
  assert.is(mediaSent(fake).length, 0);
});

test('media with a text-only adapter is a configuration error', async ({ fake }) => {
  const home = homeWith(fake, { provider: 'mistral', model: 'mistral-embed' });
  const run = await svc(home, 'memory', 'index');
  assert.is(run.code, 2);
  assert.match(run.stderr, /cannot embed images and audio/);
});

test('format detection is loaded only for media files', async ({ fake }) => {
  const loads = async (home: TempFolder): Promise<boolean> => {
    const { files, run } = await modulesLoadedBy(['memory', 'index'], { home: home.path });
    assert.is(run.code, 0, run.stderr);
    return files.some((file) => readFileSync(file, 'utf8').includes(MARK_IN_LIBRARY));
  };
  assert.is(await loads(homeWith(fake, { multimodal: { enabled: false } })), false);
  const home = homeWith(fake);
  assert.is(await loads(home), true);
  // What is no picture is looked at again each time.
  rmSync(home.at('ws/memory/fake.png'));
  assert.is(await loads(home), false);
  home.write('ws/memory/bell.wav', wav('a bell'));
  assert.is(await loads(home), true);
});

/** Stands in the library that tells formats, and in no code of ours. */
const MARK_IN_LIBRARY = 'audio/x-musepack';

test.run();
