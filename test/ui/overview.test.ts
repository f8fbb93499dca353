import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { RegisteredCapture } from '../../src/engine/integrate/index.js';
import type { OverallStatus } from '../../src/engine/overview/overall-status.js';
import type { CheckedSecret } from '../../src/engine/secrets/check-secrets.js';
import { iso } from '../../src/engine/support/time.js';
import { renderBugReport, renderVersion } from '../../src/ui/overview/about.js';
import { renderOverallStatus } from '../../src/ui/overview/overall-status.js';
import { renderSecretsCheck } from '../../src/ui/secrets-check.js';
import { createStyle } from '../../src/ui/style.js';

const test = suite('the overall status');

const style = createStyle(false);
const NOW = Date.UTC(2026, 1, 3, 9);
const FILE = '/home/ada/.svc/svc.json';

const SERVING: OverallStatus['serving'] = {
  command: 'svc serve',
  pid: 4711,
  startedMs: NOW - 3_600_000,
  configFile: '/home/ada/svc.json',
  logFile: null,
  services: [
    {
      name: 'health',
      state: 'waiting',
      since: iso(NOW - 60_000),
      url: null,
      event: null,
      eventAt: null,
      restarts: 1200,
      failure: { code: 'EADDRINUSE', message: 'in use', hint: null },
      retryAt: iso(NOW + 30_000),
    },
  ],
};

const WORK: OverallStatus['work'] = {
  storage: null,
  listener: {
    process: {
      url: null,
      services: 1,
      failures: [],
    },
    fault: undefined,
    routes: 1,
    requests: 7,
    rejected: 0,
    last: null,
  },
  flows: {
    flows: { running: 2, succeeded: 1 },
    tasks: {},
    paused: [],
    unclaimed: [],
    failedNotifications: 0,
    fault: undefined,
  },
  dreams: [
    {
      agents: ['main'],
      enabled: true,
      nextMs: NOW + 600_000,
      last: { startedMs: NOW - 3_600_000, failed: false, written: 2, undone: false },
      isFull: false,
      fault: undefined,
    },
  ],
};

function capture(title: string, last: RegisteredCapture['last']): RegisteredCapture {
  return { agent: 'codex', title, file: '/home/ada/x', moved: undefined, last };
}

test('services are in a table, the next run has its time, faults are wrapped', () => {
  const message = 'the port 18789 is in use by something else that nobody here knows';
  const text = renderOverallStatus(
    {
      agents: [],
      isAnyUnknown: false,
      serving: SERVING,
      work: WORK,
      hooks: [],
      captures: [
        capture('Codex', undefined),
        capture('Claude Code', { atMs: NOW - 60_000, added: 2, error: null }),
        capture('Cursor', { atMs: NOW - 60_000, added: 0, error: 'no file' }),
        {
          ...capture('Gemini CLI', undefined),
          moved: { missing: '/gone', hint: 'update it' },
        },
      ],
      nextRuns: [
        { what: 'service health restarts', atMs: NOW + 30_000 },
        { what: 'late', atMs: NOW - 1 },
        { what: 'far', atMs: NOW + 600_000 },
      ],
      faults: [{ about: 'service health', code: null, message, hint: 'wait\u001B[2J' }],
    },
    { style, nowMs: NOW, columns: 60, homeDir: '/home/ada', hintFor: String },
  );
  assert.is(
    text,
    `no memories

listener  running · 7 requests · 1 route · 1 service
flows     2 running · 3 in all
tasks     none
dreams    next sweep in 10 min · last 1 h ago · 2 written
capture from Codex: nothing captured yet
capture from Claude Code: last 1 min ago
capture from Cursor failed 1 min ago: no file
capture from Gemini CLI cannot start: /gone does not exist
  → update it

svc serve is running with ~/svc.json, started 1 h ago
(process 4711)

service  state    since      restarts  last
health   waiting  1 min ago     1,200  –

next
  service health restarts in 30 s
  late now
  far in 10 min

service health: the port 18789 is in use by something else
that nobody here knows
  → wait\\e[2J
`,
  );
  for (const line of text.split('\n')) assert.ok(line.length <= 60, line);
});

test('having no problems is stated explicitly', () => {
  const quiet = {
    agents: [],
    isAnyUnknown: false,
    serving: undefined,
    work: WORK,
    hooks: [],
    captures: [],
    nextRuns: [],
    faults: [],
  };
  const options = { style, nowMs: NOW, columns: undefined, homeDir: '/', hintFor: String };
  assert.match(renderOverallStatus(quiet, options), /\nsvc serve is not running\n\nno problems\n$/);
  const failed = capture('Codex', { atMs: NOW - 60_000, added: 0, error: 'no file' });
  assert.match(
    renderOverallStatus({ ...quiet, captures: [failed] }, options),
    /\ncapture from Codex failed 1 min ago: no file\n.*\nno other problems\n$/su,
  );
  const serving = {
    ...SERVING,
    command: 'svc webhook serve',
    configFile: null,
    services: [],
  };
  const webhooks = renderOverallStatus({ ...quiet, serving }, options);
  assert.match(
    webhooks,
    /\nsvc webhook serve is running with no configuration, started 1 h ago \(process 4711\)\n/,
  );
  const fault = { code: null, message: 'svc serve is in an unknown state', hint: undefined };
  const listener = { ...WORK.listener, process: undefined, fault };
  const unknown = renderOverallStatus({ ...quiet, work: { ...WORK, listener } }, options);
  assert.match(unknown, /^listener {2}svc serve is in an unknown state$/m);
  assert.not.match(unknown, /not running/, 'whether the listener runs is unknown');
  const agentUnknown = renderOverallStatus({ ...quiet, isAnyUnknown: true }, options);
  assert.not.match(agentUnknown, /no memories/, 'its fault describes it');
});

test('secrets are listed one by one, with a summary', () => {
  const secret = (rest: Partial<CheckedSecret>): CheckedSecret => ({
    path: 'flows.notify.secret',
    location: { file: FILE, line: 3, column: 5 },
    source: 'env',
    spoken: 'env NOTIFY',
    resolves: true,
    length: 'long',
    error: null,
    ...rest,
  });
  const options = { style, columns: undefined, nowMs: NOW, homeDir: '/home/ada', hintFor: String };
  const error = { code: 'SECRET_UNRESOLVED', message: 'not set', hint: 'set it' };
  assert.is(
    renderSecretsCheck(
      { file: FILE, secrets: [secret({}), secret({ resolves: false, length: null, error })] },
      options,
    ),
    `~/.svc/svc.json
  ✓ flows.notify.secret  3:5
    env NOTIFY · 24 characters or more
  ✗ flows.notify.secret  3:5
    env NOTIFY
    not set
    → set it
2 secrets: 1 cannot be read
`,
  );
  assert.is(
    renderSecretsCheck({ file: FILE, secrets: [] }, options),
    'no secrets in ~/.svc/svc.json\n',
  );
});

test('a broken part is named with its error', () => {
  const about = renderVersion(
    {
      version: '0.2.0',
      node: '22.0.0',
      sqlite: null,
      sqliteDriver: null,
      platform: { os: 'darwin', arch: 'arm64', release: '25', glibc: false },
      paths: {
        program: '/p',
        node: '/n',
        config: null,
        configOrigin: null,
        state: '/s',
        cache: '/c',
      },
      modules: [
        { name: 'better-sqlite3', state: 'unusable', version: '12.0.0', why: 'built elsewhere' },
      ],
    },
    { style, columns: undefined, nowMs: NOW, homeDir: '/home/ada', hintFor: String, verbose: true },
  );
  assert.match(about, /^SQLite +cannot be loaded$/m);
  assert.match(about, /^better-sqlite3 +12\.0\.0, unusable: built elsewhere$/m);
  assert.match(about, /^platform +darwin arm64, 25$/m);
  const entries = [{ name: 'a.json', description: 'x', bytes: 2, error: 'broken' }];
  assert.match(
    renderBugReport({ file: '/r.tar.gz', bytes: 10, entries }, style),
    /^wrote \/r\.tar\.gz \(10 B\)\n {2}a\.json +2 B +failed: broken\n/,
  );
});

test.run();
