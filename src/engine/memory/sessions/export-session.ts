import type { SessionOutput } from './output-schemas.js';

/** A conversation as Markdown: a heading for each turn, and its text as it was written. */
export function sessionMarkdown({ title, path, startedAt, turns }: SessionOutput): string {
  const about = [`- path: ${path}`, ...(startedAt === null ? [] : [`- started: ${startedAt}`])];
  const said = turns.map(({ role, at, text }) => {
    const who = role === 'user' ? 'User' : 'Assistant';
    return `\n## ${who}${at === null ? '' : ` (${at})`}\n\n${text}\n`;
  });
  return `# ${title}\n\n${about.join('\n')}\n${said.join('')}`;
}
