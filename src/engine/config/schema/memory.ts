import * as z from 'zod/mini';
import { collection } from './collection.js';
import { duration, integer, key, requiredKey, section, text } from './keys.js';

const sessions = () =>
  z.strictObject({
    enabled: key(z.boolean(), 'Export session transcripts and search them'),
    retentionDays: key(integer(1), 'Exported transcripts older than this are removed, in days'),
    exportDir: key(text(), 'Folder for exported transcripts; `{agentId}` stands for the agent'),
  });

const update = () =>
  z.strictObject({
    interval: key(duration(), 'How often collections are refreshed'),
    debounceMs: key(integer(0), 'Quiet time after a change before a refresh, in milliseconds'),
    onBoot: key(z.boolean(), 'Refresh once when the long-lived process starts'),
    embedInterval: key(duration(), 'How often embeddings are brought up to date'),
    commandTimeoutMs: key(integer(100), 'How long a short command may take, in milliseconds'),
    updateTimeoutMs: key(integer(100), 'How long a refresh may take, in milliseconds'),
    embedTimeoutMs: key(integer(100), 'How long an embedding run may take, in milliseconds'),
  });

const limits = () =>
  z.strictObject({
    maxResults: key(integer(1, 1000), 'Results of one search'),
    timeoutMs: key(integer(100), 'How long a search may take, in milliseconds'),
    maxSnippetChars: key(integer(1), 'Length of one snippet, in characters'),
    maxInjectedChars: key(integer(1), 'Length of all snippets together, in characters'),
  });

const match = () =>
  z.strictObject({
    channel: key(text(), 'Channel of the session'),
    chatType: key(z.enum(['direct', 'group', 'channel', 'explicit']), 'Kind of conversation'),
    keyPrefix: key(text(), 'Beginning of the normalized session key'),
    rawKeyPrefix: key(text(), 'Beginning of the raw session key, `agent:<id>:` included'),
  });

const action = () => z.enum(['allow', 'deny']);

const scope = () =>
  z.strictObject({
    default: key(action(), 'What holds when no rule matches'),
    rules: key(
      z.array(
        z.strictObject({
          action: requiredKey(action(), 'What the rule does'),
          match: section(match, 'Which sessions it is for; every part must hold, none matches all'),
        }),
      ),
      'The first rule that matches decides',
    ),
  });

const ext = () =>
  z.strictObject({
    command: key(text(), 'Program to run; an absolute path where the service has another `PATH`'),
    searchMode: key(
      z.enum(['search', 'vsearch', 'query']),
      'Lexical only, vector only, or both with re-ranking; the last two need embeddings',
    ),
    searchTool: key(text(), "Name of the program's search tool, when it has another one"),
    includeDefaultMemory: key(
      z.boolean(),
      'Search `MEMORY.md` and `memory/**/*.md` of the workspace',
    ),
    paths: key(z.array(collection()), 'Further collections'),
    sessions: section(sessions, 'Session transcripts'),
    update: section(update, 'When collections are refreshed'),
    limits: section(limits, 'Size and time of a search'),
    scope: section(scope, 'Which sessions may search, whichever backend answers'),
  });

/** `memory`: backend and citations (spec/memory-search §2.12). */
export function memory() {
  return z.strictObject({
    backend: key(
      z.enum(['builtin', 'ext']),
      'Who answers searches: svc itself, or an external program',
    ),
    citations: key(
      z.enum(['auto', 'on', 'off']),
      'Whether snippets end with a `Source: <path#line>` line',
    ),
    ext: section(ext, 'The external backend, used when `backend` is `ext`'),
  });
}
