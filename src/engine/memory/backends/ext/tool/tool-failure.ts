import {
  messageOf,
  SvcError,
  systemErrorCode,
  type Warning,
  type WarningCode,
} from '../../../../errors/index.js';

/** Why the external program gave no answer. */
export type ToolFailureCode = Extract<
  WarningCode,
  'BACKEND_FAILED' | 'BACKEND_TIMEOUT' | 'BACKEND_UNAVAILABLE'
>;

/** The external program gave no answer. Expected: the builtin engine answers instead. */
export class ToolFailure extends Error {
  readonly code: ToolFailureCode;
  /** What a person can do about it. */
  readonly hint: string;

  constructor(code: ToolFailureCode, message: string, hint: string) {
    super(message);
    this.name = 'ToolFailure';
    this.code = code;
    this.hint = hint;
  }
}

/**
 * What went wrong in the program's own folder, as its failure: the builtin engine does not need that.
 *
 * @returns undefined for anything else
 */
export function folderFailure(error: unknown): ToolFailure | undefined {
  const code = systemErrorCode(error);
  if (error instanceof SvcError || code === undefined || !SYSTEM.test(code)) return undefined;
  return new ToolFailure(
    'BACKEND_FAILED',
    `the folder of the external search program cannot be used: ${messageOf(error)}`,
    'look whether there is room, and whether you may write there: svc config doctor',
  );
}

/** Of the file system, or of SQLite; Node.js has others (`ERR_…`) for what is a bug. */
const SYSTEM = /^(?:E[A-Z0-9]+|SQLITE_\w+)$/;

/** The failure as it is told beside the builtin engine's answer. */
export function failureWarning({ code, message, hint }: ToolFailure): Warning {
  return { code, message: `${message}; the builtin engine answers`, hint };
}
