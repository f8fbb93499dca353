/** A release that the fake imitates; see releases.mjs. */
export interface FakeRelease {
  readonly version: string;
}

/** How a run of the tool ends. */
export interface CommandAnswer {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line in this process; undefined for `mcp`. */
export function runCommand(
  args: readonly string[],
  context: {
    readonly places: { readonly config: string; readonly index: string };
    readonly release: FakeRelease;
    readonly cwd: string;
  },
): CommandAnswer | undefined;
