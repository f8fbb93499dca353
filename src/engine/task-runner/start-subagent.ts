import * as z from 'zod/mini';
import { ChildGroup } from '../child/child-group.js';
import type { JsonValue } from '../flow-model/fields.js';
import { flowView } from '../flow-model/flow-record.js';
import { taskView } from '../flow-model/task-record.js';
import { jsonFault } from '../support/json-fault.js';
import { readLines } from '../support/read-lines.js';
import { isRecord, parsedJson } from '../support/text.js';
import {
  endFailure,
  followErrors,
  type JobEnd,
  type JobHost,
  progressLine,
  type RunningJob,
  type TaskJob,
} from './job.js';

/** Longer than any sensible result, short enough for many tasks at once. */
const MOST_LINE_BYTES = 1024 * 1024;

type Verdict = Exclude<z.infer<typeof messageSchema>, { type: 'progress' }>;

/** Runs a task with a program that reads it as JSON from stdin and writes JSON lines to stdout. */
export function startSubagent(job: TaskJob, host: JobHost): RunningJob {
  const { command, env, cwd, attemptId } = job;
  const child = new ChildGroup({ command, env, cwd, attemptId, announce: host.announce });
  const lastError = followErrors(child.stderr, host.note);
  let verdict: Verdict | undefined;
  let refusal: string | undefined;
  let lastText: string | undefined;
  readLines(child.stdout, {
    mostBytes: MOST_LINE_BYTES,
    onTooLong: () => host.note(`skipped a line of more than ${MOST_LINE_BYTES} bytes`),
    onLine: (line) => {
      // Also without the byte order mark of programs on Windows.
      const text = line.trimStart();
      const value = text.startsWith('{') ? parsedJson(text) : undefined;
      if (value === undefined) {
        report(line);
        return;
      }
      const fault = isRecord(value) && value['type'] === 'result' ? jsonFault(text) : undefined;
      // It would be stored as another value, or is too deep for the schema, which recurses.
      const message = fault === undefined ? messageSchema.safeParse(value).data : undefined;
      refusal = fault ?? refusal;
      if (message === undefined)
        host.note(`skipped a JSON object that ${fault ?? 'is not a message'}`);
      else if (message.type === 'progress') report(message.text);
      else verdict = message;
    },
  });
  const report = (text: string): void => {
    if (progressLine(text) === '') return;
    lastText = text;
    host.progress(text);
  };
  child.stdin.end(taskDocument(job));
  const ended = child.ended.then((end): JobEnd => {
    if (end.kind === 'exited' && end.exitCode === 0) {
      if (verdict !== undefined || refusal === undefined) return successOf(verdict, lastText);
      return { kind: 'failed', error: `its result ${refusal}`, retry: false };
    }
    const reported = verdict?.type === 'error' ? verdict : undefined;
    const why = reported?.message ?? endFailure(end, lastError());
    return { kind: 'failed', error: why, retry: reported?.retry ?? true };
  });
  return { ended, stop: () => child.stop(), kill: () => child.kill() };
}

/** A program that exits with 0 without a result has succeeded. */
function successOf(verdict: Verdict | undefined, lastText: string | undefined): JobEnd {
  if (verdict?.type === 'error') {
    return { kind: 'failed', error: verdict.message, retry: verdict.retry ?? true };
  }
  const { summary = lastText, outcome, result } = verdict ?? {};
  return { kind: 'succeeded', summary, outcome, result };
}

/*
 * The protocol between svc and programs of runtime `subagent`, documented in docs/tasks.md.
 */

const PROTOCOL_VERSION = 1;

/** The JSON document that the program reads from stdin. */
function taskDocument({ task, flow, maxAttempts }: TaskJob): string {
  return JSON.stringify({
    protocolVersion: PROTOCOL_VERSION,
    task: taskView(task),
    attempt: task.attempts,
    maxAttempts,
    sessionKey: task.ownerKey,
    flow: flow === undefined ? null : flowView(flow),
  });
}

const json: z.ZodMiniType<JsonValue> = z.json();

const messageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('progress'), text: z.string() }),
  z.object({
    type: z.literal('result'),
    summary: z.optional(z.string()),
    outcome: z.optional(z.enum(['succeeded', 'blocked'])),
    result: z.optional(json),
  }),
  z.object({ type: z.literal('error'), message: z.string(), retry: z.optional(z.boolean()) }),
]);
