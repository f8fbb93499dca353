/** What the tool prints about an update. */
import { pendingOf } from './store.mjs';

/** What it prints about one collection. @param command `add` or `update`: in newer releases they differ */
export function updateMessages(counts, release, command) {
  const { files, added, updated, unchanged, removed, orphans } = counts;
  const progress = release.progress
    ? { start: '\u001b]9;4;3\u0007', end: '\u001b]9;4;0\u0007' }
    : { start: '', end: '' };
  const steps = files.map((_, at) => {
    const percent = Math.round(((at + 1) / files.length) * 100);
    return `\u001b]9;4;1;${percent}\u0007\rIndexing: ${at + 1}/${files.length}        `;
  });
  const stderr = progress.start + (release.progress ? steps.join('') : '') + progress.end;
  const reportsEmpty = files.length === 0 && (command === 'add' || release.reportsEmpty);
  const emptyMessage = reportsEmpty ? 'No files found matching pattern.\n' : '';
  if (files.length === 0 && release.stopsAtEmpty) return { stdout: emptyMessage, stderr };
  const summary = `Indexed: ${added} new, ${updated} updated, ${unchanged} unchanged, ${removed} removed`;
  const cleaned = orphans > 0 ? `Cleaned up ${orphans} orphaned content hash(es)\n` : '';
  return { stdout: `${emptyMessage}\n${summary}\n${cleaned}`, stderr };
}

/** The notice that some content has no vectors; empty when all has. */
export function embeddingNotice(index) {
  const pending = pendingOf(index);
  return pending > 0
    ? `\nRun 'qmd embed' to update embeddings (${pending} unique hashes need vectors)\n`
    : '';
}

/** What 0.9.0 prints when a folder does not exist. */
export function missingFolderMessage(path) {
  const error = `ENOENT: no such file or directory, open '${path}'`;
  const fields = `    path: "${path}",\n syscall: "open",\n   errno: -2,\n    code: "ENOENT"\n`;
  return `\u001b]9;4;3\u0007${error}\n${fields}\n\nBun v1.4.5 (Linux x64)\n`;
}
