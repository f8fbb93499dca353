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
  isStorageFailure,
  isSystemError,
  isWithoutTls,
  messageOf,
  PROXY_FAULT,
  type SourceLocation,
  SvcError,
  systemErrorCode,
  systemReason,
  type Warning,
  WITHOUT_TLS,
} from './svc-error.js';
