import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { replying, writeProgram } from '../engine/secrets/support.js';
import { type FakeVendor, startFake } from '../fakes/fake-vendor.js';
import { runInPty } from '../support/pty.js';
import { runInSession } from '../support/svc-session.js';
import { folderOf, type TempFolder } from '../support/temp-folder.js';

const test = suite('secrets in output and files');

/** A secret for each place that can contain one. None looks like a vendor's key, which would be easy to recognize. */
const PLANTED = {
  env: 'Qenv-7f3a9c1e5b2d-variable',
  file: 'Qfile/4b8d+2f6a=pointer',
  exec: 'Qexec 9e1c "7a3f" program',
  plain: 'Qplain.5d2b8f4e.literal',
  entryHeader: 'Qentryheader~3c9a7e1f',
  remoteHeader: 'Qremoteheader~8b4d2f6e',
  headerReference: 'Qheaderref-1f7c3a9e',
  address: 'Qaddress:2e8a4c6f',
  route: 'Qroute_6a2e8c4f_secret',
  notify: 'Qnotify_9c3f7a1e_secret',
  runtimeEnv: 'Qruntimeenv_4e8a2c6f',
  providerEnv: 'Qproviderenv_7a1e5c9f',
  unreferenced: 'Qunreferenced-3f9b7d1a',
  typed: 'Qtyped-8c4f2a6e-on-the-line',
  misspelt: 'Qmisspelt-5a9e3c7f',
} as const;

/** Answers each request with an error that repeats everything it was sent, cut anywhere. */
let vendor: FakeVendor;
let round = 0;
test.before(async () => {
  vendor = await startFake({
    answer: ({ headers, path }) => {
      const sent = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`);
      // So that each message is cut at another place.
      const text = `${'.'.repeat((round++ * 37) % 300)} refused ${path} ${sent.join(' ')}`;
      const status = [401, 400, 403, 429, 404][round % 5] ?? 500;
      const form = round % 3;
      if (form === 0) return { status, body: { error: { message: text, code: 'x' } } };
      return { status, body: form === 1 ? `<html><p>${text}</p></html>` : { detail: [text] } };
    },
    troubleAnswers: {},
  });
});
test.after(() => vendor.close());

const AGENTS = ['env', 'file', 'exec', 'plain', 'address'] as const;

function homeWith(): TempFolder {
  const port = new URL(vendor.origin).port;
  const home = folderOf({
    'vault.json': JSON.stringify({ openai: PLANTED.file, header: PLANTED.headerReference }),
    ...Object.fromEntries(
      AGENTS.map((id) => [`ws-${id}/MEMORY.md`, `# Notes of ${id}\n\nSoup.\n`]),
    ),
  });
  chmodSync(home.at('vault.json'), 0o600);
  const reply = `({ ids }) => ({ protocolVersion: 1, values: Object.fromEntries(ids.map((id) => [id, ${JSON.stringify(PLANTED.exec)}])) })`;
  const command = writeProgram(home, 'keeper', 'node', replying(reply));
  const entry = (apiKey: unknown, rest: object = {}) => {
    return { api: 'openai', baseUrl: `${vendor.origin}/v1`, apiKey, ...rest };
  };
  const config = {
    agents: {
      defaults: { memorySearch: { remote: { headers: { 'x-remote': PLANTED.remoteHeader } } } },
      list: AGENTS.map((id) => ({
        id,
        workspace: `ws-${id}`,
        memorySearch: { provider: `by-${id}`, fallback: id === 'plain' ? 'by-env' : 'by-plain' },
      })),
    },
    models: {
      providers: {
        'by-env': entry('env:CORP_KEY'),
        'by-file': entry(
          { source: 'file', provider: 'vault', id: '/openai' },
          { headers: { 'x-ref': { source: 'file', provider: 'vault', id: '/header' } } },
        ),
        'by-exec': entry({ source: 'exec', provider: 'pass', id: 'openai' }),
        'by-plain': entry(PLANTED.plain, { headers: { 'x-team': PLANTED.entryHeader } }),
        'by-address': {
          api: 'openai',
          baseUrl: `http://ada:${encodeURIComponent(PLANTED.address)}@127.0.0.1:${port}/v1`,
        },
      },
    },
    plugins: {
      entries: {
        webhooks: { config: { routes: { a: { sessionKey: 'agent:a', secret: PLANTED.route } } } },
      },
    },
    flows: {
      notify: { url: `${vendor.origin}/notify`, secret: PLANTED.notify },
      runtimes: { acp: { command: ['true'], env: { TOKEN: PLANTED.runtimeEnv } } },
    },
    secrets: {
      providers: {
        vault: { source: 'file', path: home.at('vault.json') },
        pass: { source: 'exec', command, env: { PASS: PLANTED.providerEnv } },
      },
    },
  };
  const text = JSON.stringify(config, null, 2);
  home.write('svc.json', text);
  const misspelt = `"apikey": "${PLANTED.misspelt}"`;
  home.write('unknown-key.json', text.replace('"apiKey":', `${misspelt},\n        "apiKey":`));
  home.write('one-line.json', JSON.stringify(config).replace('"apiKey":', `${misspelt},"apiKey":`));
  home.write('no-quotes.json', text.replace(`"${PLANTED.plain}"`, PLANTED.plain.replace('.', '')));
  home.write('open-text.json', text.replace(`"${PLANTED.plain}"`, `"${PLANTED.plain}`));
  home.write(
    'no-provider.json',
    text.replace(
      '"source": "file",\n        "path"',
      '"source": "file",\n        "mode": "singleValue",\n        "path"',
    ),
  );
  home.write('logs/serve.log', `${JSON.stringify({ msg: `sent ${PLANTED.exec}` })}\n`);
  return home;
}

/** Files that are meant to contain secrets. */
const FILES_WITH_SECRETS = /^(?:vault\.json|keeper|[\w-]+\.json|logs\/serve\.log)$/;

const COMMANDS: readonly (readonly string[])[] = [
  ['memory', 'index'],
  ['memory', 'index', '--json'],
  ['memory', 'index', '--force', '--verbose'],
  ['memory', 'search', 'soup', '--agent', 'plain'],
  ['memory', 'search', 'soup', '--agent', 'exec', '--explain', '--json'],
  ['memory', 'search', 'soup', '--agent', 'address', '--verbose'],
  ['memory', 'status'],
  ['memory', 'status', '--verbose'],
  ['memory', 'status', '--json'],
  ['memory', 'status', '--deep'],
  ['memory', 'status', '--deep', '--json'],
  ['provider', 'list', '--agent', 'address'],
  ['provider', 'list', '--json'],
  ...AGENTS.flatMap((id) => [
    ['provider', 'test', '--agent', id],
    ['provider', 'test', `by-${id}`, '--json', '--verbose'],
  ]),
  ['config', 'show'],
  ['config', 'show', '--json'],
  ['config', 'show', '--origin'],
  ['config', 'show', '--agent', 'file', '--origin', '--json'],
  ['config', 'get', 'models'],
  ['config', 'get', 'models.providers.by-address.baseUrl'],
  ['config', 'get', 'plugins.entries.webhooks.config.routes.a.secret', '--json'],
  ['config', 'validate'],
  ['config', 'set', 'models.providers.by-plain.apiKey', PLANTED.typed],
  ['config', 'set', 'flows.notify.secret', PLANTED.notify, '--json'],
  ['config', 'set', 'models.providers.by-plain.apikey', PLANTED.typed],
  ['config', 'unset', 'models.providers.by-plain.apiKey', '--json'],
  ['secrets', 'check'],
  ['secrets', 'check', '--json'],
  ['status'],
  ['status', '--json'],
  ['version', '--verbose'],
  ['bug-report'],
  ['bug-report', '--output', 'second.tar.gz', '--json'],
  ...['unknown-key', 'one-line', 'no-quotes', 'open-text'].flatMap((name) => [
    ['config', 'validate', '--config', `${name}.json`],
    ['config', 'validate', '--json', '--config', `${name}.json`],
    ['memory', 'index', '--config', `${name}.json`],
    ['bug-report', '--output', `${name}.tar.gz`, '--config', `${name}.json`],
  ]),
  ['secrets', 'check', '--config', 'no-provider.json'],
  ['provider', 'test', '--agent', 'file', '--config', 'no-provider.json', '--json'],
  ['memory', 'serach', `--token=${PLANTED.unreferenced}`],
  ['memory', 'reset', '--yes'],
];

const ENV = {
  CORP_KEY: PLANTED.env,
  SOME_VENDOR_TOKEN: PLANTED.unreferenced,
};

/** Texts that must not appear: each secret in every encoding, and parts of it. */
const TRACES = Object.entries(PLANTED).flatMap(([place, secret]) =>
  [
    secret,
    secret.slice(0, 14),
    secret.slice(-12),
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    Buffer.from(secret).toString('base64').slice(0, 14),
    Buffer.from(`ada:${secret}`).toString('base64').slice(0, 14),
  ].map((trace) => [place, trace.replaceAll(/\s/gu, '')] as const),
);

/** The places of the secrets that a text shows, also when it breaks or colours them. */
function shownIn(text: string): readonly string[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: sequences of the terminal are left out
  const bare = text.replaceAll(/\u001B\[[\d;?]*[A-Za-z]|\s/gu, '');
  const found = TRACES.filter(([, trace]) => bare.includes(trace));
  return [...new Set(found.map(([place, trace]) => `${place} (${trace})`))];
}

function filesBelow(dir: string): readonly string[] {
  return readdirSync(dir, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

test('no command prints a secret, and only the files meant for secrets contain one', async () => {
  const home = homeWith();
  const before = readFileSync(home.at('svc.json'));
  assert.is((await runInSession(['secrets', 'check'], { home: home.path, env: ENV })).code, 0);
  for (const args of COMMANDS) {
    const run = await runInSession(args, { home: home.path, env: ENV });
    const shown = shownIn(run.stdout + run.stderr);
    assert.equal(shown, [], `svc ${args.join(' ')}\n${run.stdout}\n${run.stderr}`);
    if (args[0] === 'config' && args[1] !== 'validate') home.write('svc.json', before);
  }
  for (const file of filesBelow(home.path)) {
    const name = file.slice(home.path.length + 1);
    if (FILES_WITH_SECRETS.test(name)) continue;
    const bytes = readFileSync(file);
    const content = name.endsWith('.gz') ? gunzipSync(bytes) : bytes;
    assert.equal(shownIn(content.toString('latin1')), [], name);
  }
  assert.ok(vendor.requests.length > AGENTS.length, 'the vendor was asked');
  for (const id of AGENTS.filter((name) => name !== 'address')) {
    const header = `Bearer ${PLANTED[id]}`;
    assert.ok(
      vendor.requests.some(({ headers }) => headers.authorization === header),
      id,
    );
  }
});

test('screens show no secret, however narrow', async () => {
  const home = homeWith();
  for (const id of ['plain', 'address', 'exec']) {
    const session = runInPty(['provider', 'test', '--agent', id], {
      home: home.path,
      columns: 60,
      rows: 40,
      env: ENV,
    });
    await session.waitForText('broken');
    session.type('q');
    await session.ended;
    assert.equal(shownIn(session.output()), [], session.output());
  }
});

test('a warning about a variable that looks like a reference needs no masking', async () => {
  const acp = { command: ['agent'], env: { KEY: 'env:AGENT_KEY' } };
  const home = folderOf({ 'svc.json': JSON.stringify({ flows: { runtimes: { acp } } }) });
  const { stdout } = await runInSession(['config', 'validate', '--json'], { home: home.path });
  const message = 'the program gets this reference as it is written, not the value of AGENT_KEY';
  assert.equal(
    JSON.parse(stdout).warnings.map((warning: { readonly message: string }) => warning.message),
    [message],
  );
});

test('the check finds a secret', () => {
  assert.equal(shownIn('nothing'), []);
  assert.match(shownIn(`a ${PLANTED.exec.slice(0, 9)}\n  ${PLANTED.exec.slice(9)}`).join(), /exec/);
  assert.match(shownIn(Buffer.from(PLANTED.env).toString('base64')).join(), /env/);
});

test.run();
