import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { ServeState } from '../../src/engine/serve/index.js';
import { type LogRecord, parseLogLine } from '../../src/engine/serve/log/log-record.js';
import { type StartedSvc, type SvcOptions, startSvc } from './run-svc.js';
import { type TempFolder, tempFolder } from './temp-folder.js';
import { waitFor } from './wait.js';

/** A state folder with a workspace of one note, and a configuration that listens on a free port. */
export function serverHome(config: object = {}): TempFolder {
  const home = tempFolder();
  home.write('workspace/MEMORY.md', '# Memory\n\nThe nightly backup runs at 02:30.\n');
  writeConfig(home, config);
  return home;
}

/** Writes `svc.json` with a free port; the given settings take precedence. */
export function writeConfig(home: TempFolder, config: object): void {
  home.write('svc.json', JSON.stringify({ gateway: { port: 0 }, ...config }));
}

/** The records of the log so far; a line that is being written is left out. */
export function recordsOf(home: TempFolder): readonly LogRecord[] {
  let text = '';
  try {
    text = readFileSync(home.at('logs/serve.log'), 'utf8');
  } catch {
    return [];
  }
  return text.split('\n').flatMap((line) => parseLogLine(line) ?? []);
}

/** The state file as it is now; undefined when there is none. */
export function stateOf(home: TempFolder): ServeState | undefined {
  try {
    return JSON.parse(readFileSync(home.at('serve.json'), 'utf8')) as ServeState;
  } catch {
    return undefined;
  }
}

/** The addresses that were listened on so far, by the log. */
export function urlsOf(home: TempFolder): readonly string[] {
  return recordsOf(home).flatMap(({ message }) => /listening on (\S+)/.exec(message)?.[1] ?? []);
}

/** The last address that was listened on. */
export function urlOf(home: TempFolder): string | undefined {
  return urlsOf(home).at(-1);
}

const children = new Set<ChildProcess>();

function killAll(): void {
  for (const child of children) child.kill('SIGKILL');
}

/** A running `svc serve`. */
export interface Serving extends StartedSvc {
  readonly home: TempFolder;
}

/** Starts `svc serve`, which is killed with the test process at the latest. */
export function serve(
  home: TempFolder,
  args: readonly string[] = [],
  options: Partial<SvcOptions> = {},
): Serving {
  return startLongLived(['serve', ...args], home, options);
}

/** Starts `svc webhook serve`, likewise. */
export function serveWebhooks(
  home: TempFolder,
  args: readonly string[] = [],
  options: Partial<SvcOptions> = {},
): Serving {
  return startLongLived(['webhook', 'serve', ...args], home, options);
}

function startLongLived(
  words: readonly string[],
  home: TempFolder,
  options: Partial<SvcOptions>,
): Serving {
  const started = startSvc(words, { home: home.path, ...options });
  if (children.size === 0) process.on('exit', killAll);
  children.add(started.child);
  return { ...started, home };
}

/** Waits until all services work. */
export async function whenReady(home: TempFolder): Promise<string> {
  const url = await waitFor(
    'an address',
    () => urlOf(home),
    () => recordsOf(home),
  );
  await waitFor(
    'readiness',
    async () => (await fetch(`${url}/readyz`)).ok,
    () => recordsOf(home),
  );
  return url;
}

/** Waits for a line of the log. */
export function whenLogged(home: TempFolder, part: string, after = 0): Promise<LogRecord> {
  return waitFor(
    `the log line "${part}"`,
    () =>
      recordsOf(home)
        .slice(after)
        .find(({ message }) => message.includes(part)),
    () => recordsOf(home),
  );
}

/** Waits until the state file, which other commands read, has all services as ready. */
export async function whenStateReady(home: TempFolder): Promise<string> {
  const url = await whenReady(home);
  await waitFor('the state file', () =>
    stateOf(home)?.services.every(({ state }) => state === 'ready'),
  );
  return url;
}
