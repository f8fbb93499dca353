import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { OverviewNews } from '../../engine/overview/index.js';
import type { FollowHome, HomeFollowing } from '../../ui/screens/home/run.js';

export interface LookPlace {
  /** Absolute path of the package. */
  readonly root: string;
  readonly configFile: string | undefined;
}

const EXTENSION = import.meta.url.endsWith('.ts') ? '.ts' : '.js';

/** Follows the overview in a child process, which is killed when home is closed. */
export function followInProcess({ root, configFile }: LookPlace): FollowHome {
  return (tell, onEnd): HomeFollowing => {
    const folder = EXTENSION === '.ts' ? 'src' : 'dist';
    const child = fork(join(root, folder, `cli/home/look-process${EXTENSION}`), [], {
      // Keeps its stderr off the screen.
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
        // It only reads, so killing it is safe.
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

/** The message line of a stack trace. */
function lastWords(said: string): string | undefined {
  const lines = said.split('\n').map((line) => line.trim());
  return lines.find((line) => /^\w*Error\b/u.test(line)) ?? lines.find((line) => line !== '');
}

/** Messages to the child process. */
export type LookOrder =
  /** The first. @property configFile the file named by `--config` */
  | { readonly type: 'follow'; readonly configFile: string | undefined }
  /** Reads everything again, now. */
  | { readonly type: 'again' };

/** Messages from the child process: parts that are known or changed, with secrets masked. */
export type LookNews = Partial<OverviewNews>;
