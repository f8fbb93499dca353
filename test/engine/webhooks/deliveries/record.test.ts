import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createSecretMask } from '../../../../src/engine/masking/index.js';
import { createDatabase } from '../../../../src/engine/sqlite/database.js';
import { MS_PER_DAY } from '../../../../src/engine/support/time.js';
import {
  type NewDelivery,
  recordedDelivery,
} from '../../../../src/engine/webhooks/deliveries/delivery.js';
import {
  DeliveryFile,
  type DeliveryLimits,
  deliveriesFile,
} from '../../../../src/engine/webhooks/deliveries/delivery-file.js';
import { DeliveryReader } from '../../../../src/engine/webhooks/deliveries/delivery-reader.js';
import {
  DeliveryRecorder,
  type RecorderOptions,
} from '../../../../src/engine/webhooks/deliveries/delivery-recorder.js';
import { compileProgram } from '../../../support/compile.js';
import { newDelivery, recordDeliveries, type TestDelivery } from '../../../support/deliveries.js';
import { failureOf } from '../../../support/failure.js';
import { openFiles } from '../../../support/processes.js';
import { testLog } from '../../../support/services.js';
import { smallDisk } from '../../../support/small-disk.js';
import { type TempFolder, tempFolder } from '../../../support/temp-folder.js';
import { waitFor } from '../../../support/wait.js';
import { testWebhooks } from '../../../support/webhooks.js';

const test = suite('the record of deliveries');

const LIMITS: DeliveryLimits = { keep: 1000, days: 7, maxBodyBytes: 65_536, maxMegabytes: 64 };
const NOW = Date.parse('2026-03-02T12:00:00Z');
const SECRET = 'correct-horse-battery-staple';

function recorderIn(
  home: TempFolder,
  limits: Partial<DeliveryLimits> = {},
  mask: RecorderOptions['mask'] = createSecretMask([SECRET]),
) {
  const { logger, lines } = testLog();
  const clock = { nowMs: NOW, now: () => clock.nowMs };
  const options = { stateDir: home.path, mask, log: logger, clock };
  const recorder = new DeliveryRecorder({ ...options, limits: { ...LIMITS, ...limits } });
  return { recorder, lines, clock, reader: new DeliveryReader(home.path) };
}

const REASON = `refused, because of ${SECRET}`;

function delivered(overrides: TestDelivery = {}): NewDelivery {
  return newDelivery({ atMs: NOW, ...overrides });
}

test('deliveries are kept with what matters, in a private file, and read by any process', async () => {
  const home = tempFolder();
  const { recorder, reader } = recorderIn(home);
  assert.equal(reader.list({ limit: 10 }), []);
  assert.is(existsSync(deliveriesFile(home.path)), false);
  const before = reader.version();
  recorder.record(delivered());
  recorder.record(delivered({ isVerified: false, reason: REASON, route: 'other' }));
  await waitFor('the record', () => reader.count({ limit: 1 }) === 2);
  assert.is.not(reader.version(), before);
  assert.is(statSync(deliveriesFile(home.path)).mode & 0o777, 0o600);
  const [refused, performed] = reader.list({ limit: 10 });
  assert.ok(refused !== undefined && performed !== undefined);
  assert.match(performed.id, /^[0-9a-z]{10}$/u);
  const { event, deliveryId, action, ms, clientIp, bodyBytes } = performed;
  assert.equal(
    { event, deliveryId, action, ms, clientIp, bodyBytes },
    {
      event: 'push',
      deliveryId: 'd1',
      action: 'create_flow',
      ms: 1.2,
      clientIp: '::1',
      bodyBytes: 7,
    },
  );
  assert.equal([refused.isVerified, refused.bodyState], [false, 'none']);
  const { body, headers } = reader.find(performed.id.slice(0, 6).toUpperCase());
  assert.equal([body, headers], ['{"n":1}', { 'content-type': 'application/json' }]);
  assert.equal(
    reader.list({ limit: 9, failed: true }).map(({ route }) => route),
    ['other'],
  );
  assert.equal(reader.list({ limit: 9, route: 'ci' }).length, 1);
  assert.equal(reader.list({ limit: 9, text: 'PUSH' }).length, 1);
  assert.equal(reader.list({ limit: 9, afterSeq: performed.seq }), [refused]);
  assert.equal(reader.list({ limit: 9, sinceMs: NOW + 1 }), []);
  assert.is(
    (await failureOf(Promise.resolve().then(() => reader.find('zzzzz')))).code,
    'DELIVERY_NOT_FOUND',
  );
  await recorder.close();
  reader.close();
});

test('a follower of the record gets new deliveries, even after it was replaced', async () => {
  const home = tempFolder();
  const written = async (...routes: readonly string[]): Promise<void> => {
    const { recorder, reader } = recorderIn(home);
    for (const route of routes) recorder.record(delivered({ route }));
    await recorder.close();
    reader.close();
  };
  const follower = new DeliveryReader(home.path);
  const news = () => follower.listNew({ limit: 9 }).map(({ route }) => route);
  await written('one', 'two');
  assert.equal([news(), news()], [['two', 'one'], []]);
  await written('three');
  assert.equal([news(), news()], [['three'], []]);
  // As a damaged one is.
  const file = deliveriesFile(home.path);
  for (const end of ['', '-wal', '-shm']) {
    if (existsSync(`${file}${end}`)) renameSync(`${file}${end}`, `${file}.damaged${end}`);
  }
  await written('four');
  assert.equal(news(), ['four']);
  follower.close();
});

test('a flood is dropped before it is masked or written, and a scan cannot displace deliveries', async () => {
  const home = tempFolder();
  const { recorder, reader } = recorderIn(home, { keep: 150 });
  for (let n = 0; n < 50; n++) recorder.record(delivered({ body: `{"n":${n}}` }));
  for (let n = 0; n < 20_000; n++)
    recorder.record(delivered({ isVerified: false, reason: REASON }));
  await recorder.close();
  assert.is(reader.count({ limit: 1, failed: true }), 100);
  assert.is(reader.count({ limit: 1 }), 150);
  const second = recorderIn(home, { keep: 150 });
  for (let n = 0; n < 20_000; n++) {
    second.recorder.record(delivered({ body: `{"m":${n}}`, atMs: NOW + n }));
  }
  await second.recorder.close();
  assert.is(reader.count({ limit: 1 }), 250);
  const [newest] = reader.list({ limit: 1 });
  assert.is(reader.find(newest?.id ?? '').body, '{"m":19999}');
  // Ids, and so the order, stay unique.
  assert.is(new Set(reader.list({ limit: 999 }).map(({ id }) => id)).size, 250);
  reader.close();
});

test('old deliveries and those beyond the size limit are removed, and 0 removes all', async () => {
  const home = tempFolder();
  const { recorder, reader } = recorderIn(home, { maxMegabytes: 1 });
  recorder.record(delivered({ atMs: NOW - 8 * 86_400_000 }));
  for (let n = 0; n < 60; n++) {
    recorder.record(delivered({ atMs: NOW + n, body: `"${'word '.repeat(10_000)}"` }));
  }
  await recorder.close();
  const kept = reader.list({ limit: 99 });
  assert.ok(kept.length > 5 && kept.length < 21, String(kept.length));
  assert.is(kept[0]?.atMs, NOW + 59);
  assert.ok(statSync(deliveriesFile(home.path)).size < 4_500_000);
  reader.close();
  const off = recorderIn(home, { keep: 0 });
  off.recorder.record(delivered());
  await off.recorder.close();
  assert.equal(off.reader.list({ limit: 9 }), []);
  off.reader.close();
  const bytes = readFileSync(deliveriesFile(home.path)).toString('latin1');
  assert.not.match(bytes, 'word word');
});

const WRITTEN: readonly (readonly [name: string, body: string, contentType?: string])[] = [
  ['a known secret', `{"a":"${SECRET}"}`],
  ['with escapes', `{"a":"\\u0063orrect-horse-battery-staple"}`],
  ['a key of a vendor', '{"key":"ghp_abcdefghijklmnopqrstuvwxyz0123456789"}'],
  ['a password', '{"password":"hunter2hunter2"}'],
  ['in a form', `payload=%7B%22a%22%3A%22${SECRET}%22%7D`, 'application/x-www-form-urlencoded'],
  ['hidden in a form', 'a=%63orrect-horse-battery-staple', 'application/x-www-form-urlencoded'],
  ['at the end of what is kept', `{"a":"${'x'.repeat(990)} ${SECRET} ${'y'.repeat(9000)}"}`],
];

test('limits apply also if nothing arrives: at the start, and when they are changed', async () => {
  const home = tempFolder();
  const first = recorderIn(home);
  const routes = ['a', 'a', 'a', 'b'];
  for (const [at, route] of routes.entries()) {
    first.recorder.record(delivered({ route, atMs: NOW - (at === 0 ? 5 : 1) * MS_PER_DAY }));
  }
  await first.recorder.close();
  const kept = (): readonly string[] => first.reader.list({ limit: 9 }).map(({ route }) => route);
  assert.equal(kept(), ['b', 'a', 'a', 'a']);
  const { recorder } = recorderIn(home, { days: 3 });
  assert.equal(kept(), ['b', 'a', 'a']);
  recorder.setLimits({ ...LIMITS, keep: 1 });
  assert.equal(kept(), ['b', 'a']);
  await recorder.close();
  first.reader.close();
});

test('no secret is in the file, however it is written', async () => {
  const home = tempFolder();
  const { recorder, reader } = recorderIn(home, { maxBodyBytes: 1010 });
  for (const [, body, contentType] of WRITTEN) {
    recorder.record(delivered({ body, ...(contentType === undefined ? {} : { contentType }) }));
  }
  const refused = delivered({ isVerified: false, reason: REASON });
  recorder.record({ ...refused, answered: { ...refused.answered, requestId: SECRET } });
  await recorder.close();
  const all = readdirSync(home.path).map((name) => readFileSync(home.at(name)).toString('latin1'));
  for (const secret of ['correct-horse', 'battery', 'ghp_abc', 'hunter2', 'orrect-horse']) {
    assert.not.ok(
      all.some((bytes) => bytes.includes(secret)),
      secret,
    );
  }
  const states = reader.list({ limit: 99 }).map(({ bodyState }) => bodyState);
  assert.equal(states, ['none', 'cut', ...Array.from({ length: 6 }, () => 'masked')]);
  reader.close();
});

test('a body longer than the limit is kept up to the limit', () => {
  const mask = createSecretMask([SECRET]);
  const kept = (body: string, maxBytes: number) =>
    recordedDelivery(delivered({ body }), mask, maxBytes).body;
  assert.is(kept('x'.repeat(5000), 4096), 'x'.repeat(4096));
  assert.is(kept('x'.repeat(65_540), 65_536), 'x'.repeat(65_536));
  assert.is(kept('字'.repeat(10_000), 16_383), '字'.repeat(5461));
  // Never half a character.
  assert.is(kept(`${'x'.repeat(999)}${'🙂'.repeat(10)}`, 1000), 'x'.repeat(999));
  assert.is(kept(`${SECRET} ${'x'.repeat(5000)}`, 4096), `******** ${'x'.repeat(4067)}`);
});

test('a body is kept byte by byte, and one that is not text is not kept', async () => {
  const home = tempFolder();
  const { recorder, reader } = recorderIn(home);
  const binary = [Buffer.from([0xff, 0xfe]), '{"action":"list_flows"}\0'];
  const bodies = ['\uFEFF{"ü":"🙂\\n"}', '{ "a" :\t1e3 }', '', ...binary];
  for (const body of bodies) recorder.record(delivered({ body }));
  await recorder.close();
  const kept = reader
    .list({ limit: 9 })
    .map(({ id, bodyState }) => [bodyState, reader.find(id).body]);
  assert.equal(kept, [
    ...binary.map(() => ['binary', '']),
    ['none', ''],
    ['whole', bodies[1]],
    ['whole', bodies[0]],
  ]);
  reader.close();
});

test('a damaged file is set aside, and nothing fails', async () => {
  const home = tempFolder();
  writeFileSync(
    deliveriesFile(home.path),
    'not a database, but long enough to be taken for one '.repeat(99),
  );
  const { recorder, reader, lines } = recorderIn(home);
  assert.throws(() => reader.list({ limit: 1 }), /is damaged/);
  recorder.record(delivered());
  await recorder.close();
  assert.is(reader.count({ limit: 1 }), 1);
  assert.ok(existsSync(`${deliveriesFile(home.path)}.damaged`));
  assert.match(lines.join(''), 'the record of deliveries is damaged');
  reader.close();
});

test('a file that was deleted is started again', async () => {
  const home = tempFolder();
  const { recorder } = recorderIn(home);
  recorder.record(delivered());
  recorder.writeNow();
  for (const end of ['', '-wal', '-shm']) rmSync(`${deliveriesFile(home.path)}${end}`);
  recorder.record(delivered({ body: '{"n":2}' }));
  recorder.writeNow();
  const reader = new DeliveryReader(home.path);
  assert.is(reader.find(reader.list({ limit: 9 })[0]?.id ?? '').body, '{"n":2}');
  assert.is(reader.count({ limit: 1 }), 1);
  reader.close();
  await recorder.close();
});

const LOST = 'deliveries cannot be recorded';

test('a file that another process is writing is tried again, and nothing is lost', async () => {
  const home = tempFolder();
  const { recorder, reader, lines } = recorderIn(home);
  recorder.record(delivered());
  recorder.writeNow();
  const other = createDatabase(deliveriesFile(home.path), 0);
  other.exec('BEGIN IMMEDIATE');
  recorder.record(delivered());
  await waitFor('the failure', () => lines.join('').includes(LOST));
  other.exec('COMMIT');
  other.close();
  await waitFor('the delivery', () => recorder.counts.recorded === 2);
  await recorder.close();
  assert.equal(recorder.counts, {
    recorded: 2,
    dropped: { too_many: 0, too_large: 0, failed: 0 },
  });
  assert.is(reader.count({ limit: 1 }), 2);
  reader.close();
});

test('while another process is writing, each try waits for the one before', async () => {
  const home = tempFolder();
  createDatabase(deliveriesFile(home.path), 0).close();
  const triesMs: number[] = [];
  let isTrying = false;
  const mask: RecorderOptions['mask'] = {
    text: (text) => {
      if (!isTrying) triesMs.push(performance.now());
      isTrying = true;
      setImmediate(() => {
        isTrying = false;
      });
      return text;
    },
  };
  const { recorder } = recorderIn(home, {}, mask);
  const other = createDatabase(deliveriesFile(home.path), 0);
  other.exec('BEGIN IMMEDIATE');
  recorder.record(delivered());
  await waitFor('three tries', () => triesMs.length >= 3);
  other.exec('COMMIT');
  other.close();
  await recorder.close();
  const [first = 0, second = 0, third = 0] = triesMs;
  // Timers can fire a moment early.
  assert.ok(Math.min(second - first, third - second) > 900, `tried at ${triesMs.join(', ')}`);
});

test('the file of a newer svc is not touched', async () => {
  const home = tempFolder();
  const first = recorderIn(home);
  first.recorder.record(delivered());
  await first.recorder.close();
  const newer = createDatabase(deliveriesFile(home.path), 0);
  newer.pragma('user_version = 99');
  newer.close();
  const before = readFileSync(deliveriesFile(home.path));
  const { recorder, lines } = recorderIn(home);
  recorder.record(delivered());
  await recorder.close();
  assert.is(recorder.counts.dropped.failed, 1);
  assert.match(lines.join(''), /cannot be recorded: .*newer/u);
  assert.equal(readFileSync(deliveriesFile(home.path)), before);
});

test('a full disk is logged once a minute, and deliveries are recorded once it has room', async () => {
  const disk = smallDisk(2);
  if (disk === undefined) return;
  writeFileSync(join(disk, 'filler'), Buffer.alloc(1_700_000));
  const { recorder, lines, clock } = recorderIn({ ...tempFolder(), path: disk });
  const failures = (): number => lines.filter((line) => line.includes(LOST)).length;
  const record = (count: number): void => {
    for (let n = 0; n < count; n++) {
      recorder.record(delivered({ body: `{"x":"${'y'.repeat(60_000)}"}` }));
      recorder.writeNow();
    }
  };
  record(20);
  const lost = recorder.counts.dropped.failed;
  assert.ok(lost > 1, `${lost} were lost`);
  assert.is(failures(), 1);
  clock.nowMs += 61_000;
  record(2);
  assert.is(failures(), 2);
  rmSync(join(disk, 'filler'));
  const { recorded } = recorder.counts;
  record(1);
  assert.is(recorder.counts.recorded, recorded + 1);
  await recorder.close();
});

if (process.platform === 'linux') {
  test('a listener whose certificate cannot be used leaves no file open', async () => {
    const home = tempFolder();
    await recordDeliveries(home.path, [delivered()]);
    const tls = { cert: home.at('missing.pem'), key: home.at('missing.key') };
    for (const _start of [1, 2]) {
      const failure = await failureOf(testWebhooks({ home, gateway: { tls } }));
      assert.is(failure.code, 'LISTEN_FAILED');
    }
    assert.is(openFiles(home.path), 0);
  });
}

test('what is not recorded is counted by its reason', async () => {
  const home = tempFolder();
  const { recorder, reader } = recorderIn(home, { keep: 150 });
  for (let n = 0; n < 1000; n++) recorder.record(delivered());
  const large = Buffer.alloc(9_000_000);
  for (let n = 0; n < 3; n++) recorder.record(delivered({ body: large, route: 'large' }));
  await recorder.close();
  const { recorded, dropped } = recorder.counts;
  assert.equal(dropped, { too_many: 850, too_large: 2, failed: 0 });
  assert.equal([recorded, reader.count({ limit: 1 })], [151, 151]);
  reader.close();
});

test('after a kill, the file is whole, and only the last moment is missing', async () => {
  const home = tempFolder();
  const program = await compileProgram(new URL('recording-child.ts', import.meta.url));
  const child = spawn(process.execPath, [program, home.path]);
  let printed = 0;
  let errors = '';
  child.stdout.on('data', (part: Buffer) => {
    printed = Number(part.toString().trim().split('\n').at(-1));
  });
  child.stderr.on('data', (part: Buffer) => {
    errors += part.toString();
  });
  const reader = new DeliveryReader(home.path);
  await once(child.stdout, 'data');
  await waitFor('some records', () => reader.count({ limit: 1 }) > 50);
  const ended = new Promise((resolve) => child.on('exit', resolve));
  const before = printed;
  child.kill('SIGKILL');
  await ended;
  assert.is(errors, '');
  const kept = reader.list({ limit: 9999 }).map(({ id }) => JSON.parse(reader.find(id).body).n);
  const file = DeliveryFile.openExisting(deliveriesFile(home.path));
  assert.is(file?.fault(), undefined);
  file?.close();
  // In order and without a gap, up to a moment before.
  assert.equal(
    kept.toReversed(),
    Array.from(kept, (_, at) => at + 1),
  );
  assert.ok(before - kept.length < 1000, `${before} recorded, ${kept.length} kept`);
  reader.close();
});

test.run();
