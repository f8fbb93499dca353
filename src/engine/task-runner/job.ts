import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import type { AnnounceProgram, ChildEnd } from '../child/child-group.js';
import type { FlowRecord } from '../flow-model/flow-record.js';
import type { TaskRecord } from '../flow-model/task-record.js';
import type { TaskFailure, TaskSuccess } from '../flows/index.js';
import type { SecretMask } from '../masking/index.js';
import { readLines } from '../support/read-lines.js';
import { oneLine, withEllipsis } from '../support/text.js';
import type { PermissionPolicy } from './runner-settings.js';

/** One attempt at a task. */
export interface TaskJob {
  readonly task: TaskRecord;
  readonly flow: FlowRecord | undefined;
  /** Absolute path of the program, and its arguments. */
  readonly command: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  /** See ChildCall. */
  readonly attemptId: string;
  /** Absolute path of a folder. */
  readonly cwd: string;
  readonly maxAttempts: number;
  readonly permissions: PermissionPolicy;
}

/**
 * What a running job reports to and needs. Texts are complete, as those of {@link JobEnd} are: shortened before they
 * are masked, they could end with a part of a secret.
 */
export interface JobHost {
  /** Reports progress, for people. */
  readonly progress: (text: string) => void;
  /** Logs what the program wrote to stderr, or what was not understood. */
  readonly note: (text: string) => void;
  /** Logs what the program was allowed or refused: each time, whatever else it writes. */
  readonly logDecision: (text: string) => void;
  /** See ChildCall. */
  readonly announce: AnnounceProgram;
}

/** How a job ended. */
export type JobEnd =
  | ({ readonly kind: 'succeeded' } & TaskSuccess)
  | ({ readonly kind: 'failed'; readonly retry: boolean } & TaskFailure);

/** A started job. */
export interface RunningJob {
  /** Settles when nothing of it is running; never rejects. */
  readonly ended: Promise<JobEnd>;
  /** Asks it to end, and kills it if it does not. */
  readonly stop: () => void;
  /** Whether its outcome is known although something of it still runs; never where the exit status decides. */
  readonly isAnswered?: () => boolean;
  readonly kill: () => void;
}

/** Runs jobs of one runtime. */
export type StartJob = (job: TaskJob, host: JobHost) => RunningJob;

/** Why a program failed, without a full stop. */
export function endFailure(end: ChildEnd, lastErrorLine: string | undefined): string {
  const why = endText(end);
  return lastErrorLine === undefined ? why : `${why}: ${lastErrorLine}`;
}

/** The program and its folder exist: they are looked up before. */
const MISSING = ', probably because the interpreter in its first line does not exist';

function endText(end: ChildEnd): string {
  switch (end.kind) {
    case 'exited':
      return `exited with code ${end.exitCode}`;
    case 'signalled':
      return `killed by ${end.signal}`;
    case 'not-started':
      return `could not be started (${end.code})${end.code === 'ENOENT' ? MISSING : ''}`;
  }
}

/** The most lines of one program in the log. */
const MOST_NOTES = 200;

/** Logs what a program wrote to stderr, or what was not understood, up to a limit: it could push out all else. */
export function programNotes(log: Logger, mask: SecretMask): JobHost['note'] {
  let notes = 0;
  return (text) => {
    notes += 1;
    if (notes <= MOST_NOTES) log.info(progressLine(mask.text(text)));
    else if (notes === MOST_NOTES + 1) log.info('further lines of the program are not logged');
  };
}

const MOST_LINE_BYTES = 8192;

/**
 * Notes what a program writes to stderr, and keeps the last line as the reason of a failure.
 *
 * @returns the last line; undefined if nothing was written
 */
export function followErrors(stderr: Readable, note: JobHost['note']): () => string | undefined {
  let last: string | undefined;
  readLines(stderr, {
    mostBytes: MOST_LINE_BYTES,
    onLine: (line) => {
      if (progressLine(line) === '') return;
      last = line;
      note(`stderr: ${line}`);
    },
  });
  return () => last;
}

const PROGRESS_CHARS = 300;
const SUMMARY_CHARS = 4000;

// Callers handle line breaks first.
const CONTROL = /[\p{Cc}\p{Cf}]+/gu;

/** One line for people, without terminal control characters; can be empty. */
export function progressLine(text: string): string {
  return withEllipsis(oneLine(text.replaceAll(CONTROL, ' ')), PROGRESS_CHARS);
}

/** A few lines for people, likewise. */
export function summaryText(text: string): string {
  const lines = text.split(/\r?\n/u).map((line) => line.replaceAll(CONTROL, ' ').trimEnd());
  return withEllipsis(lines.join('\n').trim(), SUMMARY_CHARS);
}
