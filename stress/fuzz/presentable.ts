import { SvcError } from '../../src/engine/errors/index.js';

/** @throws an error that is not a SvcError, or one that contains a secret */
export function requirePresentable(error: unknown, secrets: ReadonlySet<string>): void {
  if (!(error instanceof SvcError)) throw error;
  const shown = JSON.stringify([error.message, error.hint, error.details]);
  for (const secret of secrets)
    if (shown.includes(secret)) throw new Error(`a key is shown: ${shown}`);
  if (error.message.length > 2000) throw new Error(`${error.message.length} characters of message`);
}
