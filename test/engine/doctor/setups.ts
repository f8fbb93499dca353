import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { resolveConfig } from '../../../src/engine/config/index.js';
import { dreamWorkspace } from '../../../src/engine/dreaming/dream-workspace.js';
import { MOST_LOG_BYTES } from '../../../src/engine/dreaming/recall-log/recall-log.js';
import { openDreamDatabase } from '../../../src/engine/dreaming/store/dream-database.js';
import { newSweep, sweepRecords } from '../../../src/engine/dreaming/store/sweep-records.js';
import { type Flows, openFlows } from '../../../src/engine/flows/index.js';
import { createToken, revokeToken } from '../../../src/engine/mcp/tokens/token-store.js';
import { APPLICATION_ID } from '../../../src/engine/memory/index/sqlite/schema.js';
import { SessionArchive } from '../../../src/engine/memory/sources/archive/session-archive.js';
import { MAX_DOCUMENT_BYTES } from '../../../src/engine/memory/sources/index.js';
import { acquireIndexLock } from '../../../src/engine/memory/sync/index-lock.js';
import { migrate } from '../../../src/engine/postgres/index.js';
import { configuredSchedules } from '../../../src/engine/schedules/index.js';
import { createDatabase } from '../../../src/engine/sqlite/database.js';
import { GEMINI_KEY, startGeminiFake } from '../../fakes/gemini.js';
import { startOpenAiFake } from '../../fakes/openai.js';
import { newDelivery, recordDeliveries } from '../../support/deliveries.js';
import { ADA, claimTask, newFlow, newTask } from '../../support/flows.js';
import { noteText } from '../../support/many-notes.js';
import { webp } from '../../support/media-files.js';
import { serverAt, startPglite } from '../../support/postgres.js';
import { installQmd } from '../../support/qmd.js';
import { rawDatabase } from '../../support/raw-database.js';
import { type Patient, PLANTED } from './support.js';

/** A set-up with one thing wrong. */
export interface BrokenSetup {
  readonly name: string;
  /** Check and code of what has to be found. */
  readonly finds: string;
  readonly severity: 'fault' | 'warning' | 'note';
  /** Breaks it, for real. */
  readonly breaks: (patient: Patient) => void | Promise<void>;
  /** Part of the message, where the code alone does not show the difference. */
  readonly says?: string;
  /** Where the configuration is at fault. */
  readonly at?: `${number}:${number}`;
  /** `safe` and `asked`: svc fixes it. Otherwise how a person does, after the hint. */
  readonly fix: 'asked' | 'safe' | ((patient: Patient) => void | Promise<void>);
  /** What has to be so after the fix, besides the finding being gone. */
  readonly after?: (patient: Patient) => boolean;
}

const MEDIA = { enabled: true, modalities: ['image'] };
const HOUR_MS = 3_600_000;
const LONG_SECRET = 'x'.repeat(32);

const NOTIFY_OPS = { notify: { targets: [{ id: 'ops', command: ['true'] }] } };
const DUE = { target: 'ops', limit: 9, holdMs: HOUR_MS };

/** Flows with one that has ended, whose notification is pending. */
async function notifyingFlows(patient: Patient): Promise<Flows> {
  const flows = await openFlows(patient.options().context, resolveConfig({ flows: NOTIFY_OPS }));
  const flowId = await newFlow(flows);
  await flows.perform({ action: 'finish_flow', flowId, expectedRevision: 0 }, ADA);
  return flows;
}

const search = (memorySearch: object): object => ({ agents: { defaults: { memorySearch } } });
const recallWith = (model: string): object => ({
  plugins: { entries: { 'active-memory': { enabled: true, config: { model } } } },
});
const route = (secret: unknown, rest: object = {}): object => ({
  sessionKey: 's',
  secret,
  ...rest,
});
const hooks = (routes: object, rest: object = {}): object => ({
  plugins: { entries: { webhooks: { enabled: true, config: { routes } } } },
  ...rest,
});
const dreaming = (frequency: string): object => ({
  plugins: { entries: { 'memory-core': { config: { dreaming: { enabled: true, frequency } } } } },
});
const external = (command: string): object => ({ memory: { backend: 'ext', ext: { command } } });
const endpoint = (apiKey: unknown): object => ({
  models: { providers: { corp: { api: 'openai', baseUrl: 'https://corp.example/v1', apiKey } } },
});
/** A file of what dreaming knows of the workspace, below the patient's folder. */
const dreamFile = (patient: Patient, name: 'database' | 'recallLog'): string => {
  const { files } = dreamWorkspace(patient.at('state/workspace'), { stateDir: patient.state });
  return relative(patient.path, files[name]);
};
const storeOf = ({ state }: Patient) => {
  return { stateDir: state, nowMs: Date.now(), signal: new AbortController().signal };
};
const mcpToken = (
  patient: Patient,
  { agent = null, lifetimeMs }: { agent?: string | null; lifetimeMs?: number } = {},
) =>
  createToken(
    {
      name: 'ada',
      agent,
      scopes: ['search'],
      sessionKey: null,
      chatType: null,
      channel: null,
      lifetimeMs,
    },
    storeOf(patient),
  );
/** Runs what is due on a schedule of every hour, some time ago. */
async function runSchedules(patient: Patient, agoMs: number): Promise<void> {
  const hourly = { cron: '0 * * * *', sessionKey: 's', set: { goal: 'Check' } };
  patient.configure({ schedules: { hourly } });
  const config = resolveConfig({ schedules: { hourly } });
  const clock = { now: () => Date.now() - agoMs };
  const opened = await openFlows({ ...patient.options().context, clock }, config);
  for (const schedule of configuredSchedules(config)) await opened.schedules.runDue(schedule);
  await opened.close();
}

const text = (patient: Patient): string => readFileSync(patient.config, 'utf8');
const configure =
  (config: object | string) =>
  (patient: Patient): void =>
    patient.configure(config);
const exists = (folder: string, name: string): boolean => readdirSync(folder).includes(name);

const importing = (file: string): object => search({ sync: { sessions: { imports: [file] } } });

const ARCHIVE: readonly BrokenSetup[] = [
  {
    name: 'the archive of conversations is damaged',
    finds: 'archive/archive-unreadable',
    severity: 'fault',
    breaks: (patient) => {
      mkdirSync(join(patient.state, 'archive'));
      writeFileSync(join(patient.state, 'archive/main.sqlite'), 'not a database '.repeat(100));
    },
    fix: (patient) => rmSync(join(patient.state, 'archive/main.sqlite')),
  },
  {
    name: 'an export is missing',
    finds: 'archive/import-missing',
    severity: 'warning',
    breaks: configure(importing('/nowhere/conversations.json')),
    fix: configure({}),
  },
  {
    name: 'an export could not be read',
    finds: 'archive/import-unreadable',
    severity: 'warning',
    breaks: async (patient) => {
      const file = join(patient.path, 'conversations.json');
      writeFileSync(file, '{}');
      patient.configure(importing(file));
      const archive = new SessionArchive({
        file: join(patient.state, 'archive/main.sqlite'),
        retention: 'follow',
        maxAgeDays: 0,
        maxBytes: 0,
        imports: [file],
      });
      await archive.update([], { leftOf: (text) => text, nowMs: Date.now() });
    },
    fix: configure({}),
  },
];

const DOCUMENTS: readonly BrokenSetup[] = [
  {
    name: 'PDF files are indexed without the library for them',
    finds: 'documents/pdf-library-missing',
    severity: 'warning',
    breaks: configure(search({ documents: ['html', 'pdf'] })),
    fix: configure(search({ documents: ['html'] })),
  },
];

const CONFIGURATION: readonly BrokenSetup[] = [
  {
    name: 'a comma is missing',
    finds: 'configuration/syntax',
    severity: 'fault',
    breaks: configure('{\n  "memory": {}\n  "logging": {}\n}\n'),
    at: '3:3',
    fix: configure('{\n  "memory": {},\n  "logging": {}\n}\n'),
  },
  {
    name: 'the file is empty',
    finds: 'configuration/syntax',
    severity: 'fault',
    breaks: configure(''),
    at: '1:1',
    fix: 'safe',
    after: (patient) => text(patient) === '{}\n',
  },
  {
    name: 'the file is not UTF-8',
    finds: 'configuration/unreadable-file',
    severity: 'fault',
    breaks: (patient) => writeFileSync(patient.config, Buffer.from([0xff, 0xfe, 0x7b, 0])),
    fix: configure({}),
  },
  {
    name: 'the file is a folder',
    finds: 'configuration/unreadable-file',
    severity: 'fault',
    breaks: ({ config }) => mkdirSync(config),
    fix: ({ config }) => rmSync(config, { recursive: true }),
  },
  {
    name: 'a key is mistyped, among comments',
    finds: 'configuration/unknown-key',
    severity: 'fault',
    breaks: configure(
      '{\n  // the listener\n  "gateway": {\n    "prot": 9000, // not 8787\n  },\n}\n',
    ),
    at: '4:5',
    fix: 'safe',
    after: (patient) =>
      text(patient) ===
      '{\n  // the listener\n  "gateway": {\n    "port": 9000, // not 8787\n  },\n}\n',
  },
  {
    name: 'a key is mistyped above another that is',
    finds: 'configuration/unknown-key',
    severity: 'fault',
    breaks: configure({ gatewy: { prot: 9000 } }),
    at: '2:3',
    fix: 'safe',
    after: (patient) => text(patient).includes('"gateway"'),
  },
  {
    name: 'the key of a secret is mistyped',
    finds: 'configuration/unknown-key',
    severity: 'fault',
    breaks: configure({ models: { providers: { corp: { api: 'openai', apiKy: PLANTED } } } }),
    at: '6:9',
    fix: 'safe',
    after: (patient) => text(patient).includes(`"apiKey": "${PLANTED}"`),
  },
  {
    name: 'a key has a name that is like another by far',
    finds: 'configuration/unknown-key',
    severity: 'fault',
    breaks: configure({ gateway: { trustetProksies: [] } }),
    at: '3:5',
    fix: 'asked',
    after: (patient) => text(patient).includes('"trustedProxies"'),
  },
  {
    name: 'a key is like no other',
    finds: 'configuration/unknown-key',
    severity: 'fault',
    breaks: configure({ frobnicate: true }),
    at: '2:3',
    fix: configure({}),
  },
  {
    name: 'a mistyped choice',
    finds: 'configuration/invalid-value',
    severity: 'fault',
    breaks: configure({ logging: { level: 'inof' } }),
    at: '3:14',
    fix: 'safe',
    after: (patient) => text(patient).includes('"info"'),
  },
  {
    name: 'a number in quotes',
    finds: 'configuration/wrong-type',
    severity: 'fault',
    breaks: configure({ gateway: { port: '9000' } }),
    at: '3:13',
    fix: 'safe',
    after: (patient) => text(patient).includes('"port": 9000'),
  },
  {
    name: 'true in quotes',
    finds: 'configuration/wrong-type',
    severity: 'fault',
    breaks: configure(search({ enabled: 'true' })),
    at: '5:20',
    fix: 'safe',
    after: (patient) => text(patient).includes('"enabled": true'),
  },
  {
    name: 'one text where a list is wanted',
    finds: 'configuration/wrong-type',
    severity: 'fault',
    breaks: configure(search({ extraPaths: 'notes' })),
    at: '5:23',
    fix: 'safe',
    after: (patient) => /"extraPaths": \[\s*"notes"\s*\]/u.test(text(patient)),
  },
  {
    name: 'a key twice that says the same',
    finds: 'configuration/duplicate-key',
    severity: 'fault',
    breaks: configure('{\n  "memory": {},\n  "memory": {}\n}\n'),
    at: '3:3',
    fix: 'safe',
    after: (patient) => text(patient) === '{\n  "memory": {}\n}\n',
  },
  {
    name: 'a key twice that says two things',
    finds: 'configuration/duplicate-key',
    severity: 'fault',
    breaks: configure('{\n  "gateway": { "port": 1 },\n  "gateway": { "port": 2 }\n}\n'),
    at: '3:3',
    fix: configure({ gateway: { port: 2 } }),
  },
  {
    name: 'a fallback that is the provider',
    finds: 'configuration/fallback-is-provider',
    severity: 'fault',
    breaks: configure(search({ provider: 'openai', fallback: 'openai' })),
    at: '6:21',
    fix: 'safe',
    after: (patient) => !text(patient).includes('fallback'),
  },
  {
    name: 'two routes on one path',
    finds: 'configuration/duplicate-route-path',
    severity: 'fault',
    breaks: configure(
      hooks({ a: route('env:A', { path: '/x' }), b: route('env:B', { path: '/x/' }) }),
    ),
    at: '16:23',
    fix: configure({}),
  },
  {
    name: 'a schedule that no month has a day for',
    finds: 'configuration/cron-never-fires',
    severity: 'fault',
    breaks: configure(dreaming('0 3 30 2 *')),
    at: '8:26',
    fix: configure(dreaming('0 3 28 2 *')),
  },
  {
    name: 'a short secret in plain text',
    finds: 'configuration/weak-secret',
    severity: 'warning',
    breaks: configure(endpoint('sk-short')),
    at: '7:19',
    fix: (patient) => {
      patient.env = { CORP_KEY: LONG_SECRET };
      patient.configure(endpoint('env:CORP_KEY'));
    },
  },
  {
    name: 'a password in the URL of the server',
    finds: 'configuration/plain-password',
    severity: 'warning',
    breaks: configure({ storage: { url: `postgres://ada:${PLANTED}@db.example/svc` } }),
    at: '3:12',
    fix: (patient) => {
      patient.env = { SVC_DATABASE_URL: `postgres://ada:${PLANTED}@db.example/svc` };
      patient.configure({ storage: { url: 'env:SVC_DATABASE_URL' } });
    },
  },
  {
    name: 'a path that climbs out of the folder',
    finds: 'configuration/path-leaves-folder',
    severity: 'warning',
    breaks: configure({ logging: { file: '../svc.log' } }),
    at: '3:13',
    fix: configure({ logging: { file: 'logs/svc.log' } }),
  },
  {
    name: 'an old way to name a variable',
    finds: 'deprecated/deprecated',
    severity: 'warning',
    breaks: configure({
      ...endpoint('secretref-env:CORP_KEY'),
      flows: { notify: { url: 'https://ops.example', secret: { source: 'env', id: 'OPS' } } },
    }),
    says: 'is an old form of a reference',
    at: '7:19',
    fix: 'safe',
    after: (patient) => text(patient).includes('"env:CORP_KEY"'),
  },
  {
    name: 'a reference that is taken for the secret itself',
    finds: 'deprecated/deprecated',
    severity: 'warning',
    breaks: configure(endpoint('__env__:CORP_KEY')),
    says: 'the text itself is used as the secret',
    fix: 'safe',
    after: (patient) => text(patient).includes('"env:CORP_KEY"'),
  },
  {
    name: 'a key without effect',
    finds: 'deprecated/deprecated',
    severity: 'warning',
    breaks: configure({
      plugins: {
        entries: { 'active-memory': { config: { modelFallbackPolicy: 'resolved-only' } } },
      },
    }),
    fix: 'safe',
    after: (patient) => !text(patient).includes('modelFallbackPolicy'),
  },
];

const FILES: readonly BrokenSetup[] = [
  {
    name: 'the state folder may be changed by all',
    finds: 'permissions/folder-writable',
    severity: 'fault',
    breaks: ({ state }) => chmodSync(state, 0o777),
    fix: 'safe',
  },
  {
    name: 'the state folder cannot be written to',
    finds: 'permissions/folder-unwritable',
    severity: 'fault',
    breaks: ({ state }) => chmodSync(state, 0o555),
    fix: 'safe',
    after: ({ state }) => (statSync(state).mode & 0o777) === 0o700,
  },
  {
    name: 'others may look into the state folder',
    finds: 'permissions/folder-readable',
    severity: 'warning',
    breaks: ({ state }) => chmodSync(state, 0o755),
    fix: 'safe',
  },
  {
    name: 'a login that others may read',
    finds: 'permissions/secret-readable',
    severity: 'fault',
    breaks: (patient) => {
      chmodSync(patient.write('state/auth/github-copilot.json', `"${PLANTED}"`), 0o644);
      chmodSync(patient.at('state/auth'), 0o700);
    },
    fix: 'safe',
    after: (patient) => exists(patient.at('state/auth'), 'github-copilot.json'),
  },
  {
    name: 'a pipe in place of the file of tokens, which others may read',
    finds: 'permissions/secret-readable',
    severity: 'fault',
    breaks: ({ state }) => {
      execFileSync('mkfifo', ['-m', '644', join(state, 'mcp-tokens.json')]);
    },
    fix: 'safe',
  },
  {
    name: 'a configuration with a plain secret that others may read',
    finds: 'permissions/config-readable',
    severity: 'fault',
    breaks: (patient) => {
      patient.configure(endpoint(PLANTED));
      chmodSync(patient.config, 0o644);
    },
    fix: 'safe',
    after: (patient) => text(patient).includes(PLANTED),
  },
  {
    name: 'a configuration with a password in an address that others may read',
    finds: 'permissions/config-readable',
    severity: 'fault',
    breaks: (patient) => {
      const baseUrl = 'https://user:Kx9vT2mPq7@models.example.com/v1';
      patient.configure({ models: { providers: { corp: { api: 'openai', baseUrl } } } });
      chmodSync(patient.config, 0o644);
    },
    fix: 'safe',
  },
  {
    name: 'a configuration that all may change',
    finds: 'permissions/config-writable',
    severity: 'fault',
    breaks: (patient) => {
      patient.configure({});
      chmodSync(patient.config, 0o666);
    },
    fix: 'safe',
  },
  {
    name: 'a file of secrets that others may read',
    finds: 'permissions/secret-readable',
    severity: 'fault',
    breaks: (patient) => {
      const path = patient.write('vault.json', JSON.stringify({ key: PLANTED }));
      chmodSync(path, 0o644);
      patient.configure({
        ...endpoint({ source: 'file', provider: 'vault', id: '/key' }),
        secrets: { providers: { vault: { source: 'file', path } } },
      });
    },
    fix: 'safe',
  },
  {
    name: 'an index that others may read',
    finds: 'permissions/index-readable',
    severity: 'warning',
    breaks: async (patient) => {
      await patient.sync();
      chmodSync(patient.index, 0o644);
    },
    fix: 'safe',
  },
  {
    name: 'there is no workspace',
    finds: 'workspace/workspace-missing',
    severity: 'fault',
    breaks: (patient) => rmSync(patient.at('state/workspace'), { recursive: true }),
    fix: 'safe',
    after: (patient) => exists(patient.state, 'workspace'),
  },
  {
    name: 'there are many documents that are not indexed',
    finds: 'workspace/documents-not-indexed',
    severity: 'note',
    breaks: (patient) => {
      for (let at = 0; at < 10; at++) {
        mkdirSync(patient.at('state/workspace/memory'), { recursive: true });
        writeFileSync(patient.at(`state/workspace/memory/${at}.txt`), 'text');
      }
    },
    fix: configure(search({ documents: ['txt'] })),
  },
  {
    name: 'the workspace is a file',
    finds: 'workspace/workspace-unreadable',
    severity: 'fault',
    breaks: (patient) => patient.configure({ agents: { defaults: { workspace: 'svc.json' } } }),
    at: '4:20',
    fix: configure({}),
  },
  {
    name: 'the workspace is a link that leads nowhere',
    finds: 'workspace/workspace-unreadable',
    severity: 'fault',
    breaks: (patient) => {
      renameSync(patient.at('state/workspace'), patient.at('moved'));
      symlinkSync(patient.at('nowhere'), patient.at('state/workspace'));
    },
    fix: (patient) => {
      rmSync(patient.at('state/workspace'));
      symlinkSync(patient.at('moved'), patient.at('state/workspace'));
    },
  },
  {
    name: 'a memory.md beside MEMORY.md',
    finds: 'workspace/memory-split',
    severity: 'warning',
    breaks: (patient) => void patient.write('state/workspace/memory.md', 'more'),
    fix: (patient) => rmSync(patient.at('state/workspace/memory.md')),
  },
  {
    name: 'a note that is too large to be indexed',
    finds: 'workspace/file-skipped',
    severity: 'warning',
    breaks: (patient) =>
      truncateSync(patient.write('state/workspace/memory/big.md', ''), MAX_DOCUMENT_BYTES + 1),
    fix: (patient) => rmSync(patient.at('state/workspace/memory/big.md')),
  },
  {
    name: 'a document in extraPaths, of a format that is not included',
    finds: 'workspace/file-skipped',
    severity: 'warning',
    breaks: (patient) =>
      patient.configure(search({ extraPaths: [patient.write('a.docx', '')], documents: ['html'] })),
    fix: (patient) =>
      patient.configure(search({ extraPaths: [patient.at('a.docx')], documents: ['docx'] })),
  },
  {
    name: 'a memory.md in place of MEMORY.md',
    finds: 'workspace/memory-misspelt',
    severity: 'warning',
    breaks: ({ at }) =>
      renameSync(at('state/workspace/MEMORY.md'), at('state/workspace/memory.md')),
    fix: ({ at }) => renameSync(at('state/workspace/memory.md'), at('state/workspace/MEMORY.md')),
  },
  {
    name: 'an extra path that is not there',
    finds: 'workspace/extra-path-missing',
    severity: 'warning',
    breaks: configure(search({ extraPaths: ['~/docs'] })),
    at: '6:11',
    fix: ({ at }) => mkdirSync(at('docs')),
  },
  {
    name: 'a folder of conversations that is not there',
    finds: 'workspace/transcripts-missing',
    severity: 'warning',
    breaks: configure({
      ...search({ sources: ['memory', 'sessions'], experimental: { sessionMemory: true } }),
      sessions: { readers: ['svc', { id: 'claude-code', path: '~/projects' }] },
    }),
    at: '16:16',
    fix: ({ at }) => mkdirSync(at('projects')),
  },
  {
    name: 'a workspace without a note',
    finds: 'workspace/workspace-empty',
    severity: 'note',
    breaks: (patient) => rmSync(patient.at('state/workspace/MEMORY.md')),
    fix: (patient) => void patient.write('state/workspace/memory/2026-01-01.md', 'a day'),
  },
  {
    name: 'a pattern that excludes every note',
    finds: 'workspace/everything-excluded',
    severity: 'warning',
    breaks: (patient) => void patient.write('state/workspace/.svcignore', '*\n'),
    fix: (patient) => rmSync(patient.at('state/workspace/.svcignore')),
  },
];

const INDEXES: readonly BrokenSetup[] = [
  {
    name: 'front matter that is no YAML',
    finds: 'index/front-matter-invalid',
    severity: 'warning',
    breaks: async (patient) => {
      patient.write('state/workspace/memory/a.md', '---\ntags: [a\n---\nText.\n');
      await patient.sync();
    },
    fix: async (patient) => {
      patient.write('state/workspace/memory/a.md', '---\ntags: [a]\n---\nText.\n');
      await patient.sync();
    },
  },
  {
    name: 'a damaged document',
    finds: 'index/file-skipped',
    severity: 'warning',
    breaks: async (patient) => {
      patient.configure(search({ documents: ['docx'] }));
      patient.write('state/workspace/memory/a.docx', 'not a zip');
      await patient.sync();
    },
    fix: async (patient) => {
      rmSync(patient.at('state/workspace/memory/a.docx'));
      await patient.sync();
    },
  },
  {
    name: 'a link to a note that does not exist',
    finds: 'index/links-broken',
    severity: 'note',
    breaks: async (patient) => {
      patient.write('state/workspace/memory/a.md', 'See [[Garden]].\n');
      await patient.sync();
    },
    fix: async (patient) => {
      patient.write('state/workspace/memory/garden.md', '# Garden\n');
      await patient.sync();
    },
  },
  {
    name: 'the list of what is forgotten is damaged',
    finds: 'index/forget-list-invalid',
    severity: 'fault',
    breaks: async (patient) => {
      await patient.sync();
      patient.write('state/forgotten/main.json', 'damaged');
    },
    fix: ({ at }) => rmSync(at('state/forgotten/main.json')),
  },
  {
    name: 'there is no index',
    finds: 'index/index-missing',
    severity: 'warning',
    breaks: () => undefined,
    fix: 'safe',
    after: ({ state }) => exists(join(state, 'memory'), 'main.sqlite'),
  },
  {
    name: 'the head of the index is overwritten',
    finds: 'index/index-foreign',
    severity: 'fault',
    breaks: async (patient) => {
      await patient.sync();
      writeFileSync(
        patient.index,
        'no database at all, but longer than a header would have to be…',
      );
    },
    fix: 'safe',
    after: ({ state }) => exists(join(state, 'memory'), 'main.sqlite.replaced'),
  },
  {
    name: 'the index is cut off',
    finds: 'index/index-damaged',
    severity: 'fault',
    breaks: async (patient) => {
      for (let n = 0; n < 20; n++) patient.write(`state/workspace/memory/${n}.md`, noteText(n));
      await patient.sync();
      truncateSync(patient.index, 8192);
    },
    fix: 'safe',
  },
  {
    name: 'a page in the middle of the index is overwritten',
    finds: 'index/index-damaged',
    severity: 'fault',
    breaks: async (patient) => {
      for (let n = 0; n < 40; n++) patient.write(`state/workspace/memory/${n}.md`, noteText(n));
      await patient.sync();
      damageTable(patient.index, 'chunks');
    },
    fix: 'safe',
  },
  {
    name: 'an older svc wrote the index',
    finds: 'index/index-older',
    severity: 'fault',
    breaks: async (patient) => {
      await patient.sync();
      setVersion(patient.index, 1);
    },
    fix: 'safe',
  },
  {
    name: 'a newer svc wrote the index',
    finds: 'index/index-newer',
    severity: 'fault',
    breaks: async (patient) => {
      await patient.sync();
      setVersion(patient.index, 999);
    },
    fix: 'asked',
  },
  {
    name: 'another program wrote a database in its place',
    finds: 'index/index-foreign',
    severity: 'fault',
    breaks: (patient) => {
      mkdirSync(patient.at('state/memory'));
      const other = rawDatabase(patient.index);
      other.exec('CREATE TABLE mine (a); INSERT INTO mine VALUES (1)');
      other.close();
    },
    fix: 'safe',
    after: ({ state }) => exists(join(state, 'memory'), 'main.sqlite.replaced'),
  },
  {
    name: 'a folder in its place',
    finds: 'index/index-no-file',
    severity: 'fault',
    breaks: (patient) => void mkdirSync(patient.index, { recursive: true }),
    fix: async (patient) => {
      rmSync(patient.index, { recursive: true });
      await patient.sync();
    },
  },
  {
    name: 'the index was built with other settings',
    finds: 'index/index-outdated',
    severity: 'warning',
    breaks: async (patient) => {
      await patient.sync();
      patient.configure(search({ chunking: { tokens: 200, overlap: 20 } }));
    },
    fix: 'safe',
  },
  {
    name: 'changed notes that searches leave out',
    finds: 'index/index-stale',
    severity: 'warning',
    breaks: async (patient) => {
      patient.configure(search({ sync: { onSearch: false } }));
      await patient.sync();
      // A file that was changed this very moment is looked at once more anyway.
      const path = patient.write('state/workspace/memory/new.md', 'new');
      const old = (Date.now() - HOUR_MS) / 1000;
      utimesSync(path, old, old);
    },
    fix: 'safe',
  },
  {
    name: 'two agents with one index',
    finds: 'configuration/store-shared',
    severity: 'fault',
    breaks: configure({
      agents: {
        defaults: { memorySearch: { store: { path: 'one.sqlite' } } },
        list: [{ id: 'a' }, { id: 'b' }],
      },
    }),
    at: '6:19',
    fix: configure({
      agents: {
        defaults: { memorySearch: { store: { path: '{agentId}.sqlite' } } },
        list: [{ id: 'a' }, { id: 'b' }],
      },
    }),
  },
  {
    name: 'memory search is switched off',
    finds: 'index/memory-disabled',
    severity: 'note',
    breaks: configure(search({ enabled: false })),
    fix: configure({}),
  },
  {
    name: 'a vector extension that is none',
    finds: 'vectors/vector-extension',
    severity: 'warning',
    breaks: (patient) => {
      patient.write('state/vec0.so', 'not a library');
      patient.configure(search({ store: { vector: { extensionPath: 'vec0.so' } } }));
    },
    at: '7:30',
    fix: 'safe',
    after: (patient) => !text(patient).includes('extensionPath'),
  },
  {
    name: 'passages without vectors',
    finds: 'vectors/vectors-missing',
    severity: 'warning',
    breaks: async (patient) => {
      await patient.sync();
      patient.configure(search(await answering()));
    },
    fix: (patient) => patient.sync(),
  },
  {
    name: 'pictures that the model takes none of',
    finds: 'media/media-unavailable',
    severity: 'warning',
    breaks: (patient) => {
      patient.env = { GEMINI_API_KEY: PLANTED };
      patient.configure(
        search({ provider: 'gemini', model: 'gemini-embedding-001', multimodal: MEDIA }),
      );
    },
    at: '6:18',
    fix: (patient) => {
      patient.configure(
        search({ provider: 'gemini', model: 'gemini-embedding-2', multimodal: MEDIA }),
      );
    },
  },
  {
    name: 'a picture that the vendor refuses',
    finds: 'media/media-refused',
    severity: 'note',
    breaks: async (patient) => {
      const fake = await startGeminiFake({ dimensions: 128 });
      fakes.push(fake);
      const remote = { baseUrl: `${fake.origin}/v1beta`, apiKey: GEMINI_KEY };
      const provider = { provider: 'gemini', model: 'gemini-embedding-2', remote };
      patient.write('state/workspace/memory/map.webp', webp('a map'));
      patient.configure(search({ ...provider, multimodal: MEDIA }));
      await patient.sync();
    },
    fix: async (patient) => {
      rmSync(patient.at('state/workspace/memory/map.webp'));
      await patient.sync();
    },
  },
  {
    name: 'a build that was killed',
    finds: 'leftovers/stray-build',
    severity: 'warning',
    breaks: async (patient) => {
      await patient.sync();
      writeFileSync(`${patient.index}.build`, 'half');
      writeFileSync(`${patient.index}.build-journal`, 'half');
    },
    fix: 'safe',
    after: ({ state }) => !readdirSync(join(state, 'memory')).some((name) => /build/u.test(name)),
  },
  {
    name: 'a log of an index that is gone',
    finds: 'leftovers/orphaned-files',
    severity: 'warning',
    breaks: (patient) => void patient.write('state/memory/gone.sqlite-wal', 'log'),
    fix: 'safe',
    after: ({ state }) => !exists(join(state, 'memory'), 'gone.sqlite-wal'),
  },
  {
    name: 'an index of a folder that was deleted',
    finds: 'leftovers/folder-gone',
    severity: 'note',
    breaks: async (patient) => {
      await patient.sync();
      const other = rawDatabase(patient.index);
      other.exec(`VACUUM INTO '${dirname(patient.index)}/workspace-0123456789abcdef.sqlite'`);
      other.close();
      const copy = rawDatabase(`${dirname(patient.index)}/workspace-0123456789abcdef.sqlite`);
      copy.exec('PRAGMA journal_mode = WAL');
      copy.exec("UPDATE meta SET value = '/nowhere/notes' WHERE key = 'workspace'");
      copy.close();
      patient.write('state/memory/workspace-0123456789abcdef.sqlite.lock', '');
      patient.write('state/memory/workspace-0123456789abcdef.texts/lease.gz', 'text of a PDF');
    },
    fix: 'asked',
    after: ({ state }) => {
      const names = readdirSync(join(state, 'memory'));
      return !names.some((name) => /^workspace-.*(?:sqlite(?:-wal|-shm)?|texts)$/u.test(name));
    },
  },
  {
    name: 'a file that was set aside',
    finds: 'leftovers/set-aside',
    severity: 'warning',
    breaks: (patient) => void patient.write('state/memory/main.sqlite.replaced', 'whose?'),
    fix: 'asked',
    after: ({ state }) => !exists(join(state, 'memory'), 'main.sqlite.replaced'),
  },
  {
    name: 'a second file that was set aside',
    finds: 'leftovers/set-aside',
    severity: 'warning',
    breaks: (patient) => void patient.write('state/memory/main.sqlite.replaced.2', 'whose?'),
    fix: 'asked',
    after: ({ state }) => !exists(join(state, 'memory'), 'main.sqlite.replaced.2'),
  },
  {
    name: 'a configuration that was never put in its place',
    finds: 'leftovers/temporary-files',
    severity: 'warning',
    breaks: (patient) => {
      const old = (Date.now() - HOUR_MS) / 1000;
      for (const folder of ['state', 'state/trusted-configs']) {
        const path = patient.write(`${folder}/.0123456789ab.svc.tmp`, `{"apiKey": "${PLANTED}"}`);
        utimesSync(path, old, old);
      }
    },
    fix: 'safe',
    after: ({ state }) =>
      !exists(state, '.0123456789ab.svc.tmp') &&
      !exists(join(state, 'trusted-configs'), '.0123456789ab.svc.tmp'),
  },
  {
    name: 'a note that was never put in its place',
    finds: 'leftovers/temporary-files',
    severity: 'warning',
    breaks: (patient) => {
      const path = patient.write('state/workspace/memory/trips/.0123456789ab.svc.tmp', 'x');
      const old = (Date.now() - HOUR_MS) / 1000;
      utimesSync(path, old, old);
    },
    fix: 'safe',
    after: ({ state }) => !exists(join(state, 'workspace/memory/trips'), '.0123456789ab.svc.tmp'),
  },
  {
    name: 'a process that writes the index for hours',
    finds: 'leftovers/lock-held-long',
    severity: 'warning',
    breaks: async (patient) => {
      await patient.sync();
      const nowMs = Date.now() - 3 * HOUR_MS;
      const lock = await acquireIndexLock(patient.index, { nowMs, waitMs: 0 });
      held.set(patient.index, () => lock?.release());
    },
    fix: (patient) => held.get(patient.index)?.(),
  },
];

const SERVICES: readonly BrokenSetup[] = [
  {
    name: 'a provider without a key',
    finds: 'provider/provider-auth',
    severity: 'fault',
    breaks: configure(search({ provider: 'openai' })),
    fix: async (patient) => patient.configure(search(await answering())),
  },
  {
    name: 'a reranker without a key',
    finds: 'reranker/provider-auth',
    severity: 'warning',
    breaks: configure(search({ provider: 'none', query: { rerank: { provider: 'cohere' } } })),
    fix: configure(search({ provider: 'none' })),
  },
  {
    name: 'a model for captures without a key',
    finds: 'provider/model-unusable',
    severity: 'warning',
    breaks: configure({ memory: { captureModel: 'anthropic/claude' } }),
    at: '3:21',
    fix: (patient) => {
      patient.env = { ANTHROPIC_API_KEY: PLANTED };
    },
  },
  {
    name: 'a model for active memory of a provider that nobody declared',
    finds: 'provider/model-unusable',
    severity: 'warning',
    breaks: configure(recallWith('nobody/some-model')),
    fix: configure(recallWith('ollama/some-model')),
  },
  {
    name: 'a key that the provider refuses, and quotes',
    finds: 'provider/provider-auth',
    severity: 'fault',
    breaks: async (patient) => {
      const { remote } = await answering();
      patient.configure(search({ provider: 'openai', remote: { ...remote, apiKey: PLANTED } }));
    },
    fix: async (patient) => patient.configure(search(await answering())),
  },
  {
    name: 'a provider that nobody answers for',
    finds: 'provider/provider-unreachable',
    severity: 'fault',
    breaks: configure(
      search({ provider: 'openai', remote: { baseUrl: 'http://127.0.0.1:9/v1', apiKey: PLANTED } }),
    ),
    fix: async (patient) => patient.configure(search(await answering())),
  },
  {
    name: 'an external search program that is not there',
    finds: 'backend/backend-program',
    severity: 'warning',
    breaks: configure(external('/nowhere/qmd')),
    fix: async (patient) => {
      patient.configure(external(installQmd().command));
      await patient.sync();
    },
  },
  {
    name: 'an external search program that runs with another Node.js than it needs',
    finds: 'backend/backend-release',
    severity: 'warning',
    breaks: configure(external(installQmd({ on: { '*': { kind: 'wrong_node' } } }).command)),
    fix: configure({}),
  },
  {
    name: 'an external search program that was never told what to search',
    finds: 'backend/backend-collections',
    severity: 'warning',
    breaks: (patient) => {
      patient.configure(external(installQmd().command));
      patient.write('state/workspace/memory/note.md', 'One more.');
    },
    fix: async (patient) => patient.sync(),
  },
  {
    name: 'a provider of models on this machine, without what runs them',
    finds: 'modules/local-runtime-missing',
    severity: 'fault',
    breaks: configure(search({ provider: 'local' })),
    fix: configure({}),
  },
  {
    name: 'a model on this machine that is not used, because its file does not exist',
    finds: 'provider/local-model-unused',
    severity: 'warning',
    breaks: configure(search({ local: { modelPath: 'missing.gguf' } })),
    fix: configure({}),
  },
  {
    name: 'a variable that is not set',
    finds: 'secrets/secret-unresolved',
    severity: 'fault',
    breaks: configure(endpoint('env:CORP_KEY')),
    at: '7:19',
    fix: (patient) => {
      patient.env = { CORP_KEY: PLANTED };
    },
  },
  {
    name: 'a secret provider that nobody declared',
    finds: 'configuration/unknown-secret-provider',
    severity: 'fault',
    breaks: configure(endpoint({ source: 'exec', provider: 'pass', id: 'corp' })),
    fix: (patient) => {
      const script = `#!${process.execPath}\nprocess.stdout.write(JSON.stringify({ protocolVersion: 1, values: { corp: '${PLANTED}' } }));\n`;
      const command = patient.write('pass', script);
      chmodSync(command, 0o700);
      patient.configure({
        ...endpoint({ source: 'exec', provider: 'pass', id: 'corp' }),
        secrets: { providers: { pass: { source: 'exec', command, timeoutMs: 60_000 } } },
      });
    },
  },
  {
    name: 'a pointer that leads nowhere in a file of secrets',
    finds: 'secrets/secret-unresolved',
    severity: 'fault',
    breaks: (patient) => {
      const path = patient.write('vault.json', JSON.stringify({ other: PLANTED }));
      chmodSync(path, 0o600);
      patient.configure({
        ...endpoint({ source: 'file', provider: 'vault', id: '/key' }),
        secrets: { providers: { vault: { source: 'file', path } } },
      });
    },
    fix: (patient) => {
      patient.write('vault.json', JSON.stringify({ key: PLANTED }));
    },
  },
  {
    name: 'webhooks without a route',
    finds: 'webhooks/webhooks-without-routes',
    severity: 'warning',
    breaks: configure(hooks({})),
    at: '5:20',
    fix: configure(hooks({ ci: route(LONG_SECRET) })),
  },
  {
    name: 'a route whose secret is nowhere',
    finds: 'webhooks/secret-unresolved',
    severity: 'fault',
    breaks: configure(hooks({ ci: route('env:CI_SECRET') })),
    at: '10:25',
    fix: (patient) => {
      patient.env = { CI_SECRET: PLANTED };
    },
  },
  {
    name: 'a route whose new secret is not in this environment',
    finds: 'webhooks/secret-unresolved',
    severity: 'warning',
    breaks: (patient) => {
      patient.env = { OLD_SECRET: PLANTED };
      const verify = { scheme: 'bearer', secrets: ['env:NEW_SECRET', 'env:OLD_SECRET'] };
      patient.configure(hooks({ ci: { sessionKey: 's', verify } }));
    },
    fix: (patient) => {
      patient.env = { OLD_SECRET: PLANTED, NEW_SECRET: LONG_SECRET };
    },
  },
  {
    name: 'a route whose secret is not one of its scheme',
    finds: 'webhooks/secret-unresolved',
    severity: 'fault',
    breaks: (patient) => {
      patient.env = { LOGIN: PLANTED };
      const verify = { scheme: 'basic', secrets: ['env:LOGIN'] };
      patient.configure(hooks({ ci: { sessionKey: 's', verify } }));
    },
    fix: (patient) => {
      patient.env = { LOGIN: `ada:${LONG_SECRET}` };
    },
  },
  {
    name: 'a route whose secret is nowhere, until it is off',
    finds: 'webhooks/secret-unresolved',
    severity: 'fault',
    breaks: configure(hooks({ ci: route('env:CI_SECRET') })),
    fix: configure(hooks({ ci: { ...route('env:CI_SECRET'), enabled: false } })),
  },
  {
    name: 'a route whose secret is short',
    finds: 'webhooks/secret-weak',
    severity: 'warning',
    breaks: (patient) => {
      patient.env = { CI_SECRET: 'short' };
      patient.configure(hooks({ ci: route('env:CI_SECRET') }));
    },
    fix: (patient) => {
      patient.env = { CI_SECRET: PLANTED };
    },
  },
  ...[
    { flows: { notify: { url: 'https://ops.example', secret: 'env:SIGNING' } } },
    hooks({
      ci: {
        ...route(LONG_SECRET),
        callback: { url: 'https://ops.example', secret: 'env:SIGNING' },
      },
    }),
  ].map(
    (config, at): BrokenSetup => ({
      name: `a short secret that signs notifications ${at === 0 ? 'of all flows' : 'of a route'}`,
      finds: 'secrets/secret-weak',
      severity: 'warning',
      breaks: (patient) => {
        patient.env = { SIGNING: 'short' };
        patient.configure(config);
      },
      fix: (patient) => {
        patient.env = { SIGNING: PLANTED };
      },
    }),
  ),
  {
    name: 'two routes with one secret',
    finds: 'webhooks/secret-shared',
    severity: 'warning',
    breaks: (patient) => {
      patient.env = { A: PLANTED, B: PLANTED };
      patient.configure(hooks({ a: route('env:A'), b: route('env:B') }));
    },
    fix: (patient) => {
      patient.env = { A: PLANTED, B: LONG_SECRET };
    },
  },
  {
    name: 'a listener that is open without TLS',
    finds: 'webhooks/gateway-open',
    severity: 'warning',
    breaks: configure(hooks({ ci: route(LONG_SECRET) }, { gateway: { host: '0.0.0.0' } })),
    fix: configure(hooks({ ci: route(LONG_SECRET) }, { gateway: { host: '127.0.0.1' } })),
  },
  {
    name: 'a record of deliveries that is damaged',
    finds: 'webhooks/deliveries-unusable',
    severity: 'warning',
    breaks: (patient) => {
      configure(hooks({ ci: route(LONG_SECRET) }))(patient);
      patient.write('state/webhook-deliveries.sqlite', 'not a database '.repeat(100));
    },
    fix: async (patient) => {
      rmSync(patient.at('state/webhook-deliveries.sqlite'));
      await recordDeliveries(patient.at('state'), [newDelivery()]);
    },
  },
  {
    name: 'a certificate that is not there',
    finds: 'webhooks/tls-file-missing',
    severity: 'fault',
    breaks: configure(
      hooks({ ci: route(LONG_SECRET) }, { gateway: { tls: { cert: 'c.pem', key: 'k.pem' } } }),
    ),
    fix: (patient) => {
      patient.write('state/c.pem', '');
      patient.write('state/k.pem', '');
    },
  },
  {
    name: 'a certificate that is not there, without webhooks',
    finds: 'webhooks/tls-file-missing',
    severity: 'fault',
    breaks: configure({ gateway: { tls: { cert: 'c.pem', key: 'k.pem' } } }),
    fix: configure({ gateway: { tls: { cert: 'c.pem', key: 'k.pem' }, admin: { port: 9 } } }),
  },
  {
    name: 'a certificate whose key cannot be read',
    finds: 'webhooks/tls-unusable',
    severity: 'fault',
    breaks: (patient) => {
      patient.write('state/c.pem', 'no certificate');
      patient.write('state/k.pem', 'no key');
      const gateway = { tls: { cert: 'c.pem', key: 'k.pem' } };
      configure(hooks({ ci: route(LONG_SECRET) }, { gateway }))(patient);
    },
    fix: configure(hooks({ ci: route(LONG_SECRET) })),
  },
  {
    name: 'a page of the flows is overwritten',
    finds: 'flows/flows-damaged',
    severity: 'fault',
    breaks: async (patient) => {
      await (await notifyingFlows(patient)).close();
      configure({ flows: NOTIFY_OPS })(patient);
      damageTable(patient.at('state/flows.sqlite'), 'history');
    },
    fix: (patient) => rmSync(patient.at('state/flows.sqlite')),
  },
  {
    name: 'tasks that somebody paused and forgot',
    finds: 'flows/tasks-paused',
    severity: 'note',
    breaks: async (patient) => {
      const opened = await openFlows(
        { ...patient.options().context, clock: { now: () => Date.now() - 30 * HOUR_MS } },
        resolveConfig({}),
      );
      await opened.tasks.pause(['acp'], 'a new release');
      await opened.close();
    },
    fix: async (patient) => {
      const opened = await openFlows(patient.options().context, resolveConfig({}));
      await opened.tasks.resume(['acp']);
      await opened.close();
    },
  },
  {
    name: 'tasks that no worker takes',
    finds: 'flows/tasks-unclaimed',
    severity: 'warning',
    breaks: async (patient) => {
      const opened = await openFlows(
        { ...patient.options().context, clock: { now: () => Date.now() - HOUR_MS } },
        resolveConfig({}),
      );
      await newTask(opened, await newFlow(opened));
      await opened.close();
    },
    fix: async (patient) => {
      const opened = await openFlows(patient.options().context, resolveConfig({}));
      await claimTask(opened);
      await opened.close();
    },
  },
  {
    name: 'notifications that their target did not take',
    finds: 'notifications/notifications-failed',
    severity: 'warning',
    breaks: async (patient) => {
      const flows = await notifyingFlows(patient);
      for (const one of await flows.outbox.takeDue(DUE)) {
        await flows.outbox.markFailed(one, { error: 'it is down', permanent: true });
      }
      await flows.close();
    },
    fix: async (patient) => {
      const flows = await notifyingFlows(patient);
      await flows.operator.retryFailed({}, { dryRun: false });
      for (const one of await flows.outbox.takeDue(DUE)) await flows.outbox.markDelivered(one);
      await flows.close();
    },
  },
  {
    name: 'notifications for a target that was removed',
    finds: 'notifications/notification-target-missing',
    severity: 'warning',
    breaks: async (patient) => (await notifyingFlows(patient)).close(),
    fix: configure({ flows: NOTIFY_OPS }),
  },
  {
    name: 'an MCP server that is open without TLS or a proxy',
    finds: 'mcp/mcp-insecure',
    severity: 'fault',
    breaks: configure({ mcp: { http: { host: '0.0.0.0' } } }),
    fix: configure({ mcp: { http: { host: '127.0.0.1' } } }),
  },
  {
    name: 'an MCP server that nobody has a token for',
    finds: 'mcp/mcp-without-token',
    severity: 'warning',
    breaks: configure({
      mcp: { http: { trustedProxies: ['loopback'], publicUrl: 'https://memory.example' } },
    }),
    fix: async (patient) => void (await mcpToken(patient)),
  },
  {
    name: 'a certificate of the MCP server that is not there',
    finds: 'mcp/tls-file-missing',
    severity: 'fault',
    breaks: configure({
      mcp: { http: { host: 'localhost', tls: { cert: 'c.pem', key: 'k.pem' } } },
    }),
    fix: (patient) => {
      patient.write('state/c.pem', '');
      patient.write('state/k.pem', '');
    },
  },
  {
    name: 'an MCP token that has expired',
    finds: 'mcp/mcp-token-expired',
    severity: 'note',
    breaks: async (patient) => {
      await mcpToken(patient, { lifetimeMs: 1 });
      patient.nowMs = () => Date.now() + HOUR_MS;
    },
    fix: async (patient) => {
      await revokeToken('ada', storeOf(patient));
    },
  },
  {
    name: 'an MCP token for an agent that was removed',
    finds: 'mcp/mcp-token-agent-unknown',
    severity: 'note',
    breaks: async (patient) => void (await mcpToken(patient, { agent: 'gone' })),
    fix: configure({ agents: { list: [{ id: 'main' }, { id: 'gone' }] } }),
  },
  {
    name: 'tokens of MCP clients that others can read',
    finds: 'permissions/secret-readable',
    severity: 'fault',
    breaks: async (patient) => {
      await mcpToken(patient);
      chmodSync(patient.at('state/mcp-tokens.json'), 0o644);
    },
    fix: 'safe',
  },
  {
    name: 'a schedule that nothing runs',
    finds: 'schedules/schedule-overdue',
    severity: 'warning',
    at: '3:15',
    breaks: (patient) => runSchedules(patient, 3 * HOUR_MS),
    fix: (patient) => runSchedules(patient, 0),
  },
  {
    name: 'a store of dreaming that is no database',
    finds: 'dreaming/dreaming-store',
    severity: 'fault',
    breaks: (patient) => {
      patient.configure(dreaming('0 3 * * *'));
      patient.write(dreamFile(patient, 'database'), 'no database\n'.repeat(1000));
    },
    fix: (patient) => rmSync(patient.at(dreamFile(patient, 'database'))),
  },
  {
    name: 'a page of what dreaming has recorded is overwritten',
    finds: 'dreaming/dreaming-store',
    severity: 'fault',
    breaks: (patient) => {
      patient.configure(dreaming('0 3 * * *'));
      const file = patient.at(dreamFile(patient, 'database'));
      mkdirSync(dirname(file), { recursive: true });
      const database = openDreamDatabase(file);
      const sweeps = sweepRecords(database);
      sweeps.put(newSweep(sweeps, { day: '1970-01-01', startedMs: 0, trigger: 'manual' }));
      database.close();
      damageTable(file, 'sweeps');
    },
    fix: (patient) => rmSync(patient.at(dreamFile(patient, 'database'))),
  },
  {
    name: 'a log of recalls that no sweep ever took in',
    finds: 'dreaming/dreaming-log-full',
    severity: 'warning',
    breaks: (patient) => {
      patient.configure(dreaming('0 3 * * *'));
      patient.write(dreamFile(patient, 'recallLog'), '');
      truncateSync(patient.at(dreamFile(patient, 'recallLog')), MOST_LOG_BYTES);
    },
    fix: (patient) => rmSync(patient.at(dreamFile(patient, 'recallLog'))),
  },
  {
    name: 'a MEMORY.md that is a link',
    finds: 'dreaming/dreaming-memory-refused',
    severity: 'fault',
    breaks: (patient) => {
      patient.configure(dreaming('0 3 * * *'));
      renameSync(patient.at('state/workspace/MEMORY.md'), patient.at('mine.md'));
      symlinkSync(patient.at('mine.md'), patient.at('state/workspace/MEMORY.md'));
    },
    fix: (patient) => {
      rmSync(patient.at('state/workspace/MEMORY.md'));
      renameSync(patient.at('mine.md'), patient.at('state/workspace/MEMORY.md'));
    },
  },
  {
    name: 'a MEMORY.md whose own lines are over its budget',
    finds: 'dreaming/dreaming-memory-full',
    severity: 'warning',
    breaks: (patient) => {
      patient.configure(dreaming('0 3 * * *'));
      patient.write('state/workspace/MEMORY.md', '- a line of a person\n'.repeat(1000));
    },
    fix: (patient) => patient.write('state/workspace/MEMORY.md', '- a line of a person\n'),
  },
  {
    name: 'a model of dreaming that is not allowed',
    finds: 'dreaming/dreaming-model',
    severity: 'warning',
    breaks: configure({
      plugins: {
        entries: { 'memory-core': { config: { dreaming: { enabled: true, model: 'openai/x' } } } },
      },
    }),
    fix: configure(dreaming('0 3 * * *')),
  },
  {
    name: 'a server of an agent whose Node.js has moved',
    finds: 'integrations/server-moved',
    severity: 'warning',
    breaks: (patient) => {
      const svc = { command: patient.at('moved/node'), args: ['/usr/bin/svc', 'mcp'] };
      patient.write('.cursor/mcp.json', JSON.stringify({ mcpServers: { svc } }));
    },
    fix: (patient) => {
      const svc = { command: 'svc', args: ['mcp'] };
      patient.write('.cursor/mcp.json', JSON.stringify({ mcpServers: { svc } }));
    },
  },
  {
    name: 'a hook of active memory that recalls nothing',
    finds: 'hooks/hook-recalls-nothing',
    severity: 'warning',
    breaks: (patient) => {
      const hook = { type: 'command', command: 'svc memory recall --hook claude-code' };
      const settings = { hooks: { UserPromptSubmit: [{ hooks: [hook] }] } };
      patient.write('.claude/settings.json', JSON.stringify(settings));
    },
    fix: configure({
      plugins: { entries: { 'active-memory': { enabled: true, config: { agents: ['main'] } } } },
    }),
  },
  {
    name: 'a capture hook of a svc that has moved',
    finds: 'hooks/hook-captures-nothing',
    severity: 'warning',
    breaks: (patient) => {
      const script = patient.at('moved/run.js');
      const hook = {
        type: 'command',
        command: `node ${script} memory capture --agent-hook claude-code`,
      };
      const settings = { hooks: { SessionEnd: [{ hooks: [hook] }] } };
      patient.write('.claude/settings.json', JSON.stringify(settings));
    },
    fix: (patient) => {
      patient.write('moved/run.js', '');
    },
  },
  {
    name: 'a capture hook whose last run failed',
    finds: 'hooks/capture-failed',
    severity: 'warning',
    breaks: (patient) => {
      const hook = { type: 'command', command: 'svc memory capture --agent-hook claude-code' };
      const settings = { hooks: { SessionEnd: [{ hooks: [hook] }] } };
      patient.write('.claude/settings.json', JSON.stringify(settings));
      const ended = { atMs: 1, added: 0, error: 'cannot read a.jsonl: ENOENT' };
      patient.write('state/captures/claude-code.json', JSON.stringify(ended));
    },
    fix: (patient) => {
      const ended = { atMs: 2, added: 1, error: null };
      patient.write('state/captures/claude-code.json', JSON.stringify(ended));
    },
  },
  {
    name: 'a program for tasks that is not there',
    finds: 'tasks/program-missing',
    severity: 'fault',
    breaks: configure({ flows: { runtimes: { subagent: { command: ['./worker'] } } } }),
    at: '5:20',
    fix: (patient) => {
      patient.write('state/worker', '#!/bin/sh\n');
      chmodSync(join(dirname(patient.config), 'worker'), 0o700);
    },
  },
  {
    name: 'a schedule that comes round every four years',
    finds: 'schedule/schedule-rare',
    severity: 'warning',
    breaks: (patient) => {
      patient.nowMs = () => Date.UTC(2026, 2, 1);
      patient.configure(dreaming('0 3 29 2 *'));
    },
    fix: configure(dreaming('0 3 1 * *')),
  },
  {
    name: 'a clock that was never set',
    finds: 'clock/clock-wrong',
    severity: 'fault',
    breaks: (patient) => {
      patient.nowMs = () => 0;
    },
    fix: (patient) => {
      patient.nowMs = undefined;
    },
  },
  {
    name: 'a note from the future',
    finds: 'clock/modified-in-future',
    severity: 'warning',
    breaks: (patient) => {
      const later = (Date.now() + 72 * HOUR_MS) / 1000;
      utimesSync(patient.at('state/workspace/MEMORY.md'), later, later);
    },
    fix: 'asked',
  },
  {
    name: 'a PostgreSQL server that does not answer',
    finds: 'storage/storage-unusable',
    severity: 'fault',
    breaks: configure({ storage: { url: 'postgres://ada@127.0.0.1:9/svc' } }),
    at: '3:12',
    fix: async (patient) => patient.configure({ storage: { url: await sharedStore() } }),
  },
  {
    name: 'a PostgreSQL server with another clock',
    finds: 'storage/storage-clock',
    severity: 'warning',
    breaks: async (patient) => {
      patient.nowMs = () => Date.now() - 600_000;
      patient.configure({ storage: { url: await sharedStore() } });
    },
    at: '3:12',
    fix: (patient) => {
      patient.nowMs = undefined;
    },
  },
  {
    name: 'more connections than a PostgreSQL server has for two',
    finds: 'storage/storage-pool',
    severity: 'warning',
    breaks: async (patient) => {
      patient.configure({ storage: { url: await sharedStore(), poolSize: 90 } });
    },
    at: '4:17',
    fix: async (patient) => patient.configure({ storage: { url: await sharedStore() } }),
  },
  {
    name: 'a password that is sent unencrypted',
    finds: 'storage/storage-unencrypted',
    severity: 'warning',
    breaks: async (patient) => {
      const url = new URL(await sharedStore());
      url.password = PLANTED;
      const other = await elsewhere(Number(url.port));
      url.hostname = other.host;
      url.port = String(other.port);
      patient.env = { SVC_DATABASE_URL: url.href };
      patient.configure({ storage: { url: 'env:SVC_DATABASE_URL' } });
    },
    at: '3:12',
    fix: async (patient) => {
      patient.env = { SVC_DATABASE_URL: await sharedStore() };
    },
  },
  {
    name: 'more folders than may be watched',
    finds: 'watchers/watch-limit',
    severity: 'warning',
    breaks: (patient) => {
      patient.write('proc/sys/fs/inotify/max_user_watches', '8\n');
      patient.host = { procDir: patient.at('proc'), platform: 'linux' };
      for (let n = 0; n < 6; n++) patient.write(`state/workspace/memory/${n}/a.md`, 'a');
    },
    fix: (patient) => {
      patient.write('proc/sys/fs/inotify/max_user_watches', '20\n');
      // Never watched.
      for (let n = 0; n < 60; n++) patient.write(`state/workspace/memory/node_modules/${n}/a`, 'a');
    },
  },
  {
    name: 'notes on a disk whose changes by others are not reported',
    finds: 'watchers/watch-remote',
    severity: 'note',
    breaks: (patient) => {
      const folder = patient.at('state/workspace').replaceAll('s', String.raw`\163`);
      patient.write('proc/self/mounts', `C:\\134 ${folder} 9p rw 0 0\n/dev/sda / ext4 rw 0 0\n`);
      patient.host = { procDir: patient.at('proc'), platform: 'linux' };
    },
    fix: (patient) => {
      const memorySearch = { sync: { intervalMinutes: 5 } };
      patient.configure({ agents: { defaults: { memorySearch } } });
    },
  },
];

/** Every broken set-up. */
export const BROKEN_SETUPS: readonly BrokenSetup[] = [
  ...ARCHIVE,
  ...DOCUMENTS,
  ...CONFIGURATION,
  ...FILES,
  ...INDEXES,
  ...SERVICES,
];

const held = new Map<string, () => void>();
const fakes: { close(): Promise<void> }[] = [];

/** Settings that lead to a provider that answers. */
async function answering(): Promise<{ readonly provider: string; readonly remote: object }> {
  const fake = await startOpenAiFake();
  fakes.push(fake);
  const remote = { baseUrl: `${fake.origin}/v1`, apiKey: 'sk-test-openai-0123456789' };
  return { provider: 'openai', remote };
}

let store: Promise<string> | undefined;

/** The URL of a PostgreSQL server with the tables of svc. */
function sharedStore(): Promise<string> {
  store ??= startPglite().then(async (postgres) => {
    fakes.push({ close: () => postgres.stop() });
    const url = await postgres.newDatabase();
    const server = serverAt(url, { poolSize: 1 });
    await migrate(server);
    await server.close();
    return url;
  });
  return store;
}

/** Another address for a port of this machine, as if it were another host. */
async function elsewhere(port: number): Promise<{ readonly host: string; readonly port: number }> {
  const outside = Object.values(networkInterfaces())
    .flat()
    .find((one) => one?.family === 'IPv4' && !one.internal);
  const server = createServer((socket) => {
    const inside = connect(port, '127.0.0.1');
    socket.on('error', () => inside.destroy()).pipe(inside);
    inside.on('error', () => socket.destroy()).pipe(socket);
  }).listen(0, '0.0.0.0');
  server.unref();
  await once(server, 'listening');
  const address = server.address();
  fakes.push({ close: async () => void server.close() });
  return {
    // Every address of 127.0.0.0/8 counts as this machine, but its decimal form is just a name.
    host: outside?.address ?? '2130706433',
    port: typeof address === 'object' && address !== null ? address.port : 0,
  };
}

/** Ends what the set-ups have started. */
export async function endSetups(): Promise<void> {
  for (const fake of fakes) await fake.close();
}

function setVersion(file: string, version: number): void {
  const database = createDatabase(file, 0);
  database.pragma(`application_id = ${APPLICATION_ID}`);
  database.pragma(`user_version = ${version}`);
  database.pragma('wal_checkpoint(TRUNCATE)');
  database.close();
}

/** Overwrites the pages of the chunks but for the root: the index still opens. */
function damageTable(file: string, table: string): void {
  const database = createDatabase(file, 0);
  database.pragma('wal_checkpoint(TRUNCATE)');
  const size = database.pragma('page_size', { simple: true });
  const root = database
    .prepare<[string], number>('SELECT rootpage FROM sqlite_schema WHERE name = ?')
    .pluck()
    .get(table);
  database.close();
  if (typeof size !== 'number' || root === undefined) throw new Error(`no ${table}`);
  const bytes = readFileSync(file);
  bytes.fill(0xa5, (root - 1) * size + 8, root * size);
  writeFileSync(file, bytes);
}
