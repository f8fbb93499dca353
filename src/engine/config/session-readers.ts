/** Whose transcripts can be read; what `sessions.readers` names. */
export const SESSION_READERS = ['svc', 'claude-code', 'codex', 'gemini-cli', 'cursor'] as const;

export type SessionReaderId = (typeof SESSION_READERS)[number];

/** Whether a name is that of a reader. */
export function isSessionReader(name: string): name is SessionReaderId {
  return SESSION_READERS.some((reader) => reader === name);
}
