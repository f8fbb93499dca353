import { spawn } from 'node:child_process';
import { endOfForeground } from './foreground.js';

/** Whether a text is longer than the terminal. */
export function needsPager(text: string): boolean {
  return text.split('\n').length > (process.stdout.rows || 24);
}

/** Shows a text on the terminal in `$SVC_PAGER`, `$PAGER` or less, as git does; prints it where none can be run. */
export async function page(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const command = env['SVC_PAGER'] ?? env['PAGER'] ?? 'less';
  const [program = '', ...args] = command.trim().split(/\s+/u);
  if (program === '' || !(await shown(program, args, text, env))) process.stdout.write(text);
}

/** @returns false where the pager cannot be run: nothing was shown then */
async function shown(
  program: string,
  args: readonly string[],
  text: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  const child = spawn(program, args, {
    // Quit at once where all fits, keep colors, leave the text on the screen.
    env: { LESS: 'FRX', ...env },
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  // Whoever leaves the pager before the end has seen enough.
  child.stdin.on('error', () => undefined);
  child.stdin.end(text);
  try {
    await endOfForeground(child);
    return true;
  } catch {
    return false;
  }
}
