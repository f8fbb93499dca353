import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setImmediate as othersTurn } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { outcomeLogFile } from '../../../src/engine/active-memory/outcome.js';
import { readRecallState, recallStateFile } from '../../../src/engine/active-memory/state-file.js';
import { acquireIndexLock } from '../../../src/engine/memory/sync/index-lock.js';
import { CHAT_KEY, startOpenAiChatFake } from '../../fakes/chat.js';
import { startOpenAiFake } from '../../fakes/openai.js';
import { migratedDatabase, realServer, startPglite } from '../../support/postgres.js';
import { modelsOf, NOTES, recallWorld, SESSION_KEY, withModel } from './support.js';

const test = suite('recalling for a turn');

test('matching notes are recalled, with their source', async () => {
  const { recall } = recallWorld();
  const outcome = await recall('when does the nightly backup run?');
  assert.is(outcome.status, 'ok');
  assert.match(outcome.recalled?.summary ?? '', /03:15 on host atlas.*\(MEMORY\.md#L/);
  assert.is(outcome.recalled?.model, null);
  assert.equal(outcome.warnings, []);
});

test('with no time left, a memory is not opened', async () => {
  const memorySearch = { provider: 'none', enabled: false };
  const { recall } = recallWorld({}, { agents: { defaults: { workspace: 'ws', memorySearch } } });
  const { status } = await recall('when does the nightly backup run?', {}, 0);
  assert.is(status, 'timeout');
  // A failure that nobody waits for would end this process.
  await othersTurn();
});

test('nothing is recalled that memory does not contain', async () => {
  const { recall } = recallWorld();
  const outcome = await recall('please write a haiku concerning volcanoes');
  assert.is(outcome.status, 'empty');
  assert.is(outcome.recalled, undefined);
});

test('what was said in the conversation itself is not recalled', async () => {
  const line = (text: string): string =>
    `${JSON.stringify({ type: 'message', message: { role: 'user', content: text } })}\n`;
  const memorySearch = {
    provider: 'none',
    sources: ['memory', 'sessions'],
    experimental: { sessionMemory: true },
  } as const;
  const more = { agents: { defaults: { workspace: 'ws', memorySearch } } };
  const { recall, pass } = recallWorld({}, more, {
    ...NOTES,
    // It has the question more often than a recall looks at passages.
    'home/agents/main/sessions/this.jsonl': line('where is the red xylophone?').repeat(40),
    'home/agents/main/sessions/other.jsonl': line('the red xylophone is in the attic'),
  });
  const pathsFor = async (transcriptFile?: string): Promise<unknown> => {
    pass(60_000);
    const { recalled } = await recall('where is the red xylophone?', { transcriptFile });
    return recalled?.sources.map(({ path }) => path);
  };
  assert.equal(await pathsFor('/elsewhere/this.jsonl'), ['sessions/main/other.jsonl']);
  assert.equal(await pathsFor('/elsewhere/other.jsonl'), ['sessions/main/this.jsonl']);
});

test('a closed gate searches nothing and creates no index', async () => {
  const { recall, folder } = recallWorld({ agents: ['other'] });
  const outcome = await recall('when does the nightly backup run?');
  assert.is(outcome.status, 'closed');
  assert.is(outcome.gates.closed?.gate, 'plugin');
  assert.not(existsSync(folder.at('home')));
});

test('an answer is cached for its lifetime, conversation, message and settings', async () => {
  const world = recallWorld({ cacheTtlMs: 10_000 });
  const ask = (more = {}) => world.recall('when does the nightly backup run?', more);
  assert.not((await ask()).cached);
  const again = await ask();
  assert.ok(again.cached);
  assert.match(again.recalled?.summary ?? '', /03:15/);
  const other = { sessionKey: 'agent:main:telegram:direct:43', channel: 'telegram' };
  assert.not((await ask({ session: other })).cached);
  assert.not((await world.recall('which car is it?')).cached);
  world.pass(10_001);
  assert.not((await ask()).cached);
  world.configure({ cacheTtlMs: 10_000, maxSummaryChars: 60 });
  assert.not((await ask()).cached);
});

test('an empty answer is cached as well', async () => {
  const { recall } = recallWorld();
  assert.not((await recall('please write a haiku concerning volcanoes')).cached);
  const again = await recall('please write a haiku concerning volcanoes');
  assert.ok(again.cached);
  assert.is(again.status, 'empty');
});

test('a summary keeps to its length', async () => {
  const notes = { 'ws/MEMORY.md': `The nightly backup ${'runs and '.repeat(200)} ends.` };
  for (const maxSummaryChars of [40, 220, 1000]) {
    const { recall } = recallWorld({ maxSummaryChars }, {}, notes);
    const { recalled } = await recall('nightly backup');
    const length = recalled?.summary.length ?? 0;
    assert.ok(length > 20 && length <= maxSummaryChars, String(length));
  }
});

test('citations are omitted if switched off', async () => {
  const { recall } = recallWorld({}, { memory: { citations: 'off' } });
  const bare = await recall('when does the nightly backup run?');
  assert.match(bare.recalled?.summary ?? '', /03:15/);
  assert.not.match(bare.recalled?.summary ?? '', /MEMORY\.md#L/);
});

test('problems with memory are reported and do no harm', async () => {
  const { recall, folder } = recallWorld();
  rmSync(folder.at('ws'), { recursive: true });
  const outcome = await recall('when does the nightly backup run?');
  assert.is(outcome.status, 'unavailable');
  assert.equal(
    outcome.warnings.map(({ code }) => code),
    ['RECALL_FAILED'],
  );
  assert.equal(readRecallState(folder.at('home')).recalls, []);
});

test('a broken or unwritable state does not prevent a recall', async () => {
  const { recall, context, folder } = recallWorld();
  folder.write('home/plugins/active-memory/state.json', '{"recalls": [');
  assert.is((await recall('when does the nightly backup run?')).status, 'ok');
  rmSync(recallStateFile(context.state.stateDir));
  rmSync(folder.at('home/plugins'), { recursive: true });
  folder.write('home/plugins', 'in the way');
  // The switches cannot be read either, and a switch is not lost by that.
  const outcome = await recall('when does the nightly backup run?');
  assert.is(outcome.status, 'ok');
});

test('a model condenses the results, and gets what it needs', async () => {
  const reply = () => 'The backup runs nightly at 03:15 on atlas.';
  await withModel({ promptAppend: 'Be kind.' }, { reply }, async ({ recall }, fake) => {
    const earlier = () => [{ role: 'user', text: 'hello there' }] as const;
    const outcome = await recall('when does the nightly backup run?', { earlier });
    assert.is(outcome.status, 'ok');
    assert.is(outcome.recalled?.summary, 'The backup runs nightly at 03:15 on atlas.');
    assert.is(outcome.recalled?.model, 'corp/small');
    const sent = fake.requests[0]?.body.toString('utf8') ?? '';
    for (const part of ['Be kind.', 'at most 220', 'User: hello there', '03:15 on host atlas']) {
      assert.ok(sent.includes(part), part);
    }
  });
});

test("a model's answer that nothing is relevant is accepted", async () => {
  await withModel({}, { reply: () => 'NONE' }, async ({ recall }) => {
    assert.is((await recall('when does the nightly backup run?')).status, 'empty');
  });
});

test('a model is not asked when nothing was found', async () => {
  await withModel({}, {}, async ({ recall }, fake) => {
    assert.is((await recall('please write a haiku concerning volcanoes')).status, 'empty');
    assert.is(fake.requests.length, 0);
  });
});

test('if the model fails, rules select, with the reason', async () => {
  await withModel({}, {}, async ({ recall, folder }, fake) => {
    fake.trouble('key_refused');
    const outcome = await recall('when does the nightly backup run?');
    assert.is(outcome.status, 'ok');
    assert.match(outcome.recalled?.summary ?? '', /03:15/);
    assert.is(outcome.recalled?.model, null);
    assert.is(outcome.warnings[0]?.code, 'RECALL_FAILED');
    assert.not.match(JSON.stringify(outcome), CHAT_KEY);
    // The next time it may answer.
    assert.equal(readRecallState(folder.at('home')).recalls, []);
  });
});

test('the model of the turn is used where none is configured, the fallback where that cannot be', async () => {
  const reply = ({ model }: { model: string }) => `from ${model}`;
  await withModel(
    { model: undefined, modelFallback: 'corp/spare' },
    { reply },
    async ({ recall }) => {
      const by = async (message: string, runModel?: string) =>
        (await recall(message, { runModel })).recalled?.summary;
      assert.is(await by('nightly backup host', 'corp/run'), 'from run');
      assert.is(await by('nightly backup host', 'gpt-of-somebody'), 'from spare');
      assert.is(await by('the nightly backup host'), 'from spare');
    },
  );
});

test('a hanging model is not waited for: rules select in time', async () => {
  await withModel({ timeoutMs: 400 }, {}, async ({ recall }, fake) => {
    fake.trouble('slow');
    const started = performance.now();
    const outcome = await recall('when does the nightly backup run?');
    assert.ok(performance.now() - started < 5000);
    assert.is(outcome.status, 'timeout_partial');
    assert.match(outcome.recalled?.summary ?? '', /03:15/);
    assert.is(outcome.warnings[0]?.code, 'RECALL_TIMED_OUT');
  });
});

test('the breaker opens after consecutive timeouts, tries once after its pause, and closes', async () => {
  // Long enough for the words on a busy machine.
  const config = { timeoutMs: 1500, circuitBreakerMaxTimeouts: 2, circuitBreakerCooldownMs: 5000 };
  await withModel(config, { reply: () => 'It runs at 03:15.' }, async ({ recall, pass }, fake) => {
    const ask = (n: number) => recall(`nightly backup host ${n}`);
    fake.trouble('slow');
    assert.is((await ask(1)).breaker, 'closed');
    assert.is((await ask(2)).breaker, 'closed');
    const asked = fake.requests.length;
    const open = await ask(3);
    assert.is(open.breaker, 'open');
    assert.is(fake.requests.length, asked);
    // Words need nobody.
    assert.match(open.recalled?.summary ?? '', /03:15/);
    assert.is(open.status, 'timeout_partial');
    pass(5001);
    const tried = await ask(4);
    assert.is(tried.breaker, 'half_open');
    assert.is((await ask(5)).breaker, 'open');
    pass(5001);
    fake.trouble(undefined);
    const healed = await ask(6);
    assert.is(healed.breaker, 'half_open');
    assert.is(healed.status, 'ok');
    assert.is((await ask(7)).breaker, 'closed');
  });
});

test('while one recall tries a breaker, others leave it alone', async () => {
  const config = { timeoutMs: 300, circuitBreakerMaxTimeouts: 1, circuitBreakerCooldownMs: 5000 };
  await withModel(config, {}, async ({ recall, pass }, fake) => {
    fake.trouble('slow');
    await recall('nightly backup host 1');
    pass(5001);
    const both = await Promise.all([
      recall('nightly backup host 2'),
      recall('nightly backup host 3'),
    ]);
    assert.equal(both.map(({ breaker }) => breaker).sort(), ['half_open', 'open']);
  });
});

test('a shared memory that does not answer is skipped while the breaker is open', async () => {
  let connections = 0;
  const silent = createServer(() => {
    connections += 1;
  }).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const url = `postgres://u:p@127.0.0.1:${port}/db`;
  // Whichever of the two ends first. After a timeout, keywords get all of the time first.
  for (const [timeoutMs, connectTimeoutSeconds, waited, tried] of [
    [15_000, 1, 'unavailable', []],
    [1500, 5, 'timeout', [['timeout', 'open', true]]],
  ] as const) {
    const config = { timeoutMs, circuitBreakerMaxTimeouts: 2, circuitBreakerCooldownMs: 5000 };
    const { recall, pass } = recallWorld(config, { storage: { url, connectTimeoutSeconds } });
    const seen: unknown[] = [];
    for (const passed of [0, 0, ...tried.map(() => 0), 0, 5001, 0]) {
      pass(passed);
      const before = connections;
      const { status, breaker } = await recall(`nightly backup ${seen.length}`);
      seen.push([status, breaker, connections > before]);
    }
    assert.equal(seen, [
      [waited, 'closed', true],
      [waited, 'closed', true],
      ...tried,
      ['unavailable', 'open', false],
      [waited, 'half_open', true],
      ['unavailable', 'open', false],
    ]);
  }
  silent.close();
});

test('a first index that another process is building delays only a few turns', async () => {
  const config = { timeoutMs: 400, circuitBreakerMaxTimeouts: 2, circuitBreakerCooldownMs: 5000 };
  const { recall, pass, context, configure } = recallWorld(config);
  const indexFile = join(context.state.stateDir, 'memory/main.sqlite');
  const lock = await acquireIndexLock(indexFile, { nowMs: 0, waitMs: 0 });
  const seen: unknown[] = [];
  for (const passed of [0, 0, 0, 0, 5001, 0]) {
    pass(passed);
    const { status, breaker } = await recall(`nightly backup ${seen.length}`);
    seen.push([status, breaker]);
  }
  assert.equal(seen, [
    ['timeout', 'closed'],
    ['timeout', 'closed'],
    ['timeout', 'open'],
    ['unavailable', 'open'],
    ['timeout', 'half_open'],
    ['unavailable', 'open'],
  ]);
  lock?.release();
  pass(5001);
  configure({ ...config, timeoutMs: 15_000 });
  assert.match(
    (await recall('when does the nightly backup run?')).recalled?.summary ?? '',
    /03:15/,
  );
});

test('with a hanging embedding provider, keyword results are recalled', async () => {
  const fake = await startOpenAiFake({ dimensions: 64 });
  try {
    const provider = {
      provider: 'openai',
      remote: { baseUrl: `${fake.origin}/v1`, apiKey: 'k'.repeat(20) },
    };
    const agents = { defaults: { workspace: 'ws', memorySearch: provider } };
    const config = { enabled: true, config: { agents: ['main'], timeoutMs: 4000 } };
    const world = recallWorld({}, { agents, plugins: { entries: { 'active-memory': config } } });
    fake.trouble('slow');
    const outcome = await world.recall('when does the nightly backup run?');
    assert.is(outcome.status, 'timeout_partial');
    assert.match(outcome.recalled?.summary ?? '', /03:15/);
  } finally {
    await fake.close();
  }
});

test('a shared memory without an answer is not skipped because an embedding provider hangs', async () => {
  const postgres = (await realServer()) ?? (await startPglite());
  const fake = await startOpenAiFake({ dimensions: 64 });
  try {
    const url = await migratedDatabase(postgres);
    const remote = { baseUrl: `${fake.origin}/v1`, apiKey: 'k'.repeat(20) };
    const config = {
      agents: { defaults: { workspace: 'ws', memorySearch: { provider: 'openai', remote } } },
      storage: { url, poolSize: 1 },
    };
    const { recall } = recallWorld({ timeoutMs: 4000, circuitBreakerMaxTimeouts: 1 }, config);
    await recall('when does the nightly backup run?');
    fake.trouble('slow');
    assert.is((await recall('please write a haiku concerning volcanoes')).status, 'timeout');
    const { breaker, recalled } = await recall('when does the nightly backup run, exactly?');
    assert.is(breaker, 'open');
    assert.match(recalled?.summary ?? '', /03:15/);
  } finally {
    await fake.close();
    await postgres.stop();
  }
});

test('with no time left there is no recall, and no error', async () => {
  const { recall } = recallWorld();
  const outcome = await recall('when does the nightly backup run?', {}, -5);
  assert.is(outcome.status, 'timeout');
  assert.is(outcome.recalled, undefined);
});

test('an abort is reported as such', async () => {
  const { lane } = recallWorld();
  const abort = new AbortController();
  abort.abort(new Error('stop'));
  const session = { sessionKey: SESSION_KEY, channel: 'x' };
  const turn = { message: 'nightly backup', earlier: () => [], session, trigger: 'user' };
  try {
    await (await lane()).recall(turn, { signal: abort.signal, leftMs: 5000 });
    assert.unreachable();
  } catch (error) {
    assert.is(error, abort.signal.reason);
  }
});

test('recalls are logged if configured, without the text of the conversation', async () => {
  const { recall, context } = recallWorld({ logging: true });
  await recall('when does the nightly backup run?');
  await recall('when does the nightly backup run?', { trigger: 'cron' });
  const file = outcomeLogFile(context.state.stateDir);
  const text = readFileSync(file, 'utf8');
  const lines = text
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
  assert.is(lines.length, 2);
  assert.match(text, /"status":"ok".*\n.*"closedBy":"interactive"/);
  assert.not.match(text, /nightly|03:15/);
  assert.is(statSync(file).mode & 0o777, 0o600);
});

test('the prompt of a model is saved if configured, below the state folder', async () => {
  const config = { persistTranscripts: true, transcriptDir: '../../../up/./here' };
  await withModel(config, { reply: () => 'At 03:15.' }, async ({ recall, folder }) => {
    await recall('when does the nightly backup run?');
    const dir = folder.at('home/plugins/active-memory/transcripts/agents/main/up/here');
    const [name = ''] = readdirSync(dir);
    const lines = readFileSync(`${dir}/${name}`, 'utf8').trim().split('\n');
    assert.is(lines.length, 3);
    assert.match(lines[2] ?? '', /At 03:15\./);
    assert.is(statSync(`${dir}/${name}`).mode & 0o777, 0o600);
  });
});

test('secrets in notes are not shown to the model', async () => {
  const token = `ghp_${'a1B2c3D4'.repeat(5)}`;
  const notes = { ...NOTES, 'ws/memory/keys.md': `The deploy token is ${token} for staging.` };
  const fake = await startOpenAiChatFake({ reply: () => 'x' });
  try {
    const plugin = { enabled: true, config: { agents: ['main'], model: 'corp/small' } };
    const more = { ...modelsOf(fake), plugins: { entries: { 'active-memory': plugin } } };
    await recallWorld({}, more, notes).recall('what is the deploy token for staging?');
    assert.is(fake.requests.length, 1);
    assert.not.match(fake.requests[0]?.body.toString('utf8') ?? '', token);
  } finally {
    await fake.close();
  }
});

test.run();
