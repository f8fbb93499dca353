import { ChildGroup, type Mind } from '../../child/index.js';
import { ErrorTail, endFailure } from '../job.js';
import { DELIVERY_TIMEOUT_MS, type NotificationTarget } from './notification-delivery.js';

interface CommandTargetOptions {
  /** Resolved each time. @throws SvcError RUNTIME_PROGRAM_MISSING */
  readonly command: () => readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  /** Absolute path of a folder. */
  readonly cwd: string;
  readonly mind: Mind;
  /** Logs what the program writes to stderr. */
  readonly note: (text: string) => void;
}

/** A program that reads a notification as JSON from stdin; it is delivered when that exits with 0. */
export function commandTarget(options: CommandTargetOptions): NotificationTarget {
  const { command, env, cwd, mind, note } = options;
  return {
    send: async ({ notificationId, payload }, signal) => {
      const own = { ...env, SVC_NOTIFICATION_ID: notificationId };
      const child = new ChildGroup({ command: command(), env: own, cwd, mind });
      const errors = new ErrorTail(child.stderr, note);
      const stop = (): void => child.stop();
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        child.stop();
      }, DELIVERY_TIMEOUT_MS);
      signal.addEventListener('abort', stop);
      child.stdout.resume();
      child.stdin.end(payload);
      const end = await child.ended;
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      signal.throwIfAborted();
      if (isLate) return { ok: false, error: 'the program did not exit in time' };
      if (end.kind === 'exited' && end.exitCode === 0) return { ok: true };
      return { ok: false, error: `the program ${endFailure(end, errors.lastLine)}` };
    },
  };
}
