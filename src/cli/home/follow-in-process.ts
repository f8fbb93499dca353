import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { FollowHome, HomeFollowing } from '../../ui/screens/home/run.js';
import type { LookNews, LookOrder } from './look-messages.js';

/** Where the process that looks is found. */
export interface LookPlace {
  /** Absolute path of the package. */
  readonly root: string;
  readonly configFile: string | undefined;
}

const EXTENSION = import.meta.url.endsWith('.ts') ? '.ts' : '.js';

/** Starts the process that looks at everything, and ends it when nobody looks any more. */
export function followInProcess({ root, configFile }: LookPlace): FollowHome {
  return (tell, onEnd): HomeFollowing => {
    const folder = EXTENSION === '.ts' ? 'src' : 'dist';
    const child = fork(join(root, folder, `cli/home/look-process${EXTENSION}`), [], {
      // Its stderr is kept off the screen.
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      serialization: 'advanced',
    });
    let said = '';
    let closing = false;
    child.stderr?.on('data', (data: Buffer) => {
      said = (said + data.toString()).slice(-MOST_SAID_CHARS);
    });
    child.on('message', (news: LookNews) => {
      if (!closing) tell(news);
    });
    child.on('error', (error) => {
      if (!closing) onEnd(error.message);
    });
    const exited = new Promise<void>((resolve) => {
      child.on('close', (code, signal) => {
        resolve();
        if (!closing) onEnd(lastWords(said) ?? `it exited with ${code ?? signal}`);
      });
    });
    order(child, { type: 'follow', configFile });
    return {
      again: () => order(child, { type: 'again' }),
      close: async () => {
        closing = true;
        // It holds nothing that a kill could leave half done: it only reads.
        child.kill('SIGKILL');
        await exited;
      },
    };
  };
}

const MOST_SAID_CHARS = 4000;

function order(child: ChildProcess, said: LookOrder): void {
  if (child.connected) child.send(said, () => undefined);
}

/** The line of a stack trace that says what happened. */
function lastWords(said: string): string | undefined {
  const lines = said.split('\n').map((line) => line.trim());
  return lines.find((line) => /^\w*Error\b/u.test(line)) ?? lines.find((line) => line !== '');
}
