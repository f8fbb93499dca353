import * as z from 'zod/mini';
import { days, duration, integer, key, requiredKey, section, text, waitingTime } from './keys.js';
import { collection } from './memory-search.js';

const sessions = () => ({
  enabled: key(z.boolean(), 'Export session transcripts and search them'),
  retentionDays: key(days(1), 'Remove exported transcripts after this many days'),
  exportDir: key(text(), 'Folder for exported transcripts; `{agentId}` is replaced by the agent'),
});

const update = () => ({
  interval: key(duration(), 'How often to refresh collections'),
  debounceMs: key(
    waitingTime('milliseconds', 0),
    'Quiet time after a change before a refresh, in milliseconds',
  ),
  onBoot: key(z.boolean(), 'Refresh when the long-running process starts'),
  embedInterval: key(duration(), 'How often to update embeddings'),
  commandTimeoutMs: key(
    waitingTime('milliseconds', 1),
    'Time limit of a short command, in milliseconds',
  ),
  updateTimeoutMs: key(waitingTime('milliseconds', 1), 'Time limit of a refresh, in milliseconds'),
  embedTimeoutMs: key(
    waitingTime('milliseconds', 1),
    'Time limit of an embedding run, in milliseconds',
  ),
});

const limits = () => ({
  maxResults: key(integer(1, 1000), 'Maximum number of results'),
  timeoutMs: key(waitingTime('milliseconds', 1), 'Time limit of a search, in milliseconds'),
  maxSnippetChars: key(integer(1), 'Maximum length of a snippet, in characters'),
  maxInjectedChars: key(integer(1), 'Maximum length of all snippets together, in characters'),
});

const match = () => ({
  channel: key(text(), 'Channel of the session'),
  chatType: key(z.enum(['direct', 'group', 'channel', 'explicit']), 'Kind of conversation'),
  keyPrefix: key(text(), 'Prefix of the normalized session key'),
  rawKeyPrefix: key(text(), 'Prefix of the raw session key, including `agent:<id>:`'),
});

const action = () => z.enum(['allow', 'deny']);

const scope = () => ({
  default: key(action(), 'Action if no rule matches'),
  rules: key(
    z.array(
      z.strictObject({
        action: requiredKey(action(), 'Action of the rule'),
        match: section(
          'Sessions it applies to; all conditions must match, and no conditions match every session',
          match,
        ),
      }),
    ),
    'The first matching rule applies',
  ),
});

const ext = () => ({
  command: key(
    text(),
    'Program to run; use an absolute path if the service has a different `PATH`',
  ),
  searchMode: key(
    z.enum(['search', 'vsearch', 'query']),
    'Lexical only, vector only, or both with re-ranking; the last two need embeddings',
  ),
  searchTool: key(text(), "Name of the program's search tool, if not the default"),
  includeDefaultMemory: key(
    z.boolean(),
    'Search `MEMORY.md` and `memory/**/*.md` of the workspace',
  ),
  paths: key(z.array(collection()), 'Additional collections'),
  sessions: section('Session transcripts', sessions),
  update: section('When to refresh collections', update),
  limits: section('Size and time limits of a search', limits),
  scope: section('Which sessions can search, with any backend', scope),
});

/** `memory`: backend and citations (spec/memory-search §2.12). */
export const memory = () => ({
  backend: key(z.enum(['builtin', 'ext']), 'Search with svc itself or an external program'),
  citations: key(
    z.enum(['auto', 'on', 'off']),
    'Whether to end snippets with a `Source: <path#line>` line',
  ),
  captureModel: key(
    text(),
    'Chat model that finds decisions in captured conversations, as `provider/model`; without it, rules find them',
  ),
  searchLog: key(
    z.boolean(),
    'Log the last 1,000 searches of each agent with their hits and what was opened, for `svc memory log`',
  ),
  ext: section('The external backend, used when `backend` is `ext`', ext),
});
