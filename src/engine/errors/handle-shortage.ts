import { SvcError, systemErrorCode } from './svc-error.js';

const SHORTAGES: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE']);

/** Whether the process or the system has run out of file handles. */
export function isHandleShortage(error: unknown): boolean {
  return SHORTAGES.has(systemErrorCode(error) ?? '');
}

export function handlesExhausted(cause: unknown): SvcError {
  const whose = systemErrorCode(cause) === 'ENFILE' ? 'the system' : 'this process';
  return new SvcError('HANDLES_EXHAUSTED', `${whose} has no file handles left`, {
    hint: 'raise the limit of open files (ulimit -n), or stop processes that keep many open',
    cause,
  });
}
