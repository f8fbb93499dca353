// Masks secrets in all output: those that were read, and what looks like one.
export { createSecretMask, LEAST_KNOWN_CHARS, type SecretMask } from './secret-mask.js';
export {
  environmentSecrets,
  hasSecret,
  MASK,
  redactedStart,
  redactSecrets,
  SECRET_FIELD,
} from './token-patterns.js';
