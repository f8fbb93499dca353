/**
 * Writes progress, a warning or an error to stderr. That its reader is gone or its disk is full does not stop the work:
 * without a listener, Node.js would end the process in the middle of it.
 */
export function writeStderr(text: string): void {
  const { stderr } = process;
  if (stderr.listenerCount('error') === 0) stderr.on('error', () => undefined);
  stderr.write(text);
}
