import type { FlowRecord, JsonValue, TaskRecord } from '../flows/index.js';
import type { PermissionPolicy } from './runner-settings.js';

/** A task that is to be run once. */
export interface TaskJob {
  readonly task: TaskRecord;
  readonly flow: FlowRecord | undefined;
  /** Absolute path of the program, and its arguments. */
  readonly command: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  /** Absolute path of a folder. */
  readonly cwd: string;
  readonly maxAttempts: number;
  readonly permissions: PermissionPolicy;
}

/** What a running job tells, and what it needs. */
export interface JobHost {
  /** What is being done, for people. */
  readonly progress: (text: string) => void;
  /** Something for the log: what the program wrote to stderr, what was not understood. */
  readonly note: (text: string) => void;
  /** See ChildCall. */
  readonly mind: (pid: number) => () => void;
}

/** What came of a job. */
export type JobEnd =
  | {
      readonly kind: 'succeeded';
      readonly summary?: string | undefined;
      readonly outcome?: 'blocked' | 'succeeded' | undefined;
      readonly result?: JsonValue | undefined;
    }
  | {
      readonly kind: 'failed';
      readonly error: string;
      /** Whether another attempt may go better. */
      readonly retry: boolean;
    };

/** A job that was begun. */
export interface RunningJob {
  /** Settles when nothing of it runs any more; never rejects. */
  readonly ended: Promise<JobEnd>;
  /** Asks it to end; it is killed when it does not. */
  readonly stop: () => void;
  /** Ends it at once. */
  readonly kill: () => void;
}

/** A way to run jobs. */
export type StartJob = (job: TaskJob, host: JobHost) => RunningJob;
