import { delimiter, dirname } from 'node:path';
import { tinyModel } from '../../scripts/tiny-gguf/tiny-model.js';
import { shortHash } from '../../src/engine/support/text.js';
import { createVerifier } from '../../src/engine/webhooks/verify/verifier.js';
import { fakeNpm } from '../fakes/fake-npm.js';
import type { FakeVendor } from '../fakes/fake-vendor.js';
import { type FileHost, startFileHost } from '../fakes/file-host.js';
import { CLIENT_ID, type CopilotFake, startCopilotFake } from '../fakes/github-copilot.js';
import { OPENAI_KEY, startOpenAiFake } from '../fakes/openai.js';
import { startVoyageFake, VOYAGE_KEY } from '../fakes/voyage.js';
import { newDelivery, recordDeliveries } from '../support/deliveries.js';
import { dreamHome, ONCE_ASKED } from '../support/dreams.js';
import { ADA, newFlow, newTask, testFlows } from '../support/flows.js';
import { jsonOf } from '../support/json.js';
import { realServer, startPglite, type TestPostgres } from '../support/postgres.js';
import { rawDatabase } from '../support/raw-database.js';
import { installSvc } from '../support/run-svc.js';
import { serveWebhooks, whenStateReady } from '../support/serving.js';
import { runInSession } from '../support/svc-session.js';
import { type TempFolder, tempFolder } from '../support/temp-folder.js';
import { message } from '../support/transcripts.js';
import { CI_ENV, SECRET, SESSION, webhooksConfig } from '../support/webhooks.js';

/** The state that the examples of a command run on, and the replacements of their sample values. */
export interface ExampleWorld {
  readonly home: TempFolder;
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
  /** Values of this world, by the values that examples name. */
  readonly replacements: Readonly<Record<string, string>>;
  /** Ends the programs that were started for it. */
  readonly close: () => Promise<void>;
}

/** Fakes of the vendors that examples call; all worlds share them. */
export interface ExampleVendors {
  readonly openai: FakeVendor;
  readonly voyage: FakeVendor;
  readonly github: CopilotFake;
  readonly models: FileHost;
  readonly postgres: TestPostgres;
  readonly close: () => Promise<void>;
}

const MODEL_FILE = 'nomic-embed-text-v1.5.Q8_0.gguf';
/** What a model host answers, by path: the default model, and the one that an example names. */
const MODEL_FILES: readonly (readonly [string, Buffer])[] = [
  [
    '/ggml-org/embeddinggemma-300m-qat-q8_0-GGUF/resolve/main/embeddinggemma-300m-qat-Q8_0.gguf',
    tinyModel(),
  ],
  [`/nomic-ai/nomic-embed-text-v1.5-GGUF/resolve/main/${MODEL_FILE}`, tinyModel()],
  [
    '/api/models/nomic-ai/nomic-embed-text-v1.5-GGUF/tree/main?recursive=true',
    Buffer.from(JSON.stringify([{ type: 'file', path: MODEL_FILE, size: tinyModel().length }])),
  ],
];
/** Ids as examples write them. */
const CLAIM = '3f9a01bc';
const SWEEP = '20261120T030000';
const FLOW = '413d463b-ee62-4b21-addf-01a1f9472c9a';
const DELIVERY = '3x9k7m2pqr';
const TALK = 'sessions/main/2026-02-03.jsonl';
const TALK_ID = '5e55104e';
const TASK = 'fb015887-239d-43be-9c9e-01a1f947c7ef';

/** Starts the fake vendors. */
export async function startVendors(): Promise<ExampleVendors> {
  const openai = await startOpenAiFake({ dimensions: 64 });
  const voyage = await startVoyageFake({ dimensions: 64 });
  const github = await startCopilotFake();
  const models = await startFileHost(new Map(MODEL_FILES));
  const postgres = (await realServer()) ?? (await startPglite());
  const close = async (): Promise<void> => {
    await Promise.all([openai.close(), voyage.close(), github.close(), models.close()]);
    await postgres.stop();
  };
  return { openai, voyage, github, models, postgres, close };
}

/** Makes the world of one command, by oclif's id. */
export async function worldFor(id: string, vendors: ExampleVendors): Promise<ExampleWorld> {
  const home = notesOf(id);
  const env = environmentOf(id, home, vendors);
  const routes = /^webhook:(?:map|trigger)$/.test(id) ? SENDERS : undefined;
  home.write('svc.json', JSON.stringify(configuration(vendors, routes), null, 2));
  const flows = /^(?:flow|notification|task):/.test(id) ? await someFlows(id, home, env) : {};
  const dreams = /^dream|^memory:(?:promote|rem-)/.test(id) ? await someDreams(id, home, env) : {};
  if (id === 'memory:import') {
    await run(home, env, ['memory', 'export', '--output', 'memory.jsonl']);
  }
  if (id === 'memory:add') home.write('minutes.txt', 'Ada leads the migration.\nIt ends in May.\n');
  if (id === 'memory:capture') {
    home.write('session.jsonl', message('user', 'Remember that the backup runs at 03:00.'));
  }
  if (id === 'memory:undo') {
    for (const text of [
      'The door is blue',
      'The gate is green',
      'The roof is red',
      'The wall is grey',
    ]) {
      await run(home, env, ['memory', 'add', text]);
    }
  }
  if (id === 'memory:forget') await run(home, env, ['memory', 'forget', 'soup', '--yes']);
  if (id === 'config:import') writeOtherPrograms(home);
  if (id === 'mcp:token:revoke') {
    for (const name of ['ada-laptop', 'ci']) await run(home, env, ['mcp', 'token', 'create', name]);
  }
  if (id === 'provider:logout') await run(home, env, ['provider', 'login', 'github-copilot']);
  const shared = id.startsWith('storage:') ? await sharedStore(id, home, env, vendors) : {};
  const deliveries = await someDeliveries(id, home);
  if (id === 'webhook:map') writeRecordedPush(home);
  const listener = /^webhook:(?:call|trigger)$/.test(id)
    ? serveWebhooks(home, [], { env })
    : undefined;
  const url = listener === undefined ? undefined : await whenStateReady(home);
  return {
    home,
    env: { ...env, ...shared, ...(url === undefined ? {} : { SVC_URL: String(url) }) },
    input: inputOf(id),
    replacements: {
      'https://acme.ghe.com': vendors.github.origin,
      'Iv1.0123456789abcdef': CLIENT_ID,
      ...flows,
      ...dreams,
      ...deliveries,
      [TALK_ID]: shortHash(TALK).slice(0, TALK_ID.length),
    },
    close: async () => {
      listener?.child.kill('SIGTERM');
      await listener?.done;
    },
  };
}

/** A workspace with notes of a few days, a second folder of notes, a conversation and a log. */
function notesOf(id: string): TempFolder {
  const home = /^dream|^memory:(?:dream|promote|rem-)/.test(id) ? dreamHome().home : tempFolder();
  const note =
    '# Backups\n\n## Nightly\n\nThe nightly backup runs at 02:30.\n\nOn Tuesdays soup.\n';
  const files: Readonly<Record<string, string>> = {
    'workspace/MEMORY.md':
      '# Memory\n\nThe car that we bought is a van.\n\nAsk Ada for invoices.\n',
    'workspace/memory/house.md': '# House\n\nThe code of the front door is by the key.\n',
    'workspace/memory/2026-02-03.md': note,
    'workspace/memory/2025-03-04.md': note,
    'notes/README.md': note.repeat(10),
    'README.md': note.repeat(10),
    'body.json': '{"goal":"Build 1.2.3"}',
    'agents/main/sessions/2026-02-03.jsonl': Array.from({ length: 20 }, (_, at) =>
      message(at % 2 === 0 ? 'user' : 'assistant', `what we decided about the backups, ${at}`),
    ).join(''),
    'logs/serve.log': '{"level":50,"time":1763600000000,"msg":"the disk is full"}\n',
    '.cursor/mcp.json': '{}\n',
  };
  for (const [path, text] of Object.entries(files)) home.write(path, text);
  installSvc(home);
  return home;
}

/** Data of the programs that `svc config import` reads. */
function writeOtherPrograms(home: TempFolder): void {
  home.write('.openclaw/openclaw.json', '{ memory: { citations: "on" } }');
  home.write('index.yml', 'collections:\n  notes:\n    path: ./notes\n');
  const projects = { main: { path: home.at('notes') } };
  home.write('.basic-memory/config.json', JSON.stringify({ projects }));
  home.write('.claude-mem/.keep', '');
  const database = rawDatabase(home.at('.claude-mem/claude-mem.db'));
  database.exec('CREATE TABLE observations (id INTEGER PRIMARY KEY, title TEXT, created_at TEXT)');
  database.exec("INSERT INTO observations VALUES (1, 'A new port', '2026-02-03T12:00:00Z')");
  database.close();
}

/** Routes of other systems, with the secret of the other route. */
const SENDERS = {
  github: {
    sessionKey: SESSION,
    verify: { scheme: 'github', secrets: ['env:CI_SECRET'] },
    map: [{ when: { event: 'push' }, action: 'create_flow', set: { goal: 'Check {/after}' } }],
  },
  alerts: {
    sessionKey: SESSION,
    verify: { scheme: 'bearer', secrets: ['env:CI_SECRET'] },
    map: [{ action: 'create_flow', set: { goal: '{/status}' } }],
  },
} as const;

/** A schedule as in the examples. */
const SCHEDULES = {
  nightly: { cron: '0 3 * * *', sessionKey: SESSION, set: { goal: 'Check {/scheduledAt}' } },
};

/** A request of GitHub, saved to files. */
function writeRecordedPush(home: TempFolder): void {
  const body = '{"after":"0d1a26e6"}';
  const { scheme } = SENDERS.github.verify;
  const verifier = createVerifier({ scheme, secrets: [], toleranceSeconds: 300 }, [SECRET]);
  const headers = verifier.sign(Buffer.from(body), { id: '', nowMs: 0 });
  home.write('push.json', body);
  home.write('headers.json', JSON.stringify({ ...headers, 'X-GitHub-Event': 'push' }));
}

function configuration(vendors: ExampleVendors, routes: object | undefined): object {
  const agents = {
    defaults: {
      memorySearch: {
        provider: 'openai',
        sources: ['memory', 'sessions'],
        experimental: { sessionMemory: true },
      },
    },
  };
  const providers = {
    openai: { baseUrl: `${vendors.openai.origin}/v1`, apiKey: 'env:OPENAI_KEY_OF_TESTS' },
    voyage: { baseUrl: `${vendors.voyage.origin}/v1` },
  };
  const { plugins } = webhooksConfig(routes) as { readonly plugins: { readonly entries: object } };
  const active = { enabled: true, config: { agents: ['main'] } };
  return {
    agents,
    models: { providers },
    gateway: { port: 0 },
    schedules: SCHEDULES,
    flows: { notify: { command: ['true'] } },
    memory: { citations: 'auto' },
    plugins: { entries: { ...plugins.entries, 'active-memory': active } },
  };
}

function environmentOf(
  id: string,
  home: TempFolder,
  { github, models }: ExampleVendors,
): Readonly<Record<string, string>> {
  return {
    PATH: [home.at('bin'), dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter),
    HOME: home.path,
    SVC_HOME: home.path,
    OPENAI_KEY_OF_TESTS: OPENAI_KEY,
    ...CI_ENV,
    ...(id.startsWith('provider:log')
      ? { SVC_GITHUB_URL: github.origin, SVC_GITHUB_CLIENT_ID: CLIENT_ID }
      : {}),
    ...(id === 'memory:documents:install' || id === 'upgrade' ? fakeNpm().env : {}),
    ...(id === 'provider:install:local' ? { ...fakeNpm().env, HF_ENDPOINT: models.url } : {}),
  };
}

function inputOf(id: string): string {
  if (id === 'config:init') return `${VOYAGE_KEY}\n`;
  if (id === 'memory:recall') return '{"prompt":"when does the backup run?","session_id":"s"}';
  return '';
}

/** Runs svc. @returns its stdout */
async function run(
  home: TempFolder,
  env: ExampleWorld['env'],
  args: readonly string[],
): Promise<string> {
  const { code, stdout, stderr } = await runInSession(args, { home: home.path, env });
  if (code !== 0) throw new Error(`${args.join(' ')}: ${stderr}${stdout}`);
  return stdout;
}

/** A server of a team, on which another host has indexed its notes. */
async function sharedStore(
  id: string,
  home: TempFolder,
  env: ExampleWorld['env'],
  vendors: ExampleVendors,
): Promise<Readonly<Record<string, string>>> {
  const shared = { SVC_DATABASE_URL: await vendors.postgres.newDatabase() };
  const storage = { url: 'env:SVC_DATABASE_URL' };
  const configure = (origin: string): void => {
    const config = { ...configuration(vendors, undefined), storage: { ...storage, origin } };
    home.write('svc.json', JSON.stringify(config));
  };
  configure('build-7');
  const sharedEnv = { ...env, ...shared };
  if (id !== 'storage:migrate') await run(home, sharedEnv, ['storage', 'migrate']);
  if (id === 'storage:origins') await run(home, sharedEnv, ['memory', 'index']);
  configure('build-8');
  return shared;
}

/** A flow with a task in the state that the command is for. */
async function someFlows(
  id: string,
  home: TempFolder,
  env: ExampleWorld['env'],
): Promise<Readonly<Record<string, string>>> {
  const { flows, clock } = await testFlows({}, home.path);
  clock.nowMs = Date.now();
  const flowId = await newFlow(flows, ADA, { goal: 'a flow' });
  const taskId = await newTask(flows, flowId, { task: 'read it' });
  await newTask(flows, flowId, { task: 'another' });
  if (id === 'flow:wait') {
    const end = { action: 'finish_flow', flowId, expectedRevision: 0 } as const;
    await flows.perform(end, ADA);
  }
  if (id === 'task:wait') {
    const claim = await flows.tasks.claim({ worker: 'w' });
    await flows.tasks.complete({ taskId, token: claim?.leaseToken });
  }
  await flows.close();
  const ids = { [FLOW]: flowId, [FLOW.slice(0, 8)]: flowId, [TASK]: taskId };
  const names = { ...ids, [TASK.slice(0, 8)]: taskId };
  if (/^notification:|^task:retry$/.test(id)) await run(home, env, ['task', 'cancel', taskId]);
  if (!/^task:(?:complete|fail|heartbeat)$/.test(id)) return names;
  const stdout = await run(home, env, ['task', 'claim', '--json']);
  const claim = jsonOf.taskClaim({ code: 0, signal: null, stdout, stderr: '' });
  return { ...names, [TASK]: claim.task?.taskId ?? '', lease: claim.leaseToken ?? '' };
}

/** A delivery that can be shown and replayed. */
async function someDeliveries(
  id: string,
  home: TempFolder,
): Promise<Readonly<Record<string, string>>> {
  if (!/^webhook:(?:deliveries|replay|show)$/.test(id)) return {};
  const body = '{"action":"create_flow","goal":"Build 1.2.3"}';
  const [delivery = ''] = await recordDeliveries(home.path, [newDelivery({ body })]);
  return { [DELIVERY]: delivery, [DELIVERY.slice(0, 4)]: delivery };
}

/** A claim that a sweep can decide on, and for some commands a sweep. */
async function someDreams(
  id: string,
  home: TempFolder,
  env: ExampleWorld['env'],
): Promise<Readonly<Record<string, string>>> {
  const explanation = await run(home, env, ['dream', 'explain', ONCE_ASKED, '--json']);
  const { key } = JSON.parse(explanation) as { readonly key: string };
  if (!/^dream:(?:show|undo)$|backfill$/.test(id)) return { [CLAIM]: key };
  const args = id.endsWith('backfill') ? ['dream', 'backfill', '--path', 'memory'] : ['dream'];
  await run(home, env, args);
  const listStdout = await run(home, env, ['dream', 'list', '--json']);
  const list = jsonOf.dreamList({ code: 0, signal: null, stdout: listStdout, stderr: '' });
  return { [CLAIM]: key, [SWEEP]: list.sweeps[0]?.id ?? '' };
}
