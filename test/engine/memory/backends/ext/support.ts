import {
  type OpenedMemory,
  type OpenMemoryOptions,
  openMemory,
} from '../../../../../src/engine/memory/open-memory.js';
import type { SearchResponse } from '../../../../../src/engine/memory/search/types.js';
import { resolveStatePaths } from '../../../../../src/engine/support/context.js';
import { type InstalledQmd, installQmd, type QmdSwitches } from '../../../../support/qmd.js';
import { folderOf, type TempFolder } from '../../../../support/temp-folder.js';

/** A memory that a stand-in for the external program searches, opened in this process. */
export interface ExtWorld {
  readonly home: TempFolder;
  readonly qmd: InstalledQmd;
  /** Writes `memory.ext` besides the command; counts for what is opened afterwards. */
  configure(ext: object, agents?: object): void;
  /** Each is closed by {@link close}. */
  open(options?: OpenMemoryOptions): Promise<OpenedMemory>;
  /** The commands that the program was run with since the last time. */
  ran(): readonly string[];
  close(): Promise<void>;
}

/** No machine is so slow; what is to time out says so itself. */
const PATIENT = { limits: { timeoutMs: 60_000 } };

const AGENTS = { defaults: { memorySearch: { provider: 'none' } } };

export function extWorld(
  switches: QmdSwitches = {},
  ext: object = {},
  agents: object = AGENTS,
): ExtWorld {
  const home = folderOf({
    'workspace/MEMORY.md': '# Memory\n\nThe heron nests in the old oak.\n',
    'workspace/memory/2026-11-01.md': '# Sunday\n\nSaw the heron again.\n\nCounted nine egrets.\n',
  });
  const qmd = installQmd(switches);
  const opened: OpenedMemory[] = [];
  const configure: ExtWorld['configure'] = (settings, others = agents) => {
    const memory = { backend: 'ext', ext: { command: qmd.command, ...PATIENT, ...settings } };
    home.write('svc.json', JSON.stringify({ agents: others, memory }));
  };
  configure(ext);
  const env = { SVC_HOME: home.path, PATH: process.env['PATH'] };
  const state = resolveStatePaths(env, home.path);
  const context = { env, cwd: home.path, homeDir: home.path, state, clock: { now: Date.now } };
  return {
    home,
    qmd,
    configure,
    open: async (options) => {
      const memory = await openMemory(context, { kind: 'agent' }, options);
      opened.push(memory);
      return memory;
    },
    ran: () => {
      const calls = qmd.log().map(({ args }) => args.slice(0, args[0] === 'collection' ? 2 : 1));
      qmd.clearLog();
      return calls.map((words) => words.join(' '));
    },
    close: async () => {
      for (const { backend } of opened) await backend.close();
    },
  };
}

/** What an answer comes down to: who gave it, where from, and what was to be said. */
export function gist({ backend, results, warnings }: SearchResponse): unknown {
  return [backend, results.map(({ path }) => path).toSorted(), warnings.map(({ code }) => code)];
}
