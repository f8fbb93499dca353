import type { Warning, WarningCode } from '../../../../errors/index.js';

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

/** The failure as it is told beside the builtin engine's answer. */
export function failureWarning({ code, message, hint }: ToolFailure): Warning {
  return { code, message: `${message}; the builtin engine answers`, hint };
}
