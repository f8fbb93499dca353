/** A release that is played; see releases.mjs. */
export interface PlayedRelease {
  readonly version: string;
}

/** How a run of the tool ends. */
export interface CommandAnswer {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line, but for `mcp`, in this process. */
export function runCommand(
  args: readonly string[],
  at: {
    readonly places: { readonly config: string; readonly index: string };
    readonly release: PlayedRelease;
    readonly cwd: string;
  },
): CommandAnswer | undefined;
