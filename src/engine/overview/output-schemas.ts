import * as z from 'zod/mini';
import {
  count,
  type DocumentOf,
  documentSchema,
  field,
  listField,
  listOf,
  objectField,
  objectOrNullField,
} from '../errors/output-schema.js';
import { pauseSchema } from '../flow-model/record-schemas.js';
import { hookEffectFields } from '../integrate/output-schemas.js';
import { statusOutputSchema } from '../memory/backends/output-schemas.js';
import { serviceSchema } from '../serve/state-file.js';

/** `svc version --json`. */
export const versionOutputSchema = documentSchema({
  version: field(z.string(), 'The version of svc.'),
  node: field(z.string(), 'The version of Node.js.'),
  sqlite: field(z.nullable(z.string()), 'The version of SQLite; `null` when it cannot be loaded.'),
  sqliteDriver: field(
    z.nullable(z.enum(['better-sqlite3', 'node:sqlite'])),
    'What opens databases: the package, or the SQLite of Node.js where the package cannot be loaded; `null` without either.',
  ),
  platform: objectField('The machine.', {
    os: field(z.string(), 'As Node.js names it.'),
    arch: field(z.string(), 'As Node.js names it.'),
    release: field(z.string(), 'The release of the operating system.'),
    glibc: field(z.boolean(), 'Whether its C library is glibc.'),
  }),
  paths: objectField('All paths are absolute.', {
    program: field(z.string(), 'The package folder.'),
    node: field(z.string(), 'The Node.js that runs it.'),
    config: field(z.nullable(z.string()), 'The configuration in use; `null` when there is none.'),
    configOrigin: field(
      z.nullable(z.enum(['environment', 'flag', 'nearest', 'user'])),
      'Why this one is used.',
    ),
    state: field(z.string(), 'The state folder.'),
    cache: field(z.string(), 'The folder of rebuildable files.'),
  }),
  modules: listField('The native modules.', {
    name: field(z.enum(['better-sqlite3', 'node-llama-cpp', 'sqlite-vec']), 'The package.'),
    state: field(
      z.enum(['not_installed', 'ok', 'unusable']),
      '`not_installed` is not a fault: only the provider `local` needs the module.',
    ),
    version: field(z.nullable(z.string()), '`null` where it is unknown.'),
    why: field(z.nullable(z.string()), 'Why it cannot be used; `null` where it can.'),
  }),
});

const countsByStatus = listOf({
  status: field(z.string(), 'Only those that occur.'),
  count: field(count, 'How many.'),
});

const hookFields = {
  agent: field(z.string(), 'The agent, as in `svc integrate`.'),
  file: field(z.string(), 'Absolute path of its file.'),
};

/** `svc status --json`. */
export const overallStatusOutputSchema = documentSchema({
  serving: objectOrNullField(
    'The `svc serve` of this state folder; `null` when none runs, or when its state cannot be read, which is a fault.',
    {
      pid: field(z.int(), 'Its process.'),
      since: field(z.iso.datetime(), 'When it was started.'),
      services: field(
        z.array(z.omit(serviceSchema, { eventAt: true, retryAt: true })),
        'What it runs.',
      ),
    },
  ),
  agents: field(statusOutputSchema.shape.agents, 'In the order of the configuration.'),
  storage: objectOrNullField('The server of `storage.url`; `null` without one.', {
    server: field(
      z.nullable(z.string()),
      '`host:port/database`; `null` if `storage.url` cannot be read.',
    ),
    version: field(
      z.nullable(z.string()),
      'The version of PostgreSQL; `null` while it cannot be used.',
    ),
  }),
  listener: objectField('The webhook listener.', {
    url: field(
      z.nullable(z.string()),
      'Its address, or that of the health endpoint without webhooks; `null` while none runs.',
    ),
    routes: field(count, 'How many routes are enabled.'),
    requests: field(count, 'Requests to all listeners of this state folder so far.'),
    rejected: field(count, 'How many of them were rejected.'),
    lastRequestAt: field(z.nullable(z.iso.datetime()), '`null` before the first.'),
  }),
  flows: field(countsByStatus, 'Flows by status.'),
  tasks: field(countsByStatus, 'Tasks by status.'),
  pausedTasks: field(z.array(pauseSchema), 'Runtimes whose tasks wait until `svc task resume`.'),
  failedNotifications: field(count, 'Notifications that could not be delivered.'),
  dreams: listField('Dreaming, one entry per workspace.', {
    agents: field(z.array(z.string()), 'The agents of the workspace.'),
    enabled: field(z.boolean(), 'Whether dreaming is enabled.'),
    nextRunAt: field(
      z.nullable(z.iso.datetime()),
      'When the next sweep is due; `null` when none is.',
    ),
    lastSweepAt: field(
      z.nullable(z.iso.datetime()),
      'When the last sweep started; `null` when there was none.',
    ),
    written: field(z.nullable(count), 'How many claims it wrote to `MEMORY.md`.'),
    memoryFull: field(
      z.boolean(),
      'Whether your own lines in `MEMORY.md` alone are over its budget, so that nothing more is promoted.',
    ),
  }),
  hooks: listField('Active memory hooks that coding agents run in this folder.', {
    ...hookFields,
    ...hookEffectFields,
  }),
  captures: listField('Capture hooks that coding agents run in this folder.', {
    ...hookFields,
    lastAt: field(z.nullable(z.iso.datetime()), 'The last capture; `null` before the first.'),
    error: field(z.nullable(z.string()), 'Why it failed, or cannot start; `null` otherwise.'),
  }),
  nextRuns: listField('What happens next automatically, soonest first.', {
    what: field(z.string(), 'For people.'),
    at: field(z.iso.datetime(), 'When.'),
  }),
  faults: listField('All problems of agents and services.', {
    about: field(z.string(), 'The agent or service.'),
    code: field(
      z.nullable(z.string()),
      "See [errors.md](errors.md), or the system's; `null` for anything else.",
    ),
    message: field(z.string(), 'For people.'),
    hint: field(z.optional(z.string()), 'What to do about it.'),
  }),
});

/** `svc upgrade --json`. */
export const upgradeOutputSchema = documentSchema({
  installed: field(z.string(), 'The version that is running.'),
  newest: field(z.nullable(z.string()), 'The newest in npm’s registry; `null` without `--check`.'),
  isOutdated: field(
    z.nullable(z.boolean()),
    'Whether the newest is newer; `null` without `--check`.',
  ),
  installation: field(
    z.enum(['checkout', 'npm', 'other']),
    'Where svc runs from: a checkout, a global installation of npm, or a package of something else.',
  ),
  command: field(z.nullable(z.string()), 'What upgrades it; `null` if svc does not know.'),
});
export type UpgradeOutput = DocumentOf<typeof upgradeOutputSchema>;

/** `svc bug-report --json`. */
export const bugReportOutputSchema = documentSchema({
  file: field(z.string(), 'Absolute path of the archive.'),
  bytes: field(count, 'Its size.'),
  entries: listField('The files of the archive, in order.', {
    name: field(z.string(), 'Its name in the archive.'),
    description: field(z.string(), 'What it contains.'),
    bytes: field(count, 'Its size when unpacked.'),
    error: field(z.nullable(z.string()), 'Why it could not be created; `null` when it could.'),
  }),
});

export type VersionOutput = DocumentOf<typeof versionOutputSchema>;
export type OverallStatusOutput = DocumentOf<typeof overallStatusOutputSchema>;
export type BugReportOutput = DocumentOf<typeof bugReportOutputSchema>;
