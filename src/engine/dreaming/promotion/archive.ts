import {
  blockOf,
  type EditedMemory,
  type MemoryOperation,
  type RetiredEntry,
} from './memory-file.js';

/** Where a month's retired entries are, relative to the workspace; an ordinary note for search. */
export function archivePath(day: string): string {
  return `memory/archive/${day.slice(0, 7)}.md`;
}

/**
 * Appends retired entries to a month's archive, with where they came from and why they were retired. What was
 * superseded says until when it was true, so that nobody takes it for current.
 *
 * @param day of the sweep, `YYYY-MM-DD`
 */
export function appendRetired(
  text: string,
  retired: readonly RetiredEntry[],
  day: string,
): Pick<EditedMemory, 'operations' | 'text'> {
  const path = archivePath(day);
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const operations: MemoryOperation[] = [];
  let edited = text;
  const append = (inserted: string): string => {
    edited += inserted;
    return inserted;
  };
  if (text.trim() === '') {
    const title = `# Retired From Long-Term Memory (${day.slice(0, 7)})${end}${end}`;
    operations.push({ kind: 'frame', inserted: append(title), path });
  }
  for (const { entry, because } of retired) {
    const until = because.why === 'superseded' ? `Until ${because.until}: ` : '';
    const gap = /[^\n]$/u.test(edited) ? end : '';
    const block = blockOf({ entry, text: until + entry.text }, end, { ...because, on: day });
    operations.push({ kind: 'archive', key: entry.key, inserted: append(gap + block), path });
  }
  return { text: edited, operations };
}
