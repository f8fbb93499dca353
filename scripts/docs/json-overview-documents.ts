import { doctorOutputSchema } from '../../src/engine/doctor/output-schemas.js';
import {
  bugReportOutputSchema,
  overallStatusOutputSchema,
  upgradeOutputSchema,
  versionOutputSchema,
} from '../../src/engine/overview/output-schemas.js';
import { secretsCheckOutputSchema } from '../../src/engine/secrets/output-schemas.js';
import type { JsonDocument } from './json-document.js';

const HOME = '/home/ada';
const CONFIG = `${HOME}/.svc/svc.json`;

const secretsCheck: JsonDocument = {
  title: 'svc secrets check',
  introduction:
    'Every secret of the configuration, in the order of the file. Exits with 1 if `ok` is false.',
  schema: secretsCheckOutputSchema,
  example: {
    file: CONFIG,
    ok: false,
    secrets: [
      {
        path: 'models.providers.corp.apiKey',
        location: { file: CONFIG, line: 12, column: 17 },
        source: 'file',
        spoken: 'file vault:/corp',
        resolves: false,
        length: null,
        error: {
          code: 'SECRET_UNRESOLVED',
          message: `cannot resolve file vault:/corp: ${HOME}/secrets.json does not exist`,
          hint: 'create it, or fix secrets.providers.vault.path',
        },
      },
      {
        path: 'flows.notify.secret',
        location: { file: CONFIG, line: 21, column: 25 },
        source: 'env',
        spoken: 'env NOTIFY_SECRET',
        resolves: true,
        length: 'long',
        error: null,
      },
    ],
    warnings: [],
  },
};

const version: JsonDocument = {
  title: 'svc version',
  introduction: 'Always everything, also without `--verbose`.',
  schema: versionOutputSchema,
  example: {
    version: '0.2.0',
    node: '22.21.0',
    sqlite: '3.53.2',
    sqliteDriver: 'better-sqlite3',
    platform: { os: 'linux', arch: 'x64', release: '6.12.0', glibc: true },
    paths: {
      program: '/usr/lib/node_modules/svc-cli',
      node: '/usr/bin/node',
      config: CONFIG,
      configOrigin: 'user',
      state: `${HOME}/.svc`,
      cache: `${HOME}/.svc`,
    },
    modules: [
      { name: 'better-sqlite3', state: 'ok', version: '12.11.1', why: null },
      { name: 'sqlite-vec', state: 'ok', version: '0.1.9', why: null },
      {
        name: 'node-llama-cpp',
        state: 'not_installed',
        version: null,
        why: 'node-llama-cpp is not installed',
      },
    ],
    warnings: [],
  },
};

const upgrade: JsonDocument = {
  title: 'svc upgrade',
  introduction: 'With `--check`; without it, `newest` and `isOutdated` are `null`.',
  schema: upgradeOutputSchema,
  example: {
    installed: '0.2.0',
    newest: '0.3.0',
    isOutdated: true,
    installation: 'npm',
    command: 'npm install -g svc-cli@latest',
    warnings: [],
  },
};

const bugReport: JsonDocument = {
  title: 'svc bug-report',
  introduction: 'What was written. See [output.md](output.md#bug-reports).',
  schema: bugReportOutputSchema,
  example: {
    file: `${HOME}/svc-bug-report-20260203-090528.tar.gz`,
    bytes: 3412,
    entries: [
      {
        name: 'version.json',
        description: 'versions, platform, paths, native modules',
        bytes: 738,
        error: null,
      },
    ],
    warnings: [],
  },
};

const overallStatus: JsonDocument = {
  title: 'svc status',
  introduction: 'The state of everything. Exits with 1 if there are problems.',
  schema: overallStatusOutputSchema,
  example: {
    serving: {
      pid: 4711,
      since: '2026-02-03T09:05:28.109Z',
      configFile: '/home/ada/.svc/svc.json',
      services: [
        {
          name: 'health',
          state: 'waiting',
          since: '2026-02-03T09:06:01.300Z',
          url: null,
          event: null,
          restarts: 3,
          failure: {
            code: 'EADDRINUSE',
            message: 'the port 18789 is in use',
            hint: 'set gateway.port to another',
          },
        },
      ],
    },
    agents: [],
    storage: null,
    listener: {
      url: 'http://127.0.0.1:18789',
      routes: 1,
      requests: 1204,
      rejected: 3,
      lastRequestAt: '2026-02-03T09:05:58.020Z',
    },
    flows: [{ status: 'running', count: 3 }],
    tasks: [{ status: 'queued', count: 2 }],
    pausedTasks: [],
    failedNotifications: 0,
    dreams: [
      {
        agents: ['main'],
        enabled: true,
        nextRunAt: '2026-02-04T03:00:00.000Z',
        lastSweepAt: '2026-02-03T03:00:00.410Z',
        written: 2,
        memoryFull: false,
      },
    ],
    hooks: [
      {
        agent: 'claude-code',
        file: '/home/ada/.claude/settings.json',
        recalls: true,
        why: null,
        hint: null,
      },
    ],
    captures: [
      {
        agent: 'claude-code',
        file: '/home/ada/.claude/settings.json',
        lastAt: '2026-02-03T09:12:00.000Z',
        error: null,
      },
    ],
    nextRuns: [{ what: 'service health restarts', at: '2026-02-03T09:06:31.300Z' }],
    faults: [
      {
        about: 'service health',
        code: 'EADDRINUSE',
        message: 'the port 18789 is in use',
        hint: 'set gateway.port to another',
      },
    ],
    warnings: [],
  },
};

const doctor: JsonDocument = {
  title: 'svc config doctor',
  introduction: 'The checks and their findings. Exits with 1 if `ok` is false.',
  schema: doctorOutputSchema,
  example: {
    ok: false,
    counts: { ok: 1, warnings: 0, faults: 1 },
    checks: [
      {
        check: 'configuration',
        state: 'fault',
        summary: CONFIG,
        findings: [
          {
            code: 'unknown-key',
            severity: 'fault',
            message: 'unknown key "enabeld" in plugins.entries.webhooks',
            place: { file: CONFIG, line: 4, column: 5 },
            hint: 'did you mean "enabled"?',
            fix: {
              title: 'rename "enabeld" to "enabled"',
              safe: true,
              diff: [
                { kind: 'removed', text: '    "enabeld": true' },
                { kind: 'added', text: '    "enabled": true' },
              ],
            },
          },
        ],
      },
      { check: 'disk', state: 'ok', summary: '81.7 GB free', findings: [] },
    ],
    applied: [],
    warnings: [],
  },
};

/** The documents about svc itself and the state of everything. */
export const OVERVIEW_DOCUMENTS: readonly JsonDocument[] = [
  secretsCheck,
  overallStatus,
  version,
  upgrade,
  bugReport,
  doctor,
];
