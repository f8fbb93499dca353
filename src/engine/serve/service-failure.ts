import { messageOf, SvcError, systemErrorCode } from '../errors/index.js';

/** Why a service does not work, as it is told: to the screen, the state file and `svc status`. */
export interface ServiceFailure {
  /** Of the error registry, or the system's; null for anything else. */
  readonly code: string | null;
  readonly message: string;
  /** What to do about it; null where nobody knows. */
  readonly mend: string | null;
}

/** What was thrown, as it is told. */
export function serviceFailure(error: unknown): ServiceFailure {
  return {
    code: error instanceof SvcError ? error.code : (systemErrorCode(error) ?? null),
    message: messageOf(error),
    mend: (error instanceof SvcError ? error.hint : undefined) ?? null,
  };
}
