import { createInterface } from 'node:readline/promises';
import { SvcError } from '../engine/errors/index.js';

/**
 * Asks a yes-or-no question on the terminal; anything but yes is no.
 *
 * @throws SvcError CONFIRMATION_NEEDED where there is nobody to ask
 */
export async function confirm(
  question: string,
  hasTerminal: boolean,
  signal: AbortSignal,
): Promise<boolean> {
  if (!hasTerminal) {
    throw new SvcError(
      'CONFIRMATION_NEEDED',
      'this needs a yes, and there is no terminal to ask on',
      {
        hint: 'add --yes',
      },
    );
  }
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await lines.question(`${question} [y/N] `, { signal });
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    lines.close();
  }
}
