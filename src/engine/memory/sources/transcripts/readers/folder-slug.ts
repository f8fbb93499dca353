/** A folder's path as coding agents make a name of it: every other character becomes a `-`. */
export function folderSlug(folder: string): string {
  return folder.replaceAll(/[^A-Za-z0-9]/gu, '-');
}

/** Whether a name can be that of a folder, or of one below it; different folders may share a name. */
export function slugMayHold(name: string, slug: string): boolean {
  return name === slug || name.startsWith(`${slug}-`);
}
