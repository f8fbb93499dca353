import { SvcError, systemErrorCode } from './svc-error.js';

const SHORTAGES: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE']);

/** Whether something failed because no file can be opened any more, whichever it is. */
export function isHandleShortage(error: unknown): boolean {
  return SHORTAGES.has(systemErrorCode(error) ?? '');
}

/** The error for it. */
export function handlesExhausted(cause: unknown): SvcError {
  const whose = systemErrorCode(cause) === 'ENFILE' ? 'the system' : 'this process';
  return new SvcError('HANDLES_EXHAUSTED', `${whose} has no file handles left`, {
    hint: 'raise the limit of open files (ulimit -n), or stop what holds them',
    cause,
  });
}
