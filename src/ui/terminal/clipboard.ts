/** Puts a text on the clipboard of the user's terminal (OSC 52), also through ssh and tmux. */
export function copyToClipboard(stdout: Pick<NodeJS.WriteStream, 'write'>, text: string): void {
  stdout.write(`\u001B]52;c;${Buffer.from(text).toString('base64')}\u0007`);
}
