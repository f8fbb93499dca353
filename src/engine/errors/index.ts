export {
  ERROR_CODES,
  type ErrorCode,
  isErrorCode,
  WARNING_CODES,
  type WarningCode,
} from './codes.js';
export {
  asSvcError,
  handlesExhausted,
  isHandleShortage,
  messageOf,
  type SourceLocation,
  SvcError,
  systemErrorCode,
  type Warning,
} from './svc-error.js';
