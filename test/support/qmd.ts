import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { tempFolder } from './temp-folder.js';
import { waitFor } from './wait.js';

/** The releases that the fake can imitate; the oldest has no collections, the next no `--mask`. */
export type QmdVersion = '0.1.0' | '0.6.0' | '0.9.0' | '1.0.7' | '1.1.6' | '2.0.1' | '2.8.3';

/** One way to fail, or to give another answer. */
export type QmdMisbehaviour = (
  | {
      readonly kind: /** No JSON at all, status 0. */
        | 'garbage'
        /** Lines before and after the real answer. */
        | 'banner'
        /** Half of the answer, status 0. */
        | 'truncated'
        /** Half of the answer, then SIGKILL. */
        | 'killed'
        /** More than 200,000 characters. */
        | 'huge'
        /** Never ends and ignores SIGTERM, like its child: see `hanging()`. */
        | 'hangs'
        /** A native module that was built for another Node. */
        | 'wrong_node'
        /** Its own start script finds no Node that is new enough. */
        | 'old_node'
        /** Its own start script finds no bun. */
        | 'no_bun'
        /** Rows with `collection`, `body`, `start_line` and `end_line`, and snippets without a header. */
        | 'fields'
        /** Its MCP server answers nothing, not even `initialize`. */
        | 'says_nothing'
        | 'dies_in_call'
        | 'hangs_in_call';
    }
  | { readonly kind: 'slow'; readonly ms: number }
  /** Does its work, and ends this much later. */
  | { readonly kind: 'lingers'; readonly ms: number }
  | { readonly kind: 'fails'; readonly status: number; readonly stderr: string }
  /** Before it runs, it removes this collection from its configuration and its index. */
  | { readonly kind: 'forgets'; readonly collection: string }
) & {
  /** Only this many times. */
  readonly times?: number;
};

/** A command of the tool, or the verb of `collection`; `*` is every command without an entry. */
export type QmdCommand =
  | '*'
  | 'help'
  | 'version'
  | 'list'
  | 'add'
  | 'remove'
  | 'show'
  | 'update'
  | 'embed'
  | 'status'
  | 'search'
  | 'vsearch'
  | 'query'
  | 'mcp';

/** How the fake behaves. */
export interface QmdSwitches {
  readonly version?: QmdVersion;
  readonly on?: Partial<Readonly<Record<QmdCommand, QmdMisbehaviour>>>;
}

/** One start of the fake. */
export interface QmdCall {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly pid: number;
  /** HOME, NO_COLOR, PATH, QMD_CONFIG_DIR, XDG_CACHE_HOME, XDG_CONFIG_HOME, as far as they were set. */
  readonly env: Readonly<Record<string, string>>;
}

/** One request to its MCP server. */
export interface QmdRequest {
  readonly mcp: string;
  readonly tool?: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
}

/** A fake of the external tool, in a folder of its own. */
export interface InstalledQmd {
  /** The executable, for `memory.ext.command`. */
  readonly command: string;
  /** Changes its behaviour; a `version` also changes the executable, as an update would. */
  become(switches: QmdSwitches): void;
  /** Every start so far. */
  log(): readonly QmdCall[];
  /** Every request to an MCP server so far. */
  requests(): readonly QmdRequest[];
  /** Deletes the log of starts and requests. */
  clearLog(): void;
  /** Waits until one has done its work, and has not ended yet. */
  whenLingering(): Promise<void>;
  /** The process ids of those that hang, with their children; none should run when a test ends. */
  hanging(): readonly number[];
}

const SOURCE = fileURLToPath(new URL('../fakes/qmd/qmd.mjs', import.meta.url));
let bundle: string | undefined;

/** Bundles the fake into one file: it starts in three quarters of the time, and tests start it hundreds of times. */
function bundleFile(): string {
  if (bundle === undefined) {
    bundle = tempFolder().at('qmd.cjs');
    const options = { bundle: true, minify: true, platform: 'node' } as const;
    buildSync({ entryPoints: [SOURCE], outfile: bundle, ...options });
  }
  return bundle;
}

/** Installs a fake qmd in a folder of its own. */
export function installQmd({ version = '2.8.3', on = {} }: QmdSwitches = {}): InstalledQmd {
  const folder = tempFolder();
  const command = folder.at('qmd');
  const log = folder.at('log.jsonl');
  let current: Required<QmdSwitches> = { version, on };
  const lines = (): readonly (QmdCall | QmdRequest)[] =>
    existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n').map(parseLine) : [];
  const write = (): void => {
    folder.write('switches.json', JSON.stringify(current));
    const folderPath = JSON.stringify(folder.path);
    const run = `require(${JSON.stringify(bundleFile())}).main(${folderPath});`;
    writeFileSync(command, `#!${process.execPath}\n// ${current.version}\n${run}\n`);
    chmodSync(command, 0o755);
  };
  write();
  return {
    command,
    become: (switches) => {
      current = { ...current, ...switches };
      for (const name of readdirSync(folder.path)) {
        if (name.startsWith('times-')) rmSync(folder.at(name));
      }
      if (switches.version === undefined) {
        folder.write('switches.json', JSON.stringify(current));
      } else write();
    },
    log: () => lines().filter((line) => 'args' in line),
    requests: () => lines().filter((line) => 'mcp' in line),
    clearLog: () => rmSync(log, { force: true }),
    whenLingering: async () => {
      await waitFor('one that lingers', () => existsSync(folder.at('lingers')));
    },
    hanging: () =>
      readdirSync(folder.path)
        .filter((name) => name.startsWith('hanging-'))
        .flatMap((name) => readFileSync(folder.at(name), 'utf8').split(' ').map(Number)),
  };
}

function parseLine(line: string): QmdCall | QmdRequest {
  return JSON.parse(line) as QmdCall | QmdRequest;
}

/** What a real release answered; see test/fakes/qmd/record.ts. */
export function recordedQmd(version: QmdVersion): unknown {
  const file = new URL(`../fakes/qmd/recorded/${version}.json`, import.meta.url);
  return JSON.parse(readFileSync(fileURLToPath(file), 'utf8'));
}
