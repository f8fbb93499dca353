import * as z from 'zod/mini';
import { httpUrl, integer, key, nonEmpty, section, text } from './keys.js';
import { secret } from './secret.js';

const command = () => z.array(text()).check(nonEmpty());

const runtime = () =>
  z.strictObject({
    command: key(command(), 'Program and arguments; no shell'),
    env: key(
      z.record(text(), z.string()),
      'Environment variables added for it; values are treated as secrets',
    ),
    cwd: key(text(), 'Folder it runs in'),
    timeoutSeconds: key(integer(1), 'How long a task may take, in seconds'),
    maxAttempts: key(integer(1, 100), 'How often a task is tried'),
    permissions: key(
      z.enum(['deny', 'read', 'allow']),
      'Answer to permission requests of the agent: none, reading only, or all',
    ),
  });

const notify = () =>
  z.strictObject({
    command: key(command(), 'Program that is given each notification on stdin; no shell'),
    url: key(httpUrl(), 'Address that each notification is posted to'),
    secret: key(secret(), 'Key that signs posted notifications; see [Secrets](#secrets)'),
  });

/** `flows`: durable task flows and what runs their tasks (configuration reference). */
export function flows() {
  return z.strictObject({
    retentionDays: key(integer(0), 'Ended flows are kept this long, in days'),
    idempotencyHours: key(integer(1), 'A repeated request is recognised this long, in hours'),
    concurrency: key(integer(1, 64), 'Tasks that run at the same time'),
    leaseSeconds: key(
      integer(1, 86_400),
      'A worker that is silent this long has lost its task, in seconds',
    ),
    orphans: key(
      z.enum(['requeue', 'lost']),
      'What becomes of a task whose worker is gone: it runs again, or is lost',
    ),
    runtimes: section(
      () =>
        z.strictObject({
          subagent: section(runtime, 'Runs tasks of runtime `subagent`'),
          acp: section(runtime, 'Runs tasks of runtime `acp`, over the Agent Client Protocol'),
        }),
      'Programs that run tasks',
    ),
    notify: section(notify, 'Where notifications go: a command, or an address'),
  });
}
