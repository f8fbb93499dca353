import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import type { StatePaths } from '../support/context.js';
import { PRIVATE_MODE, replaceFile } from '../support/files.js';

const schema = z.strictObject({
  atMs: z.number(),
  /** Sentences that were added. */
  added: z.int(),
  /** Why it failed; null if it did not. */
  error: z.nullable(z.string()),
});

/** How the last capture of an agent's conversations ended. */
export type LastCapture = Readonly<z.infer<typeof schema>>;

/** Records how a capture ended, since nobody sees the errors of a hook. @throws the system's error */
export function recordCapture(state: StatePaths, agent: string, capture: LastCapture): void {
  const file = recordFile(state, agent);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  replaceFile(file, `${JSON.stringify(capture)}\n`, PRIVATE_MODE);
}

/** Undefined if none was recorded. */
export function lastCapture(state: StatePaths, agent: string): LastCapture | undefined {
  try {
    const text = readFileSync(recordFile(state, agent), 'utf8');
    return schema.parse(JSON.parse(text));
  } catch {
    // The next capture writes it again.
    return undefined;
  }
}

function recordFile({ stateDir }: StatePaths, agent: string): string {
  return join(stateDir, 'captures', `${agent}.json`);
}
