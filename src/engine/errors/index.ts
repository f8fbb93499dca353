export {
  ERROR_CODES,
  type ErrorCode,
  isErrorCode,
  WARNING_CODES,
  type WarningCode,
} from './codes.js';
export {
  asSvcError,
  faultFields,
  handlesExhausted,
  isHandleShortage,
  isSystemError,
  messageOf,
  type SourceLocation,
  SvcError,
  systemErrorCode,
  systemReason,
  type Warning,
} from './svc-error.js';
