import * as z from 'zod/mini';
import type { DeepReadonly } from '../../errors/output-schema.js';
import { NOTIFICATION_KINDS } from '../../flow-model/notification-record.js';
import { atMost, nonEmpty } from '../../support/lengths.js';
import {
  baseUrl,
  days,
  host,
  httpUrl,
  integer,
  key,
  later,
  NOTES,
  network,
  pattern,
  port,
  requiredKey,
  section,
  text,
  timeZone,
  tls,
  waitingTime,
} from './keys.js';
import { agentMcp, mcp } from './mcp.js';
import { memory } from './memory.js';
import { memorySearch } from './memory-search.js';
import { plugins } from './plugins.js';
import { schedules } from './schedules.js';
import { headers, secret, secrets } from './secrets.js';

const logging = () => ({
  level: key(
    z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
    'Least severe level to log',
  ),
  format: key(
    z.enum(['auto', 'json', 'pretty']),
    'Format on stderr; `auto` is `pretty` on a terminal and `json` elsewhere. Files are always JSON',
  ),
  accessLog: key(z.boolean(), 'Log each request to the webhook listener'),
  activity: key(
    z.boolean(),
    'Count searches, indexed chunks and webhook requests of the last 24 hours, for the home screen',
  ),
  file: key(
    text(),
    'Append the log to this file instead of stderr and `logs/serve.log` in the state folder',
  ),
});

const command = () => z.array(text()).check(nonEmpty());

const runtime = () => ({
  command: key(command(), 'Program and arguments, run without a shell'),
  env: key(
    z.record(text(), z.string()),
    'Additional environment variables, as they are written; values are treated as secrets',
  ),
  cwd: key(text(), 'Working folder'),
  timeoutSeconds: key(waitingTime('seconds', 1), 'Time limit of a task, in seconds'),
  maxAttempts: key(integer(1, 100), 'Maximum number of attempts per task'),
  permissions: key(
    z.enum(['deny', 'read', 'allow']),
    'Permission requests of the agent to grant: none, read-only, or all',
  ),
});

const receiver = () => ({
  command: key(command(), 'Program that receives each notification on stdin, run without a shell'),
  url: key(httpUrl(), 'URL to post each notification to'),
  secret: key(secret(), 'Key to sign posted notifications; see [Secrets](#secrets)'),
});

const shortName = () =>
  pattern(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/u,
    'at most 63 letters, digits, dots, _ and -, starting with a letter or digit',
  );

/** Each event is stored once for each of them. */
const MOST_TARGETS = 16;

const target = () =>
  z.strictObject({
    id: requiredKey(shortName(), 'Name of the target, for `svc notification` and metrics'),
    ...receiver(),
    kinds: key(z.array(z.enum(NOTIFICATION_KINDS)).check(nonEmpty()), 'Send only these'),
    routes: key(
      z.array(text()).check(nonEmpty()),
      'Send only those of flows that these webhook routes created',
    ),
  });

const notify = () => ({
  ...receiver(),
  targets: key(
    z
      .array(later(target))
      .check(atMost(MOST_TARGETS))
      .register(NOTES, { form: `a list of at most ${MOST_TARGETS} targets` }),
    'More receivers, each with its own retries',
  ),
});

const flows = () => ({
  retentionDays: key(days(0), 'How long to keep ended flows, in days'),
  idempotencyHours: key(integer(1, 24 * 365), 'How long to recognize repeated requests, in hours'),
  concurrency: key(integer(1, 64), 'Maximum number of concurrent tasks'),
  leaseSeconds: key(
    integer(1, 86_400),
    'A worker without a heartbeat for this long loses its task, in seconds',
  ),
  orphans: key(
    z.enum(['requeue', 'lost']),
    'What happens to a task whose worker is gone: run it again, or mark it lost',
  ),
  runtimes: section('Programs that run tasks', () => ({
    subagent: section('Runs tasks of runtime `subagent`', runtime),
    acp: section('Runs tasks of runtime `acp`, over the Agent Client Protocol', runtime),
  })),
  notify: section('Where to send notifications: a command, a URL, or several targets', notify),
});

const storage = () => ({
  url: key(
    secret(),
    'URL of a PostgreSQL server that several hosts share, `postgres://user@host/database`; see [Secrets](#secrets)',
  ),
  origin: key(shortName(), 'Name of this host in shared memories'),
  poolSize: key(integer(1, 100), 'Maximum number of connections of a process'),
  connectTimeoutSeconds: key(integer(1, 300), 'Time limit for a connection, in seconds'),
  statementTimeoutSeconds: key(integer(1, 3600), 'Time limit for a statement, in seconds'),
});

const gateway = () => ({
  host: key(host(), 'Address to listen on'),
  port: key(port(), 'Port to listen on; 0 selects a free port'),
  tls: tls(),
  trustedProxies: key(
    z.array(network()),
    'Addresses or networks whose `X-Forwarded-For` header is trusted',
  ),
  admin: section('Separate listener for health and metrics', () => ({
    host: key(host(), 'Address of the listener for health and metrics'),
    port: key(port(), 'Port of the listener for health and metrics'),
  })),
  drainSeconds: key(
    integer(0, 3600),
    'Time to finish requests in progress when the process stops, in seconds',
  ),
});

function sessions() {
  const readerEntry = z.strictObject({
    id: requiredKey(text(), 'Name of the reader'),
    path: key(
      text(),
      'Folder of its transcripts, if not the default; includes all projects in it; `{agentId}` is replaced by the agent',
    ),
  });
  return {
    readers: key(
      z.array(z.union([text(), readerEntry])),
      'Readers of session transcripts, by name or as `{id, path}`: `svc`, `claude-code`, `codex`, `gemini-cli`, `cursor`, `opencode`, `openclaw`',
    ),
  };
}

const provider = () =>
  z.strictObject({
    api: key(text(), 'Adapter for this endpoint, by id or kind'),
    baseUrl: key(baseUrl(), 'URL of the endpoint'),
    apiKey: key(secret(), 'API key of the endpoint; see [Secrets](#secrets)'),
    headers: key(headers(), 'Additional request headers; values are treated as secrets'),
    models: key(
      z.array(z.strictObject({ id: requiredKey(text(), 'Name of the model at the endpoint') })),
      'Models of the endpoint',
    ),
  });

/** `models`: endpoints by id, for chat and embeddings (spec/memory-search §2.1). */
const models = () => ({
  providers: key(z.record(text(), later(provider)), 'Endpoints by custom id or adapter id'),
});

// Shared, since building it takes most of the time for this root.
const search = later(memorySearch);

const defaults = () => ({
  workspace: key(text(), 'Folder with `MEMORY.md` and `memory/`'),
  userTimezone: key(timeZone(), 'Time zone of the user, for dates in memory'),
  memorySearch: key(search, 'How memory is indexed and searched'),
});

const agent = () =>
  z.strictObject({
    id: requiredKey(
      pattern(
        /^[a-z0-9][a-z0-9_-]{0,63}$/u,
        'at most 64 lowercase letters, digits, _ and -, starting with a letter or digit',
      ),
      'Name of the agent, for `--agent`',
    ),
    default: key(z.boolean(), 'Use this agent when none is specified'),
    workspace: key(text(), 'Folder with its `MEMORY.md` and `memory/`'),
    memorySearch: key(search, 'Overrides the defaults field by field'),
    mcp: section('Overrides settings of the MCP server', agentMcp),
  });

const agents = () => ({
  defaults: section('Defaults for all agents', defaults),
  list: key(z.array(later(agent)), 'The agents; by default there is one, `main`'),
});

const ui = () => ({
  history: key(
    z.boolean(),
    'Keep the last 500 queries of the search screen, for ↑ in an empty input',
  ),
  theme: key(
    z.enum(['auto', 'light', 'dark', 'none']),
    'Colours of screens for a light or dark background. `auto` follows `COLORFGBG`, or else uses colours that are readable on both; `none` uses bold, dim and reverse only',
  ),
  mouse: key(
    z.boolean(),
    'Let screens react to clicks and the wheel. Most terminals select text while Shift is held; set `false` to select it without Shift',
  ),
});

/** The whole `svc.json`. Unknown keys are faults; everything is optional. */
export const configSchema = z.strictObject({
  $schema: key(z.string(), 'JSON Schema of this file, for editors; svc ignores it'),
  agents: section('Agents and how their memory is searched', agents),
  models: section('Model endpoints', models),
  memory: section('Search backend and citations', memory),
  sessions: section('Session transcripts', sessions),
  plugins: section('Optional features', plugins),
  gateway: section('Where the long-running process listens', gateway),
  mcp: section('The MCP server', mcp),
  flows: section('Durable task flows', flows),
  schedules: key(later(schedules), 'Flows created at set times, by id'),
  storage: section('Where memories and flows are kept; SQLite files by default', storage),
  secrets: section('How secret references are resolved', secrets),
  logging: section('Log of the long-running process', logging),
  ui: section('Screens in the terminal', ui),
});

/** Types of the file's content, as written: everything is optional. */
export type ConfigInput = DeepReadonly<z.input<typeof configSchema>>;

export type AgentsInput = NonNullable<ConfigInput['agents']>;
export type AgentInput = NonNullable<AgentsInput['list']>[number];
export type MemorySearchInput = NonNullable<AgentInput['memorySearch']>;
export type ModelProviderInput = NonNullable<
  NonNullable<ConfigInput['models']>['providers']
>[string];
export type MemoryInput = NonNullable<ConfigInput['memory']>;
type PluginEntriesInput = NonNullable<NonNullable<ConfigInput['plugins']>['entries']>;
type WebhooksInput = NonNullable<PluginEntriesInput['webhooks']>;
export type RouteInput = NonNullable<NonNullable<WebhooksInput['config']>['routes']>[string];
type FlowsInput = NonNullable<ConfigInput['flows']>;
export type NotifyInput = NonNullable<FlowsInput['notify']>;
export type TargetInput = NonNullable<NotifyInput['targets']>[number];
export type ScheduleInput = NonNullable<ConfigInput['schedules']>[string];
export type RuntimeInput = NonNullable<NonNullable<FlowsInput['runtimes']>['acp']>;
type SecretsInput = NonNullable<ConfigInput['secrets']>;
export type SecretProviderInput = NonNullable<SecretsInput['providers']>[string];
