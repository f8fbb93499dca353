import {
  bugReportOutputSchema,
  overallStatusOutputSchema,
  versionOutputSchema,
} from '../../src/engine/overview/output-schemas.js';
import { secretsCheckOutputSchema } from '../../src/engine/secrets/output-schemas.js';
import { type JsonDocument, WARNINGS } from './json-document.js';

const HOME = '/home/ada';
const CONFIG = `${HOME}/.svc/svc.json`;

const secretsCheck: JsonDocument = {
  title: 'svc secrets check',
  introduction:
    'Every secret of the configuration, in the order of the file. Exits with 1 when `ok` is false.',
  schema: secretsCheckOutputSchema,
  meanings: {
    file: 'Absolute path of the configuration; `null` when there is none.',
    ok: 'Whether all of them can be read.',
    secrets: 'One entry a place; a reference on two places has two.',
    'secrets[].path': 'The key that has it.',
    'secrets[].location': 'Where its value is written.',
    'secrets[].location.file': 'Absolute path.',
    'secrets[].location.line': 'Counted from 1.',
    'secrets[].location.column': 'Counted from 1.',
    'secrets[].source': 'What it is read from; `plain`: it stands in the file itself.',
    'secrets[].spoken': 'How svc speaks of it everywhere.',
    'secrets[].resolves': 'Whether it could be read.',
    'secrets[].length':
      '`long`: 24 characters or more. `short`: 8 to 23. `tiny`: fewer, and not looked for in what is printed. `null` where it could not be read.',
    'secrets[].error': 'Why it could not be read; `null` where it could.',
    'secrets[].error.code': 'See [errors.md](errors.md).',
    'secrets[].error.message': 'For people.',
    'secrets[].error.hint': 'What to do about it.',
    ...WARNINGS,
  },
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
          message: `cannot resolve file vault:/corp: there is no file ${HOME}/secrets.json`,
          hint: 'make it, or mend secrets.providers.vault.path',
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
  meanings: {
    version: 'Of svc.',
    node: 'Of the Node.js that runs it.',
    sqlite: '`null` where it cannot be loaded.',
    platform: 'The machine.',
    'platform.os': 'As Node.js names it.',
    'platform.arch': 'As Node.js names it.',
    'platform.release': 'Of the operating system.',
    'platform.glibc': 'Whether its C library is glibc.',
    paths: 'Absolute, all of them.',
    'paths.program': 'The package folder.',
    'paths.node': 'The Node.js that runs it.',
    'paths.config': 'The configuration in use; `null` when the defaults hold.',
    'paths.configOrigin': 'Why it is that one.',
    'paths.state': 'The state folder.',
    'paths.cache': 'The folder of what can be built anew.',
    modules: 'The parts that are native code.',
    'modules[].name': 'The package.',
    'modules[].state': '`not_installed` is no fault: only the provider `local` needs that one.',
    'modules[].version': '`null` where it is not known.',
    'modules[].why': 'Why it cannot be used; `null` where it can.',
    ...WARNINGS,
  },
  example: {
    version: '0.1.0',
    node: '22.21.0',
    sqlite: '3.53.2',
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

const bugReport: JsonDocument = {
  title: 'svc bug-report',
  introduction: 'What was written. See [output.md](output.md#bug-reports).',
  schema: bugReportOutputSchema,
  meanings: {
    file: 'Absolute path of the archive.',
    bytes: 'Its size.',
    entries: 'The files in it, in their order.',
    'entries[].name': 'Its name in the archive.',
    'entries[].holds': 'What it holds, for people.',
    'entries[].bytes': 'Its size when unpacked.',
    'entries[].error': 'Why it could not be made as it should be; `null` when it could.',
    ...WARNINGS,
  },
  example: {
    file: `${HOME}/svc-bug-report-20260203-090528.tar.gz`,
    bytes: 3412,
    entries: [
      {
        name: 'version.json',
        holds: 'versions, platform, paths, native modules',
        bytes: 738,
        error: null,
      },
    ],
    warnings: [],
  },
};

/** @param agents the document of `svc memory status`, whose entries are part of this one */
function overallStatus(agents: JsonDocument): JsonDocument {
  const ofAgents = Object.entries(agents.meanings).filter(
    ([path]) => path === 'agents' || path.startsWith('agents[]'),
  );
  return {
    title: 'svc status',
    introduction: 'Everything there is. Exits with 1 when there are faults.',
    schema: overallStatusOutputSchema,
    meanings: {
      serving: 'The `svc serve` of this state folder; `null` when none runs.',
      'serving.pid': 'Its process.',
      'serving.since': 'When it was started.',
      'serving.services': 'What it runs.',
      'serving.services[].name': 'Unique.',
      'serving.services[].state': '`waiting`: it failed and is started again.',
      'serving.services[].since': 'When it came into this state.',
      'serving.services[].event': 'What it told last, for people; `null` for nothing yet.',
      'serving.services[].restarts': 'How often it was started again after a failure.',
      'serving.services[].failure': 'What is wrong with it; `null` when it is well.',
      'serving.services[].failure.code':
        "See [errors.md](errors.md), or the system's; `null` for anything else.",
      'serving.services[].failure.message': 'For people.',
      'serving.services[].failure.mend': 'What to do about it; `null` where nobody knows.',
      ...Object.fromEntries(ofAgents),
      listener: 'The webhook listener.',
      'listener.url':
        'Where it listens; `null` while none runs. Without webhooks, where health is told.',
      'listener.routes': 'How many routes are switched on.',
      'listener.requests': 'Answers of all listeners that ran for this state folder.',
      'listener.rejected': 'How many of them were rejections.',
      'listener.lastRequestAt': '`null` before the first.',
      flows: 'How many flows there are, by status.',
      'flows[].status': 'Only those that occur.',
      'flows[].count': 'How many.',
      tasks: 'The same of tasks.',
      'tasks[].status': 'Only those that occur.',
      'tasks[].count': 'How many.',
      dreams: 'Consolidation, an entry a workspace.',
      'dreams[].agents': 'Those who share it.',
      'dreams[].enabled': 'Whether it is switched on.',
      'dreams[].nextRunAt': 'When the next sweep is due; `null` when none is.',
      'dreams[].lastSweepAt': 'When the last one began; `null` when there was none.',
      'dreams[].written': 'How many claims that one put into `MEMORY.md`.',
      nextRuns: 'What is done next by itself, soonest first.',
      'nextRuns[].what': 'For people.',
      'nextRuns[].at': 'When.',
      faults: 'Everything that is wrong, of agents and services alike.',
      'faults[].about': 'With whom.',
      'faults[].code': "See [errors.md](errors.md), or the system's; `null` for anything else.",
      'faults[].message': 'For people.',
      'faults[].hint': 'What to do about it.',
      ...WARNINGS,
    },
    example: {
      serving: {
        pid: 4711,
        since: '2026-02-03T09:05:28.109Z',
        services: [
          {
            name: 'health',
            state: 'waiting',
            since: '2026-02-03T09:06:01.300Z',
            event: null,
            restarts: 3,
            failure: {
              code: 'EADDRINUSE',
              message: 'the port 18789 is in use',
              mend: 'set gateway.port to another',
            },
          },
        ],
      },
      agents: [],
      listener: {
        url: 'http://127.0.0.1:18789',
        routes: 1,
        requests: 1204,
        rejected: 3,
        lastRequestAt: '2026-02-03T09:05:58.020Z',
      },
      flows: [{ status: 'running', count: 3 }],
      tasks: [{ status: 'queued', count: 2 }],
      dreams: [
        {
          agents: ['main'],
          enabled: true,
          nextRunAt: '2026-02-04T03:00:00.000Z',
          lastSweepAt: '2026-02-03T03:00:00.410Z',
          written: 2,
        },
      ],
      nextRuns: [{ what: 'service health is started again', at: '2026-02-03T09:06:31.300Z' }],
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
}

/** The documents of the commands that tell of the program as a whole. */
export function overviewDocuments(memoryStatus: JsonDocument): readonly JsonDocument[] {
  return [secretsCheck, overallStatus(memoryStatus), version, bugReport];
}
