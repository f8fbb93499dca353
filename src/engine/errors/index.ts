export {
  ERROR_CODES,
  type ErrorCode,
  type ExitCode,
  WARNING_CODES,
  type WarningCode,
} from './codes.js';
export {
  messageOf,
  type SourceLocation,
  SvcError,
  type SvcErrorOptions,
  systemErrorCode,
  type Warning,
} from './svc-error.js';
