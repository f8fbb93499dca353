/** What the tool says of an update. */
import { pendingOf } from './store.mjs';

/** Of one collection. @param how `add` or `update`: the newer releases differ between them */
export function indexed(counts, release, how) {
  const { files, added, updated, unchanged, removed, orphans } = counts;
  const progress = release.progress
    ? { begins: '\u001b]9;4;3\u0007', ends: '\u001b]9;4;0\u0007' }
    : { begins: '', ends: '' };
  const steps = files.map((_, at) => {
    const percent = Math.round(((at + 1) / files.length) * 100);
    return `\u001b]9;4;1;${percent}\u0007\rIndexing: ${at + 1}/${files.length}        `;
  });
  const stderr = progress.begins + (release.progress ? steps.join('') : '') + progress.ends;
  const none = files.length === 0 && (how === 'add' || release.emptyTold);
  const nothing = none ? 'No files found matching pattern.\n' : '';
  if (files.length === 0 && release.emptyStops) return { stdout: nothing, stderr };
  const summary = `Indexed: ${added} new, ${updated} updated, ${unchanged} unchanged, ${removed} removed`;
  const cleaned = orphans > 0 ? `Cleaned up ${orphans} orphaned content hash(es)\n` : '';
  return { stdout: `${nothing}\n${summary}\n${cleaned}`, stderr };
}

/** That there is content without vectors, if there is. */
export function notice(index) {
  const pending = pendingOf(index);
  return pending > 0
    ? `\nRun 'qmd embed' to update embeddings (${pending} unique hashes need vectors)\n`
    : '';
}

/** How 0.9.0 ends at a folder that is not there. */
export function noFolder(path) {
  const error = `ENOENT: no such file or directory, open '${path}'`;
  const fields = `    path: "${path}",\n syscall: "open",\n   errno: -2,\n    code: "ENOENT"\n`;
  return `\u001b]9;4;3\u0007${error}\n${fields}\n\nBun v1.4.5 (Linux x64)\n`;
}
