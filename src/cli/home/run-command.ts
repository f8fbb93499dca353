import { spawn } from 'node:child_process';
import { programFacts } from '../context.js';
import { pressEnter } from './press-enter.js';

/**
 * Runs a command of svc in the normal terminal. Its output stays visible until the person goes back; Ctrl-C ends only the
 * command.
 */
export async function runFromHome(
  argv: readonly string[],
  { configFile, signal }: { readonly configFile: string | undefined; readonly signal: AbortSignal },
): Promise<void> {
  const { node, script } = programFacts();
  process.stdout.write(`$ svc ${argv.map(shown).join(' ')}\n\n`);
  const handlers = process.listeners('SIGINT');
  const ignore = (): void => undefined;
  process.removeAllListeners('SIGINT').on('SIGINT', ignore);
  try {
    const ended = await new Promise<string>((resolve) => {
      const child = spawn(node, [...process.execArgv, script, ...argv], {
        stdio: 'inherit',
        env: configFile === undefined ? process.env : { ...process.env, SVC_CONFIG: configFile },
      });
      child.on('error', (error) => resolve(error.message));
      child.on('close', (code, killed) => resolve(code === 0 ? '' : `exit code ${code ?? killed}`));
    });
    process.stdout.write(ended === '' ? '\n' : `\n${ended}\n`);
  } finally {
    process.off('SIGINT', ignore);
    for (const handler of handlers) process.on('SIGINT', handler);
  }
  await pressEnter(signal);
}

function shown(word: string): string {
  return /^[\w.,:@%+=/-]+$/u.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
