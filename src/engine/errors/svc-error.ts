import type { ErrorCode, WarningCode } from './codes.js';

/** A place in a text file; line and column are 1-based. */
export interface SourceLocation {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** What an {@link SvcError} is made of besides its code and message. */
export interface SvcErrorOptions {
  /** What the person can do about it, as an imperative sentence or a command to type. */
  readonly hint?: string;
  readonly location?: SourceLocation;
  /** Machine-readable extras for `--json`; must be plain JSON and free of secrets. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/**
 * The one error type the engine throws for expected failures. Anything else that reaches the
 * edge is reported as a bug.
 */
export class SvcError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly location: SourceLocation | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(code: ErrorCode, message: string, options: SvcErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'SvcError';
    this.code = code;
    this.hint = options.hint;
    this.location = options.location;
    this.details = options.details;
  }
}

/** Something worth saying that does not fail the command. */
export interface Warning {
  readonly code: WarningCode;
  readonly message: string;
  readonly hint?: string;
}

/** The `code` of a Node.js system error (`ENOENT`, `EACCES`, …), or undefined for anything else. */
export function systemErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
