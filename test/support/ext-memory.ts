import type * as z from 'zod/mini';
import type { statusOutputSchema } from '../../src/engine/memory/backends/output-schemas.js';
import type { searchOutputSchema } from '../../src/engine/memory/search/output-schemas.js';
import { jsonOf } from './json.js';
import { type InstalledQmd, installQmd, type QmdSwitches } from './qmd.js';
import type { SvcRun } from './run-svc.js';
import { runInSession } from './svc-session.js';
import { folderOf, type TempFolder } from './temp-folder.js';

interface ExtSettings {
  readonly limits?: object;
  readonly [key: string]: unknown;
}

/** A home whose memory is searched by a fake of the external tool. */
export interface ExtHome {
  readonly home: TempFolder;
  readonly qmd: InstalledQmd;
  /** Writes another configuration: `memory.ext` besides the command, and all of `agents`. */
  configure(ext: ExtSettings, agents?: object): void;
  /** The commands of the tool that were run since the last call of this, each as its first word or two. */
  newCommands(): readonly string[];
}

/** Such a home, with commands of the built program run in it, in one process. */
export interface ExtMemory extends ExtHome {
  svc(...args: readonly string[]): Promise<SvcRun>;
  search(query: string, ...args: readonly string[]): Promise<z.infer<typeof searchOutputSchema>>;
  /** The status of the default agent. */
  status(
    ...args: readonly string[]
  ): Promise<z.infer<typeof statusOutputSchema>['agents'][number] | undefined>;
}

/** The notes; both files mention herons, on their third lines. */
const NOTES: Readonly<Record<string, string>> = {
  'workspace/MEMORY.md': '# Memory\n\nThe heron nests in the old oak.\n',
  'workspace/memory/2026-11-01.md': '# Sunday\n\nSaw the heron again.\n\nCounted nine egrets.\n',
};

/** No machine is so slow; tests of the time limit set their own. */
const PATIENT = { timeoutMs: 60_000 };

const KEYWORDS_ONLY = { defaults: { memorySearch: { provider: 'none' } } };

/** Makes the home; nothing is indexed yet. */
export function extHome(
  switches: QmdSwitches = {},
  ext: ExtSettings = {},
  agents: object = KEYWORDS_ONLY,
): ExtHome {
  const home = folderOf(NOTES);
  const qmd = installQmd(switches);
  const configure: ExtHome['configure'] = (settings, otherAgents = agents) => {
    const limits = { ...PATIENT, ...settings.limits };
    const memory = { backend: 'ext', ext: { command: qmd.command, ...settings, limits } };
    home.write('svc.json', JSON.stringify({ agents: otherAgents, memory }));
  };
  configure(ext);
  return {
    home,
    qmd,
    configure,
    newCommands: () => {
      const calls = qmd.log().map(({ args }) => args.slice(0, args[0] === 'collection' ? 2 : 1));
      qmd.clearLog();
      return calls.map((words) => words.join(' '));
    },
  };
}

/** Makes the home for tests of the built program. */
export function extMemory(...options: Parameters<typeof extHome>): ExtMemory {
  const extension = extHome(...options);
  const svc: ExtMemory['svc'] = (...args) => runInSession(args, { home: extension.home.path });
  return {
    ...extension,
    svc,
    search: async (query, ...args) =>
      jsonOf.search(await svc('memory', 'search', query, '--json', ...args)),
    status: async (...args) =>
      jsonOf.status(await svc('memory', 'status', '--json', ...args)).agents[0],
  };
}
