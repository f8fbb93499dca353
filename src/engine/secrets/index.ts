export { describeSecret } from './describe-secret.js';
export { resolveSecret, resolveSecrets, type SecretOutcome } from './resolve-secrets.js';
export type { SecretContext } from './secret-context.js';
