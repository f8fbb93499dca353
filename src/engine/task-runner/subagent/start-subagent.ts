import { ChildGroup } from '../../child/child-group.js';
import { readLines } from '../../child/read-lines.js';
import { endFailure } from '../end-failure.js';
import { ErrorTail } from '../error-tail.js';
import type { JobEnd, JobHost, RunningJob, TaskJob } from '../job.js';
import { progressLine } from '../words.js';
import { readSubagentLine, type SubagentMessage, taskDocument } from './protocol.js';

/** Longer than any sensible result, short enough to be held by every task at once. */
const MOST_LINE_BYTES = 1024 * 1024;

type Verdict = Exclude<SubagentMessage, { type: 'progress' }>;

/** Runs a task with a program that reads it as JSON from stdin and writes JSON lines to stdout. */
export function startSubagent(job: TaskJob, host: JobHost): RunningJob {
  const { command, env, cwd } = job;
  const child = new ChildGroup({ command, env, cwd, mind: host.mind });
  const errors = new ErrorTail(child.stderr, host.note);
  let verdict: Verdict | undefined;
  let lastWords: string | undefined;
  readLines(child.stdout, {
    mostBytes: MOST_LINE_BYTES,
    onTooLong: () => host.note(`a line of more than ${MOST_LINE_BYTES} bytes was left out`),
    onLine: (line) => {
      const read = readSubagentLine(line);
      if (read.kind === 'unknown') host.note('a JSON object that is no message was left out');
      else if (read.kind === 'words') say(read.text);
      else if (read.message.type === 'progress') say(read.message.text);
      else verdict = read.message;
    },
  });
  const say = (text: string): void => {
    const words = progressLine(text);
    if (words === '') return;
    lastWords = words;
    host.progress(words);
  };
  child.stdin.end(taskDocument(job));
  const ended = child.ended.then((end): JobEnd => {
    if (end.kind === 'exited' && end.exitCode === 0) return successOf(verdict, lastWords);
    const told = verdict?.type === 'error' ? verdict : undefined;
    const why = told?.message ?? endFailure(end, errors.lastLine);
    return { kind: 'failed', error: why, retry: told?.retry ?? true };
  });
  return { ended, stop: () => child.stop(), kill: () => child.kill() };
}

/** A program that ends well without a word of its result did what it was told. */
function successOf(verdict: Verdict | undefined, lastWords: string | undefined): JobEnd {
  if (verdict?.type === 'error') {
    return { kind: 'failed', error: verdict.message, retry: verdict.retry ?? true };
  }
  const { summary = lastWords, outcome, result } = verdict ?? {};
  return { kind: 'succeeded', summary, outcome, result };
}
