import { inspectConfig, showConfig } from '../config/index.js';
import type { EngineContext } from '../context.js';
import { openAllMemories } from '../memory/open-memory.js';
import { checkSecrets } from '../secrets/check-secrets.js';
import { aboutProgram, type ProcessFacts } from './about.js';
import { overallStatusOutput } from './output.js';
import { overallStatus } from './overall-status.js';
import { stateFolderFacts } from './state-files.js';

/** What the parts are made from. */
export interface PartOptions {
  readonly facts: ProcessFacts;
  /** The file named by `--config`. */
  readonly configFile?: string | undefined;
  readonly signal: AbortSignal;
}

/** One file of a bug report before it is made. */
export interface BugReportPart {
  readonly name: string;
  /** What it holds, for people. */
  readonly holds: string;
  /** Gives plain JSON data, secrets not yet masked. @throws what is broken */
  readonly make: () => unknown;
}

/** The part that reads every secret; once it is made, all of them are known to the mask. */
export const SECRETS_PART = 'secrets.json';

/** What a bug report holds besides logs, the secrets first. */
export function bugReportParts(
  context: EngineContext,
  options: PartOptions,
): readonly BugReportPart[] {
  const { configFile, facts, signal } = options;
  return [
    {
      name: SECRETS_PART,
      holds: 'where secrets are kept and whether they can be read, without values',
      make: () => checkSecrets(context, { configFile, signal }),
    },
    {
      name: 'version.json',
      holds: 'versions, platform, paths, native modules',
      make: () => aboutProgram(context, facts, configFile),
    },
    {
      name: 'config.json',
      holds: 'the configuration that holds, defaults included, secrets masked',
      make: () => showConfig(context, { configFile, origins: false }),
    },
    {
      name: 'config-faults.json',
      holds: 'faults and warnings of the configuration file',
      make: async () => {
        const { file, faults, warnings } = await inspectConfig(context, { configFile });
        return { file, faults, warnings };
      },
    },
    {
      name: 'status.json',
      holds: 'agents, indexes, services, faults; counts of files, no names',
      make: () => statusPart(context, configFile),
    },
    {
      name: 'state.json',
      holds: 'names, sizes and permissions of the files of svc itself; free space',
      make: () => ({
        state: stateFolderFacts(context.state.stateDir),
        ...(context.state.cacheDir === context.state.stateDir
          ? {}
          : { cache: stateFolderFacts(context.state.cacheDir) }),
      }),
    },
    {
      name: 'environment.json',
      holds: 'names of the variables that are set and concern svc, without values',
      make: () => ({ set: variablesThatCount(context.env) }),
    },
  ];
}

/** The state of all agents; names of notes are left out, since they are part of what they say. */
async function statusPart(context: EngineContext, configFile: string | undefined) {
  const memories = await openAllMemories(context, { configFile });
  try {
    const { agents, ...rest } = overallStatusOutput(
      await overallStatus(memories, { context, configFile }),
    );
    return {
      ...rest,
      agents: agents.map(({ staleness, skipped, ...agent }) => ({
        ...agent,
        ...(staleness === undefined ? {} : { staleness: { ...staleness, examples: [] } }),
        skipped: skipped.map(({ reason }) => reason),
      })),
    };
  } finally {
    for (const { backend } of memories) await backend.close();
  }
}

const VARIABLES =
  /^(?:SVC_|XDG_|AWS_|LC_)|^(?:CI|EDITOR|FORCE_COLOR|HOME|HTTPS?_PROXY|LANG|NODE_OPTIONS|NODE_EXTRA_CA_CERTS|NO_COLOR|NO_PROXY|OLLAMA_HOST|PATH|TERM|TMPDIR|TZ|VISUAL)$|_(?:KEY|TOKEN)$/iu;

function variablesThatCount(env: EngineContext['env']): readonly string[] {
  return Object.keys(env)
    .filter((name) => VARIABLES.test(name))
    .toSorted();
}
