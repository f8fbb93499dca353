import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CHECKS } from '../../../../src/engine/embeddings/diagnosis/check-names.js';
import type { DiagnosisEvent } from '../../../../src/engine/embeddings/diagnosis/diagnose.js';
import type {
  CheckName,
  CheckOutcome,
  Diagnosis,
} from '../../../../src/engine/embeddings/output-schemas.js';
import { diagnoseMemory } from '../../../../src/engine/memory/diagnose-memory.js';
import type { OpenedMemory } from '../../../../src/engine/memory/open-memory.js';
import type { FakeVendor, Trouble } from '../../../fakes/fake-vendor.js';
import { MISTRAL_KEY, startMistralFake } from '../../../fakes/mistral.js';
import { OPENAI_KEY, startOpenAiFake } from '../../../fakes/openai.js';
import { createCertificate } from '../../../support/certificate.js';
import { freePort } from '../../../support/free-port.js';
import { type SemanticMemory, semanticMemory } from '../../../support/semantic-memory.js';
import { tempFolder } from '../../../support/temp-folder.js';

const test = suite('the diagnosis of a memory’s provider path');

let fake: FakeVendor;
test.before(async () => {
  fake = await startOpenAiFake({ dimensions: 64 });
});
test.before.each(() => fake.trouble(undefined));
test.after(() => fake.close());

interface DiagnosisRun {
  readonly diagnosis: Diagnosis;
  readonly events: readonly DiagnosisEvent[];
  readonly of: (check: CheckName) => CheckOutcome;
}

async function diagnose(
  settings: Readonly<Record<string, unknown>> = {},
  { index = true }: { readonly index?: boolean } = {},
): Promise<DiagnosisRun> {
  const memory = await semanticMemory(fake, { 'a.md': 'alpha', 'b.md': 'beta' }).open(settings);
  const events: DiagnosisEvent[] = [];
  try {
    if (index) await memory.backend.sync({});
    const diagnosis = await diagnoseMemory(memory, {
      signal: new AbortController().signal,
      onEvent: (event) => events.push(event),
    });
    assert.not.match(JSON.stringify([diagnosis, events]), OPENAI_KEY);
    const of = (check: CheckName): CheckOutcome => {
      const found = diagnosis.checks.find((one) => one.check === check);
      if (found === undefined) throw new Error(`no check ${check}`);
      return found;
    };
    return { diagnosis, events, of };
  } finally {
    await memory.backend.close();
  }
}

test('every check begins, ends once, and is in the diagnosis in the order of the list', async () => {
  // A memory without a reranker has no check of it.
  const checks = CHECKS.filter((check) => check !== 'rerank');
  const { diagnosis, events } = await diagnose();
  assert.equal(
    diagnosis.checks.map(({ check }) => check),
    checks,
  );
  for (const check of checks) {
    const own = events.flatMap((event) =>
      'check' in event && event.check === check ? [event.type] : [],
    );
    assert.equal(own, ['check.started', 'check.finished'], check);
  }
  assert.is(events.at(-1)?.type, 'diagnosis.finished');
  assert.equal([diagnosis.ok, diagnosis.usable, diagnosis.provider], [true, 'primary', 'openai']);
});

const FAILURES: readonly (readonly [Trouble, string, RegExp])[] = [
  ['key_refused', 'PROVIDER_AUTH', /check the key from remote\.apiKey/],
  ['quota_spent', 'PROVIDER_QUOTA', /balance/],
  [
    'model_unknown',
    'PROVIDER_MODEL_UNKNOWN',
    /memorySearch\.model \(.*\) and the address http:\S+\/v1\/embeddings$/,
  ],
  ['rate_limited', 'PROVIDER_RATE_LIMITED', /try again/],
  ['overloaded', 'PROVIDER_OVERLOADED', /try again/],
  ['not_finite', 'PROVIDER_ANSWER_INVALID', /provider test/],
  ['cut_off', 'PROVIDER_UNREACHABLE', /is reachable/],
];

for (const [trouble, code, hint] of FAILURES) {
  test(`${trouble}: the address is fine, embedding is not, with a hint`, async () => {
    fake.trouble(trouble);
    const before = fake.requests.length;
    const { diagnosis, of } = await diagnose({}, { index: false });
    assert.equal([diagnosis.ok, diagnosis.usable], [false, null]);
    assert.is(of('endpoint').state, 'ok');
    assert.equal([of('embed').state, of('embed').code], ['failed', code]);
    assert.match(of('embed').hint ?? '', hint);
    // A diagnosis does not retry.
    assert.is(fake.requests.length, before + 1);
  });
}

test('a length that the model does not have is mentioned, and embedding works', async () => {
  // Of a configured provider, the configuration would be refused.
  const detected = { provider: 'auto', model: 'text-embedding-ada-002' };
  const { diagnosis, of } = await diagnose({ ...detected, outputDimensionality: 512 });
  assert.equal([diagnosis.ok, of('embed').dimensions], [true, 64]);
  assert.match(of('embed').note ?? '', /512/);
  assert.is((await diagnose({ outputDimensionality: 64 })).of('embed').note, undefined);
});

test('an address where nothing listens fails the endpoint and embedding', async () => {
  const remote = { baseUrl: `http://127.0.0.1:${await freePort()}/v1`, apiKey: OPENAI_KEY };
  const { diagnosis, of } = await diagnose({ remote }, { index: false });
  assert.equal([of('endpoint').state, of('endpoint').code], ['failed', 'PROVIDER_UNREACHABLE']);
  assert.match(of('endpoint').cause ?? '', /nothing is listening there/);
  assert.equal([of('embed').state, of('embed').code], ['failed', 'PROVIDER_UNREACHABLE']);
  assert.is(diagnosis.ok, false);
});

test('a TLS failure is reported as such', async () => {
  const remote = { baseUrl: fake.origin.replace('http:', 'https:'), apiKey: OPENAI_KEY };
  const { of } = await diagnose({ remote }, { index: false });
  assert.is(of('endpoint').state, 'failed');
  for (const check of ['endpoint', 'embed'] as const) {
    assert.match(of(check).cause ?? '', /^it does not answer with TLS/);
    assert.match(of(check).hint ?? '', /http:\/\//);
  }
});

test('a certificate that is not trusted is reported, with how to trust it', async () => {
  const { key, cert } = createCertificate(tempFolder(), 'localhost');
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const remote = { baseUrl: `https://127.0.0.1:${port}/v1`, apiKey: OPENAI_KEY };
  const { of } = await diagnose({ remote }, { index: false });
  for (const check of ['endpoint', 'embed'] as const) {
    assert.match(of(check).cause ?? '', /self-signed/);
    assert.match(of(check).hint ?? '', /NODE_EXTRA_CA_CERTS/);
  }
  await new Promise((resolve) => server.close(resolve));
});

test('a key that cannot be read stops the checks that need it', async () => {
  const remote = { baseUrl: `${fake.origin}/v1`, apiKey: 'env:NOT_SET_ANYWHERE' };
  const { of } = await diagnose({ remote }, { index: false });
  assert.equal([of('key').state, of('key').code], ['failed', 'SECRET_UNRESOLVED']);
  assert.match(of('key').location?.file ?? '', /svc\.json$/);
  assert.equal([of('endpoint').state, of('embed').state], ['off', 'off']);
});

test('a key with the quotes of an env file is a warning', async () => {
  const remote = { baseUrl: `${fake.origin}/v1`, apiKey: '"quoted-key-of-an-env-file"' };
  const { of } = await diagnose({ remote }, { index: false });
  assert.equal(of('key').state, 'warning');
  assert.equal(
    [of('key').note, of('key').cause, of('key').hint],
    ['set, 27 characters', 'its quotes are sent with it', 'remove them'],
  );
  assert.is(of('embed').state, 'failed');
});

test('batch is available, on, or a warning if the provider has none', async () => {
  assert.match((await diagnose({}, { index: false })).of('batch').note ?? '', /^available/);
  const batch = { enabled: true };
  const remote = { baseUrl: `${fake.origin}/v1`, apiKey: OPENAI_KEY, batch };
  assert.is((await diagnose({ remote }, { index: false })).of('batch').state, 'ok');
  const mistral = await diagnose({ provider: 'mistral', remote }, { index: false });
  assert.is(mistral.of('batch').state, 'warning');
});

test('vectors are complete, off without an index, or a warning that names the other model', async () => {
  assert.equal((await diagnose()).of('vectors').passages, { done: 2, all: 2 });
  assert.is((await diagnose({}, { index: false })).of('vectors').state, 'off');
  const memory = semanticMemory(fake, { 'a.md': 'alpha', 'b.md': 'beta' });
  const first = await memory.open();
  await first.backend.sync({});
  await first.backend.close();
  const second = await memory.open({ model: 'text-embedding-3-large' });
  const signal = new AbortController().signal;
  const { checks } = await diagnoseMemory(second, { signal, onEvent: () => undefined });
  await second.backend.close();
  const vectors = checks.find(({ check }) => check === 'vectors');
  assert.equal([vectors?.state, vectors?.code], ['warning', 'EMBEDDINGS_PENDING']);
  assert.match(vectors?.cause ?? '', /model: text-embedding-3-small → text-embedding-3-large/);
});

/** Diagnoses a memory and searches it: a search must do what the diagnosis says. */
async function diagnoseAndSearch(opened: OpenedMemory): Promise<Diagnosis> {
  try {
    const signal = new AbortController().signal;
    const diagnosis = await diagnoseMemory(opened, { signal, onEvent: () => undefined });
    const { mode, provider } = await opened.backend.search({ query: 'alpha' });
    assert.is(mode, diagnosis.usable === null ? 'lexical' : 'hybrid');
    const chosen = diagnosis.usable === 'fallback' ? 'mistral' : 'openai';
    assert.is(provider, diagnosis.usable === null ? null : chosen);
    return diagnosis;
  } finally {
    await opened.backend.close();
  }
}

async function indexNotes(memory: SemanticMemory, settings = {}): Promise<void> {
  const opened = await memory.open(settings);
  await opened.backend.sync({});
  await opened.backend.close();
}

test('a model whose vectors have another length than those of the index does not work', async () => {
  const large = await startOpenAiFake({ dimensions: 64 });
  const memory = semanticMemory(large, { 'a.md': 'alpha', 'b.md': 'beta' });
  await indexNotes(memory);
  await large.close();
  // Another model at the same address, which no setting shows.
  const port = Number(new URL(large.origin).port);
  const small = await startOpenAiFake({ dimensions: 32, port });
  try {
    const { ok, usable, checks } = await diagnoseAndSearch(await memory.open());
    assert.equal([ok, usable], [false, null]);
    const vectors = checks.find(({ check }) => check === 'vectors');
    assert.equal([vectors?.state, vectors?.code], ['failed', 'PROVIDER_ANSWER_INVALID']);
    assert.match(vectors?.cause ?? '', /32 dimensions, but the index has 64/);
  } finally {
    await small.close();
  }
});

test('an unknown model does not work, although the vectors of an earlier one could be compared', async () => {
  const memory = semanticMemory(fake, { 'a.md': 'alpha', 'b.md': 'beta' });
  await indexNotes(memory);
  const { ok, usable, checks } = await diagnoseAndSearch(await memory.open({ model: 'nope' }));
  assert.equal([ok, usable], [false, null]);
  const embed = checks.find(({ check }) => check === 'embed');
  assert.equal([embed?.state, embed?.code], ['failed', 'PROVIDER_MODEL_UNKNOWN']);
});

test('a fallback that is the detected provider itself is reported', async () => {
  const openai = { baseUrl: `${fake.origin}/v1`, apiKey: OPENAI_KEY };
  const memory = semanticMemory(fake, { 'a.md': 'alpha' }, { models: { providers: { openai } } });
  const settings = { provider: 'auto', remote: {}, fallback: 'openai' };
  await indexNotes(memory, settings);
  const { ok, checks } = await diagnoseAndSearch(await memory.open(settings));
  const fallback = checks.find(({ check }) => check === 'fallback');
  assert.equal([ok, fallback?.state, fallback?.text], [true, 'warning', 'openai']);
});

test('a fallback that is used because nothing is detected has no fallback', async () => {
  const mine = { api: 'openai', baseUrl: `${fake.origin}/v1`, apiKey: OPENAI_KEY };
  const memory = semanticMemory(fake, { 'a.md': 'alpha' }, { models: { providers: { mine } } });
  const settings = { provider: 'auto', remote: {}, fallback: 'mine' };
  await indexNotes(memory, settings);
  const opened = await memory.open(settings);
  const { signal } = new AbortController();
  const diagnosis = await diagnoseMemory(opened, { signal, onEvent: () => undefined });
  await opened.backend.close();
  assert.equal([diagnosis.ok, diagnosis.provider], [true, 'mine']);
  for (const [name, text, note] of [
    ['fallback', 'none', 'mine is used: auto found no other'],
    // memorySearch.remote.batch is not a setting of a fallback.
    ['batch', 'off', 'not used by a fallback'],
  ]) {
    const found = diagnosis.checks.find(({ check }) => check === name);
    assert.equal([found?.state, found?.text, found?.note], ['off', text, note]);
  }
});

test('a fallback is named when searches use it', async () => {
  const spare = await startMistralFake();
  const entry = { baseUrl: `${spare.origin}/v1`, apiKey: MISTRAL_KEY };
  const providers = { models: { providers: { mistral: entry } } };
  const memory = semanticMemory(fake, { 'a.md': 'alpha', 'b.md': 'beta' }, providers);
  const settings = { fallback: 'mistral' };
  try {
    await indexNotes(memory, settings);
    fake.trouble('quota_spent');
    const first = await diagnoseAndSearch(await memory.open(settings));
    assert.equal([first.ok, first.usable], [true, 'fallback']);
    // By now the index has its vectors.
    const used = await diagnoseAndSearch(await memory.open(settings));
    assert.equal([used.ok, used.usable], [true, 'fallback']);
    const vectors = used.checks.find(({ check }) => check === 'vectors');
    assert.equal([vectors?.state, vectors?.code], ['warning', 'PROVIDER_FALLBACK']);
  } finally {
    await spare.close();
  }
});

test('an extension that cannot be loaded is a warning, except if it is switched off', async () => {
  const missing = await diagnose({ store: { vector: { extensionPath: '/nonexistent/vec0.so' } } });
  assert.is(missing.of('vectors').code, 'VECTOR_EXTENSION_UNAVAILABLE');
  assert.is(missing.diagnosis.ok, true);
  const off = await diagnose({ store: { vector: { enabled: false } } });
  assert.equal([off.of('vectors').state, off.of('vectors').text], ['ok', 'compared in process']);
});

test('without a provider there is nothing to break', async () => {
  const { diagnosis } = await diagnose({ provider: 'none' });
  assert.equal([diagnosis.ok, diagnosis.usable, diagnosis.provider], [true, null, null]);
  assert.equal(
    diagnosis.checks.map(({ check, state, note }) => [check, state, note]),
    [['selected', 'off', 'agents.defaults.memorySearch.provider']],
  );
});

test('ends at once when aborted, with the reason', async () => {
  fake.trouble('slow');
  const memory = await semanticMemory(fake).open();
  const controller = new AbortController();
  const reason = new Error('left');
  let thrown: unknown;
  await diagnoseMemory(memory, {
    signal: controller.signal,
    onEvent: (event) => {
      if (event.type === 'check.started' && event.check === 'embed') controller.abort(reason);
    },
  }).catch((error: unknown) => {
    thrown = error;
  });
  await memory.backend.close();
  assert.is(thrown, reason);
});

test.run();
