import * as Flags from '@oclif/core/flags';
import { targetFlags, withEnvironment } from '../cli/flags.js';
import { MemoryCommand } from '../cli/memory-command.js';
import { runMcp } from '../cli/run-mcp.js';
import { sessionFacts, sessionFlags } from '../cli/session-flags.js';
import { SvcError } from '../engine/errors/index.js';
import type { McpOutput } from '../engine/mcp/output-schemas.js';
import { programVersion } from '../engine/overview/package-version.js';

const DEFAULT_PORT = 8788;

export default class Mcp extends MemoryCommand<McpOutput> {
  static override summary = 'Serve memory to agents over the Model Context Protocol.';
  static override description =
    `Gives an agent the tools memory_search and memory_get, and the memory files as resources. Agents start it themselves; svc integrate writes it into their configuration.

Speaks on stdin and stdout, until stdin ends. With --http it listens on the loopback instead, for agents that share one server: they need the bearer token, which is made at the first start and kept in a file whose path is shown.

Without --session-key and --chat-type the conversation counts as a direct one. memory.ext.scope decides which conversations may search.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --agent main',
    '<%= config.bin %> <%= command.id %> --workspace ./notes',
    '<%= config.bin %> <%= command.id %> --http --port 8788',
  ];
  static override flags = {
    ...targetFlags,
    ...sessionFlags,
    ...withEnvironment({
      http: Flags.boolean({ summary: 'Listen on the loopback instead of using stdin and stdout.' }),
      port: Flags.integer({
        summary: `Where to listen with --http (${DEFAULT_PORT}); 0 takes a free one.`,
        helpValue: 'PORT',
        min: 0,
        max: 65_535,
      }),
    }),
  };

  /** Else stdout belongs to the protocol. */
  private isHttp = false;

  override jsonEnabled(): boolean {
    return (this.isHttp || this.isTyped('http')) && super.jsonEnabled();
  }

  async run(): Promise<McpOutput> {
    const { flags } = await this.parse(Mcp);
    this.isHttp = flags.http;
    // What stands in the environment may be meant for other commands.
    if (!flags.http && this.isTyped('json')) throw noDocument();
    if (!flags.http && this.isTyped('port')) throw noPort();
    const end = await runMcp({
      context: this.context(),
      mask: this.mask,
      version: programVersion(this.config.root),
      session: sessionFacts(flags),
      http: flags.http ? { port: flags.port ?? DEFAULT_PORT } : undefined,
      open: () => this.openMemory(flags, { longLived: true }),
      verbose: flags.verbose,
      quiet: flags.quiet,
    });
    if (end.reason === 'SIGINT') this.setExitCode(130);
    return end;
  }
}

function noDocument(): SvcError {
  return new SvcError('USAGE', '--json and the protocol both want stdout', {
    hint: 'leave out --json, or serve with --http',
  });
}

function noPort(): SvcError {
  return new SvcError('USAGE', '--port is where --http listens', { hint: 'add --http' });
}
