import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, watch } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { handWritten } from '../../src/engine/dreaming/promotion/memory-file.js';
import { withoutOwnWriting } from '../../src/engine/memory/sources/index.js';
import { isTemporaryName } from '../../src/engine/support/replace-file.js';
import { noteText } from '../../test/support/many-notes.js';
import { runSvc, type SvcRun, startSvc } from '../../test/support/run-svc.js';
import { type TempFolder, tempFolder } from '../../test/support/temp-folder.js';
import { SECRET, SESSION } from '../../test/support/webhooks.js';

/** Handwritten text at the top of `MEMORY.md`. */
export const HANDWRITTEN = '# Mine\n\nBy hand: the amber cedar is in the north.\n';

const NOTES = 200;
const CONFIG = `// the memory of a test
{
  "gateway": { "port": 0 }, // any
  "agents": {
    /* keyword search only */
    "defaults": { "memorySearch": { "provider": "none" } },
  },
  "memory": { "citations": "auto" }, // as it comes
  "plugins": { "entries": { "webhooks": { "enabled": true, "config": {
    "routes": { "ci": { "sessionKey": "${SESSION}", "secret": "${SECRET}" } },
    "limits": { "ratePerWindow": 1000000, "inFlight": 1000 },
  } } } },
}
`;

const READER_CONFIG = JSON.stringify({
  agents: { defaults: { memorySearch: { provider: 'none', sync: { onSearch: false } } } },
});

/** A state folder with a workspace that all rounds share. */
export interface World {
  readonly home: TempFolder;
  readonly workspace: string;
  readonly configFile: string;
  readonly random: () => number;
  /** A random whole number from 0, below this. */
  below(end: number): number;
  svc(...args: readonly string[]): Promise<SvcRun>;
  /** Searches without indexing first. */
  read(query: string): Promise<SvcRun>;
  /** Runs the program and kills it at a moment. */
  runAndKill(args: readonly string[], moment: Moment): Promise<SvcRun>;
  /** Changes, adds, removes and moves notes, like a person. */
  editNotes(round: number): void;
  /** Hashes of what people wrote, by path, without text written by dreaming. */
  handwrittenHashes(): ReadonlyMap<string, string>;
  /** The agent's index file, which may be missing. */
  indexFile(): string;
}

export function makeWorld(random: () => number): World {
  const home = tempFolder();
  const configFile = home.write('svc.json', CONFIG);
  const readerFile = home.write('reader.json', READER_CONFIG);
  home.write('workspace/MEMORY.md', HANDWRITTEN);
  for (let n = 0; n < NOTES; n++) home.write(`workspace/memory/n${n}.md`, noteText(n, 2));
  const workspace = home.at('workspace');
  const below = (end: number): number => Math.floor(random() * end);
  return {
    home,
    workspace,
    configFile,
    random,
    below,
    svc: (...args) => runSvc(args, { home: home.path }),
    read: (query) => {
      const args = ['memory', 'search', query, '--json', '--config', readerFile];
      return runSvc(args, { home: home.path });
    },
    runAndKill: (args, moment) => runAndKill(home.path, args, moment),
    editNotes: (round) => editNotes(home, round, below),
    handwrittenHashes: () => handwrittenHashesIn(workspace),
    indexFile: () => home.at('memory/main.sqlite'),
  };
}

/** When a run is killed. */
export type Moment =
  /** Milliseconds after its start. */
  | { readonly afterMs: number }
  /** Milliseconds after a file with such a name was first touched below the folder. */
  | { readonly afterMs: number; readonly touched: RegExp; readonly below: string };

/** Runs the program on a state folder and kills it at a moment, unless it ends before. */
export async function runAndKill(
  home: string,
  args: readonly string[],
  moment: Moment,
): Promise<SvcRun> {
  const touch = 'touched' in moment ? firstTouch(moment.below, moment.touched) : undefined;
  const run = startSvc(args, { home });
  try {
    if (touch !== undefined) await Promise.race([touch.seen, run.done]);
    await Promise.race([sleep(moment.afterMs), run.done]);
  } finally {
    touch?.close();
  }
  run.child.kill('SIGKILL');
  return run.done;
}

function firstTouch(below: string, name: RegExp) {
  let see = (): void => undefined;
  const seen = new Promise<void>((resolve) => {
    see = resolve;
  });
  const watcher = watch(below, { recursive: true }, (_, path) => {
    if (path !== null && name.test(path)) see();
  });
  // Folders may disappear while they are listed.
  watcher.on('error', () => undefined);
  return { seen, close: () => watcher.close() };
}

function editNotes(home: TempFolder, round: number, below: (end: number) => number): void {
  const names = readdirSync(home.at('workspace/memory')).filter((name) => /^[nm]\d/u.test(name));
  const some = (): string => `workspace/memory/${names[below(names.length)] ?? 'n0.md'}`;
  for (let n = 0; n < 25; n++) home.write(some(), noteText(round * 1000 + n, 2));
  for (let n = 0; n < 4; n++) rmSync(home.at(some()), { force: true });
  const moved = some();
  if (existsSync(home.at(moved)))
    renameSync(home.at(moved), home.at(`workspace/memory/m${round}.md`));
  for (let n = 0; n < 4; n++)
    home.write(`workspace/memory/n${NOTES + ((round * 4 + n) % 100)}.md`, noteText(round + n, 2));
}

/** Files written only by dreaming. */
const DREAMS = /^(?:DREAMS\.md|memory\/(?:archive|dreaming)\/)/u;

function handwrittenHashesIn(workspace: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const entry of readdirSync(workspace, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(workspace.length + 1);
    if (DREAMS.test(name) || isTemporaryName(basename(name))) continue;
    found.set(
      name,
      createHash('sha256')
        .update(handPart(readFileSync(path, 'utf8'), name))
        .digest('hex'),
    );
  }
  return found;
}

function handPart(text: string, name: string): string {
  const hand = basename(name) === 'MEMORY.md' ? handWritten(text) : withoutOwnWriting(text);
  return hand.replaceAll(/^## Promoted From Short-Term Memory \(.*\)$/gmu, '').trimEnd();
}
