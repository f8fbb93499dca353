export {
  ERROR_CODES,
  type ErrorCode,
  WARNING_CODES,
  type WarningCode,
} from './codes.js';
export { handlesExhausted, isHandleShortage } from './handle-shortage.js';
export {
  asSvcError,
  messageOf,
  type SourceLocation,
  SvcError,
  systemErrorCode,
  type Warning,
} from './svc-error.js';
