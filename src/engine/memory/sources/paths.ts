import { isAbsolute, join, relative, sep } from 'node:path';

/**
 * The name of a file as people see it: relative to the workspace, with forward slashes; with `..`
 * where it lies outside, absolute only on another drive.
 */
export function displayPath(workspaceDir: string, absolutePath: string): string {
  const prefix = workspaceDir.endsWith(sep) ? workspaceDir : workspaceDir + sep;
  const path = absolutePath.startsWith(prefix)
    ? absolutePath.slice(prefix.length)
    : relative(workspaceDir, absolutePath);
  return sep === '/' ? path : path.replaceAll(sep, '/');
}

/** The inverse of {@link displayPath}: where a displayed path lies on disk. */
export function absoluteFromDisplay(workspaceDir: string, path: string): string {
  return isAbsolute(path) ? path : join(workspaceDir, path);
}
