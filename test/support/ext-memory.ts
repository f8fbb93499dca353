import type * as z from 'zod/mini';
import type { statusOutputSchema } from '../../src/engine/memory/backends/output-schemas.js';
import type { searchOutputSchema } from '../../src/engine/memory/search/output-schemas.js';
import { jsonOf } from './json.js';
import { type InstalledQmd, installQmd, type QmdSwitches } from './qmd.js';
import { runSvc, type SvcRun } from './run-svc.js';
import { folderOf, type TempFolder } from './temp-folder.js';

/** A home whose memory is searched by a stand-in for the external tool. */
export interface ExtMemory {
  readonly home: TempFolder;
  readonly qmd: InstalledQmd;
  /** Writes another configuration: `memory.ext` besides the command, and all of `agents`. */
  configure(ext: object, agents?: object): void;
  /** Runs the built program. */
  svc(...args: readonly string[]): Promise<SvcRun>;
  search(query: string, ...args: readonly string[]): Promise<z.infer<typeof searchOutputSchema>>;
  /** The status of the default agent. */
  status(
    ...args: readonly string[]
  ): Promise<z.infer<typeof statusOutputSchema>['agents'][number] | undefined>;
  /** The commands of the tool that were run since the last time, each with its first word or two. */
  ran(): readonly string[];
}

/** What is asked of it; both memory files speak of herons, on their third lines. */
const NOTES: Readonly<Record<string, string>> = {
  'workspace/MEMORY.md': '# Memory\n\nThe heron nests in the old oak.\n',
  'workspace/memory/2026-11-01.md': '# Sunday\n\nSaw the heron again.\n\nCounted nine egrets.\n',
};

/** No machine is so slow; what is to time out says so itself. */
const PATIENT = { limits: { timeoutMs: 60_000 } };

const WORDS_ALONE = { defaults: { memorySearch: { provider: 'none' } } };

/** Makes the home; nothing is indexed yet. */
export function extMemory(
  switches: QmdSwitches = {},
  ext: object = {},
  agents: object = WORDS_ALONE,
): ExtMemory {
  const home = folderOf(NOTES);
  const qmd = installQmd(switches);
  const configure: ExtMemory['configure'] = (settings, otherAgents = agents) => {
    const memory = { backend: 'ext', ext: { command: qmd.command, ...PATIENT, ...settings } };
    home.write('svc.json', JSON.stringify({ agents: otherAgents, memory }));
  };
  configure(ext);
  const svc: ExtMemory['svc'] = (...args) => runSvc(args, { home: home.path });
  return {
    home,
    qmd,
    configure,
    svc,
    search: async (query, ...args) =>
      jsonOf.search(await svc('memory', 'search', query, '--json', ...args)),
    status: async (...args) =>
      jsonOf.status(await svc('memory', 'status', '--json', ...args)).agents[0],
    ran: () => {
      const calls = qmd.log().map(({ args }) => args.slice(0, args[0] === 'collection' ? 2 : 1));
      qmd.clearLog();
      return calls.map((words) => words.join(' '));
    },
  };
}
