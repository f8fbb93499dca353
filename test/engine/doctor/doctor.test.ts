import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { inspect } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { loadConfig } from '../../../src/engine/config/index.js';
import { recordTrust, reviewFile } from '../../../src/engine/config/trust/config-trust.js';
import type { DoctorCheck, DoctorEvent } from '../../../src/engine/doctor/check.js';
import { DOCTOR_CHECKS } from '../../../src/engine/doctor/registry.js';
import { applyFix, fixAll, runDoctor } from '../../../src/engine/doctor/run-doctor.js';
import { SvcError } from '../../../src/engine/errors/index.js';
import { openMemory } from '../../../src/engine/memory/open-memory.js';
import { MAX_DOCUMENT_BYTES } from '../../../src/engine/memory/sources/index.js';
import { acquireIndexLock } from '../../../src/engine/memory/sync/index-lock.js';
import { startFake } from '../../fakes/fake-vendor.js';
import { OPENAI_KEY, startOpenAiFake } from '../../fakes/openai.js';
import { failureOf } from '../../support/failure.js';
import { codesOf, findingOf, healthyPatient, look, PLANTED } from './support.js';

const NEVER = new AbortController().signal;

test('a weak secret of the scheme basic is replaced by a user name and a generated password', async () => {
  const patient = healthyPatient();
  patient.env = { CI_SECRET: 'ci:short' };
  const ci = { sessionKey: 's', verify: { scheme: 'basic', secrets: ['env:CI_SECRET'] } };
  patient.configure({
    plugins: { entries: { webhooks: { enabled: true, config: { routes: { ci } } } } },
  });
  const { hint } = findingOf(await look(patient, ['webhooks']), 'webhooks/secret-weak');
  assert.match(hint ?? '', /^use user:password with a generated password/);
});

test('passages without vectors need nothing while a process embeds them', async () => {
  const patient = healthyPatient();
  const { backend } = await openMemory(patient.options().context, { kind: 'agent' });
  await backend.sync({});
  const { indexFile } = await backend.status();
  await backend.close();
  patient.env = { OPENAI_API_KEY: OPENAI_KEY };
  patient.configure({ agents: { defaults: { memorySearch: { provider: 'openai' } } } });
  const hintNow = async (): Promise<string | undefined> =>
    findingOf(await look(patient, ['vectors']), 'vectors/vectors-missing').hint;
  const lock = await acquireIndexLock(indexFile, { part: 'vectors', nowMs: 0, waitMs: 0 });
  assert.is(await hintNow(), 'being embedded now');
  lock?.release();
  assert.is(await hintNow(), 'run "svc memory index --agent main"');
});

test('the fix for a build that was killed shows the size of its files', async () => {
  const patient = healthyPatient();
  await patient.sync();
  writeFileSync(`${patient.index}.build`, '-'.repeat(2048));
  const { fix } = findingOf(await look(patient, ['leftovers']), 'leftovers/stray-build');
  assert.match(fix?.diff[0]?.text ?? '', /\.build {2}2\.0 kB$/u);
});

test('a folder is not reported as gone where the system does not say whether it is there', async () => {
  const patient = healthyPatient();
  const parent = patient.at('disk');
  const dir = patient.at('disk/notes');
  mkdirSync(dir, { recursive: true });
  writeFileSync(patient.at('disk/notes/MEMORY.md'), 'The cat sleeps.\n');
  const { backend } = await openMemory(patient.options().context, { kind: 'workspace', dir });
  await backend.sync({});
  await backend.close();
  rmSync(parent, { recursive: true });
  // Like a folder that this user cannot enter, but also for root.
  symlinkSync(parent, parent);
  assert.equal(codesOf(await look(patient, ['leftovers'])), []);
  rmSync(parent);
  const { fix, place } = findingOf(await look(patient, ['leftovers']), 'leftovers/folder-gone');
  mkdirSync(dir, { recursive: true });
  // A disk may have been mounted since it was reported.
  assert.is((await failureOf(() => fix?.apply(NEVER))).code, 'FIX_OUTDATED');
  const index = place?.file ?? '';
  assert.ok(existsSync(index));
  rmSync(parent, { recursive: true });
  // Another process may have applied it.
  rmSync(index);
  assert.match((await failureOf(() => fix?.apply(NEVER))).message, 'or its index changed since');
});

test('the index of an agent is kept, whatever its name', async () => {
  const patient = healthyPatient();
  patient.configure({ agents: { list: [{ id: 'workspace-1', workspace: 'notes' }] } });
  patient.write('state/notes/MEMORY.md', 'The cat sleeps.\n');
  await patient.sync();
  assert.ok(existsSync(patient.at('state/memory/workspace-1.sqlite')));
  rmSync(patient.at('state/notes'), { recursive: true });
  assert.equal(codesOf(await look(patient, ['leftovers'])), []);
});

test('a healthy set-up has no findings and is not changed', async () => {
  const fake = await startOpenAiFake();
  const patient = healthyPatient();
  const remote = { baseUrl: `${fake.origin}/v1`, apiKey: 'env:CORP_KEY' };
  patient.env = { CORP_KEY: 'sk-test-openai-0123456789', CI_SECRET: PLANTED };
  patient.configure({
    agents: { defaults: { memorySearch: { provider: 'openai', remote } } },
    flows: { notify: { command: [process.execPath] } },
    plugins: {
      entries: {
        'memory-core': { config: { dreaming: { enabled: true } } },
        webhooks: {
          enabled: true,
          config: { routes: { ci: { sessionKey: 's', secret: 'env:CI_SECRET' } } },
        },
      },
    },
  });
  const openMode = 0o644;
  chmodSync(patient.config, openMode);
  const before = readFileSync(patient.config, 'utf8');
  const memory = await openMemory(patient.options().context, { kind: 'agent' });
  await memory.backend.sync({});
  await memory.backend.close();
  const report = await look(patient);
  assert.equal(codesOf(report), []);
  const off = report.checks.filter(({ state }) => state === 'off').map(({ check }) => check);
  // There is no shared store, flow, remote client or schedule, nobody wants PDF files or pictures here, and no coding agent is set up.
  assert.equal(off, [
    'storage',
    'archive',
    'documents',
    'reranker',
    'media',
    'flows',
    'notifications',
    'mcp',
    'schedules',
    'integrations',
    'hooks',
  ]);
  assert.is(report.ok, true);
  assert.is(report.counts.ok, DOCTOR_CHECKS.length - off.length);
  assert.is(readFileSync(patient.config, 'utf8'), before);
  await fake.close();
});

test('checks run concurrently, and the start and end of each are reported', async () => {
  let release: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const events: string[] = [];
  const waiting = (name: string, wait: Promise<void>): DoctorCheck => ({
    name,
    run: async () => {
      await wait;
      if (name === 'second') release();
      return { summary: name, findings: [] };
    },
  });
  const checks = [waiting('first', gate), waiting('second', Promise.resolve())];
  const onEvent = (event: DoctorEvent): void => {
    events.push(event.type === 'check.started' ? `+${event.check}` : `-${event.result.check}`);
  };
  const report = await runDoctor({ ...healthyPatient().options(), checks, onEvent });
  assert.equal(events, ['+first', '+second', '-second', '-first']);
  assert.equal(
    report.checks.map(({ check }) => check),
    ['first', 'second'],
  );
});

test('a failing check is a finding, and the others are reported', async () => {
  const failing = (name: string, error: Error): DoctorCheck => ({
    name,
    run: () => Promise.reject(error),
  });
  const checks = [
    failing('bug', new TypeError('x is not a function')),
    failing('known', new SvcError('INDEX_LOCKED', 'it is locked', { hint: 'wait' })),
    failing('sqlite', new SvcError('SQLITE_UNUSABLE', 'not loaded')),
  ];
  const report = await runDoctor({ ...healthyPatient().options(), checks });
  assert.equal(
    report.checks.map(({ state }) => state),
    ['fault', 'fault', 'off'],
  );
  assert.is(report.checks[0]?.findings[0]?.cause, 'x is not a function');
  assert.is(report.checks[1]?.findings[0]?.hint, 'wait');
});

test('checks that need no configuration run even if it has faults', async () => {
  const patient = healthyPatient();
  patient.configure('{ "frobnicate": 1 ');
  const report = await look(patient);
  const stateOf = (name: string): string | undefined =>
    report.checks.find(({ check }) => check === name)?.state;
  assert.is(stateOf('configuration'), 'fault');
  assert.is(stateOf('provider'), 'off');
  for (const name of ['permissions', 'disk', 'clock', 'runtime', 'modules', 'leftovers']) {
    assert.is(stateOf(name), 'ok', name);
  }
});

test('free space is shown and reported once for folders of one disk, in the unit that fits', async () => {
  const patient = healthyPatient();
  patient.configure({
    agents: {
      defaults: { memorySearch: { store: { path: patient.at('elsewhere/main.sqlite') } } },
    },
  });
  patient.host = { diskSpace: async () => ({ freeBytes: 76_284_000_000, freeFiles: 1000 }) };
  const report = await runDoctor(patient.options(['configuration', 'disk']));
  assert.is(report.checks.at(-1)?.summary, '76.3 GB free');

  patient.host = { diskSpace: async () => ({ freeBytes: 1000, freeFiles: 1000 }) };
  const { checks } = await runDoctor(patient.options(['configuration', 'disk']));
  assert.is(checks.at(-1)?.findings.length, 1);
});

test('free space that cannot be read is a note that says why', async () => {
  const patient = healthyPatient();
  patient.host = { diskSpace: async () => Promise.reject(new Error('not supported')) };
  const report = await runDoctor(patient.options(['configuration', 'disk']));
  const { summary, findings } = report.checks.at(-1) ?? {};
  assert.is(summary, 'unknown');
  assert.equal(
    findings?.map(({ code, severity, cause }) => [code, severity, cause]),
    [['disk-unknown', 'note', 'not supported']],
  );
});

test('an aborted diagnosis throws the reason of its signal', async () => {
  const stop = new AbortController();
  const options = { ...healthyPatient().options(), signal: stop.signal };
  stop.abort(new SvcError('INTERRUPTED', 'stopped'));
  assert.is((await failureOf(() => runDoctor(options))).code, 'INTERRUPTED');
});

test('events between two checks are handled before the second starts', async () => {
  const stop = new AbortController();
  const started: string[] = [];
  const check = (name: string): DoctorCheck => ({
    name,
    run: async () => {
      started.push(name);
      // As a key does that is read next.
      setTimeout(() => stop.abort(new SvcError('INTERRUPTED', 'stopped')));
      const until = performance.now() + 5;
      while (performance.now() < until);
      return { summary: 'done', findings: [] };
    },
  });
  const checks = ['first', 'second', 'third', 'fourth'].map(check);
  const options = { ...healthyPatient().options(), checks, signal: stop.signal };
  assert.is((await failureOf(() => runDoctor(options))).code, 'INTERRUPTED');
  assert.ok(started.length < checks.length, started.join(' '));
});

test('all safe fixes are applied in one run, including those hidden by others', async () => {
  const patient = healthyPatient();
  patient.configure(`{
  // kept
  "gatewy": { "prot": "9000" }, /* kept too */
  "models": { "providers": { "corp": { "api": "openai", "apiKey": "secretref-env:CORP_KEY" } } },
  "logging": { "levl": "inof" }
}
`);
  chmodSync(patient.state, 0o755);
  patient.env = { CORP_KEY: PLANTED };
  const { report, applied } = await fixAll(patient.options());
  assert.equal(
    applied.filter(({ failure }) => failure !== undefined),
    [],
  );
  assert.equal(codesOf(report), []);
  assert.is(
    readFileSync(patient.config, 'utf8'),
    `{
  // kept
  "gateway": { "port": 9000 }, /* kept too */
  "models": { "providers": { "corp": { "api": "openai", "apiKey": "env:CORP_KEY" } } },
  "logging": { "level": "info" }
}
`,
  );
  assert.is(statSync(patient.state).mode & 0o777, 0o700);
});

test('a trusted configuration stays trusted when it is fixed', async () => {
  const patient = healthyPatient();
  const corp = { api: 'openai', apiKey: 'secretref-env:CORP_KEY' };
  const file = patient.write(
    'project/svc.json',
    JSON.stringify({ models: { providers: { corp } } }),
  );
  patient.env = { CORP_KEY: PLANTED };
  const options = patient.options();
  const context = { ...options.context, cwd: patient.at('project') };
  recordTrust(context, reviewFile(context, {}));
  await fixAll({ ...options, context });
  assert.match(readFileSync(file, 'utf8'), '"env:CORP_KEY"');
  const { ignoredKeys, resolved } = await loadConfig(context);
  assert.equal([ignoredKeys, Object.keys(resolved.models.providers)], [[], ['corp']]);
});

test('all faults of one line are fixed, although each fix changes it', async () => {
  const patient = healthyPatient();
  const query = { maxResults: '5', minScroe: 0.3, snippetChars: '400' };
  const memorySearch = { sources: 'memory', query };
  const config = { memory: { citations: 'atuo' }, agents: { defaults: { memorySearch } } };
  patient.configure(JSON.stringify(config));
  const { report, applied } = await fixAll(patient.options(['configuration']));
  assert.equal(applied.length, 5);
  assert.equal(
    applied.filter(({ failure }) => failure !== undefined),
    [],
  );
  assert.equal(codesOf(report), []);
});

test('a typo that is equally close to two choices is left to a person', async () => {
  const patient = healthyPatient();
  patient.configure({ memory: { citations: 'of' } });
  const before = readFileSync(patient.config, 'utf8');
  const { report, applied } = await fixAll(patient.options(['configuration']));
  assert.equal(applied, []);
  assert.is(findingOf(report, 'configuration/invalid-value').fix?.safe, false);
  assert.is(readFileSync(patient.config, 'utf8'), before);
});

test('unsafe fixes are not applied', async () => {
  const patient = healthyPatient();
  await patient.sync();
  const aside = patient.write('state/memory/main.sqlite.replaced', 'mine');
  const { report, applied } = await fixAll(patient.options());
  assert.equal(applied, []);
  assert.equal(codesOf(report), ['leftovers/set-aside']);
  assert.is(readFileSync(aside, 'utf8'), 'mine');
});

test('a fix that fails is reported, tried once, and the rest are applied', async () => {
  const patient = healthyPatient();
  await patient.sync();
  let tries = 0;
  const failing: DoctorCheck = {
    name: 'failing',
    run: async () => ({
      summary: '',
      findings: [
        {
          code: 'x',
          severity: 'fault',
          message: 'm',
          fix: {
            title: 'try',
            safe: true,
            diff: [],
            changes: 'state',
            apply: async () => {
              tries += 1;
              throw new SvcError('FIX_OUTDATED', 'not now');
            },
          },
        },
      ],
    }),
  };
  chmodSync(patient.state, 0o755);
  const options = patient.options(['permissions']);
  const { report, applied } = await fixAll({ ...options, checks: [failing, ...options.checks] });
  assert.is(tries, 1);
  assert.equal(
    applied.map(({ failure }) => failure),
    ['not now', undefined],
  );
  assert.equal(codesOf(report), ['failing/x']);
});

test('an outdated fix does not change a configuration that changed since', async () => {
  const patient = healthyPatient();
  patient.configure({ gateway: { prot: 9000 } });
  const { fix } = findingOf(await look(patient), 'configuration/unknown-key');
  patient.configure({ gateway: { prot: 9001 } });
  const before = readFileSync(patient.config, 'utf8');
  assert.ok(fix);
  assert.match(
    (await applyFix('configuration', fix, NEVER)).failure ?? '',
    /changed since this fix was shown/,
  );
  assert.is(readFileSync(patient.config, 'utf8'), before);
});

test('the value of a mistyped key is shown unless the intended key is a secret', async () => {
  const patient = healthyPatient();
  patient.configure({ agents: { defaults: { worksapce: '~/notes', memorySearch: {} } } });
  const { fix } = findingOf(await look(patient), 'configuration/unknown-key');
  assert.match(inspect(fix), '"worksapce": "~/notes"');
  patient.configure({ models: { providers: { a: { apiKy: 'plain-text' } } } });
  assert.not.match(inspect(await look(patient), { depth: 9 }), 'plain-text');
});

test("a fix changes the mode of the file shown, never of a link's target", async () => {
  const patient = healthyPatient();
  const path = patient.write('state/auth/github-copilot.json', '{}');
  chmodSync(patient.at('state/auth'), 0o700);
  chmodSync(path, 0o644);
  const { fix } = findingOf(await look(patient), 'permissions/secret-readable');
  const other = patient.write('other', 'x');
  chmodSync(other, 0o644);
  writeFileSync(path, '');
  const { rmSync } = await import('node:fs');
  rmSync(path);
  symlinkSync(other, path);
  assert.ok(fix);
  assert.ok((await applyFix('permissions', fix, NEVER)).failure !== undefined);
  assert.is(statSync(other).mode & 0o777, 0o644);
});

test('an agent whose own settings the provider refuses is not covered by the test of another', async () => {
  // It has no input types, as OpenAI itself.
  const fake = await startOpenAiFake();
  const patient = healthyPatient();
  patient.env = { CORP_KEY: OPENAI_KEY };
  const remote = { baseUrl: `${fake.origin}/v1`, apiKey: 'env:CORP_KEY' };
  const list = [{ id: 'a' }, { id: 'b' }, { id: 'c', memorySearch: { queryInputType: 'query' } }];
  patient.configure({
    agents: { defaults: { memorySearch: { provider: 'openai', remote } }, list },
  });
  const report = await look(patient, ['provider']);
  assert.match(findingOf(report, 'provider/provider-refused').message, /of agent c:/);
  assert.is(fake.requests.length, 2);
  await fake.close();
});

test('a key that the provider quotes is never shown', async () => {
  const body = { error: { message: `Incorrect API key provided: ${PLANTED}.` } };
  const fake = await startFake({ answer: () => ({ status: 401, body }), troubleAnswers: {} });
  const patient = healthyPatient();
  patient.env = { CORP_KEY: PLANTED };
  const remote = { baseUrl: `${fake.origin}/v1`, apiKey: 'env:CORP_KEY' };
  patient.configure({ agents: { defaults: { memorySearch: { provider: 'openai', remote } } } });
  const report = await look(patient);
  const { cause } = findingOf(report, 'provider/provider-auth');
  assert.match(cause ?? '', /Incorrect API key provided: \*{8}/);
  await fake.close();
});

test('a key in the quotes of an env file does not count as unavailable', async () => {
  const fake = await startFake({ answer: () => ({ status: 401, body: {} }), troubleAnswers: {} });
  const patient = healthyPatient();
  patient.env = { CORP_KEY: `"${PLANTED}"` };
  const remote = { baseUrl: `${fake.origin}/v1`, apiKey: 'env:CORP_KEY' };
  patient.configure({ agents: { defaults: { memorySearch: { provider: 'openai', remote } } } });
  const report = await look(patient, ['provider']);
  const { message } = findingOf(report, 'provider/provider-key');
  assert.is(message, 'provider openai of agent main: its key is in quotes');
  await fake.close();
});

test('a secret is masked wherever it is in the configuration', async () => {
  const lines = [
    `"models": { "providers": { "a": { "apiKy": "${PLANTED}", "apiKey": "${PLANTED}" } } }, "frob": 1`,
    `"models": { "providers": { "a": { "headers": { "x-key": "${PLANTED}" } } } }, "frob": 1`,
    `"models": { "providers": { "a": { "baseUrl": "https://me:${PLANTED}@h/v1" } } }, "frob": 1`,
    `"plugins": { "entries": { "webhooks": { "config": { "routes": { "r": { "secret": "${PLANTED}" } } } } } }`,
    `"somewhere": { "else": ["${PLANTED}"] }`,
    `// "apiKey": "${PLANTED}"\n"frob": 1`,
    `/* ${PLANTED} */ "gatewy": { "prot": "9" }`,
    `"models": { "providers": { "a": { "apiKey": "${PLANTED} } } }`,
    `"models": { "providers": { "a": { "apiKey": ${PLANTED}" } } }`,
    `"models": { "apiKey" "${PLANTED}" }`,
    `'apiKey': '${PLANTED}'`,
  ];
  for (const line of lines) {
    for (const text of [`{ ${line} }`, `{\n${line}\n}\n`, line]) {
      const patient = healthyPatient();
      patient.configure(text);
      const report = await look(patient, ['configuration', 'deprecated', 'permissions']);
      assert.ok(report.counts.faults > 0, text);
      assert.not.ok(inspect(report, { depth: 12 }).includes('4f9a'), text);
    }
  }
});

test('a folder of notes named as the workspace is found, and indexed whole by the fix', async () => {
  const patient = healthyPatient();
  patient.write('notes/projects/a.md', 'alpha');
  patient.write('notes/b.md', 'beta');
  patient.configure({
    agents: { list: [{ id: 'ada', workspace: patient.at('notes'), memorySearch: {} }] },
  });
  const { message, fix } = findingOf(await look(patient), 'workspace/notes-outside-memory');
  assert.match(message, /^2 Markdown files in .*notes are outside memory\/, and nothing else/);
  assert.ok(fix);
  assert.is(fix.safe, false);
  assert.is((await applyFix('workspace', fix, NEVER)).failure, undefined);
  const { agents } = JSON.parse(readFileSync(patient.config, 'utf8'));
  assert.equal(agents.list[0].memorySearch.extraPaths, ['.']);
  const after = codesOf(await look(patient));
  assert.not(
    after.some((code) => code.startsWith('workspace/')),
    after.join(),
  );
});

test('a missing workspace is created only where its disk seems to be mounted', async () => {
  const patient = healthyPatient();
  for (const [workspace, isFixed] of [
    ['notes', true],
    ['new/notes', true],
    ['disk/ada/notes', false],
  ] as const) {
    patient.configure({ agents: { defaults: { workspace: patient.at(workspace) } } });
    const { fix } = findingOf(await look(patient), 'workspace/workspace-missing');
    assert.is(fix !== undefined, isFixed, workspace);
  }
});

test('what is wrong with a workspace is reported once for the agents that share it', async () => {
  const patient = healthyPatient();
  patient.configure({ agents: { list: [{ id: 'ada' }, { id: 'ben' }] } });
  truncateSync(patient.write('state/workspace/memory/big.md', ''), MAX_DOCUMENT_BYTES + 1);
  assert.equal(codesOf(await look(patient, ['workspace'])), ['workspace/file-skipped']);
});

test('targets of broken links are named once, however often notes link to them', async () => {
  const patient = healthyPatient();
  patient.write(
    'state/workspace/memory/a.md',
    'See [[Garden]] and [[Shed]].\n\n[[Garden]] again.\n',
  );
  patient.write('state/workspace/memory/b.md', '[[Garden]]\n');
  await patient.sync();
  const { message } = findingOf(await look(patient), 'index/links-broken');
  assert.match(
    message,
    /^broken links to 2 targets .*: memory\/a\.md#L1 \(Garden\), memory\/a\.md#L1 \(Shed\)$/,
  );
});

test('an index on a server that does not answer is not checked, and not called fine', async () => {
  const patient = healthyPatient();
  patient.configure({ storage: { url: 'postgres://ada@127.0.0.1:9/svc' } });
  const { checks } = await look(patient, ['index']);
  assert.equal(
    checks.map(({ check, state, summary }) => [check, state, summary]),
    [['index', 'off', 'main: not checked']],
  );
});

test('an address where nothing listens is not called invalid', async () => {
  const patient = healthyPatient();
  const remote = { baseUrl: 'http://127.0.0.1:9/v1', apiKey: PLANTED };
  patient.configure({ agents: { defaults: { memorySearch: { provider: 'openai', remote } } } });
  const { message } = findingOf(await look(patient, ['provider']), 'provider/provider-unreachable');
  assert.is(message, 'provider openai of agent main: its address cannot be reached');
});

test.run();
