import { isAbsolute, join, relative, sep } from 'node:path';

/**
 * The name of a file as people see it: relative to the workspace, with forward slashes; with `..`
 * where it lies outside, absolute only on another drive.
 */
export function displayPath(workspaceDir: string, absolutePath: string): string {
  const path = isBelow(workspaceDir, absolutePath)
    ? absolutePath.slice(prefixOf(workspaceDir).length)
    : relative(workspaceDir, absolutePath);
  return sep === '/' ? path : path.replaceAll(sep, '/');
}

/** Whether an absolute path lies below a folder, by its name alone; no links are looked at. */
export function isBelow(folder: string, path: string): boolean {
  return path.startsWith(prefixOf(folder));
}

function prefixOf(folder: string): string {
  return folder.endsWith(sep) ? folder : folder + sep;
}

/** The inverse of {@link displayPath}: where a displayed path lies on disk. */
export function absoluteFromDisplay(workspaceDir: string, path: string): string {
  return isAbsolute(path) ? path : join(workspaceDir, path);
}
