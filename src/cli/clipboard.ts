/** OSC 52 reaches the clipboard of the user's terminal, also through ssh and tmux. */
export function toClipboard(text: string): void {
  process.stdout.write(`\u001B]52;c;${Buffer.from(text).toString('base64')}\u0007`);
}
