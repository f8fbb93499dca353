/** The files of an uncompressed tar archive, by name. */
export function filesOfTar(archive: Buffer): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (let at = 0; archive[at] !== 0 && at < archive.length; ) {
    const field = (from: number, length: number): string =>
      archive.toString('utf8', at + from, at + from + length).replace(/\0.*$/su, '');
    const bytes = Number.parseInt(field(124, 12), 8);
    files.set(field(0, 100), archive.toString('utf8', at + 512, at + 512 + bytes));
    at += 512 + Math.ceil(bytes / 512) * 512;
  }
  return files;
}
