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
  version: field.text('The version of svc.'),
  node: field.text('The version of Node.js.'),
  sqlite: field.textOrNull('The version of SQLite; `null` when it cannot be loaded.'),
  sqliteDriver: field(
    z.nullable(z.enum(['better-sqlite3', 'node:sqlite'])),
    'What opens databases: the package, or the SQLite of Node.js where the package cannot be loaded; `null` without either.',
  ),
  platform: objectField('The machine.', {
    os: field.text('As Node.js names it.'),
    arch: field.text('As Node.js names it.'),
    release: field.text('The release of the operating system.'),
    glibc: field.flag('Whether its C library is glibc.'),
  }),
  paths: objectField('All paths are absolute.', {
    program: field.text('The package folder.'),
    node: field.text('The Node.js that runs it.'),
    config: field.textOrNull('The configuration in use; `null` when there is none.'),
    configOrigin: field(
      z.nullable(z.enum(['environment', 'flag', 'nearest', 'user'])),
      'Why this one is used.',
    ),
    state: field.text('The state folder.'),
    cache: field.text('The folder of rebuildable files.'),
  }),
  modules: listField('The native modules.', {
    name: field(z.enum(['better-sqlite3', 'node-llama-cpp', 'sqlite-vec']), 'The package.'),
    state: field(
      z.enum(['not_installed', 'ok', 'unusable']),
      '`not_installed` is not a fault: only the provider `local` needs the module.',
    ),
    version: field.textOrNull('`null` where it is unknown.'),
    why: field.textOrNull('Why it cannot be used; `null` where it can.'),
  }),
});

const countsByStatus = listOf({
  status: field.text('Only those that occur.'),
  count: field.count('How many.'),
});

const hookFields = {
  agent: field.text('The agent, as in `svc integrate`.'),
  file: field.text('Absolute path of its file.'),
};

/** `svc status --json`. */
export const overallStatusOutputSchema = documentSchema({
  serving: objectOrNullField(
    'The `svc serve` of this state folder; `null` when none runs, or when its state cannot be read, which is a fault.',
    {
      pid: field(z.int(), 'Its process.'),
      since: field.time('When it was started.'),
      configFile: field.textOrNull('Its configuration file; `null` if it has none.'),
      services: field(
        z.array(z.omit(serviceSchema, { eventAt: true, retryAt: true })),
        'What it runs.',
      ),
    },
  ),
  agents: field(statusOutputSchema.shape.agents, 'In the order of the configuration.'),
  storage: objectOrNullField('The server of `storage.url`; `null` without one.', {
    server: field.textOrNull('`host:port/database`; `null` if `storage.url` cannot be read.'),
    version: field.textOrNull('The version of PostgreSQL; `null` while it cannot be used.'),
  }),
  listener: objectField('The webhook listener.', {
    url: field.textOrNull(
      'Its address, or that of the health endpoint without webhooks; `null` while none runs.',
    ),
    routes: field.count('How many routes are enabled.'),
    requests: field.count('Requests to all listeners of this state folder so far.'),
    rejected: field.count('How many of them were rejected.'),
    lastRequestAt: field.timeOrNull('`null` before the first.'),
  }),
  flows: field(countsByStatus, 'Flows by status.'),
  tasks: field(countsByStatus, 'Tasks by status.'),
  pausedTasks: field(z.array(pauseSchema), 'Runtimes whose tasks wait until `svc task resume`.'),
  failedNotifications: field.count('Notifications that could not be delivered.'),
  dreams: listField('Dreaming, one entry per workspace.', {
    agents: field.texts('The agents of the workspace.'),
    enabled: field.flag('Whether dreaming is enabled.'),
    nextRunAt: field.timeOrNull('When the next sweep is due; `null` when none is.'),
    lastSweepAt: field.timeOrNull('When the last sweep started; `null` when there was none.'),
    written: field(z.nullable(count), 'How many claims it wrote to `MEMORY.md`.'),
    memoryFull: field.flag(
      'Whether your own lines in `MEMORY.md` alone are over its budget, so that nothing more is promoted.',
    ),
  }),
  hooks: listField('Active memory hooks that coding agents run in this folder.', {
    ...hookFields,
    ...hookEffectFields,
  }),
  captures: listField('Capture hooks that coding agents run in this folder.', {
    ...hookFields,
    lastAt: field.timeOrNull('The last capture; `null` before the first.'),
    error: field.textOrNull('Why it failed, or cannot start; `null` otherwise.'),
  }),
  nextRuns: listField('What happens next automatically, soonest first.', {
    what: field.text('For people.'),
    at: field.time('When.'),
  }),
  faults: listField('All problems of agents and services.', {
    about: field.text('The agent or service.'),
    code: field.textOrNull(
      "See [errors.md](errors.md), or the system's; `null` for anything else.",
    ),
    message: field.text('For people.'),
    hint: field.optionalText('What to do about it.'),
  }),
});

/** `svc upgrade --json`. */
export const upgradeOutputSchema = documentSchema({
  installed: field.text('The version that is running.'),
  newest: field.textOrNull('The newest in npm’s registry; `null` without `--check`.'),
  isOutdated: field(
    z.nullable(z.boolean()),
    'Whether the newest is newer; `null` without `--check`.',
  ),
  installation: field(
    z.enum(['checkout', 'npm', 'other']),
    'Where svc runs from: a checkout, a global installation of npm, or a package of something else.',
  ),
  command: field.textOrNull('What upgrades it; `null` if svc does not know.'),
});
export type UpgradeOutput = DocumentOf<typeof upgradeOutputSchema>;

/** `svc bug-report --json`. */
export const bugReportOutputSchema = documentSchema({
  file: field.text('Absolute path of the archive.'),
  bytes: field.count('Its size.'),
  entries: listField('The files of the archive, in order.', {
    name: field.text('Its name in the archive.'),
    description: field.text('What it contains.'),
    bytes: field.count('Its size when unpacked.'),
    error: field.textOrNull('Why it could not be created; `null` when it could.'),
  }),
});

export type VersionOutput = DocumentOf<typeof versionOutputSchema>;
export type OverallStatusOutput = DocumentOf<typeof overallStatusOutputSchema>;
export type BugReportOutput = DocumentOf<typeof bugReportOutputSchema>;
