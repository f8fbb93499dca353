import { join } from 'node:path';
import type { EngineContext } from '../../support/context.js';
import { resolvePath } from '../../support/paths.js';
import { isRecord, parsedJson } from '../../support/text.js';
import {
  type ImportedData,
  type ImportedSetting,
  invalidSource,
  isFolder,
  type LeftOutItem,
  readSource,
} from '../imported.js';

/**
 * Reads the projects of basic-memory: folders of Markdown.
 *
 * @param path its `config.json`, or its folder
 * @throws SvcError IMPORT_*
 */
export function readBasicMemory(path: string | undefined, context: EngineContext): ImportedData {
  const file = configFile(path, context);
  const root = parsedJson(readSource(file));
  if (!isRecord(root)) throw invalidSource(file, 'it is not a JSON object');
  const projects = root['projects'];
  if (!isRecord(projects)) throw invalidSource(file, 'it has no projects');
  const settings: ImportedSetting[] = [];
  const leftOut: LeftOutItem[] = [];
  for (const [name, project] of Object.entries(projects)) {
    const from = `projects.${name}`;
    const folder = folderOf(project, context);
    if (folder === undefined) leftOut.push({ from, why: 'it has no folder on this machine' });
    else if (!isFolder(folder)) leftOut.push({ from, why: `the folder ${folder} does not exist` });
    else {
      const path = ['agents', 'defaults', 'memorySearch', 'extraPaths'];
      settings.push({ from, path, value: [folder], adds: true });
    }
  }
  const others = Object.keys(root).filter((key) => key !== 'projects');
  if (others.length > 0)
    leftOut.push({ from: others.join(', '), why: 'not about where notes are' });
  return { source: file, settings, leftOut, entries: [] };
}

/** Older releases have the path of a project only. */
function folderOf(project: unknown, { homeDir }: EngineContext): string | undefined {
  const {
    path,
    mode,
    local_sync_path: synced,
  } = isRecord(project) ? project : { path: project, mode: 'local', local_sync_path: undefined };
  const local = mode === 'cloud' ? synced : path;
  return typeof local === 'string' && local !== ''
    ? resolvePath(local, homeDir, homeDir)
    : undefined;
}

function configFile(path: string | undefined, { env, homeDir }: EngineContext): string {
  const defaultFolder = join(homeDir, '.basic-memory');
  const xdg = env['XDG_CONFIG_HOME'];
  const folder = xdg ? join(xdg, 'basic-memory') : defaultFolder;
  const start =
    path ?? (env['BASIC_MEMORY_CONFIG_DIR'] || (isFolder(folder) ? folder : defaultFolder));
  return isFolder(start) ? join(start, 'config.json') : start;
}
