import { accessSync, constants, existsSync, lstatSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { ResolvedAgent } from '../../config/index.js';
import { SvcError } from '../../errors/index.js';
import { resolveWorkspace, scanMemoryFiles } from '../../memory/sources/memory-files.js';
import { isFaultySkip, type SkippedFile, type SourceFile } from '../../memory/types.js';
import type { DoctorCheck } from '../check.js';
import type { Finding, FindingPlace } from '../finding.js';
import { folderMend } from '../mends/make-folder.js';
import type { ConfiguredWorld } from '../world.js';

const NAMED = 5;

/** Whether the folder of each agent's memory is there and can be read. */
export const workspace: DoctorCheck = {
  name: 'workspace',
  needs: 'configuration',
  run: async (world) => {
    const agents = world.agents.filter((agent) => agent.memorySearch.enabled);
    const findings = agents.flatMap((agent) => lookAt(agent, world));
    const folders = [...new Set(agents.map((agent) => agent.workspaceDir))];
    return { summary: folders.join(', '), findings, off: agents.length === 0 };
  },
};

function lookAt(agent: ResolvedAgent, world: ConfiguredWorld): readonly Finding[] {
  const { workspaceDir, id } = agent;
  const place = world.placeOfAgent(id, ['workspace']) ?? { file: workspaceDir };
  try {
    const dir = resolveWorkspace(workspaceDir);
    const { extraPaths } = agent.memorySearch;
    const { files, skipped } = scanMemoryFiles({ workspaceDir: dir, layout: 'agent', extraPaths });
    return [
      ...twoRoots(dir),
      ...skipFindings([...skipped.filter(isFaultySkip), ...unreadable(files)], dir),
      ...missingExtras(agent, dir, world),
      ...(files.length === 0 ? [nothingThere(agent, place)] : []),
    ];
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    return [unusable(error, workspaceDir, place)];
  }
}

function unusable(error: SvcError, dir: string, place: FindingPlace): Finding {
  const isMissing = error.code === 'WORKSPACE_MISSING' && !isBrokenLink(dir);
  return {
    code: isMissing ? 'workspace-missing' : 'workspace-unreadable',
    severity: 'fault',
    message: error.message,
    place,
    ...(error.hint === undefined ? {} : { hint: error.hint }),
    ...(isMissing && isOursToMake(dir) ? { mend: folderMend(dir) } : {}),
  };
}

function isBrokenLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** A workspace below a disk that is not mounted is not made anew on the one below it. */
function isOursToMake(dir: string): boolean {
  return existsSync(dirname(dir)) || existsSync(dirname(dirname(dir)));
}

/** Only `MEMORY.md` is read; a memory in the other spelling is overlooked. */
function twoRoots(dir: string): readonly Finding[] {
  const names = readdirSync(dir);
  if (!names.includes('memory.md')) return [];
  const both = names.includes('MEMORY.md');
  return [
    {
      code: both ? 'memory-split' : 'memory-misspelt',
      severity: 'warning',
      message: both
        ? 'there is a memory.md beside MEMORY.md'
        : 'the memory is called memory.md, and only MEMORY.md is read',
      cause: 'only MEMORY.md is indexed: what stands in memory.md is not found',
      place: { file: join(dir, 'memory.md'), line: 1, column: 1 },
      hint: both
        ? `put both into MEMORY.md and delete memory.md`
        : `mv ${JSON.stringify(join(dir, 'memory.md'))} ${JSON.stringify(join(dir, 'MEMORY.md'))}`,
    },
  ];
}

/** A scan looks at names and times; whether a file may be read shows when it is indexed. */
function unreadable(files: readonly SourceFile[]): readonly SkippedFile[] {
  return files.slice(0, MOST_TRIED).flatMap(({ absolutePath, path }): SkippedFile[] => {
    try {
      accessSync(absolutePath, constants.R_OK);
      return [];
    } catch {
      return [{ path, reason: 'permission_denied' }];
    }
  });
}

const MOST_TRIED = 10_000;

function skipFindings(skipped: readonly SkippedFile[], dir: string): readonly Finding[] {
  // Missing extra paths are told with their places in the configuration.
  const files = skipped.filter((skip) => skip.reason !== 'missing');
  return files.slice(0, NAMED).map((skip, at): Finding => {
    const more =
      at === NAMED - 1 && files.length > NAMED ? ` (and ${files.length - NAMED} more)` : '';
    const why = skip.reason.replaceAll('_', ' ');
    return {
      code: 'file-skipped',
      severity: 'warning',
      message: `${skip.path} is not indexed: ${why}${more}`,
      ...(skip.detail === undefined ? {} : { cause: skip.detail }),
      place: { file: resolve(dir, skip.path) },
      hint: 'svc memory status lists all of them',
    };
  });
}

function missingExtras(
  { memorySearch, id }: ResolvedAgent,
  dir: string,
  world: ConfiguredWorld,
): readonly Finding[] {
  const missing = memorySearch.extraPaths.filter((path) => !existsSync(resolve(dir, path)));
  return missing.map((path) => {
    const place = placeOfExtra(path, id, world);
    return {
      code: 'extra-path-missing',
      severity: 'warning',
      message: `there is nothing at ${resolve(dir, path)}, which extraPaths names`,
      ...(place === undefined ? {} : { place }),
      hint: 'make it, or take it out of extraPaths',
    };
  });
}

/** The lists of the agent and of the defaults are joined, and a home folder is expanded. */
function placeOfExtra(path: string, id: string, world: ConfiguredWorld): FindingPlace | undefined {
  const { agents } = world.loaded.input;
  const at = world.agents.findIndex((agent) => agent.id === id);
  const lists = [
    { base: ['agents', 'defaults'], list: agents?.defaults?.memorySearch?.extraPaths },
    { base: ['agents', 'list', at], list: agents?.list?.[at]?.memorySearch?.extraPaths },
  ];
  for (const { base, list = [] } of lists) {
    const position = list.findIndex((written) => path.endsWith(written.replace(/^~/u, '')));
    if (position === -1) continue;
    return world.placeOf([...base, 'memorySearch', 'extraPaths', position]);
  }
  return undefined;
}

function nothingThere({ id, workspaceDir }: ResolvedAgent, place: FindingPlace): Finding {
  return {
    code: 'workspace-empty',
    severity: 'note',
    message: `agent ${id} has no memory yet`,
    place,
    hint: `write ${join(workspaceDir, 'MEMORY.md')}, or notes below ${join(workspaceDir, 'memory')}`,
  };
}
