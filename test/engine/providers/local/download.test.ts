import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tinyModel } from '../../../../scripts/tiny-gguf/tiny-model.js';
import type { EmbeddingEvent } from '../../../../src/engine/providers/embedding-event.js';
import {
  type DownloadModelOptions,
  downloadModel,
} from '../../../../src/engine/providers/local/download/download-model.js';
import {
  cacheFileName,
  parseModelReference,
  type RemoteReference,
} from '../../../../src/engine/providers/local/model.js';
import {
  createPacer,
  ONCE,
  type RetryRules,
} from '../../../../src/engine/providers/requests/pacer.js';
import { NEVER } from '../../../../src/engine/support/async.js';
import { type FileHost, sha256, startFileHost } from '../../../fakes/file-host.js';
import { fillDisk, freeDisk, smallDisk } from '../../../support/small-disk.js';
import { folderAt, type TempFolder, tempFolder } from '../../../support/temp-folder.js';
import { faultOf } from '../support.js';

const MODEL = tinyModel();
const FILES = new Map([
  ['/m/model.gguf', MODEL],
  ['/other/model.gguf', Buffer.concat([MODEL, Buffer.alloc(32)])],
  ['/cut.gguf', MODEL.subarray(0, 2000)],
  ['/empty.gguf', Buffer.alloc(0)],
  ['/page.gguf', Buffer.from('<html>please sign in</html>')],
  ['/api/models/ada/page/tree/main?recursive=true', Buffer.from('<html>please sign in</html>')],
  ['/ada/words/resolve/main/sub/words-Q8_0.gguf', MODEL],
  [
    '/api/models/ada/words/tree/main?recursive=true',
    Buffer.from(
      JSON.stringify([
        { type: 'directory', path: 'sub' },
        { type: 'file', path: 'README.md', size: 3 },
        { type: 'file', path: 'sub/words-Q4_K_M.gguf', size: 9, lfs: { oid: 'x', size: 9 } },
        {
          type: 'file',
          path: 'sub/words-Q8_0.gguf',
          size: MODEL.length,
          lfs: { oid: sha256(MODEL), size: MODEL.length },
        },
      ]),
    ),
  ],
]);

const test = suite<{ host: FileHost; folder: TempFolder }>('downloading a model');

test.before.each(async (context) => {
  context.host = await startFileHost(FILES);
  context.folder = tempFolder();
});
test.after.each(({ host }) => host.close());

/** Tries again without waiting. */
const SOON: RetryRules = {
  maxTries: 4,
  maxTimeouts: 4,
  maxUntimedLimits: 4,
  maxWaitMs: 1,
  giveUpOnLongWaits: false,
};

interface Run {
  readonly rules?: RetryRules;
  readonly signal?: AbortSignal;
  readonly env?: DownloadModelOptions['env'];
  readonly events?: EmbeddingEvent[];
  readonly onEvent?: (event: EmbeddingEvent) => void;
  readonly idleMs?: number;
  readonly modelCacheDir?: string;
}

function download(reference: string, folder: TempFolder, run: Run = {}) {
  const parsed = parseModelReference(reference);
  assert.ok(parsed.kind !== 'file');
  const nowMs = (): number => performance.now();
  const onEvent = run.onEvent ?? ((event: EmbeddingEvent) => void run.events?.push(event));
  return downloadModel(parsed, {
    modelCacheDir: run.modelCacheDir ?? folder.path,
    env: run.env ?? {},
    pacing: createPacer(nowMs, () => 0).pacing(run.rules ?? ONCE, onEvent),
    signal: run.signal ?? NEVER,
    onEvent,
    limits: { connectMs: 2000, idleMs: run.idleMs ?? 2000 },
  });
}

/** What lies in the folder besides the locks. */
function left(folder: TempFolder): readonly string[] {
  return readdirSync(folder.path).filter((name) => name !== '.locks');
}

test('a file is downloaded completely, with progress, in one request', async ({ host, folder }) => {
  const events: EmbeddingEvent[] = [];
  const url = `${host.url}/m/model.gguf`;
  const first = await download(url, folder, { events });
  assert.is(first.downloaded, true);
  assert.equal(readFileSync(first.path), MODEL);
  const [begin] = events;
  const end = events.at(-1);
  assert.ok(begin?.type === 'model.download' && end?.type === 'model.download');
  assert.equal([begin.bytes, begin.total], [0, MODEL.length]);
  assert.equal([end.bytes, end.total], [MODEL.length, MODEL.length]);
  const second = await download(url, folder);
  assert.equal(second, { path: first.path, downloaded: false });
  assert.is(host.requests.length, 1);
  assert.equal(left(folder), [first.path.slice(folder.path.length + 1)]);
});

test('two addresses that end alike are two files', async ({ host, folder }) => {
  const one = await download(`${host.url}/m/model.gguf`, folder);
  const two = await download(`${host.url}/other/model.gguf`, folder);
  assert.is.not(one.path, two.path);
  assert.is(readFileSync(two.path).length, MODEL.length + 32);
});

test('an interrupted download is resumed', async ({ host, folder }) => {
  host.behave({ cutAfter: [70_000, 60_000] });
  const events: EmbeddingEvent[] = [];
  const { path } = await download(`${host.url}/m/model.gguf`, folder, { rules: SOON, events });
  assert.equal(readFileSync(path), MODEL);
  const ranges = host.requests.map(({ headers }) => headers.range);
  assert.is(ranges[0], undefined);
  assert.ok(
    ranges.length === 3 && ranges.slice(1).every((range) => range !== 'bytes=0-'),
    `${ranges}`,
  );
  assert.ok(events.some(({ type }) => type === 'request.retried'));
});

test('a download of an earlier run is resumed', async ({ host, folder }) => {
  // Not cut off: what is still on its way then may be lost, on some versions all of so small a file.
  host.behave({ stallsAfter: 100_000 });
  const url = `${host.url}/m/model.gguf`;
  const { kind, hint } = (await faultOf(download(url, folder, { idleMs: 200 }))).details;
  assert.equal(
    [kind, hint],
    ['timeout', 'check the connection and try again; the partial download is kept'],
  );
  host.behave({});
  assert.equal(
    left(folder).map((name) => name.replace(/.*\.gguf/u, '')),
    ['.part', '.part.json'],
  );
  const { path } = await download(url, folder);
  assert.equal(readFileSync(path), MODEL);
  assert.match(host.requests.at(-1)?.headers.range ?? '', /^bytes=[1-9]\d*-$/u);
});

test('a file that changed meanwhile is downloaded from scratch', async ({ folder }) => {
  const files = new Map([['/m.gguf', tinyModel({ dimensions: 32, context: 2048 })]]);
  const host = await startFileHost(files);
  try {
    host.behave({ cutAfter: [150_000] });
    await faultOf(download(`${host.url}/m.gguf`, folder));
    files.set('/m.gguf', MODEL);
    host.behave({});
    assert.equal(readFileSync((await download(`${host.url}/m.gguf`, folder)).path), MODEL);
  } finally {
    await host.close();
  }
});

test('a host that knows no ranges sends everything again', async ({ host, folder }) => {
  host.behave({ cutAfter: [100_000], ignoresRanges: true });
  const { path } = await download(`${host.url}/m/model.gguf`, folder, { rules: SOON });
  assert.equal(readFileSync(path), MODEL);
});

test('a partial file without its metadata is discarded', async ({ host, folder }) => {
  const url = `${host.url}/m/model.gguf`;
  const reference = parseModelReference(url) as RemoteReference;
  writeFileSync(folder.at(`${cacheFileName(reference)}.part`), 'GGUF and something else');
  assert.equal(readFileSync((await download(url, folder)).path), MODEL);
});

test('a partial file longer than the file is downloaded from scratch', async ({ host, folder }) => {
  const url = `${host.url}/m/model.gguf`;
  host.behave({ cutAfter: [100_000] });
  await faultOf(download(url, folder));
  const part = left(folder).find((name) => name.endsWith('.part'));
  writeFileSync(folder.at(part ?? ''), Buffer.alloc(MODEL.length + 1000));
  const { path } = await download(url, folder, { rules: SOON });
  assert.equal(readFileSync(path), MODEL);
});

test("the download must match the hub's listing", async ({ host, folder }) => {
  const wrong = '0'.repeat(64);
  host.behave({ linkedSha256: wrong });
  const env = { HF_ENDPOINT: host.url };
  const fault = await faultOf(download('hf:ada/words/sub/words-Q8_0.gguf', folder, { env }));
  assert.is(fault.details.kind, 'answer');
  assert.match(fault.message, /SHA-256/u);
  assert.equal(left(folder), []);
  host.behave({ linkedSha256: sha256(MODEL) });
  const { path } = await download('hf:ada/words/sub/words-Q8_0.gguf', folder, { env });
  assert.equal(readFileSync(path), MODEL);
});

test('a token goes to the hub, and not to where it redirects', async ({ host, folder }) => {
  const store = await startFileHost(FILES);
  try {
    host.behave({ redirectTo: store.url });
    const env = { HF_ENDPOINT: host.url, HF_TOKEN: 'hf_secret' };
    const { path } = await download('hf:ada/words/sub/words-Q8_0.gguf', folder, { env });
    assert.equal(readFileSync(path), MODEL);
    assert.is(host.requests[0]?.headers.authorization, 'Bearer hf_secret');
    assert.is(store.requests[0]?.headers.authorization, undefined);
  } finally {
    await store.close();
  }
});

test('a token that the hub repeats in its error is masked', async ({ folder }) => {
  const env = { HF_TOKEN: 'corp-token-0123456789' };
  for (const inHeader of [true, false]) {
    const hub = createServer(({ headers }, response) => {
      const error = `no access for ${headers.authorization}`;
      response.writeHead(403, inHeader ? { 'x-error-message': error } : {}).end(error);
    });
    await new Promise<void>((listening) => hub.listen(0, '127.0.0.1', listening));
    const address = hub.address();
    assert.ok(typeof address === 'object' && address !== null);
    const HF_ENDPOINT = `http://127.0.0.1:${address.port}`;
    const { message } = await faultOf(
      download('hf:ada/words/a.gguf', folder, { env: { ...env, HF_ENDPOINT } }),
    );
    hub.closeAllConnections();
    hub.close();
    assert.not.match(message, env.HF_TOKEN);
    assert.match(message, 'no access for ********');
  }
});

test('no token goes to another host than the hub', async ({ host, folder }) => {
  await download(`${host.url}/m/model.gguf`, folder, { env: { HF_TOKEN: 'hf_secret' } });
  assert.is(host.requests[0]?.headers.authorization, undefined);
});

test('a part is taken up although the store behind the hub changed', async ({ host, folder }) => {
  const store = await startFileHost(FILES);
  try {
    const env = { HF_ENDPOINT: host.url };
    host.behave({ redirectTo: store.url });
    store.behave({ stallsAfter: 100_000, etag: '"one"' });
    // Long enough for its beginning to come, even on a busy machine.
    await faultOf(download('hf:ada/words/sub/words-Q8_0.gguf', folder, { env, idleMs: 1500 }));
    store.behave({ etag: '"two"' });
    const { path } = await download('hf:ada/words/sub/words-Q8_0.gguf', folder, { env });
    assert.equal(readFileSync(path), MODEL);
    assert.match(store.requests.at(-1)?.headers.range ?? '', /^bytes=[1-9]/u);
  } finally {
    await store.close();
  }
});

test('a quantization is found among the files of its repository', async ({ host, folder }) => {
  const env = { HF_ENDPOINT: host.url };
  const { path } = await download('hf:ada/words:q8_0', folder, { env });
  assert.equal(readFileSync(path), MODEL);
  assert.is((await download('hf:ada/words:Q8_0', folder, { env })).downloaded, false);
  const fault = await faultOf(download('hf:ada/words:Q2_K', folder, { env }));
  assert.is(fault.details.kind, 'model');
  assert.match(fault.details.hint ?? '', /sub\/words-Q8_0\.gguf/u);
});

for (const [status, kind] of [
  [401, 'auth'],
  [403, 'auth'],
  [404, 'model'],
  [429, 'rate'],
  [503, 'overload'],
] as const) {
  test(`status ${status} is reported as ${kind}, with a hint`, async ({ host, folder }) => {
    host.behave({ status });
    const fault = await faultOf(download(`${host.url}/m/model.gguf?key=secret`, folder));
    assert.is(fault.details.kind, kind);
    assert.ok(fault.details.hint);
    assert.not.match(`${fault.message} ${fault.details.hint}`, /secret/u);
    assert.equal(left(folder), []);
  });
}

test('a web page instead of a model is recognised by its first bytes', async ({ host, folder }) => {
  const fault = await faultOf(download(`${host.url}/page.gguf`, folder));
  assert.is(fault.details.kind, 'answer');
  assert.match(fault.message, /not serve a GGUF file/u);
});

test('a hub that does not list its files is named', async ({ host, folder }) => {
  for (const HF_ENDPOINT of [host.url, 'http://127.0.0.1:1']) {
    const fault = await faultOf(download('hf:ada/page:Q8_0', folder, { env: { HF_ENDPOINT } }));
    assert.match(fault.details.hint ?? '', `check that ${HF_ENDPOINT} is reachable`);
  }
});

test('an unusable folder is named, with its setting', async ({ host, folder }) => {
  folder.write('file', '');
  const reference = `${host.url}/m/model.gguf`;
  for (const modelCacheDir of [folder.at('file'), '/proc/models']) {
    const fault = await faultOf(download(reference, folder, { modelCacheDir }));
    assert.is(fault.details.kind, 'setup');
    assert.match(fault.message, `cannot write the model to ${modelCacheDir}/`);
    assert.match(fault.details.hint ?? '', 'memorySearch.local.modelCacheDir');
  }
});

test('a complete download of an incomplete model is not kept', async ({ host, folder }) => {
  for (const [name, words] of [
    ['cut', /is not a whole GGUF model/u],
    ['empty', /not serve a GGUF file/u],
  ] as const) {
    const fault = await faultOf(download(`${host.url}/${name}.gguf`, folder));
    assert.is(fault.details.kind, 'answer');
    assert.match(fault.message, words);
    assert.equal(left(folder), []);
  }
});

for (const [how, behaviour] of [
  ['never answers', { neverAnswers: true }],
  ['stalls in the middle', { stallsAfter: 50_000 }],
] as const) {
  test(`a host that ${how} is abandoned`, async ({ host, folder }) => {
    host.behave(behaviour);
    const fault = await faultOf(download(`${host.url}/m/model.gguf`, folder, { idleMs: 60 }));
    assert.is(fault.details.kind, 'timeout');
  });
}

test('an unreachable host is reported by its name, with a hint', async ({ host, folder }) => {
  host.behave({ redirectTo: 'http://127.0.0.1:1' });
  for (const url of ['http://127.0.0.1:1/m.gguf', `${host.url}/m/model.gguf`]) {
    const fault = await faultOf(download(url, folder));
    assert.equal([fault.details.kind, fault.details.code], ['network', 'ECONNREFUSED']);
    assert.match(fault.message, /^the download from 127\.0\.0\.1:1 failed: /u);
    assert.ok(fault.details.hint);
    assert.not.match(fault.details.hint, /partial download/u);
  }
});

test('it stops at once on abort, and keeps the partial file', async ({ host, folder }) => {
  host.behave({ stallsAfter: 100_000 });
  const stop = new AbortController();
  const onEvent = (event: EmbeddingEvent): void => {
    if (event.type === 'model.download' && event.bytes > 0) stop.abort(new Error('stopped'));
  };
  // The first event comes with no bytes, later ones are spaced in time.
  const timer = setInterval(() => {
    const part = left(folder).find((name) => name.endsWith('.part'));
    if (part !== undefined && readFileSync(folder.at(part)).length > 0)
      stop.abort(new Error('stopped'));
  }, 5);
  const work = download(`${host.url}/m/model.gguf`, folder, {
    signal: stop.signal,
    onEvent,
    idleMs: 60_000,
  });
  const message = await work.catch((error: unknown) => String(error));
  clearInterval(timer);
  assert.is(message, 'Error: stopped');
  assert.ok(left(folder).some((name) => name.endsWith('.part')));
});

const disk = smallDisk(1);
const whenSmall = disk === undefined ? test.skip : test;

whenSmall(
  'a disk that is too full is reported before the download, with a hint',
  async ({ host }) => {
    const dir = disk ?? '';
    fillDisk(dir, 100_000);
    const full = folderAt(dir);
    const fault = await faultOf(download(`${host.url}/m/model.gguf`, full));
    assert.is(fault.details.kind, 'setup');
    assert.match(`${fault.message} ${fault.details.hint}`, /not enough disk space.*modelCacheDir/u);
    freeDisk(dir);
    assert.equal(readFileSync((await download(`${host.url}/m/model.gguf`, full)).path), MODEL);
  },
);

test('two processes: one downloads, the other waits and uses the same file', async ({
  host,
  folder,
}) => {
  const url = `${host.url}/m/model.gguf`;
  const events: EmbeddingEvent[] = [];
  const results = await Promise.all([
    download(url, folder, { events }),
    download(url, folder, { events }),
  ]);
  assert.equal(results.map(({ downloaded }) => downloaded).sort(), [false, true]);
  assert.is(host.requests.length, 1);
  assert.ok(events.some(({ type }) => type === 'model.waiting'));
  assert.ok(existsSync(results[0].path));
});

test.run();
